"""Audit operations of the vault on neighbouring tables: add noise to exact vectors many times."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hushgram.declare.axis import Floats
from hushgram.geometry.partition import Ints
from hushgram.lab.audit.finding import Finding
from hushgram.lab.audit.pairs import OperationPair
from hushgram.lab.bound import lower_bound
from hushgram.queries import Query
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import Sensitivity
from hushgram.trusted.vault.operations import OPERATIONS, Operation

SLOWER = 40
"""Operations that choose get fewer runs, by this factor, than those that add noise."""

SHOWN = 6
"""How many of the numbers that such an operation returns are used as features."""


def audit_operation(pair: OperationPair, runs: int, alpha: float) -> Finding:
    """Audit an operation with all runs at once: the exact vectors are repeated, with noise on
    each."""
    operation = OPERATIONS[type(pair.query)]
    domain = pair.first.domain
    table = Sensitivity(pair.unit, pair.neighbours, pair.first.loses_rows(domain))
    scale = operation.sensitivity(pair.query, table) / pair.query.epsilon
    exact: list[Any] = [operation.count(pair.query, t, domain) for t in (pair.first, pair.second)]
    features = [outcomes(operation, pair.query, x, scale, runs) for x in exact]
    if operation.additive:
        features = [likelihood(found, *exact) for found in features]
    name = type(pair.query).__name__.lower()
    return Finding(
        name, pair.name, float(pair.query.epsilon), lower_bound(features[0], features[1], alpha)
    )


def outcomes(operation: Operation, query: Query, exact: Any, scale: Fraction, runs: int) -> Any:
    """Return the output of each run as a row. If noise is not simply added, there are fewer runs,
    one after another, and rows contain the number of outputs, their sum, and the first few."""
    if operation.additive:
        return operation.perturb(query, np.tile(exact, runs), scale, Native()).reshape(runs, -1)
    found = np.full((runs // SLOWER, 2 + SHOWN), -1.0)
    for row in found:
        noisy = operation.perturb(query, exact, scale, Native())
        row[:2] = len(noisy), noisy.sum()
        row[2 : 2 + len(noisy)] = noisy[:SHOWN]
    return found


def likelihood(noisy: Ints, first: Ints, second: Ints) -> Floats:
    """Return the sum of the entries, each clamped to the range in which it distinguishes the
    tables.

    For Laplace noise this is the likelihood ratio, up to a constant: no statistic does better.
    """
    low, high = np.minimum(first, second), np.maximum(first, second)
    score = (np.clip(noisy, low, high) * np.sign(first - second)).sum(axis=1)
    return np.asarray(score[:, np.newaxis], dtype=np.float64)
