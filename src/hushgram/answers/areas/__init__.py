"""Counts of areas: polygons of any shape, from a release of places.

``shapes``    polygons from files and tables, checked and mended
``meridian``  polygons across the 180th meridian
``placing``   where polygons lie on a release's axes, and how large they are
``surface``   square kilometres of polygons in degrees
``overlap``   the share of each part that a polygon covers
``counting``  counts and shares with intervals

All of this is post-processing of the release.
"""
