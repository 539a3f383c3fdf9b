"""Counts of areas: polygons of any shape, from a release with positions.

``shapes``    polygons from files and tables, checked and repaired
``meridian``  polygons across the 180th meridian
``placing``   polygons in units of a release's axes, and their sizes
``surface``   square kilometres of polygons in degrees
``overlap``   the share of each part that a polygon covers
``counting``  counts and shares with intervals

All of this is post-processing of the release.
"""
