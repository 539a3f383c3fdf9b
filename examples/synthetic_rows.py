"""Synthetic rows: a table that anyone may have, drawn from a release."""

import pyarrow.parquet as pq

import hushgram as hg
from hushgram.data import places

domain = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
release = hg.publish(places(), domain, epsilon=1, account="places", mechanism="adaptive-grid")

rows = release.sample(1000)
print(rows.slice(0, 3).to_pandas())

release.sample_to("places.parquet", 100_000)
written = pq.read_table("places.parquet").to_pandas()
europe = written["lon"].between(-10, 30) & written["lat"].between(36, 60)
answer = release.count(lon=(-10, 30), lat=(36, 60))
total = release.count()
print(f"in Europe: {europe.mean():.1%} of the synthetic rows, {answer.value / total.value:.1%} "
      "by the release")  # fmt: skip
