"""Pickle: nothing that is read is ever run.

Numba keeps compiled loops beside the package, as Python keeps its own: whoever may write there may
change the program itself, so that is no way in.
"""

from __future__ import annotations

import ast
import base64
import io
import pickle
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import hushgram as hg
from hushgram.errors import ReleaseCorrupted
from hushgram.release.parquet import KEY, SEAL, describe, read, seal
from tests.samples import cells, release_of

SOURCE = Path(hg.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
UNPACKERS = {"pickle", "cPickle", "_pickle", "dill", "cloudpickle", "marshal", "shelve", "joblib",
             "jsonpickle", "yaml", "copyreg"}  # fmt: skip
RUNNERS = {"eval", "exec", "compile", "__import__", "pickle.loads", "pickle.load", "read_pickle",
           "pd.read_pickle", "os.system", "os.popen"}  # fmt: skip


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def offences(code: str) -> set[str]:
    tree = ast.parse(code)
    found = set(imported(tree)) & UNPACKERS
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        loads = name in ("np.load", "numpy.load")
        closed = any(
            word.arg == "allow_pickle" and ast.unparse(word.value) == "False"
            for word in node.keywords
        )
        shell = any(word.arg == "shell" for word in node.keywords)
        if name in RUNNERS or shell or (loads and not closed):
            found.add(name)
    return found


def test_no_file_unpickles_or_runs_what_it_reads() -> None:
    assert {
        path.name: found for path in FILES if (found := offences(path.read_text("utf-8")))
    } == {}


@pytest.mark.parametrize(
    "code",
    ["import pickle", "from joblib import load", "np.load(p)", "np.load(p, allow_pickle=True)",
     "eval('1')", "import yaml", "subprocess.run(x, shell=True)", "os.system(x)"],
)  # fmt: skip
def test_the_scan_sees_one(code: str) -> None:
    assert offences(code)
    assert not offences("np.load(p, allow_pickle=False)\nre.compile(p)")


class Trap:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("a pickle was run",)


def trapped() -> bytes:
    """A release whose Arrow schema claims a Python type that must be unpickled to be known."""
    release = release_of(cells(x=hg.Integer(0, 2)))
    field = pa.field(
        "count", pa.int64(),
        metadata={
            b"ARROW:extension:name": b"arrow.py_extension_type",
            b"ARROW:extension:metadata": pickle.dumps(Trap()),
        },
    )  # fmt: skip
    text = describe(release)
    meta = {
        KEY: text.encode(),
        SEAL: seal(text, release.estimate.values).encode(),
        b"ARROW:schema": base64.b64encode(pa.schema([field]).serialize().to_pybytes()),
    }
    sink = io.BytesIO()
    table = pa.table({"count": release.estimate.values})
    with pq.ParquetWriter(sink, table.schema, store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(meta)
    return sink.getvalue()


def test_a_release_cannot_smuggle_a_pickle_in() -> None:
    try:
        values = read(trapped()).estimate.values
    except ReleaseCorrupted:
        return
    assert values.tolist() == [0, 1, 2]
