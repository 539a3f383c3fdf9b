"""Pictures of a release.

``plot``        the choice of picture and axes, and the file
``steps``       one axis: filled steps with the band of their margins
``bars``        one axis without an order: horizontal bars with names and numbers
``table``       two axes of few values: numbers with their margins
``heat``        two axes: a heat map, or a map
``means``       sums and means of a measured column
``multiples``   one more axis: the same picture for each of its values
``matrix``      up to six axes: every axis and every pair
``quantiles``   quantiles of an axis with their intervals
``choropleth``  polygons with a colour for each, and changes between two releases
``raster``      averages over the pixels of a heat map
``colours``     colour scales
``maps``        degrees, kilometres and the scale bar
``coastlines``  coastlines and country borders
``sides``       the positions of an axis's values in a picture, and their labels
``words``       titles and footers
``style``       the common style: colours, fonts and lines, on light and on dark background
``options``     the options of the drawing functions
``picture``     the text around a picture, and its file
``canvas``      creating and saving matplotlib figures
"""

from hushgram.show.charts.plot import KINDS, plot

__all__ = ["KINDS", "plot"]
