"""Exact checks of operations, without randomness: distances, losses and scales. NONPRIVATE."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import Any
from unittest import mock

import numpy as np

from assurance.adversaries import all_operation_pairs
from assurance.batches import Scripted, Undecided, exact_of, scale_of
from assurance.nested_law import as_decimal, largest_loss
from hushgram.declare.amount import Amount
from hushgram.declare.axis import Integer
from hushgram.declare.domain import Domain
from hushgram.declare.unit import Rows, Unit, User
from hushgram.geometry.partition import Grid, Ints
from hushgram.lab.audit import OperationPair
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, distance, loss
from hushgram.queries import (
    Boundaries,
    PartCounts,
    PartSums,
    Query,
    SmoothMedian,
    Total,
    Vault,
)
from hushgram.trusted.noise import Native, nested
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations import OPERATIONS
from hushgram.trusted.vault.operations.decomposition import SplitRule
from hushgram.trusted.vault.operations.smooth_median import RATE, SHIFT, STEPS

AXIS = 12
"""The number of cells of the axis for medians."""

Asks = Callable[[Vault], None]
"""Queries a child of a split."""


def exact_distances(kind: type[Query]) -> None:
    """The distance of neighbours' exact vectors is at most the stated sensitivity."""
    operation = OPERATIONS[kind]
    for pair in all_operation_pairs():
        if type(pair.query) is not kind or not operation.additive:
            continue
        domain = pair.first.domain
        table = Sensitivity(pair.unit, pair.neighbours, pair.first.loses_rows(domain))
        stated = operation.sensitivity(pair.query, table)
        looks: Any = [operation.count(pair.query, t, domain) for t in (pair.first, pair.second)]
        moved = distance(*looks)
        assert moved <= stated, f"{pair.name}: moved by {moved}, stated {stated}"


def choice_losses(kind: type[Query]) -> None:
    """For every outcome of an operation that chooses, the logarithm of the ratio of its
    probabilities on both tables is at most epsilon."""
    for pair in (*all_operation_pairs(), *telling_choices()):
        if type(pair.query) is not kind:
            continue
        first, second = (chances(pair, which) for which in (0, 1))
        claimed = float(pair.query.epsilon)
        for outcome in {**first, **second}:
            lost = abs(first[outcome] - second[outcome])
            assert lost <= claimed + 1e-9, f"{pair.name}: loses {lost:.3f} of {claimed:.3g}"


def chances(pair: OperationPair, which: int) -> dict[Any, float]:
    """Return the logarithm of each outcome's probability."""
    operation, exact, scale = OPERATIONS[type(pair.query)], exact_of(pair)[which], scale_of(pair)
    found: dict[Any, float] = {}
    courses: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while courses:
        course, so_far = courses.pop()
        try:
            noisy = operation.perturb(pair.query, exact, scale, Scripted(course))
        except Undecided as choice:
            courses += [((*course, i), so_far + log) for i, log in enumerate(choice.logs())]
        else:
            outcome = tuple(noisy.tolist())
            found[outcome] = float(np.logaddexp(found.get(outcome, -math.inf), so_far))
    return found


def telling_choices() -> Iterator[OperationPair]:
    """Yield counts far above the bound, and squared errors that one row moves the most."""
    domain = Domain(x=Integer(0, 9))
    for name, bound, first, last in (("at the bound", 8, 8, 8), ("above the bound", 1, 60, 60)):
        query = Boundaries(Grid.of_cells(domain), 2, bound, Fraction(1))
        less, more = (
            IndexedTable(domain, np.repeat([0, 9], [first, rows])) for rows in (last - 1, last)
        )
        yield OperationPair(name, query, Rows(), "add-remove", more, less)


def nested_losses() -> None:
    """No row changes the exact distribution of joint noise by more than allowed, on a small
    ring."""
    pair, forest = (np.array([2, 0, 0]), np.array([3, 5, 5])), (np.zeros(2), np.array([2, 4]))
    with mock.patch.object(nested, "LONGEST", 3):
        for right, weights in (pair, forest):
            for scale in (Fraction(1), Fraction(7)):
                law = nested.NestedLaw.of(right.astype(np.int64), weights, scale)
                lost = largest_loss(law)
                assert lost <= as_decimal(1 / scale), f"loses {lost:.4f}, and may lose {1 / scale}"


