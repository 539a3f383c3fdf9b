"""The methods of a release, grouped by use. Each only calls a function elsewhere.

``record``      the fields of a release
``counting``    counts in ranges, shares, quantiles
``views``       other axes, tables of groups, SQL
``measures``    sums and means
``comparing``   counts by area, and changes between releases
``learning``    densities, points and synthetic rows
``showing``     pictures, pages and text
``exports``     arrays, data frames and files of other programs
``histogram``   the protocol with which hist and mplhep plot a release
"""
