"""Write the table of all outcomes, and the page about mutants."""

from __future__ import annotations

import csv
import math
import tomllib
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path

from tools.mutants.bench import Tried
from tools.mutants.mutant import Mutant, short
from tools.mutants.sample import FRESH, LEAST, ROOT, SEED, SHARES, WHOLE, in_package, sample

RESULTS = ROOT / "benchmarks" / "results" / "mutants.csv"
PAGE = ROOT / "docs" / "assurance" / "mutants.md"
REASONS = Path(__file__).parent / "survivors.toml"


def reasons() -> dict[str, str]:
    """Return the reasons why mutants may survive, by name."""
    if not REASONS.exists():
        return {}
    found = tomllib.loads(REASONS.read_text("utf-8"))["survivor"]
    return {name: one["reason"] for one in found for name in one["mutants"]}


def equivalent(one: Tried, known: dict[str, str]) -> bool:
    """Return whether it survived because no input can distinguish it from the code."""
    return one.outcome == "survived" and known.get(one.mutant.name, "").startswith("Equivalent")


COLUMNS = [
    "draw", "file", "line", "where", "operator", "was", "now", "outcome", "by", "tests", "reason",
]  # fmt: skip


def write_results(tried: list[Tried], fresh: list[Tried]) -> None:
    known = reasons()
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        for draw, some in {"first": tried, "fresh": fresh}.items():
            for one in some:
                which = one.mutant
                told = known.get(which.name, "") if one.outcome == "survived" else ""
                about = (draw, which.file, which.line, which.where, which.operator)
                texts = (short(which.was), short(which.now))
                lines.writerow([*about, *texts, one.outcome, one.by, one.tests, told])


def page(all_of_them: dict[str, list[Mutant]], tried: list[Tried], fresh: list[Tried]) -> str:
    known = reasons()
    left = [one for one in tried if one.outcome == "survived"]
    telling = [one for one in tried if not equivalent(one, known)]
    share, low, high = estimate(all_of_them, tried)
    whole = [one for one in tried if one.mutant.file in WHOLE]
    return HEAD.format(
        day=date.today(),
        count=sum(map(len, all_of_them.values())),
        tried=len(tried),
        killed=len(tried) - len(left),
        rate=percent(rate(tried)),
        same=len(tried) - len(telling),
        telling=percent(rate(telling)),
        whole=len(whole),
        whole_rate=percent(rate(whole)),
        files=", ".join(f"`{name}`" for name in WHOLE),
        estimate=percent(share),
        low=percent(low),
        high=percent(high),
        telling_estimate=percent(weighted_rate(all_of_them, tried, known)),
        shares=", ".join(
            f"{100 * share:.0f} % of `{package}/`" for package, share in SHARES.items()
        ),
        least=LEAST,
        seed=SEED,
        open=len(sample(all_of_them)) - len(tried),
        fresh=fresh_table(fresh, known),
        left=len(left),
        undecided=sum(one.mutant.name not in known for one in left),
        table=table(all_of_them, tried, known),
        survivors=survivors(left, known),
        fresh_survivors=survivors([one for one in fresh if one.outcome == "survived"], known),
    )


HEAD = """# Mutants

Made by `tools/mutants`. Coverage shows which lines the tests run, not whether they would notice
a fault in them. So small faults are put into the trusted zone, one at a time, and the tests that
run the changed line are run. A mutant is killed if one of them fails, crashes or never ends.
All outcomes:
[mutants.csv](../../benchmarks/results/mutants.csv), with line numbers as of {day}.

**{tried:,} of {count:,} mutants tried, {killed:,} killed: {rate}.** Of those that survived, {same}
are equivalent: no input can distinguish them from the code, and the list below says why. Without
them it is {telling}. All mutants of nine core files, chosen beforehand, were tried ({files}):
{whole:,}, and {whole_rate} of them were killed. From each other file, a random share was drawn with
a fixed seed ({seed}): {shares}, at least {least}; {open} that were drawn are not tried yet. For all
mutants of the zone together, the estimate is {estimate} killed, with a 95 % interval from {low} to
{high} for the random draw; without equivalent ones it is {telling_estimate}.

**How to read this.** Survivors showed gaps in the tests. We wrote tests for these and tried the
mutants again, so the figures above hold for the mutants that were drawn, and are too high for
others. Therefore we drew fresh mutants with another seed after all tests were written. Each was
tried once, and these figures have not been changed since:

{fresh}

A mutant that makes the code far slower counts as killed. Whether a mutant is equivalent is our
judgement, made one by one; the last columns leave equivalent ones out.

**What it found.** For a wide axis of whole numbers, dates or words, loops of the fast path read
beyond the end of a lookup table, which could crash a count. Now they run interpreted in a test,
where that is an error. A glob included files of other kinds. The rest were gaps in the tests, and
code that did nothing, which we removed. The largest gap: statistical tests are too coarse to notice
lower digits of the noise at twice their rate; now a test covers the distribution of all digits
together.

A mutant changes one thing: a comparison (its boundary, or negated), an arithmetic operator, a
number by one, `and` / `or` / `not`, a condition to true or false, a returned value to nothing, a
statement to nothing (including `raise`), the order of the first two arguments of a call, `min` /
`max` and the like, or `break` / `continue`. Strings (including messages), annotations, docstrings,
imports, and checks of what cannot happen (`assert`, `zip(strict=True)`) are left alone. The tests
that run are those of the zone, of engines (with PostgreSQL, without Spark), of resistance and of
plans. The slow statistical attacks, the audit, and the tests of mechanisms and of the command line
are not run; they would notice more.

```console
$ pip install coverage
$ python -m tools.mutants map      # which test runs which line; needs PostgreSQL for its parts
$ python -m tools.mutants run      # an hour or two
$ python -m tools.mutants again    # those that survived, with every test that reaches them
$ python -m tools.mutants fresh    # others, drawn when all tests are written
$ python -m tools.mutants page
```

| file | mutants | tried | killed | survived | killed | of others |
|---|---:|---:|---:|---:|---:|---:|
{table}

## Survivors

{left} in all. The reasons are kept in `tools/mutants/survivors.toml`; *equivalent* means that no
input can distinguish it from the code. {undecided} have none so far.

{survivors}

## Survivors of the fresh draw

{fresh_survivors}
"""


