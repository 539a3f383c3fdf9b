"""Mutated command lines: every command, with the program's own options."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from assurance.fuzz import seeds
from assurance.fuzz.mutate import NUMBERS, TEXTS, mutated_text, some
from assurance.fuzz.target import Input, Listed, Step

PAY = "--account people --epsilon 1"

LINES = (
    f"publish people.csv {PAY} --axis age=0..9 --axis sex=F,M --outside sex=other -m identity",
    f"publish people.parquet {PAY} --axis income=0:10000 --unit who --max-rows 2",
    f"publish people.csv {PAY} -a day=2024-01-01..2024-01-31/1d --workload cells --request monday",
    f"publish people.csv {PAY} -a income=0:10000/16 -o out.hush.parquet --neighbours replace-one",
    f"publish people.csv {PAY} -a age=[0,2,9] --where age>=2 --noise opendp --json",
    "publish people.csv --account people --plan plan.toml --dry-run",
    "publish people.csv --account people --plan plan.toml -o folder --sign steward.key",
    f"median people.csv {PAY} -a income=0:10000 --outside income=clamp",
    f"find-bounds people.csv income {PAY} --kind interval --coverage 0.9",
    f"find-bounds people.csv day {PAY} --kind date",
    f"find-max-rows people.csv who {PAY} --release-epsilon 1 -a age=0..9 --line-breaks quoted",
    f"publish people.csv {PAY} -a age=0..9 --unit who --max-rows 2 --line-breaks never",
    f"median people.csv {PAY} -a age=0..9 --separator , --encoding cp1252 --date-format %Y-%m-%d",
    "suggest --rows 100 --axis age=0..9 --epsilon 1 --mechanism identity",
    "mechanisms --json",
    "count r.hush.parquet income=10:500 day=2024-01-02..2024-01-09 --confidence 0.9",
    "show r.hush.parquet --json",
    "explain r.hush.parquet",
    "quantile r.hush.parquet income 0.25 0.5 --where day=2024-01-02..2024-01-09",
    "marginal r.hush.parquet income day --top 3 --share --simultaneous --bins 4",
    "marginal r.hush.parquet day --where income=0:500 --json",
    "sample r.hush.parquet 10 -o rows.parquet",
    "export r.hush.parquet -o r.csv",
    "export r.hush.parquet -o r.geojson --force",
    "plot r.hush.parquet income -o r.svg --kind quantiles --title x",
    "report r.hush.parquet -o r.html --title x",
    "blocks r.hush.parquet r.hush.parquet -o pairs.parquet --shared --margin 2",
    "ledger open people --cap 3 --unit who --neighbours add-remove",
    "ledger show people",
    "ledger set-cap people 2 --allow-large",
    "ledger verify r.hush.parquet",
    "keys new other.key",
    "keys show steward.key",
    "sign r.hush.parquet --key steward.key -o signed.hush.parquet",
    "show signed.hush.parquet --signer steward.key.pub",
    "lab --help",
)

QUERIES = (
    "SELECT sum(count) FROM release", "SELECT * FROM release LIMIT 3", "SELECT", "", "DROP TABLE x",
    "SELECT count(*) FROM release", "SELECT * FROM read_csv('people.csv')", "SELECT 1; SELECT 2",
    "SELECT income, sum(count) FROM release GROUP BY income", "WITH RECURSIVE t(n) AS (SELECT 1)",
    "COPY release TO 'x.csv'", "SELECT " + "(" * 400 + "1" + ")" * 400, "INSTALL httpfs",
)  # fmt: skip

VALUES = (
    "age=0..9", "age=0:9", "age=0:9/3", "age=[0,5,9]", "age=5", "age=9..0", "sex=F,M", "sex=other",
    "sex=F", "day=2024-01-01..2024-01-31/1w", "day=2024-01-01..2024-01-31", "income=0:10000",
    "income=1e-320:1e300/7", "income=-1e308:1e308/9", "age=-9223372036854775808..0", "who=x",
    "age=0..1000000000", "income=0:1/2000000", "nobody=0..9", "age", "=", "age=", "sex=", "sex=,",
    "people.csv", "people.parquet", "*.csv", "missing.csv", "folder", "r.hush.parquet", "plan.toml",
    "steward.key", "steward.key.pub", "people.csv/x", "identity", "auto", "hb", "privtree",
    "kd-standard", "sorted", "isotonic", "add-remove", "replace-one", "native", "opendp", "ranges",
    "never", "quoted", "cp1252", "utf-16", "%d.%m.%Y", "%d.%b", ";", "tab", ",",
    "cells", "interval", "integer", "date", "people", "who", "income", "counts", "quantiles",
    "age >= 2", "age = 'x'", "age IN (1,2", "NOT (age < 3 OR sex = 'F')", "age IS NULL", "a AND",
    "income > 1e400", "(" * 300, "NOT " * 300, "day >= '2024-01-05'",
    "age = 1 OR " * 200 + "age = 1",
    "postgresql://127.0.0.1:1/a/b", "postgresql://", "nothing://x", "ed25519:00", "-1", "--", "-h",
    *QUERIES,
)  # fmt: skip

OUTSIDE = re.compile(r"(^|=|^-[a-zA-Z])[/~]|\.\.[/\\]|[/\\]\.\.|\0")
"""A path that leads out of the trial's folder, or a NUL, which arguments cannot contain."""


