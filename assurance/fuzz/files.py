"""Targets other than tables: releases, ledgers, domains, plans."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from assurance.fuzz import seeds
from assurance.fuzz.mutate import NUMBERS, TEXTS, mutated_bytes, mutated_text, mutated_tree, slots
from assurance.fuzz.target import Input, Listed, Step, StepResult, Target
from hushgram.geometry.partition import pack

FILE = "r.hush.parquet"


ASKING = {
    "show": ("show", FILE),
    "json": ("show", FILE, "--json"),
    "count": ("count", FILE, "--json"),
    "range": ("count", FILE, "AXIS=1:3"),
    "explain": ("explain", FILE),
    "quantile": ("quantile", FILE, "AXIS", "0.1", "0.5"),
    "marginal": ("marginal", FILE, "AXIS"),
    "top": ("marginal", FILE, "AXIS", "--top", "2", "--share"),
    "sql": ("sql", FILE, "SELECT sum(count) FROM release"),
    "sample": ("sample", FILE, "10", "-o", "rows.parquet"),
    "export": ("export", FILE, "-o", "r.csv"),
    "blocks": ("blocks", FILE, FILE, "-o", "pairs.parquet"),
    "verify": ("ledger", "verify", FILE),
    "report": ("report", FILE, "-o", "r.html"),
}


class ReleaseFile(Target):
    """A release with mutated bytes, or forged with a matching seal."""

    name, ending = "release", ".hush.parquet"
    ways = ASKING
    slow = ("report",)

    def seeds(self) -> list[bytes]:
        return list(seeds.releases())

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        if chance.random() < 0.3:
            return mutated_bytes(data, others, chance)
        try:
            text, values = contents(data)
            about = json.loads(text)
        except Exception:
            return mutated_bytes(data, others, chance)
        if chance.random() < 0.15:
            values = mutated_values(values, chance)
        if chance.random() < 0.2:
            return forge_release(json.dumps(repack(about, chance)), values)
        return forge_release(json.dumps(mutated_tree(about, chance)), values)

    def steps(self, given: Input, folder: Path) -> list[Step]:
        (folder / FILE).write_bytes(given.data)
        words = self.ways[given.way]
        axis = first_axis(given.data) if any("AXIS" in word for word in words) else ""
        return [[word.replace("AXIS", axis) for word in words]]

    def wrong(self, given: Input, seen: StepResult) -> str:
        if seen.code == 0 and not is_sealed(given.data):
            return "a file was accepted although its seal does not match"
        return ""


def contents(data: bytes) -> tuple[str, Any]:
    """Read the description and the counts of a release file, without the product's code."""
    file = pq.ParquetFile(io.BytesIO(data))
    values = file.read(columns=["count"])["count"].to_numpy()
    return file.metadata.metadata[b"hushgram"].decode(), values


def is_sealed(data: bytes) -> bool:
    text, values = contents(data)
    digest = hashlib.sha256(text.encode() + values.astype(values.dtype.newbyteorder("<")).tobytes())
    found = pq.ParquetFile(io.BytesIO(data)).metadata.metadata[b"hushgram.seal"]
    return bool(found == digest.hexdigest().encode())


