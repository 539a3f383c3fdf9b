"""The release file: one Parquet table with its description in the metadata.

The rows are the parts, with labels for people, ``count``, and the columns from which its errors
follow (`answers.tables.part_columns`). The description has the measurements and their inference; a
checksum (seal) over it and the counts detects damage. Hushgram only reads these two. The file
contains nothing else: no true number, path, time or remaining budget. Credits (``about``) are only
included if the publisher gave any; older versions of Hushgram can read files with and without them.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hushgram.answers.tables.magnitudes import measured_columns
from hushgram.answers.tables.part_columns import ROUNDED, part_columns
from hushgram.base.exact import from_text
from hushgram.declare.about import as_about
from hushgram.declare.domain import Domain
from hushgram.declare.measure import measure_from_json
from hushgram.declare.unit import as_neighbours, as_unit
from hushgram.errors import BadInput, NoSuchFile, ReleaseCorrupted
from hushgram.geometry.measured.reading import measurable_from_json
from hushgram.geometry.partition import MAX_PARTS, Partition, pack, partition_from_json, unpack
from hushgram.mechanisms.estimate import Estimate
from hushgram.mechanisms.inference.kinds import inference_from_json
from hushgram.mechanisms.inference.summed import measured_domain
from hushgram.mechanisms.measured import Measured
from hushgram.queries import Measurement
from hushgram.release.pages import check_column
from hushgram.release.signing import as_signer, verify

if TYPE_CHECKING:
    from hushgram.release.release import Release

SCHEMA = 1
KEY = b"hushgram"
SEAL = b"hushgram.seal"

GROUP = 1 << 20
"""The number of parts in a row group of the file."""

MAX_MEASURED = 4 * MAX_PARTS
"""The most numbers in all measurements of a release together."""

SMALLEST = Fraction(1, 10**300)
"""A lower limit for budgets, scales of noise, and their inverses."""

MAX_MEASURES = 1000
"""The most measures of a release."""

PIECE = 1 << 16
"""The number of parts that are labelled at a time, in the CPU cache: a row group has several."""


def table_of(release: Release) -> Any:
    """The release as an Arrow table with its description."""
    text = describe(release)
    return columns_of(release).replace_schema_metadata(seal_metadata(text, release.estimate.values))


def columns_of(release: Release) -> Any:
    """The table for people: labels, counts, and the columns from which errors follow."""
    import pyarrow as pa

    from hushgram.geometry.labels import label_columns

    labels = label_columns(release.estimate.partition)
    columns = own_columns(release).items()
    return pa.table({**labels, **{name: pa.array(column) for name, column in columns}})


def own_columns(release: Release) -> dict[str, Any]:
    """The columns without labels: sums of measured columns, then those of the counts."""
    return {**measured_columns(release), **part_columns(release.estimate)}


def windows_of(release: Release) -> Iterator[Any]:
    """The table in windows of a row group each: the labels of millions of parts take more memory
    than all the rest."""
    import pyarrow as pa

    pieces = pieces_of(release)
    while window := list(itertools.islice(pieces, GROUP // PIECE)):
        yield pa.concat_tables(window)


def pieces_of(release: Release) -> Iterator[Any]:
    import pyarrow as pa

    from hushgram.geometry.labels import label_windows

    columns = own_columns(release).items()
    for number, labels in enumerate(label_windows(release.estimate.partition, PIECE)):
        piece = slice(number * PIECE, (number + 1) * PIECE)
        yield pa.table({**labels, **{name: pa.array(column[piece]) for name, column in columns}})


def seal_metadata(text: str, values: Any) -> dict[bytes, bytes]:
    """The metadata of the file."""
    return {KEY: text.encode(), SEAL: seal(text, values).encode()}


def describe(release: Release) -> str:
    """Everything except the counts, as canonical JSON."""
    estimate = release.estimate
    about: dict[str, Any] = {
        "schema": SCHEMA,
        "mechanism": release.mechanism,
        "parameters": dict(release.parameters),
        "epsilon": str(release.epsilon),
        "unit": release.unit.to_json(),
        "neighbours": release.neighbours,
        "domain": release.domain.to_json(),
        "layout": estimate.partition.to_json(),
        "measurements": measurements_to_json(estimate),
        "inference": estimate.inference.to_json(),
        "receipt": dict(release.receipt) if release.receipt else None,
        "unaccounted": release.unaccounted,
        "why": release.why,
        "where": release.where,
    }
    if release.about:
        about["about"] = release.about.texts
    if release.measured:
        about["measured"] = [measured_to_json(one) for one in release.measured]
    return json.dumps(about, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def measured_to_json(measured: Measured) -> dict[str, Any]:
    """The sums of a column, with their measurements and inference."""
    return {
        "measure": measured.measure.to_json(),
        "centre": measured.centre,
        "exact": measured.exact,
        "measurements": measurements_to_json(measured.estimate, keep=True),
        "inference": measured.estimate.inference.to_json(),
    }


def measurements_to_json(estimate: Estimate, keep: bool = False) -> list[dict[str, Any]]:
    """The measurements. If the counts are the measurement, its values are not stored twice."""
    found: list[dict[str, Any]] = [
        {
            "partition": measurement.partition.to_json(),
            "scale": str(measurement.scale),
            "variance": measurement.variance,
        }
        for measurement in estimate.measurements
    ]
    if keep or not estimate.inference.is_direct:
        for about, measurement in zip(found, estimate.measurements, strict=True):
            about["values"] = pack(measurement.values)
    return found


def seal(text: str, values: Any) -> str:
    digest = hashlib.sha256(text.encode())
    digest.update(np.ascontiguousarray(values, values.dtype.newbyteorder("<")).data.cast("B"))
    return digest.hexdigest()


def dump(release: Release, more: Mapping[bytes, bytes] | None = None) -> bytes:
    """The bytes of the file; the same release gives the same bytes. ``more`` metadata can be a
    signature. Arrow's own copy of the schema is omitted: it would repeat the description, which is
    half of the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    windows, sink = windows_of(release), pa.BufferOutputStream()
    first = next(windows)
    few = [field.name for field in first.schema if pa.types.is_string(field.type)]
    few += [name for name in ROUNDED if name in first.schema.names]
    options = {"compression": "zstd", "use_dictionary": few, "store_schema": False}
    with pq.ParquetWriter(sink, first.schema, **options) as writer:
        for table in itertools.chain([first], windows):
            writer.write_table(table)
        meta = seal_metadata(describe(release), release.estimate.values)
        writer.add_key_value_metadata({**meta, **(more or {})})
    return bytes(sink.getvalue())


