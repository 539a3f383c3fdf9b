"""Two parties find out which records to compare, without revealing how many each has."""

import numpy as np
import pandas as pd

import hushgram as hg
from hushgram.private.linkage import assign_records, candidate_pairs, measure

rng = np.random.default_rng(1)
people = pd.DataFrame(
    {"age": rng.gamma(9, 5, 12_000).astype(int), "sex": rng.choice(["F", "M"], 12_000)}
)
hospital, registry = people[:8000], people[4000:]
domain = hg.Domain(age=hg.Integer(0, 99, outside="clamp"), sex=hg.Category(["F", "M"]))

# Each party publishes, with its own budget. The two files are public.
ours = hg.publish(hospital, domain, epsilon=0.5, account="hospital", mechanism="dpcube")
theirs = hg.publish(registry, domain, epsilon=0.5, account="registry", mechanism="dpcube")
matched = hg.match_blocks(ours, theirs)
print(f"{len(matched.pairs)} pairs of blocks, {matched.reduction_ratio:.0%} fewer comparisons")

# Each party, by itself: pad or cut every block to its public size, then compare securely.
first = assign_records(matched.first, hospital)
second = assign_records(matched.second, registry)
print(f"the hospital brings {len(first.records):,} records, dummies included")

# Only whoever may see both tables can measure what was lost, or list the pairs in the clear.
found = measure(matched, first, second, [(4000 + n, n) for n in range(4000)])
print(f"{found.recall:.1%} of the matches are compared")
pairs = candidate_pairs(matched, first, second)
index = pd.MultiIndex.from_frame(pairs.to_pandas())  # what recordlinkage's Compare takes
print(f"{len(index):,} pairs of real records")