def forge_release(text: str, values: Any) -> bytes:
    """Write a release file with any description, and a matching seal."""
    encoded = text.encode("utf-8", "replace")
    digest = hashlib.sha256(encoded + values.astype(values.dtype.newbyteorder("<")).tobytes())
    table, sink = pa.table({"count": values}), io.BytesIO()
    with pq.ParquetWriter(sink, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        seal = digest.hexdigest().encode()
        writer.add_key_value_metadata({b"hushgram": encoded, b"hushgram.seal": seal})
    return sink.getvalue()


def mutated_values(values: Any, chance: Random) -> Any:
    values = values.copy()
    act = chance.randrange(4)
    if act == 0:
        return values[: chance.randrange(len(values) + 1)]
    if act == 1 and chance.random() < 0.3:
        return np.concatenate([values, values])
    if act == 2 and chance.random() < 0.3:
        with np.errstate(all="ignore"):
            return values.astype(chance.choice(["f4", "f8", "i1", "u8", "i8"]))
    if len(values):
        whole = values.dtype.kind in "iu"
        number = chance.choice(NUMBERS[:20] if whole else NUMBERS)
        if whole:
            known = np.iinfo(values.dtype)
            number = min(max(number, known.min), known.max)
        values[chance.randrange(len(values))] = np.clip(number, -(2**62), 2**62)
    return values


def repack(about: Any, chance: Random) -> Any:
    """Change integers that the description contains as packed text."""
    for holder, key in list(slots([about])):
        text = holder[key]
        packed = unpack(text) if isinstance(text, str) and chance.random() < 0.7 else None
        if packed is not None:
            holder[key] = pack(mutated_values(packed, chance).astype(np.int64))
    return about


def unpack(text: str) -> Any:
    """Return the integers packed in a text; None if there are none, or if it was mutated before."""
    if not re.match("i[1248]:", text):
        return None
    try:
        data = zlib.decompress(base64.b64decode(text[3:]))
        return np.frombuffer(data, f"<i{text[1]}").astype(np.int64)
    except (ValueError, zlib.error):
        return None


def first_axis(data: bytes) -> str:
    """Return the name of the first axis, for queries."""
    try:
        return str(json.loads(contents(data)[0])["domain"][0]["name"]).replace("\0", "") or "x"
    except Exception:
        return "x"


DECLARING = {"library": (), "show": ("show", FILE), "count": ("count", FILE),
        "marginal": ("marginal", FILE, "AXIS")}  # fmt: skip


class DomainJson(Target):
    """A domain as JSON, for the library and in a forged release."""

    name, ending = "domain", ".json"
    ways = DECLARING

    def seeds(self) -> list[bytes]:
        return [text.encode() for text in seeds.domains()]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        if chance.random() < 0.15:
            return mutated_text(data.decode("utf-8", "replace"), chance).encode("utf-8", "replace")
        try:
            tree = json.loads(data)
        except (ValueError, RecursionError):
            tree = json.loads(chance.choice(seeds.domains()))
        return json.dumps(mutated_tree(tree, chance)).encode()

    def steps(self, given: Input, folder: Path) -> list[Step]:
        text = given.data.decode("utf-8", "replace")
        if given.way == "library":
            try:
                data = json.loads(text)
            except (ValueError, RecursionError):
                return []
            return [lambda: there_and_back(data)]
        file = in_a_release(text)
        (folder / FILE).write_bytes(file)
        axis = first_axis(file)
        return [[word.replace("AXIS", axis) for word in self.ways[given.way]]]


def there_and_back(data: Any) -> None:
    from hushgram.declare.domain import Domain

    domain = Domain.from_json(data)
    again = Domain.from_json(json.loads(json.dumps(domain.to_json())))
    if again != domain or hash(again) != hash(domain) or repr(again) != repr(domain):
        raise AssertionError("a domain changes when it is written as JSON and read again")


def in_a_release(domain: str) -> bytes:
    """Forge a release of this domain, with one cell per bin if there are few."""
    from hushgram.declare.domain import Domain

    text, _ = contents(seeds.cells_release())
    about = json.loads(text)
    try:
        shape = Domain.from_json(json.loads(domain)).shape
    except Exception:
        shape = (4, 3)
    slices = [side if side <= 16 else 1 for side in shape]
    about["layout"] = {"kind": "grid", "slices": slices}
    about["measurements"][0]["partition"] = about["layout"]
    description = json.dumps(about).replace(json.dumps(about["domain"]), domain, 1)
    return forge_release(description, np.arange(min(int(np.prod(slices, dtype=object)), 10**5)))


PAYING = {
    "show": ("ledger", "show"),
    "account": ("ledger", "show", "people", "--json"),
    "verify": ("ledger", "verify", FILE),
    "cap": ("ledger", "set-cap", "people", "5"),
    "publish": ("publish", "people.csv", "--account", "people", "-e", "1", "-a", "age=0..9",
                "-m", "identity"),
    "again": ("publish", "people.csv", "--account", "people", "-e", "1", "-a", "age=0..9",
              "-m", "identity", "--request", "tuesday"),
}  # fmt: skip


class LedgerFile(Listed):
    """A ledger, edited with SQL or byte by byte. The input is a list of edits."""

    name = "ledger"
    ways = PAYING

    def seeds(self) -> list[bytes]:
        return [json.dumps(edits).encode() for edits in ([], [["sql", "people", "payload", "{}"]])]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        try:
            edits = json.loads(data)
        except ValueError:
            edits = []
        if edits and chance.random() < 0.3:
            edits.pop(chance.randrange(len(edits)))
        edits = [*edits, any_edit(chance)][-6:]
        return json.dumps(edits).encode()

    def steps(self, given: Input, folder: Path) -> list[Step]:
        book, release = ledger_seed()
        (folder / "people.csv").write_bytes(seeds.csv())
        (folder / FILE).write_bytes(release)
        place = folder / "ledger" / "ledger.db"
        place.parent.mkdir()
        place.write_bytes(edit_book(book, json.loads(given.data), place))
        return [list(self.ways[given.way])]

    def wrong(self, given: Input, seen: StepResult) -> str:
        if given.way != "verify" or seen.code != 0:
            return ""
        place = Path("ledger/ledger.db")
        return "" if entries(place) == entries_of_seed() else "a changed ledger was verified"


def any_edit(chance: Random) -> list[Any]:
    act = chance.random()
    if act < 0.45:
        column = chance.choice(["seq", "account", "kind", "payload", "time", "prev_hash", "hash"])
        return ["sql", chance.randrange(1, 6), column, any_value(chance)]
    if act < 0.6:
        key = chance.choice(["request", "receipt", "epsilon", "cap", "spent", "unit", "neighbours",
                             "salt", "request_hash", "seal", "release"])  # fmt: skip
        return ["field", chance.randrange(1, 6), key, any_value(chance)]
    if act < 0.7:
        return ["run", chance.choice(STATEMENTS)]
    if act < 0.75:
        return ["cut", chance.randrange(1 << 16)]
    piece = bytes(chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)]) for _ in range(
        chance.choice([1, 1, 2, 4, 16])))  # fmt: skip
    place = chance.randrange(200) if chance.random() < 0.4 else chance.randrange(1 << 16)
    return ["bytes", place, piece.hex()]


