"""A page about a release, for people: what it is, how private, how accurate, how to query it.

The page is one file that needs no network, and is made from the release alone.
"""

from pathlib import Path

import hushgram as hg
from hushgram.data import places

domain = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
release = hg.publish(places(), domain, epsilon=1, mechanism="adaptive-grid", account="places")
release.save("places.hush.parquet")

release.report("places.html", title="Places of the world", file="places.hush.parquet")
print(f"Open places.html in a browser: {Path('places.html').stat().st_size // 1024} KB")
