"""The full audit: every operation and mechanism on every pair of tables. NONPRIVATE.

There is one test for each pair. All tests of an audit together convict a correct build with a
probability of at most 10⁻⁶: each has the level 10⁻⁶ / (number of tests), which needs no
independence. An event is learned on half of the runs and tested once on the other half. Runs end
after a given time, never because of a result.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assurance.adversaries import Attack, all_operation_pairs, attacks
from assurance.batches import sampler_for
from assurance.tally import tallied_bound
from hushgram.declare.axis import Floats
from hushgram.lab.audit import ALPHA, OperationPair
from hushgram.lab.bound import Bound, Event, lower_bound
from hushgram.mechanisms.base import Mechanism
from hushgram.trusted.vault.operations import OPERATIONS

DRAWS = 10_000_000
"""The number of draws of an operation, on each table of a pair."""

RUNS = 1_000_000
"""The number of runs of a mechanism, on all its tables together."""

FEWEST = 4
"""The minimum number of runs on each table: two to learn from, and two to test."""

FITTED = 20_000
"""The number of runs on each table from which a likelihood ratio is learned."""

FEATURES = ("total", "part", "difference", "sum", "parts")


@dataclass(frozen=True)
class AuditRow:
    """One test, as a row of the audit's table."""

    kind: str
    subject: str
    pair: str
    unit: str
    neighbours: str
    claimed: float
    at_least: float
    convicted: bool
    runs: int
    """The number of runs on each of the two tables; half of them chose the event."""
    event: str
    level: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def key(self) -> tuple[str, str]:
        return self.subject, self.pair


Test = OperationPair | Attack


def every_test(mechanisms: Sequence[Mechanism]) -> list[Test]:
    """Return all tests: operations first, then mechanism after mechanism."""
    return [*all_operation_pairs(), *(one for m in mechanisms for one in attacks(m))]


def key_of(test: Test) -> tuple[str, str]:
    if isinstance(test, Attack):
        return test.mechanism.name, test.name
    return type(test.query).__name__, test.name


def full_audit(
    mechanisms: Sequence[Mechanism],
    *,
    minutes: float,
    done: Sequence[tuple[str, str]] = (),
    draws: int = DRAWS,
    runs: int = RUNS,
) -> Iterator[AuditRow]:
    """Run the tests and yield the rows. Tests that are already done count for the level and are not
    run again.

    Operations get all their draws. A mechanism's runs are divided evenly among its pairs of tables,
    and the remaining time among the remaining tests, so fast tests leave time for slow ones.
    """
    tests = every_test(mechanisms)
    level = ALPHA / len(tests)
    pairs = Counter(key_of(test)[0] for test in tests)
    end = time.process_time() + 60 * minutes
    left = [test for test in tests if key_of(test) not in set(done)]
    for place, test in enumerate(left):
        seconds = max(end - time.process_time(), 0) / (len(left) - place)
        if isinstance(test, Attack):
            on_each = max(runs // (2 * pairs[test.mechanism.name]), FEWEST)
            yield audit_mechanism(test, on_each, seconds, level)
        else:
            yield audit_operation(test, draws, level)


def audit_operation(pair: OperationPair, draws: int, level: float) -> AuditRow:
    """Audit an operation: outcomes are counted, and an event is a set of them."""
    draw = sampler_for(pair)
    learned, tested = ((draw(0, draws // 2), draw(1, draws // 2)) for _ in range(2))
    kind = type(pair.query)
    return AuditRow(
        "operation" if OPERATIONS[kind].additive else "choice",
        kind.__name__,
        pair.name,
        pair.unit.key,
        pair.neighbours,
        *verdict_columns(float(pair.query.epsilon), tallied_bound(learned, tested, level)),
        runs=learned[0].total() + tested[0].total(),
        event=f"{len(learned[0])} outcomes",
        level=level,
    )


def audit_mechanism(attack: Attack, runs: int, seconds: float, level: float) -> AuditRow:
    """Audit a mechanism: events are thresholds of features, and of a likelihood ratio learned from
    them."""
    first, second = seen_on_both(attack, runs, seconds)
    learned = LearnedRatio.on(first[::2], second[::2])
    bound = lower_bound(learned.append_to(first), learned.append_to(second), level)
    assert isinstance(bound.event, Event)
    return AuditRow(
        "mechanism",
        attack.mechanism.name,
        attack.name,
        attack.unit.key,
        attack.neighbours,
        *verdict_columns(float(attack.epsilon), bound),
        runs=len(first),
        event=event_name(bound.event, first.shape[1]),
        level=level,
    )


def verdict_columns(claimed: float, bound: Bound) -> tuple[float, float, bool]:
    return claimed, round(bound.epsilon, 4), bound.epsilon > claimed


def event_name(event: Event, features: int) -> str:
    """Return the name of the feature that an event uses."""
    if event.feature == features:
        return "likelihood ratio"
    return FEATURES[event.feature % len(FEATURES)]


def seen_on_both(attack: Attack, runs: int, seconds: float) -> tuple[Floats, Floats]:
    """Return features of runs on both tables, alternating, until there are enough or the time is
    up."""
    began = time.process_time()
    seen: tuple[list[list[float]], list[list[float]]] = [], []
    while len(seen[0]) < runs and (len(seen[0]) < 200 or time.process_time() - began < seconds):
        for _ in range(min(100, runs - len(seen[0]))):
            for which in (0, 1):
                seen[which].append(attack.run(which))
    return np.array(seen[0]), np.array(seen[1])


@dataclass(frozen=True, eq=False)
class LearnedRatio:
    """A likelihood ratio learned by logistic regression on transformed features."""

    middle: Floats
    spread: Floats
    weights: Floats

    @classmethod
    def on(cls, first: Floats, second: Floats) -> LearnedRatio:
        first, second = first[:FITTED], second[:FITTED]
        both = np.concatenate([first, second])
        quarter, middle, three = np.quantile(both, [0.25, 0.5, 0.75], axis=0)
        spread = np.maximum(three - quarter, 1.0)
        empty = cls(middle, spread, np.zeros(both.shape[1] + 1))
        truth = np.repeat([1.0, 0.0], [len(first), len(second)])
        return cls(middle, spread, fit_logistic(empty.squeeze(both), truth))

    def squeeze(self, features: Floats) -> Floats:
        inside = np.tanh((features - self.middle) / self.spread)
        return np.column_stack([inside, np.ones(len(features))])

    def append_to(self, features: Floats) -> Floats:
        """Return the features with their likelihood ratio as an additional one."""
        return np.column_stack([features, self.squeeze(features) @ self.weights])


def fit_logistic(inputs: Floats, truth: Floats) -> Floats:
    """Fit the weights of a logistic regression with a slight ridge penalty, by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    ridge = np.eye(inputs.shape[1])
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ weights, -30, 30)))
        slope = inputs.T @ (truth - chance) - ridge @ weights
        bend = (inputs * (chance * (1 - chance))[:, np.newaxis]).T @ inputs + ridge
        weights = weights + np.linalg.solve(bend, slope)
    return np.asarray(weights)