def any_value(chance: Random) -> Any:
    value = chance.choice([*NUMBERS, *TEXTS, None, True, [], {}, [[1]], "open", "charge", "people"])
    return str(value) if isinstance(value, int) and abs(value) >= 2**63 else value


STATEMENTS = (
    "DELETE FROM entries", "DELETE FROM entries WHERE seq = 1",
    "DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)", "DROP TABLE entries",
    "DROP INDEX states", "CREATE TABLE more (x)", "ALTER TABLE entries ADD COLUMN more",
    "ALTER TABLE entries RENAME COLUMN payload TO load", "PRAGMA user_version = 2",
    "PRAGMA user_version = -1", "PRAGMA application_id = 0", "PRAGMA journal_mode = DELETE",
    "UPDATE entries SET payload = replace(payload, '1', '2')",
    "INSERT INTO entries SELECT seq + 10, account, kind, payload, time, prev_hash, hash || 'x' "
    "FROM entries WHERE kind = 'cap'",
    "CREATE VIEW v AS SELECT * FROM entries", "CREATE TRIGGER t AFTER INSERT ON entries BEGIN "
    "SELECT RAISE(ABORT, 'no'); END",
)  # fmt: skip


def edit_book(book: bytes, edits: list[Any], place: Path) -> bytes:
    """Apply the edits that are possible to a ledger."""
    data = bytearray(book)
    for edit in edits:
        if edit[0] == "bytes":
            start = edit[1] % max(len(data), 1)
            data[start : start + len(edit[2]) // 2] = bytes.fromhex(edit[2])
        elif edit[0] == "cut":
            data = data[: edit[1] % (len(data) + 1)]
        else:
            data = bytearray(by_sql(bytes(data), edit, place))
    return bytes(data)


def by_sql(data: bytes, edit: list[Any], place: Path) -> bytes:
    """Make one change with SQL, without the triggers that forbid it."""
    place.write_bytes(data)
    try:
        with closing(sqlite3.connect(place, isolation_level=None)) as connection:
            kept = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = kept.fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            try:
                change(connection, edit)
            finally:
                for _, statement in triggers:
                    connection.execute(statement)
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except (sqlite3.Error, OverflowError, TypeError, ValueError):
        pass  # impossible on what is left of the ledger
    found = place.read_bytes()
    for rest in place.parent.glob("ledger.db*"):
        rest.unlink()
    return found


def change(connection: sqlite3.Connection, edit: list[Any]) -> None:
    if edit[0] == "run":
        connection.execute(edit[1])
        return
    _, line, name, value = edit
    if edit[0] == "sql":
        plain = value if isinstance(value, str | int | float | None) else json.dumps(value)
        connection.execute(f"UPDATE entries SET {name} = ? WHERE seq = ?", (plain, line))
        return
    ((payload,),) = connection.execute("SELECT payload FROM entries WHERE seq = ?", (line,))
    changed = json.dumps({**json.loads(payload), name: value})
    connection.execute("UPDATE entries SET payload = ? WHERE seq = ?", (changed, line))


@cache
def ledger_seed() -> tuple[bytes, bytes]:
    """Return an intact ledger with two charges, and its newest release."""
    import tempfile

    import hushgram as hg

    with tempfile.TemporaryDirectory(prefix="hushgram-fuzz-") as home:
        table, place = Path(home) / "people.csv", Path(home) / "ledger.db"
        table.write_bytes(seeds.csv())
        ledger = hg.Ledger.open(place)
        ledger.open_account("people", 3, unit="rows", neighbours="add-remove")
        domain = hg.Domain(age=hg.Integer(0, 9))
        made = [
            hg.publish(
                str(table), domain, epsilon=1, account="people", ledger=ledger,
                mechanism="identity", request=request,
            )
            for request in ("sunday", "tuesday")
        ]  # fmt: skip
        with closing(sqlite3.connect(place)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return place.read_bytes(), made[-1].to_bytes()


def entries(place: Path) -> Any:
    try:
        with closing(sqlite3.connect(place)) as connection:
            return connection.execute("SELECT * FROM entries ORDER BY seq").fetchall()
    except sqlite3.Error:
        return None


@cache
def entries_of_seed() -> Any:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(ledger_seed()[0])
        return connection.execute("SELECT * FROM entries ORDER BY seq").fetchall()


PLANNING = {
    "dry": ("publish", "people.csv", "--account", "people", "--plan", "plan.toml", "--dry-run"),
    "json": ("publish", "people.csv", "--account", "people", "--plan", "plan.toml", "--dry-run",
             "--json"),
    "publish": ("publish", "people.csv", "--account", "people", "--plan", "plan.toml"),
}  # fmt: skip


class PlanFile(Target):
    """A plan in TOML."""

    name, ending = "plan", ".toml"
    ways = PLANNING

    def seeds(self) -> list[bytes]:
        return [seeds.PLAN.encode(), seeds.PEOPLE_PLAN.encode()]

    def mutated(self, data: bytes, others: Sequence[bytes], chance: Random) -> bytes:
        if chance.random() < 0.2:
            return mutated_bytes(data, others, chance)
        text = data.decode("utf-8", "replace")
        if chance.random() < 0.3:
            lines = text.split("\n")
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(LINES))
            text = "\n".join(lines)
        return mutated_text(text, chance).encode("utf-8", "replace")

    def steps(self, given: Input, folder: Path) -> list[Step]:
        (folder / "people.csv").write_bytes(seeds.csv())
        (folder / "plan.toml").write_bytes(given.data)
        return [list(self.ways[given.way])]


LINES = (
    "epsilon = 1", "epsilon = inf", "epsilon = nan", "epsilon = 1e400", "epsilon = -1", "share = 0",
    "epsilon = 9" + "9" * 5000, "epsilon = true", "epsilon = 2024-01-01", "epsilon = []",
    "axes = []", "axes = { age = 3 }", "axes = { age = '0..9', age = '0..9' }", "axes.age = '0..5'",
    "[release]", "[[release]]", "[[release.x]]", "per = 'age'", "per = 1", "per = []", "name = ''",
    "name = 'ages'", "name = '../x'", "name = 1", "mechanism = []", "mechanism = 'auto'",
    "unit = 1", "max_rows = 0", "max_rows = 1.5", "max_rows = 99999999999999999999",
    "neighbours = []", "workload = 1", "outside = 'x'", "outside = { age = 1 }",
    "x = " + "[" * 3000, "x" + ".x" * 3000 + " = 1", "axes = { age = '0..999999999999' }",
    "x = 1e9999999999",
)  # fmt: skip