def split_losses() -> None:
    """Children of a split, each with the whole budget, together lose no more than it."""
    domain = Domain(x=Integer(0, 7))
    rows = [[i] for i in range(8)]
    for neighbours, more, less in (
        ("add-remove", [*rows, [3]], rows),
        ("replace-one", [*rows, [0]], [*rows, [7]]),
        ("replace-one", [*rows, [3]], [*rows, [4]]),
    ):
        both = [IndexedTable(domain, one) for one in (more, less)]
        for query in (ask_total, ask_counts):
            lost = split_loss(domain, Rows(), neighbours, both, [query, query])
            assert lost <= 1, f"{neighbours}, a loss of {lost} for a budget of 1"
    amount = Amount("v", -4, 4, Fraction(1), person=4)
    asks: list[Asks] = [ask_counts, *(partial(ask_sums, amount, centre) for centre in (0, 3))]
    for places in product((0, 7), repeat=3):  # of a person's rows; the first has the whole amount
        person = IndexedTable(domain, places, amount, [4, 0, 0])
        both = [person, IndexedTable(domain, [], amount, [])]
        for queries in product(asks, repeat=2):
            lost = split_loss(domain, User("who", 3), "add-remove", both, queries)
            assert lost <= 1, f"a person in two children, a loss of {lost} for a budget of 1"


def ask_total(child: Vault) -> None:
    child.ask(Total(child.remaining))


def ask_counts(child: Vault) -> None:
    child.ask(PartCounts(Grid.of_cells(child.domain), child.remaining))


def ask_sums(amount: Amount, centre: int, child: Vault) -> None:
    child.ask(PartSums(Grid.of_cells(child.domain), amount, centre, child.remaining))


def split_loss(
    domain: Domain,
    unit: Unit,
    neighbours: Any,
    both: Sequence[IndexedTable],
    asks: Sequence[Asks],
) -> Fraction:
    """Return the total loss of the two children of a split."""
    recording: Any = None
    for table in both:
        make: Any = RecordingVault.over if recording is None else ReplayingVault.of
        first = () if recording is None else (recording.transcript,)
        vault = make(
            *first, table, domain, Fraction(1), unit=unit, neighbours=neighbours, noise=Native()
        )
        for ask, child in zip(asks, vault.split(Grid(domain, (2,)), Fraction(1)), strict=True):
            ask(child)
        if recording is not None:
            return loss(recording.transcript, vault.transcript)
        recording = vault
    raise AssertionError("two tables were run")


def tree_losses() -> None:
    """For a path down a tree of halves, with all rows in one cell, the logarithm of the ratio of
    its probabilities with and without one row is at most epsilon, however deep the tree."""
    for epsilon, fan_out in product((Fraction(1, 10), Fraction(1), Fraction(5, 2)), (2, 4, 8)):
        rule = SplitRule.calibrate(0, 1 / epsilon, fan_out)
        most = max(path_losses(rule, depths=40))
        assert most <= float(epsilon) + 1e-9, f"a path loses {most:.3f} of {float(epsilon)}"


def path_losses(rule: SplitRule, depths: int) -> Iterator[float]:
    for rows in range(0, 3 + depths * max(rule.decay, 1), max(rule.floor, 1)):
        lost = 0.0
        for depth in range(depths):
            less, more = (log_split(rule, rows + one, depth) for one in (0, 1))
            yield abs(lost + log_other(more) - log_other(less))
            lost += more - less
            yield abs(lost)


def log_split(rule: SplitRule, rows: int, depth: int) -> float:
    """Return the logarithm of the probability to split."""
    margin = max(rows - rule.threshold - depth * rule.decay, -rule.floor)
    rate = float(1 / rule.noise)
    if margin <= 0:  # P(noise > -margin) = r^(1 - margin) / (1 + r)
        return -rate * (1 - margin) - math.log1p(math.exp(-rate))
    return math.log1p(-math.exp(-rate * margin - math.log1p(math.exp(-rate))))


def log_other(log_chance: float) -> float:
    return math.log(-math.expm1(log_chance))


def spreads() -> None:
    """The median moves by no more than its noise allows, and the noise changes slowly."""
    tables = [np.bincount(rows, minlength=AXIS) for rows in growing()]
    for less, more in pairwise(tables):
        (low, least), (high, most) = sorted((median_of(less), median_of(more)))
        moved, narrow = high - low, min(least, most)
        assert moved * STEPS <= SHIFT * narrow, f"the median moves by {moved}, noise is {narrow}"
        ratio = abs(math.log(least / most))
        assert ratio <= float(RATE) + 1e-9, f"the noise changes by exp({ratio:.3f})"


def median_of(counts: Ints) -> tuple[int, Fraction]:
    """Return twice the median without noise, and the scale of the noise in steps, for an epsilon of
    1."""
    heard: list[Fraction] = []

    class Silent(Native):
        def discrete_cauchy(self, scale: Fraction) -> int:
            heard.append(scale)
            return 0

    query = SmoothMedian(Fraction(1))
    noisy = OPERATIONS[SmoothMedian].perturb(query, counts, Fraction(1), Silent())
    return int(noisy[0]), heard[0]


def growing() -> Iterator[list[int]]:
    """Yield tables that grow by a row at a time, at one end and then at the other."""
    rows: list[int] = []
    yield rows
    for place in [0, 0, 0, *[AXIS - 1] * 6, 5, 0, 0, 0, AXIS - 1]:
        rows = [*rows, place]
        yield rows
