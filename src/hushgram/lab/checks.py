"""The contract of mechanisms, as checks for any mechanism. NONPRIVATE.

>>> from hushgram.mechanisms import Identity
>>> check_mechanism(Identity())

Like scikit-learn's estimator checks: each is a function of a mechanism that raises AssertionError
with a reason. Hushgram's tests run them on its own mechanisms; run them on yours
(``docs/guides/own-mechanism.md``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from hushgram.declare.amount import Amount
from hushgram.declare.axis import Category, Integer, Interval, Regular
from hushgram.declare.domain import Domain
from hushgram.declare.measure import Mean, Sum
from hushgram.declare.unit import Rows, Unit, User
from hushgram.errors import BudgetExceeded, DomainError
from hushgram.lab.memory import IndexedTable
from hushgram.lab.replay import RecordingVault, ReplayingVault, loss
from hushgram.mechanisms import MECHANISMS, Mechanism
from hushgram.mechanisms.measured import Measuring
from hushgram.queries import Total
from hushgram.release.parquet import read
from hushgram.spending.job import Job, make_release, release_from_vault
from hushgram.trusted.engine.sources.counted import CountedTable, Counts
from hushgram.trusted.noise import Native
from hushgram.trusted.vault import TableVault


@dataclass(frozen=True)
class NeighbourPair:
    """Two neighbouring tables of one domain."""

    job: Job
    first: IndexedTable
    second: IndexedTable


DOMAINS = (
    Domain(x=Integer(0, 12)),
    Domain(x=Integer(5, 5)),
    Domain(x=Regular(7, 0, 1), y=Regular(5, -1, 1)),
    Domain(x=Interval(0, 1), y=Interval(-3, 3)),
    Domain(x=Interval(0, 1, resolution=64), sex=Category(("F", "M"), outside="other")),
    Domain(a=Integer(0, 3), b=Integer(0, 2), c=Integer(0, 4)),
)


def accepted_domains(mechanism: Mechanism) -> list[Domain]:
    """Return the domains that the mechanism accepts. It must accept at least one."""
    fitting = []
    for domain in DOMAINS:
        try:
            mechanism.check(domain)
        except DomainError:
            continue
        fitting.append(domain)
    assert fitting, f"{mechanism.name} accepts none of the check domains"
    return fitting


def rows_of(domain: Domain, count: int, seed: int = 7) -> Any:
    """Return clustered rows, the same every time."""
    rng = np.random.default_rng(seed)
    sizes = np.array(domain.shape)
    return (rng.beta(0.5, 2.0, size=(count, len(domain))) * sizes).astype(np.int64)


def neighbour_pairs(mechanism: Mechanism) -> Iterator[NeighbourPair]:
    """Yield neighbouring tables of every kind: a row or a person added, removed or replaced."""
    for domain in accepted_domains(mechanism):
        rows = rows_of(domain, 60)
        corner = np.array(domain.shape) - 1
        units: list[tuple[Unit, Any]] = [
            (Rows(), [corner]),
            (User("person", 3), [corner, corner, rows[0]]),
        ]
        for unit, added in units:
            for neighbours in ("add-remove", "replace-one"):
                job = Job(domain, Fraction(1, 2), unit, neighbours)
                more = np.concatenate([rows, added])
                less = rows if neighbours == "add-remove" else np.concatenate([rows, rows[:1]])
                yield NeighbourPair(job, IndexedTable(domain, more), IndexedTable(domain, less))
        few, none = IndexedTable(domain, rows[:1]), IndexedTable(domain, rows[:0])
        yield NeighbourPair(Job(domain, Fraction(3), Rows(), "add-remove"), few, none)


def vault_for(job: Job, table: Any, kind: Any = TableVault, *first: Any) -> Any:
    make = {RecordingVault: RecordingVault.over, ReplayingVault: ReplayingVault.of}.get(kind, kind)
    return make(
        *first,
        table,
        job.domain,
        job.epsilon,
        unit=job.unit,
        neighbours=job.neighbours,
        noise=Native(),
    )


def run_mechanism(mechanism: Mechanism, job: Job, vault: Any) -> bytes:
    return release_from_vault(mechanism, vault, job, None).to_bytes()


def check_spends_exactly(mechanism: Mechanism) -> None:
    """Check that a mechanism spends exactly its budget."""
    for pair in neighbour_pairs(mechanism):
        vault = vault_for(pair.job, pair.first)
        mechanism.estimate(vault)
        assert vault.remaining == 0, f"{vault.remaining} of {vault.epsilon} was left"


def check_over_asking(mechanism: Mechanism) -> None:
    """Check that a query beyond the budget is refused before the table is read."""
    for pair in neighbour_pairs(mechanism):
        vault = vault_for(pair.job, pair.first)
        mechanism.estimate(vault)
        reads = pair.first.reads
        try:
            vault.ask(Total(Fraction(1, 10**9)))
        except BudgetExceeded:
            assert pair.first.reads == reads, "the table was read for a refused query"
        else:
            raise AssertionError("a question was answered with an empty budget")


def check_replay(mechanism: Mechanism) -> None:
    """Check that a replay on a neighbouring table asks the same queries and gives the same bytes,
    and that the privacy loss between the exact vectors is at most epsilon."""
    for pair in neighbour_pairs(mechanism):
        first, second, lost = replay_pair(mechanism, pair)
        assert first == second, f"the release depends on more than the answers: {pair.job}"
        assert lost <= pair.job.epsilon, f"a loss of {lost}: {pair.job}"


def replay_pair(mechanism: Mechanism, pair: NeighbourPair) -> tuple[bytes, bytes, Fraction]:
    """Return both releases, and the privacy loss between the runs (see `hushgram.lab.replay`)."""
    recording = vault_for(pair.job, pair.first, RecordingVault)
    first = run_mechanism(mechanism, pair.job, recording)
    replaying = vault_for(pair.job, pair.second, ReplayingVault, recording.transcript)
    second = run_mechanism(mechanism, pair.job, replaying)
    return first, second, loss(recording.transcript, replaying.transcript)


def check_measures(mechanism: Mechanism) -> None:
    """Check that sums on the mechanism's parts keep the contract: the whole budget is spent, and a
    neighbour with the largest possible amounts gets the same queries, within the privacy loss."""
    last = accepted_domains(mechanism)[-1]
    for pair in neighbour_pairs(mechanism):
        if pair.job.domain not in (DOMAINS[0], last):
            continue
        for measure in (Mean("v", -20, 40, step=1), Sum("v", -20, 40, step=1)):
            job = replace(pair.job, measuring=Measuring.of([measure]))
            both = (carrying(one, measure.amount) for one in (pair.first, pair.second))
            first, second, lost = replay_pair(mechanism, NeighbourPair(job, *both))
            assert first == second, f"the release depends on more than the answers: {job}"
            assert lost <= job.epsilon, f"a loss of {lost}: {job}"
            again = read(first)
            assert again.to_bytes() == first
            assert np.isfinite(again.sum("v").value)


def carrying(table: IndexedTable, amount: Amount) -> IndexedTable:
    """Return the same rows with amounts: alternating bounds for the first 60 rows, then the upper
    bound."""
    values = np.where(np.arange(len(table.rows)) % 2 == 0, amount.low, amount.high)
    values[60:] = amount.high
    return IndexedTable(table.domain, table.rows, amount, values)


def check_noise_is_fresh(mechanism: Mechanism) -> None:
    """Check that runs on the same table differ, even if it is empty: noise is never missing or
    reused."""
    for domain in accepted_domains(mechanism):
        job = Job(domain, Fraction(1, 10), Rows(), "add-remove")
        for rows in (rows_of(domain, 60), rows_of(domain, 0)):
            table = IndexedTable(domain, rows)
            outputs = {run_mechanism(mechanism, job, vault_for(job, table)) for _ in range(4)}
            assert len(outputs) > 1, "four runs on one table gave the same release"


def check_small_tables(mechanism: Mechanism) -> None:
    """Check that an empty table and a single row can be published."""
    for domain in accepted_domains(mechanism):
        for count in (0, 1):
            job = Job(domain, Fraction(1), Rows(), "add-remove")
            vault = vault_for(job, IndexedTable(domain, rows_of(domain, count)))
            estimate = mechanism.estimate(vault)
            assert np.isfinite(estimate.values).all()


def check_huge_counts(mechanism: Mechanism) -> None:
    """Check that counts close to 2^63 neither overflow nor fail."""
    counts = Counts([2**63 - 10, 3, 0, 5])
    job = Job(counts.domain, Fraction(1), Rows(), "add-remove")
    try:
        mechanism.check(counts.domain)
    except DomainError:
        return
    estimate = mechanism.estimate(vault_for(job, CountedTable(counts)))
    values = np.asarray(estimate.values, dtype=float)
    assert np.isfinite(values).all()
    assert 0.99 * 2**63 < values.sum() < 1.01 * 2**63, "a count near 2^63 was lost"


def check_save_load(mechanism: Mechanism) -> None:
    """Check that a release is the same after saving and loading."""
    for domain in accepted_domains(mechanism):
        job = Job(domain, Fraction(1), Rows(), "add-remove")
        estimate = mechanism.estimate(vault_for(job, IndexedTable(domain, rows_of(domain, 40))))
        release = make_release(mechanism, estimate, job, None)
        again = read(release.to_bytes())
        assert again.to_bytes() == release.to_bytes()
        assert again.count() == release.count()


def check_documented(mechanism: Mechanism) -> None:
    """Check that the docstring has a summary, a use, a privacy argument and a reference, and that
    there is a proof in the docs or a link to one."""
    text = type(mechanism).__doc__ or ""
    assert mechanism.summary().endswith("."), "the docstring does not start with a sentence"
    assert mechanism.use_for(), "the docstring has no paragraph that starts with 'Use it for'"
    assert "Privacy:" in text, "the docstring has no privacy argument"
    assert "References" in text, "the docstring has no reference"
    if mechanism.proof.startswith("https://"):
        return
    proofs = Path(__file__).parents[3] / "docs" / "proofs"
    if proofs.is_dir():  # in a clone; an installed package has no docs
        page = proofs / f"{mechanism.proof}.md"
        assert page.is_file(), (
            f"the proof {page.name} is missing: write it, or link one with https://"
        )
        assert "## Proof" in page.read_text(encoding="utf-8"), (
            f"{page.name} needs ## Claim and ## Proof"
        )


def check_name(mechanism: Mechanism) -> None:
    """Check that the name can be used in commands and that no other mechanism has it."""
    name = mechanism.name
    assert re.fullmatch(r"[a-z][a-z0-9-]*", name), f"{name!r} is not lower case, digits and -"
    other = MECHANISMS.find(name)
    assert other in (None, type(mechanism)), f"{name} is already the name of {other}"


def check_unbiased_total(mechanism: Mechanism) -> None:
    """Check that the total is unbiased: the mean of many runs is within its standard error."""
    domain = accepted_domains(mechanism)[0]
    job = Job(domain, Fraction(1), Rows(), "add-remove")
    table = IndexedTable(domain, rows_of(domain, 500))
    totals = np.array(
        [float(np.sum(mechanism.estimate(vault_for(job, table)).values)) for _ in range(200)]
    )
    error = totals.std() / np.sqrt(len(totals)) + 1e-9
    assert abs(totals.mean() - 500) < 6 * error, f"{totals.mean()} on average instead of 500"


CHECKS = (
    check_spends_exactly,
    check_over_asking,
    check_replay,
    check_measures,
    check_noise_is_fresh,
    check_small_tables,
    check_huge_counts,
    check_save_load,
    check_documented,
    check_name,
    check_unbiased_total,
)


def check_mechanism(mechanism: Mechanism) -> None:
    """Run all checks on a mechanism. Raises AssertionError with what is wrong."""
    for check in CHECKS:
        check(mechanism)
