"""Pictures of a release.

``plot``        which picture, of which axes, in which file
``steps``       one axis: filled steps with the band of their margins
``bars``        one axis without an order: horizontal bars with names and numbers
``table``       two axes of few values: numbers with their margins
``heat``        two axes: a heat map, or a map
``means``       sums and means of a measured column
``multiples``   one more axis: the same picture for each of its values
``matrix``      up to six axes: every axis and every pair
``quantiles``   the values that shares of the rows do not exceed, with their intervals
``choropleth``  polygons with a colour for each, and changes between two releases
``raster``      what each pixel of a heat map covers
``colours``     which colour stands for which amount
``maps``        degrees, kilometres and the scale bar
``coastlines``  coastlines and country borders
``sides``       where an axis's values are in a picture, and what is written next to it
``words``       titles and footers
``style``       the house style: colours, fonts and lines, on white and on dark paper
``options``     what a caller may choose
``picture``     the text around a picture, and its file
``canvas``      matplotlib's figures, and how they become files
"""

from hushgram.show.charts.plot import KINDS, plot

__all__ = ["KINDS", "plot"]