LINE = {"line": ()}


class Arguments(Listed):
    """A command line. The input is the JSON list of its arguments."""

    name = "arguments"
    ways = LINE

    def seeds(self) -> list[bytes]:
        queries = [["sql", "r.hush.parquet", query] for query in QUERIES[:2]]
        return [json.dumps(words).encode() for words in (*map(str.split, LINES), *queries)]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        words = json.loads(data)
        if chance.random() < 0.15:
            words = list(chance.choice(grammar())[0])
        for _ in some(chance):
            words = mutated_words(words, chance)
        return json.dumps(restrict_words(words)).encode()

    def steps(self, given: Input, folder: Path) -> list[Step]:
        for name, data in surroundings().items():
            (folder / name).write_bytes(data)
        (folder / "folder").mkdir()
        return [json.loads(given.data)]


def mutated_words(words: list[str], chance: Random) -> list[str]:
    place = chance.randrange(len(words) + 1)
    act = chance.randrange(8)
    if act == 0:
        return words[:place] + words[place + 1 :]
    if act == 1:
        return [*words[:place], chance.choice(VALUES), *words[place:]]
    if act == 2 and words:
        words = [*words]
        other = chance.randrange(len(words))
        words[place % len(words)] = words[other]
        return words
    if act in (3, 4):
        return words + any_option(words, chance)
    if place == len(words) or not words[place]:
        return [*words, chance.choice(TEXTS)]
    return [*words[:place], other_word(words[place], chance), *words[place + 1 :]]


def other_word(word: str, chance: Random) -> str:
    act = chance.randrange(4)
    if act == 0:
        return str(chance.choice(NUMBERS))
    if act == 1:
        return chance.choice(TEXTS)
    return chance.choice(VALUES) if act == 2 else mutated_text(word, chance)


def any_option(words: list[str], chance: Random) -> list[str]:
    """Return an option of the command, with a value if it takes one."""
    fitting = [options for path, options in grammar() if tuple(words[: len(path)]) == path and path]
    options = fitting[-1] if fitting else chance.choice(grammar())[1]
    if not options:
        return ["--help"]
    name, takes = chance.choice(options)
    return [name, chance.choice([*VALUES, *TEXTS, *map(str, NUMBERS)])] if takes else [name]


def restrict_words(words: list[str]) -> list[str]:
    """Keep arguments within the trial's folder; of `lab`, only run the help, because its work takes
    long."""
    words = ["x" if OUTSIDE.search(word) else word for word in words]
    command = next((word for word in words if word != "--"), "")
    if command in ("lab", "demo"):
        words = [*words, "--no-such-option"]
    if command == "suggest":
        words = [word if not word.isdigit() or len(word) < 5 else "99" for word in words]
    return words


@cache
def grammar() -> list[tuple[tuple[str, ...], list[tuple[str, bool]]]]:
    """Return every command with its options: their names, and whether they take a value."""
    import typer

    from hushgram.cli.app import app

    return list(walk_commands(typer.main.get_command(app), ()))


def walk_commands(command: Any, path: tuple[str, ...]) -> Any:
    options = [
        (name, not getattr(each, "is_flag", False))
        for each in command.params
        for name in each.opts
        if name.startswith("-")
    ]
    yield path, options
    for name, inner in getattr(command, "commands", {}).items():
        yield from walk_commands(inner, (*path, name))


@cache
def surroundings() -> dict[str, bytes]:
    """Return the files in the folder of a command."""
    return {
        "people.csv": seeds.csv(),
        "people.parquet": seeds.parquet(),
        "r.hush.parquet": seeds.paid_release(),
        "plan.toml": seeds.PLAN.encode(),
        **keys(),
    }


@cache
def keys() -> dict[str, bytes]:
    import tempfile

    from hushgram.errors import MissingExtra
    from hushgram.release.signing import new_key

    with tempfile.TemporaryDirectory(prefix="hushgram-fuzz-") as home:
        try:
            new_key(Path(home) / "steward.key", None)
        except MissingExtra:
            return {}
        return {file.name: file.read_bytes() for file in Path(home).iterdir()}