def load(path: str | Path, *, signer: str | Path | None = None) -> Release:
    """Read a release file.

    With ``signer``, a public key such as ``"ed25519:…"`` or a file that contains one, only files
    signed with this key are accepted; others are refused before they are parsed. Without it,
    signatures are not checked.

    >>> load("nowhere.hush.parquet")
    Traceback (most recent call last):
    hushgram.errors.NoSuchFile: nowhere.hush.parquet does not exist.
    """
    file = Path(path)
    try:
        data = file.read_bytes()
        if signer is not None:
            verify(data, as_signer(signer), file.name)
        return read(data, file.name)
    except FileNotFoundError:
        raise NoSuchFile(f"{file.name} does not exist.") from None
    except BadInput:
        raise
    except (OSError, ValueError) as error:  # a name with a null byte is a ValueError
        reason = getattr(error, "strerror", None) or error
        raise ReleaseCorrupted(f"Cannot read {file.name}: {reason}.") from None


def read(data: bytes, name: str = "the release") -> Release:
    """The release in the bytes of a file. Any problem with them raises `ReleaseCorrupted`."""
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
        meta = file.metadata.metadata or {}
        if KEY not in meta:
            raise ReleaseCorrupted(
                f"{name} is a Parquet file, but not a release. Create a release with "
                "hushgram publish."
            )
        text = meta[KEY].decode()
        about = json.loads(text, object_pairs_hook=unique, parse_constant=refuse_constant)
        check_version(about, name)
        layout = partition_from_json(Domain.from_json(about["domain"]), about["layout"])
        values = counts_in(file, layout.size, data)
        if seal(text, values).encode() != meta.get(SEAL):
            raise ReleaseCorrupted(f"{name} is damaged: its checksum does not match its contents.")
        return build(about, layout, values)
    except ReleaseCorrupted:
        raise
    except Exception:  # a damaged or forged file can cause any error in any parser
        raise ReleaseCorrupted(
            f"{name} is not a release, or it is damaged. Get a new copy from its publisher."
        ) from None


def check_version(about: Any, name: str) -> None:
    version = about["schema"]
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise ReleaseCorrupted(f"{name} has no schema version.")
    if version > SCHEMA:
        raise ReleaseCorrupted(
            f"{name} has schema {version}, but this version of Hushgram reads up to "
            f"{SCHEMA}. Use a newer version of Hushgram."
        )


def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without duplicate keys, which different readers treat differently."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a duplicate key")
    return found


