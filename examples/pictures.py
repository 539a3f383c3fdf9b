"""Pictures of a release: steps, a map, a matrix of several axes, quantiles.

The table is a bundled one, of 69,472 populated places. Drawing costs nothing; the second release is
paid for like the first, once the steward has raised the account's cap.
"""

import hushgram as hg
from hushgram.data import places

world = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
release = hg.publish(places(), world, epsilon=1, mechanism="privtree", account="places")
release.plot("map.png", rows="places", source="GeoNames")
release.plot("latitudes.svg", axes="lat")
release.plot("quantiles.pdf", axes="lat", kind="quantiles")

domain = hg.Domain(
    lat=hg.Regular(27, -60, 75),
    country=hg.Category(["BR", "DE", "FR", "IN", "US"], outside="other"),
    population=hg.Variable([5_000, 10_000, 50_000, 1_000_000, 40_000_000]),
)
hg.Ledger.open().set_cap("places", 2)
table = hg.publish(places(), domain, epsilon=1, account="places")
table.plot("matrix.png", kind="matrix")

print("Drawn: map.png, latitudes.svg, quantiles.pdf, matrix.png")
