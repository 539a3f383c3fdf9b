"""Areas of a public map as an axis: every point is in one area or in none.

``outlines``  read and check named polygons from files, data frames and mappings
``shapes``    polygons on a lattice of whole numbers
``painting``  the area of each cell of a raster, in integers
``raster``    the painted raster, which determines the area of a point
``levels``    areas within larger areas: districts, cities, regions
``h3``        hexagons of the H3 grid as areas
``axis``      the axis itself
"""

from hushgram.declare.axis.areas.axis import Areas
from hushgram.declare.axis.areas.levels import Level
from hushgram.declare.axis.areas.raster import AreaRaster

__all__ = ["AreaRaster", "Areas", "Level"]
