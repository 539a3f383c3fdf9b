"""How dense the rows of a release are: box by box, at points, and around reconstructed rows."""

import hushgram as hg
from hushgram.data import places

domain = hg.Domain(lon=hg.Interval(-180, 180), lat=hg.Interval(-60, 75))
release = hg.publish(places(), domain, epsilon=1, account="map", mechanism="adaptive-grid")

boxes = release.density().to_pandas().sort_values("density", ascending=False)
print("The densest boxes, in places per square degree:")
print(boxes.head(3).to_string(index=False))
london, atlantic = release.density(at={"lon": [-0.1, -40.0], "lat": [51.5, 40.0]})
print(f"Around London {london:.1f}, in the middle of the Atlantic {atlantic:.1f}")

lat = hg.Domain(lat=hg.Interval(-60, 75))
ordered = hg.publish(places(), lat, epsilon=1, account="latitudes", mechanism="sorted")
cells = ordered.density(cells="voronoi")
print(f"{len(cells)} Voronoi cells, the densest with {cells.values.max():,.0f} places per degree")
