"""The mechanisms by name. A new one is one file and one line here."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hushgram.base.exact import short_repr
from hushgram.base.text import did_you_mean
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
from hushgram.mechanisms.parameters import parsed
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
    """A mechanism as given, or as it is written; ``"auto"`` chooses for the workload."""
    if isinstance(mechanism, str):
        if mechanism == Auto.name and workload is not None:
            return Auto(workload=workload)
        mechanism = named(mechanism)
    if not isinstance(mechanism, Mechanism):
        raise BadInput(f"a mechanism is a name or an instance, not {short_repr(mechanism)}.")
    if workload is not None and not (
        isinstance(mechanism, Auto) and mechanism.workload == workload
    ):
        raise BadInput(
            f"workload={short_repr(workload)} is what auto chooses a mechanism for, and "
            f"{mechanism.name} was given already: leave one of the two out."
        )
    return mechanism


def named(written: str) -> Mechanism:
    """The mechanism that is written as its name, or as its name and some parameters.

    >>> named("hb").name, named("structure-first:bound=50,share=1/3").parameters()
    ('hb', {'groups': None, 'bound': 50, 'share': '1/3'})
    """
    name, colon, rest = written.partition(":")
    if name not in MECHANISMS:
        raise UnknownMechanism(name, tuple(MECHANISMS), did_you_mean(name, MECHANISMS))
    given = parsed(rest) if colon else {}
    known = [field.name for field in fields(MECHANISMS[name])]
    for field in given:
        if field not in known:
            raise BadInput(
                f"{name} has no parameter {field!r}.{did_you_mean(field, known)} "
                f"Known: {', '.join(known) or 'none at all'}."
            )
    return MECHANISMS[name](**given)
