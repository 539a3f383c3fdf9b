"""The methods of a release, by what they are for. Each only calls a function elsewhere.

``record``      what a release consists of
``counting``    counts in ranges, shares, quantiles
``views``       other axes, tables of groups, SQL
``measures``    sums and means
``comparing``   counts by area, and changes between releases
``learning``    densities, points and synthetic rows
``showing``     pictures, pages and texts
``exports``     arrays, data frames and files of other programs
``histogram``   the protocol by which hist and mplhep plot a release
"""
