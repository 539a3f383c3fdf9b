"""Medians, quantiles, ranks and shares from a release, each with an error bar.

The table is a bundled one, of 69,472 populated places. One release is paid for; asking is free.
"""

import hushgram as hg
from hushgram.data import places

domain = hg.Domain(lat=hg.Interval(-90, 90), country=hg.Category(["DE", "IN", "US"]))
release = hg.publish(places(), domain, epsilon=1, account="places")
release.save("places.hush.parquet")

release = hg.load("places.hush.parquet")
print("Half of the places lie south of", release.median("lat"))
for answer in release.quantile("lat", [0.1, 0.9], where={"country": "IN"}):
    print(f"In India {answer.q:.0%} lie south of {answer}")
print("Places south of the 40th parallel:", release.rank("lat", 40))
print("That is a share of", release.cdf("lat", 40))