def table(all_of_them: dict[str, list[Mutant]], tried: list[Tried], known: dict[str, str]) -> str:
    by_file: defaultdict[str, list[Tried]] = defaultdict(list)
    packages: defaultdict[str, list[str]] = defaultdict(list)
    for one in tried:
        by_file[one.mutant.file].append(one)
    for name in all_of_them:
        packages[name.rpartition("/")[0] or "."].append(name)
    lines = []
    for package, names in sorted(packages.items()):
        inside = [one for name in names for one in by_file[name]]
        total = sum(len(all_of_them[name]) for name in names)
        lines.append(row(f"**{'trusted' if package == '.' else package}**", total, inside, known))
        lines += [row(name, len(all_of_them[name]), by_file[name], known) for name in names]
    lines.append(row("**all**", sum(map(len, all_of_them.values())), tried, known))
    return "\n".join(lines)


def row(name: str, total: int, tried: list[Tried], known: dict[str, str]) -> str:
    killed = sum(one.outcome != "survived" for one in tried)
    cells = [name, f"{total:,}", f"{len(tried):,}", f"{killed:,}", f"{len(tried) - killed:,}"]
    telling = [one for one in tried if not equivalent(one, known)]
    shares = [percent(rate(some)) if some else "" for some in (tried, telling)]
    return "| " + " | ".join([*cells, *shares]) + " |"


UNDECIDED = "**undecided**: a gap in the tests, or not examined yet"


def survivors(left: list[Tried], known: dict[str, str]) -> str:
    """Return a table of the survivors with their reasons."""
    lines = ["| where | mutant | reason |", "|---|---|---|"]
    for one in left:
        which = one.mutant
        change = f"`{code(which.was)}` → `{code(which.now)}`"
        reason = known.get(which.name, UNDECIDED)
        lines.append(f"| {which.file}:{which.line} {which.where} | {change} | {reason} |")
    return "\n".join(lines)


def code(text: str) -> str:
    return short(text).replace("|", "\\|")


def rate(tried: list[Tried]) -> float:
    return sum(one.outcome != "survived" for one in tried) / max(1, len(tried))


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def fresh_table(fresh: list[Tried], known: dict[str, str]) -> str:
    """Return a table of the fresh mutants, by package."""
    lines = ["| part | tried | killed | killed | 95 % interval | of others |"]
    lines.append("|---|---:|---:|---:|---|---:|")
    for package in FRESH:
        some = [one for one in fresh if in_package(one.mutant.file, package)]
        if some:
            low, high = wilson(rate(some), len(some))
            killed = sum(one.outcome != "survived" for one in some)
            telling = [one for one in some if not equivalent(one, known)]
            cells = [package, str(len(some)), str(killed), percent(rate(some))]
            cells += [f"{percent(low)} to {percent(high)}", percent(rate(telling))]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def weighted_rate(
    all_of_them: dict[str, list[Mutant]], tried: list[Tried], known: dict[str, str]
) -> float:
    """Return the killed share of all mutants except equivalent ones."""
    counts = Counter(one.mutant.file for one in tried)
    weights = {name: len(all_of_them[name]) / count for name, count in counts.items()}
    telling = [one for one in tried if not equivalent(one, known)]
    killed = sum(weights[one.mutant.file] for one in telling if one.outcome != "survived")
    return killed / max(1.0, sum(weights[one.mutant.file] for one in telling))


def estimate(
    all_of_them: dict[str, list[Mutant]], tried: list[Tried]
) -> tuple[float, float, float]:
    """Estimate the killed share of all mutants, with Wilson's 95 % interval for the effective
    number of draws from the sampled files."""
    counts = Counter(one.mutant.file for one in tried)
    total = sum(len(all_of_them[name]) for name in counts)
    drawn = [one for one in tried if counts[one.mutant.file] < len(all_of_them[one.mutant.file])]
    weights = [len(all_of_them[one.mutant.file]) / counts[one.mutant.file] for one in drawn]
    sure = sum(
        one.outcome != "survived"
        for one in tried
        if counts[one.mutant.file] == len(all_of_them[one.mutant.file])
    )
    if not drawn:
        return sure / total, sure / total, sure / total
    size = sum(weights)
    killed = sum(
        weight for weight, one in zip(weights, drawn, strict=True) if one.outcome != "survived"
    )
    ends = wilson(killed / size, size**2 / sum(weight**2 for weight in weights))
    low, high = ((sure + end * size) / total for end in ends)
    return (sure + killed) / total, low, high


def wilson(share: float, count: float, z: float = 1.96) -> tuple[float, float]:
    middle = share + z**2 / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return (middle - half) / (1 + z**2 / count), (middle + half) / (1 + z**2 / count)
