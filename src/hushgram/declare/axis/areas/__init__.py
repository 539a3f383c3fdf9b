"""Areas of a public map as an axis: from polygons to one area, or none, for every point.

``outlines``  polygons from files, frames and mappings, checked and by name
``shapes``    the same on a lattice of whole numbers
``painting``  which cells of a raster lie in which area, in integers
``raster``    the painted raster: the rule that tells the area of a point
``levels``    areas within larger ones: districts, cities, regions
``h3``        the hexagons of Uber's grid as areas
``axis``      the axis that is made of these
"""

from hushgram.declare.axis.areas.axis import Areas
from hushgram.declare.axis.areas.levels import Level
from hushgram.declare.axis.areas.raster import AreaRaster

__all__ = ["AreaRaster", "Areas", "Level"]
