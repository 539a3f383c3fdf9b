"""Partitions: disjoint parts that cover a domain's indices. Integer arithmetic only.

``Grid``      equal slices of each axis's indices
``Cuts``      slices of any width
``Refined``   a grid whose cells are cut again, each by its own sub-grid
``Boxes``     the leaves of a tree of cuts
``Merged``    a grid or cuts whose parts are merged by label

All are public values: built from the domain and from noisy numbers, never from the table.
"""

from hushgram.base.packing import pack, unpack, whole_number
from hushgram.geometry.partition.base import MAX_PARTS, Boxed, Ints, Measurable, Partition
from hushgram.geometry.partition.boxes import Boxes
from hushgram.geometry.partition.halving import Halving
from hushgram.geometry.partition.lattice import Cuts, Grid, Lattice, Raster
from hushgram.geometry.partition.merged import Merged
from hushgram.geometry.partition.nesting import is_nested, same_parts
from hushgram.geometry.partition.reading import partition_from_json
from hushgram.geometry.partition.refined import Refined

__all__ = [
    "MAX_PARTS",
    "Boxed",
    "Boxes",
    "Cuts",
    "Grid",
    "Halving",
    "Ints",
    "Lattice",
    "Measurable",
    "Merged",
    "Partition",
    "Raster",
    "Refined",
    "is_nested",
    "pack",
    "partition_from_json",
    "same_parts",
    "unpack",
    "whole_number",
]
