"""Mechanisms as they are written, and what is refused before anything is charged."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import hushgram as hg
from hushgram.errors import BadInput, DomainError, UnknownMechanism
from hushgram.mechanisms import MECHANISMS, as_mechanism
from hushgram.mechanisms.auto import Auto
from hushgram.mechanisms.dpcube import DPCube
from hushgram.mechanisms.identity import Identity
from hushgram.mechanisms.noise_first import NoiseFirst
from hushgram.mechanisms.privtree_hb import PrivTreeHB
from hushgram.mechanisms.registry import parse_mechanism
from hushgram.mechanisms.sorted import Sorted
from hushgram.mechanisms.structure_first import StructureFirst
from hushgram.spending.plan import Planned
from hushgram.trusted.ledger import Ledger


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("identity", Identity()),
        ("structure-first:bound=50", StructureFirst(bound=50)),
        ("structure-first: bound=50, share=0.3", StructureFirst(bound=50, share=Fraction(3, 10))),
        ("privtree-hb:share=1/10", PrivTreeHB(share=Fraction(1, 10))),
        ("dpcube:estimator=uniform,xi=2.5", DPCube(estimator="uniform", xi=2.5)),
        ("sorted:group_size=7", Sorted(group_size=7)),
        ("sorted:group_size=paper", Sorted(group_size="paper")),
        ("auto:workload=cells", Auto(workload="cells")),
    ],
)
def test_parameters_can_be_written(written: str, meant: hg.Mechanism) -> None:
    assert parse_mechanism(written) == as_mechanism(written) == meant
    assert Planned("one", {"x": hg.Integer(0, 9)}, 1, mechanism=written).mechanism == meant


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("nothing:bound=3", "Unknown mechanism 'nothing'"),
        (
            "structure-first:bund=3",
            "no parameter 'bund'. Did you mean 'bound'[?] Parameters: groups, bound, share.",
        ),
        ("identity:share=1/2", "identity has no parameter 'share'. Parameters: none."),
        ("ahp:", "Write name:key=value"),
        ("ahp:eta", "Write name:key=value"),
        ("ahp:=3", "Write name:key=value"),
        ("ahp:eta=1,eta=2", "each key once"),
        ("ahp:eta=", "eta must be a number from 0"),
        ("ahp:eta=nan", "eta must be a number from 0"),
        ("ahp:share=1/0", "share must be between 0 and 1"),
        ("ahp:share=1e-999999999", "share must be between 0 and 1"),
        ("ahp:clustering=best", "Unknown clustering='best'. Use optimal, greedy or empirical"),
        ("quadtree:height=1.5", "height must be a whole number from 1"),
    ],
)
def test_what_cannot_be_is_refused(written: str, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        as_mechanism(written)


def test_an_unknown_name_is_told_without_its_parameters() -> None:
    with pytest.raises(UnknownMechanism) as caught:
        parse_mechanism("hub:height=3")
    assert (caught.value.name, caught.value.known) == ("hub", tuple(MECHANISMS))


@pytest.mark.parametrize("given", ["privtree", "ahp:eta=1", Identity(), "auto:total_share=1/9"])
@pytest.mark.parametrize("workload", ["cells", "sums", 3])
def test_a_workload_beside_a_mechanism_is_refused(given: Any, workload: Any) -> None:
    with pytest.raises(BadInput, match="Leave out one of the two"):
        as_mechanism(given, workload)
    with pytest.raises(BadInput, match="Leave out one of the two"):
        Planned("one", {"x": hg.Integer(0, 9)}, 1, mechanism=given, workload=workload)


def test_a_workload_that_was_settled_stays() -> None:
    assert as_mechanism(Auto(workload="cells"), "cells") == Auto(workload="cells")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mechanism": "uniform-grid:constant=0"}, "constant must be a number from"),
        ({"mechanism": "identity", "workload": "cells"}, "Leave out one of the two"),
    ],
)
def test_bad_input_costs_nothing(given: dict[str, Any], message: str) -> None:
    ledger = Ledger.in_memory()
    with pytest.raises(BadInput, match=message):
        hg.publish(hg.Counts([1, 2, 3]), epsilon=1, ledger=ledger, **given)
    assert ledger.accounts() == []


def test_summaries_are_whole_sentences() -> None:
    for cls in MECHANISMS.values():
        for text in (cls.summary(), cls.use_for()):
            assert text.endswith(".")
            assert text.count("(") == text.count(")")
        assert len(cls.summary()) < 120, "the first sentence is for people in a hurry"
        assert cls.use_for().startswith("Use it for ")


def test_an_axis_without_an_order_is_named() -> None:
    with pytest.raises(DomainError, match="a single axis with an order, but 'sex' has no order"):
        NoiseFirst().check(hg.Domain(sex=hg.Category(["F", "M"])))
    with pytest.raises(DomainError, match="but the domain has 2 axes"):
        NoiseFirst().check(hg.Domain(x=hg.Integer(0, 1), y=hg.Integer(0, 1)))