def refuse_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def counts_in(file: Any, expected: int, data: bytes) -> Any:
    """The counts, after checking their number and their unpacked size."""
    if file.metadata.num_rows != expected:
        raise ValueError("a different number of rows")
    check_column(data, "count", expected)
    values = file.read(columns=["count"])["count"].to_numpy()
    if values.dtype not in (np.int64, np.float64):
        raise ValueError("counts that are not numbers")
    return values


def build(about: Mapping[str, Any], layout: Partition, values: Any) -> Release:
    """The release with a given description, if it is consistent.

    The seal is a checksum, which anyone who changes a file can compute. So every piece is checked
    when it is created, and all of them together by `Estimate.check`.
    """
    from hushgram.release.release import Release

    measurements = tuple(measurements_of(about, layout, values))
    inference = inference_from_json(about["inference"], measurements)
    estimate = Estimate(layout, values, measurements, inference)
    return Release(
        estimate.check(),
        mechanism=text_of(about["mechanism"]),
        parameters=parameters_of(about),
        epsilon=epsilon_of(about),
        unit=as_unit(about["unit"]),
        neighbours=as_neighbours(about["neighbours"]),
        receipt=receipt_of(about),
        why=text_of(about.get("why", "")),
        where=text_of(about.get("where", "")),
        about=as_about(about.get("about", {})),
        measured=tuple(measured_of(one, about, layout) for one in measured_list(about)),
    )


def measured_list(about: Mapping[str, Any]) -> list[Any]:
    listed = about.get("measured", [])
    if not isinstance(listed, list) or len(listed) > MAX_MEASURES:
        raise ValueError("more measures than a release can have")
    return listed


def measured_of(one: Any, about: Mapping[str, Any], layout: Partition) -> Measured:
    """The sums of a column, checked like counts."""
    measure = measure_from_json(one["measure"])
    centre, exact = one["centre"], one["exact"]
    least, most = measure.amount.low - 1, measure.amount.high + 1  # 0.1.0 rounded bounds outwards
    if type(centre) is not int or not least <= centre <= most:
        raise ValueError("a centre outside the bounds")
    if not isinstance(exact, bool):
        raise TypeError("a flag that is neither true nor false")
    described = {**one, "layout": about["layout"]}
    measurements = tuple(measurements_of(described, layout, None))
    inference = inference_from_json(one["inference"], measurements)
    values = inference.push(measurements)
    estimate = Estimate(layout, values, measurements, inference).check()
    return Measured(measure, centre, estimate, exact)


def measurements_of(
    about: Mapping[str, Any], layout: Partition, counts: Any
) -> Iterator[Measurement]:
    """The measurements. Nothing is unpacked before the total size is known, and the release's own
    partition is not read twice."""
    domain = measured_domain(about["inference"], layout.domain)
    own = about["layout"] if domain == layout.domain else None
    partitions = [
        layout if one["partition"] == own else measurable_from_json(domain, one["partition"])
        for one in about["measurements"]
    ]
    if sum(partition.size for partition in partitions) > MAX_MEASURED:
        raise ValueError("more measurements than can be published")
    for one, partition in zip(about["measurements"], partitions, strict=True):
        kept = unpack(one["values"], partition.size) if "values" in one else counts
        yield Measurement(partition, kept, number_of(one["variance"]), rational(one["scale"]))


def parameters_of(about: Mapping[str, Any]) -> dict[str, Any]:
    """The mechanism's parameters by name: text, numbers, booleans, None, or lists of these."""
    found = dict(about["parameters"])
    for value in found.values():
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str | int | float | None):
                raise TypeError("parameters of the wrong type")
    return found


def receipt_of(about: Mapping[str, Any]) -> dict[str, str] | None:
    """The receipt, or None if the release says that it is unaccounted."""
    receipt = about["receipt"]
    if about["unaccounted"] is not (receipt is None):
        raise ValueError("a receipt that contradicts the description")
    if receipt is None:
        return None
    if set(receipt) != {"id", "epsilon", "seal"}:
        raise ValueError("an invalid receipt")
    return {key: text_of(value) for key, value in receipt.items()}


def text_of(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not text")
    return value


def rational(text: str) -> Fraction:
    """A stored fraction, with or without the denominator 1, within the range of doubles."""
    found = from_text(text if "/" in text else f"{text}/1")
    if found and not SMALLEST < found < 1 / SMALLEST:
        raise ValueError("a fraction that is too large")
    return found


def epsilon_of(about: Mapping[str, Any]) -> Fraction:
    """The epsilon that was spent. Unlike the scale of noise of a public total, it cannot be 0."""
    found = rational(about["epsilon"])
    if not found:
        raise ValueError("an epsilon of 0")
    return found


def number_of(value: Any) -> float:
    if type(value) not in (int, float):
        raise TypeError("not a number")
    return float(value)
