"""Which mechanism suits which data? Compare a few on generated tables. NONPRIVATE."""

from hushgram.lab.evaluate import ExperimentGrid, data_sets, regrets, run, summary

sets = data_sets(["zipf-1d", "spiky-1d", "clustered-2d"], shapes=[(256,), (32, 32)])
grid = ExperimentGrid(sets, ["identity", "hb", "privtree-hb"], epsilons=["0.05", "1"], runs=6)
results = run(grid, "evaluation")

print("NONPRIVATE: errors of random ranges beside the true counts")
for line in sorted(summary(results), key=lambda line: line.setting):
    if line.measure == "l1":
        print(f"{line.setting!s:45} {line.mechanism:12} off by {line.text} rows")

print("\nHow much worse than the best of them, on average and at the most")
for regret in regrets(results):
    print(f"{regret.mechanism:12} {regret.mean:.2f}  {regret.largest:.2f}")

print(f"\nRun it again: {run(grid, 'evaluation').ran} of {results.cells} cells are missing.")
