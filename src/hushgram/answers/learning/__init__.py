"""Densities, distances, synthetic rows, classifiers, linkage blocks."""
