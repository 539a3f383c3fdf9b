"""Pictures of a release.

``steps``       one axis: a step histogram with the band of its noise
``heat``        two axes: a heat map of cells or boxes
``matrix``      three to six axes: both of them, for every axis and every pair
``quantiles``   the values that shares of the rows do not exceed, with their intervals
``sides``       where an axis's values lie in a picture, and what is written beside it
``coastlines``  the outlines of the land, for maps
``canvas``      matplotlib's figures, and how they become files
"""

from hushgram.show.charts.plot import KINDS, plot

__all__ = ["KINDS", "plot"]
