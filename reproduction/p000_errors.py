"""Fig. 3 to 5 of paper 000: the error by ε, by the number of rows and by group size. NONPRIVATE."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise

import numpy as np

from hushgram.declare.axis import Floats
from reproduction.drawing import Panel, lines
from reproduction.findings import Claim, Numbers, PaperFinding, Picture, short
from reproduction.judged import Judged, Runs, every, format_mean, less, lowest, mean, times
from reproduction.line import (
    america,
    errors,
    even,
    generalisation_error,
    group_means,
    on_curve,
    people,
    sample,
    single,
)

EPSILONS = (0.5, 1.0, 2.0, 3.0)
MANY = (10, 30, 100, 300, 1000, 3000)
POINTS = 10_000
GROUPS = (1, 3, 10, 30, 60, 100, 200, 400, 1000)

TIMES = 25
"""Simulated runs per requested run: 500, as in the paper, for the default of 20."""


def figure_three(runs: int) -> PaperFinding:
    many = TIMES * runs
    found = {e: [errors(even(n), e, many) for n in MANY] for e in EPSILONS}
    means = {e: [mean(one) for one in by] for e, by in found.items()}
    ratios = {e: [a / b for a, b in zip(y, means[1.0], strict=True)] for e, y in means.items()}
    last = {e: ratios[e][-1] for e in EPSILONS}
    falls = every(less(more, fewer) for fewer, more in pairwise(found[1.0]))
    panels = [
        Panel("equally spaced", "n", "normalized error",
              {f"ε = {e:g}": (MANY, y) for e, y in means.items()}),
        Panel("ratio to the error at ε = 1", "n", "ratio",
              {f"ε = {e:g}": (MANY, y) for e, y in ratios.items()}, log_y=False),
    ]  # fmt: skip
    return PaperFinding(
        "Fig. 3: error by ε, without groups",
        "Equally spaced rows, isotonic regression by least squares, clipped to the unit interval; "
        f"means of {many} runs (the paper: 500).",
        [
            Claim("the error falls with n", "yes", "yes" if falls else "no", falls),
            Claim(f"Err at ε is about Err at 1 divided by ε (equation 4), n = {MANY[-1]:,}",
                  "ratios 2, 1/2, 1/3",
                  ", ".join(short(last[e]) for e in (0.5, 2.0, 3.0)),
                  all(abs(last[e] * e - 1) < 0.15 for e in EPSILONS),
                  "isotonic regression of n noisy rows errs as (noise² / n)^(1/3), and "
                  "therefore as ε^(-2/3). Tested: the power of ε in the table approaches -2/3 "
                  "as n grows, with and without clipping, and never -1. Equation 4 is wrong, "
                  "and so are the sizes in Table 1."),
        ],
        [powers(max(many // 10, 2))],
        [Picture("000-fig3", "Fig. 3: normalized error on equally spaced rows by n and ε, "
                 "and its ratio to that at ε = 1.", partial(lines, panels))],
    )  # fmt: skip


def powers(many: int) -> Numbers:
    """Return the power of ε by which the error falls."""
    rows = []
    for n in (MANY[-1], 10 * MANY[-1]):
        for clipped in (True, False):
            found = {e: mean(errors(even(n), e, many, clipped=clipped)) for e in EPSILONS}
            power = np.polyfit(np.log(EPSILONS), np.log(list(found.values())), 1)[0]
            ratios = [short(found[e] / found[1.0]) for e in (0.5, 2.0, 3.0)]
            rows.append((f"{n:,}", "yes" if clipped else "no", *ratios, f"{power:.2f}"))
    for name, power in (("ε^(-2/3)", -2 / 3), ("equation 4", -1.0)):
        rows.append((name, "", *(short(e**power) for e in (0.5, 2.0, 3.0)), f"{power:.2f}"))
    heads = ("n", "clipped", "ratio at ε = 0.5", "ratio at 2", "ratio at 3", "power of ε")
    return Numbers(f"Tested: the error over that at ε = 1, means of {many} runs", heads, rows)


def figure_four(runs: int) -> PaperFinding:
    many = TIMES * runs
    (map_name, on_map), (space_name, in_space) = america(), people()
    curves = {"Twitter": on_curve(on_map), "Kaluža": on_curve(in_space)}
    makers: dict[str, Callable[[int], Floats]] = {
        "single value": single,
        "equally spaced": even,
        **{name: partial(sample, points) for name, points in curves.items()},
    }
    found = {name: [errors(make(n), 1.0, many) for n in MANY] for name, make in makers.items()}
    groups = [k for k in GROUPS if k > 1]
    blurred = {
        name: [generalisation_error(make(POINTS), k) for k in groups]
        for name, make in makers.items()
        if name != "single value"
    }
    blurred["k / (4 n)"] = [k / (4 * POINTS) for k in groups]
    near = {name: mean(found[name][-1]) / mean(found["equally spaced"][-1]) for name in curves}
    share = {name: blurred[name][4] / blurred["k / (4 n)"][4] for name in curves}
    least = [lowest({name: by[n] for name, by in found.items()}, "single value")
             for n in range(len(MANY))]  # fmt: skip
    tested, unclipped = clipping(many)
    panels = [
        Panel("error at ε = 1", "n", "normalized error",
              {name: (MANY, [mean(one) for one in by]) for name, by in found.items()}),
        Panel(f"{POINTS:,} points", "group size k", "generalization error",
              {name: (groups, y) for name, y in blurred.items()}),
    ]  # fmt: skip
    return PaperFinding(
        "Fig. 4: error on other data, and what groups blur",
        f"Stand-ins: Twitter: {map_name}; Kaluža: {space_name}; both along a Hilbert curve. Means "
        f"of {many} runs (the paper: 500).",
        [
            Claim("a single repeated value has the smallest error", "yes", times(least, "n"),
                  every(least),
                  "with few rows, the noise is as large as the axis. Clipping to the axis, "
                  "which the paper does not mention, helps rows near its ends more than rows in "
                  "the middle. Tested: without clipping the single value has a lower error than "
                  f"equally spaced rows {times(unclipped, 'n')}."),
            Claim(f"equally spaced rows have about the error of real ones, n = {MANY[-1]:,}",
                  "well", ", ".join(f"{name}: {short(one)} times" for name, one in near.items()),
                  all(0.5 < one < 2 for one in near.values())),
            Claim("the generalization error is about k / (4 n), k = 100", "well",
                  ", ".join(f"{name}: {short(one)} times" for name, one in share.items()),
                  all(0.5 < one < 2 for one in share.values())),
        ],
        [tested],
        [Picture("000-fig4", "Fig. 4: normalized error at ε = 1 on four data sets, and "
                 "generalization error by group size.", partial(lines, panels))],
    )  # fmt: skip


def clipping(many: int) -> tuple[Numbers, list[Judged]]:
    """Compare a single value and equally spaced rows, with and without clipping. Also returns for
    which n the single value is better without."""
    rows, judged = [], []
    for n in MANY:
        cells: list[Runs] = []
        for clipped in (True, False):
            cells += [errors(make(n), 1.0, many, clipped=clipped) for make in (single, even)]
        judged.append(less(cells[2], cells[3]))
        rows.append((f"{n:,}", *map(format_mean, cells)))
    heads = (
        "n", "clipped, single value", "clipped, equally spaced", "not clipped, single value",
        "not clipped, equally spaced",
    )  # fmt: skip
    return Numbers("Tested: normalized errors at ε = 1", heads, rows), judged


def figure_five(runs: int) -> PaperFinding:
    many = TIMES * runs
    on_map = sample(on_curve(america()[1]), POINTS)
    found: dict[str, list[Runs]] = {}
    noise: dict[str, list[Runs]] = {}
    blur: dict[str, list[float]] = {}
    for name, points in (("equally spaced", even(POINTS)), ("Twitter", on_map)):
        found[name] = [errors(points, 1.0, many, k) for k in GROUPS]
        noise[name] = [errors(group_means(points, k), float(k), many) for k in GROUPS]
        blur[name] = [generalisation_error(points, k) for k in GROUPS]
    bound = {
        name: [(np.asarray(one) + more).tolist() for one, more in zip(by, blur[name], strict=True)]
        for name, by in noise.items()
    }
    panels = [
        Panel(name, "group size k", "normalized error", {
            "measured": (GROUPS, [mean(one) for one in found[name]]),
            "sum of both": (GROUPS, [mean(one) for one in bound[name]]),
            "noise, after regression": (GROUPS, [mean(one) for one in noise[name]]),
            "generalization": (GROUPS, blur[name]),
        })
        for name in found
    ]  # fmt: skip
    pairs = [(k, a, b) for name in found
             for k, a, b in zip(GROUPS, found[name], bound[name], strict=True)]  # fmt: skip
    gap = max(mean(b) / mean(a) - 1 for k, a, b in pairs if 10 <= k <= 400)
    above = sum(less(b, a) is True for _, a, b in pairs)
    spaced = found["equally spaced"]
    place = int(np.argmin([mean(one) for one in spaced]))
    inner = every(less(spaced[place], spaced[end]) for end in (0, -1))
    return PaperFinding(
        "Fig. 5: error by group size",
        f"{POINTS:,} points, ε = 1; means of {many} runs. As in the paper, groups are not "
        "interpolated.",
        [
            Claim("the sum bounds the error (equation 6)", "always",
                  f"above it in {above} of {len(pairs)} cases", above == 0),
            Claim("the two differ little, for k from 10 to 400", "small differences",
                  f"at most {100 * gap:.0f} %", gap < 0.5),
            Claim("the best group size is between the ends (equally spaced)", "51 in Table 1",
                  f"{GROUPS[place]}, with {format_mean(spaced[place])}; {format_mean(spaced[0])} "
                  f"at {GROUPS[0]} and {format_mean(spaced[-1])} at {GROUPS[-1]}", inner),
        ],
        pictures=[Picture("000-fig5", "Fig. 5: normalized error by group size, and its two parts.",
                          partial(lines, panels))],
    )  # fmt: skip
