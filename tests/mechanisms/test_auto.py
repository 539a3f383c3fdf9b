"""The default mechanism: what it chooses, that it says so, and that the choice is paid for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hushgram as hg
from hushgram.declare.axis import Category, Integer, Interval
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows
from hushgram.errors import BadInput, DomainError
from hushgram.lab.checks import NeighbourPair, replay_pair, vault_for
from hushgram.lab.memory import IndexedTable
from hushgram.mechanisms.auto import Auto, format_rounded
from hushgram.mechanisms.bayes_tree import BayesTree
from hushgram.mechanisms.privtree import PrivTree
from hushgram.mechanisms.registry import as_mechanism
from hushgram.release import parquet
from hushgram.spending.job import Job


def chosen(counts: Any, epsilon: Any = 1, **options: Any) -> hg.Release:
    return hg.publish(hg.Counts(counts), epsilon=epsilon, **options)


@pytest.mark.parametrize(
    ("shape", "name"),
    [((1,), "identity"), ((8,), "identity"), ((9,), "bayes-tree"), ((8, 16), "identity"),
     ((12, 12), "bayes-tree"), ((4096,), "bayes-tree"),
     ((5, 5, 5), "identity"), ((6, 6, 6), "privtree")],
)  # fmt: skip
def test_small_and_empty_tables_go_by_the_shape(shape: tuple[int, ...], name: str) -> None:
    release = chosen(np.zeros(shape, dtype=int))
    assert release.mechanism == name
    assert release.to_array().shape == shape


def test_on_three_axes_the_number_of_rows_decides() -> None:
    counts = np.zeros((20, 20, 20), dtype=np.int64)
    counts[3, :, 5] = 2000
    assert chosen(counts, epsilon="0.001").mechanism == "privtree"
    some = chosen(counts, epsilon="0.04")
    assert some.mechanism == "privtree-hb"
    assert "grows where the rows are" in some.why
    many = chosen(counts, epsilon="0.2")
    assert many.mechanism == "hb"
    assert "so many rows per cell" in many.why


def test_categories_beside_a_map_have_trees_of_their_own() -> None:
    domain = hg.Domain(kind=hg.Category(["a", "b", "c"]), x=hg.Integer(0, 39), y=hg.Integer(0, 39))
    assert Auto().candidates(domain) == (BayesTree(),)
    many = hg.Domain(kind=hg.Category([str(k) for k in range(5000)]), x=hg.Integer(0, 39))
    assert BayesTree() not in Auto().candidates(many)


def test_huge_counts_are_looked_at_without_wrapping() -> None:
    counts = np.zeros((40, 40), dtype=np.int64)
    counts[3, 5] = 2**62
    for epsilon in ("0.001", 10):
        release = chosen(counts, epsilon=epsilon)
        assert abs(release.count().value - 2**62) < 2**50


def test_a_declared_workload_of_cells_is_smoothed() -> None:
    assert chosen(np.zeros(500, dtype=int), workload="cells").mechanism == "noise-first"
    assert chosen(np.zeros((30, 30), dtype=int), workload="cells").mechanism == "dpcube"
    assert chosen(np.zeros(30, dtype=int), workload="cells").mechanism == "identity"
    assert chosen(np.zeros(500, dtype=int), workload="ranges").mechanism == "bayes-tree"
    with pytest.raises(BadInput, match="Unknown workload='sums'"):
        chosen([1, 2], workload="sums")


@pytest.mark.parametrize(
    ("domain", "workload", "name"),
    [
        (Domain(x=Interval(0, 1)), "ranges", "bayes-tree"),
        (Domain(x=Interval(0, 1), y=Interval(0, 1)), "cells", "bayes-tree"),
        (Domain(x=Interval(0, 1), y=Interval(0, 1), z=Interval(0, 1)), "ranges", "privtree"),
        (Domain(x=Interval(0, 1), s=Category(["a", "b"])), "ranges", "bayes-tree"),
        (Domain(s=Category([str(k) for k in range(200)])), "ranges", "identity"),
        (Domain(s=Category([str(k) for k in range(200)])), "cells", "ahp"),
    ],
)
@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
def test_other_domains(domain: Domain, workload: str, name: str, neighbours: Any) -> None:
    rows = np.zeros((50, len(domain)), dtype=int)
    job = Job(domain, Fraction(1), Rows(), neighbours)
    vault = vault_for(job, IndexedTable(domain, rows))
    mechanism, why = Auto(workload=workload).settle(vault)
    mechanism.check(domain)
    mechanism.estimate(vault)
    assert (mechanism.name, vault.remaining) == (name, 0)
    assert why.endswith(".")


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize("size", [0, 900, 12_000])
@pytest.mark.parametrize("workload", ["ranges", "cells"])
def test_replay_on_two_axes(neighbours: Any, size: int, workload: str) -> None:
    """With and without the look for lines: the release depends on the answers alone."""
    domain = Domain(x=Integer(0, 39), y=Integer(0, 39, outside="other"))
    rows = np.random.default_rng(1).integers(0, 40, (size + 1, 2))
    more, less = rows, (rows[:-1] if neighbours == "add-remove" else [*rows[:-1], [0, 0]])
    job = Job(domain, Fraction(1, 3), Rows(), neighbours)
    pair = NeighbourPair(job, IndexedTable(domain, more), IndexedTable(domain, less))
    first, second, lost = replay_pair(Auto(workload=workload), pair)
    assert first == second
    assert lost <= job.epsilon


def test_the_choice_is_in_the_file_and_named() -> None:
    release = chosen(np.zeros((30, 30), dtype=int))
    again = parquet.read(release.to_bytes())
    assert (again.mechanism, again.why) == (release.mechanism, release.why)
    assert again.parameters["share"] is None
    assert again.parameters["total_share"] == "1/100"


def test_too_many_cells_and_bad_parameters_are_refused() -> None:
    with pytest.raises(DomainError, match="parts are too many"):
        Auto().check(Domain(x=Integer(0, 10**6), y=Integer(0, 10**6)))
    with pytest.raises(BadInput, match="total_share"):
        Auto(total_share=Fraction(2))


def test_a_named_mechanism_is_left_alone() -> None:
    assert as_mechanism("privtree") == PrivTree()
    assert as_mechanism(PrivTree(threshold=3)).parameters()["threshold"] == 3
    assert as_mechanism("auto", "cells") == Auto(workload="cells")


def test_numbers_are_rounded() -> None:
    assert [format_rounded(x) for x in (0, 7.77, 123456)] == ["0", "7.8", "120,000"]
