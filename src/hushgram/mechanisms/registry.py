"""The mechanisms by name. A new one is one file and one line here."""

from __future__ import annotations

from typing import Any

from hushgram.errors import BadInput, UnknownMechanism
from hushgram.mechanisms.adaptive_grid import AdaptiveGrid
from hushgram.mechanisms.ahp import AHP
from hushgram.mechanisms.auto import Auto
from hushgram.mechanisms.base import Mechanism
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.grid_hierarchy import GridHierarchy
from hushgram.mechanisms.grouping_smoothing import GroupingSmoothing
from hushgram.mechanisms.hb import HB
from hushgram.mechanisms.hierarchical import Hierarchical
from hushgram.mechanisms.hybrid import Hybrid
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.isotonic import Isotonic
from hushgram.mechanisms.kd_cell import KDCell
from hushgram.mechanisms.kd_hybrid import KDHybrid
from hushgram.mechanisms.kd_standard import KDStandard
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.mechanisms.p_hpartition import PHPartition
from hushgram.mechanisms.privelet import Privelet
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.privtree_hb import PrivTreeHB
from hushgram.mechanisms.quadtree import Quadtree
from hushgram.mechanisms.sorted import Sorted
from hushgram.mechanisms.structure_first import StructureFirst
from hushgram.mechanisms.uniform_grid import UniformGrid

MECHANISMS: dict[str, type[Mechanism]] = {
    cls.name: cls
    for cls in (
        Auto,
        Identity,
        UniformGrid,
        AdaptiveGrid,
        GridHierarchy,
        Hierarchical,
        HB,
        Quadtree,
        Privelet,
        AHP,
        DPCube,
        NoiseFirst,
        StructureFirst,
        PHPartition,
        Isotonic,
        GroupingSmoothing,
        Sorted,
        Hybrid,
        PrivTree,
        PrivTreeHB,
        KDStandard,
        KDHybrid,
        KDCell,
    )
}


def as_mechanism(mechanism: Any, workload: Any = None) -> Mechanism:
    """A mechanism from its name, or as given; ``"auto"`` chooses for the workload."""
    chooser = Auto(workload="ranges" if workload is None else workload)
    if isinstance(mechanism, Mechanism):
        return mechanism
    if not isinstance(mechanism, str):
        raise BadInput(f"a mechanism is a name or an instance, not {mechanism!r}.")
    return chooser if mechanism == Auto.name else named(mechanism)


def named(name: str) -> Mechanism:
    """The mechanism of that name, with its defaults."""
    if name not in MECHANISMS:
        raise UnknownMechanism(name, tuple(MECHANISMS))
    return MECHANISMS[name]()
