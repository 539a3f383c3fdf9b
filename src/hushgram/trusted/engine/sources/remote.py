"""Remote files: a copy is downloaded before the charge, and read like any other file.

All passes must see the same version, but a server may answer each request with another. So the file
is downloaded once, to a folder that only its owner can read, and deleted when the program ends. The
parts of a URL besides host and path (a user, a password, a signature) are never shown.
"""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

from hushgram.errors import MissingExtra, SourceError
from hushgram.trusted.url import hosts, pieces

SCHEMES = {"https": "aiohttp", "s3": "s3fs", "gs": "gcsfs", "abfs": "adlfs"}
"""The schemes that fsspec downloads from, and the packages that they need, which find credentials
where each service usually keeps them."""

CHUNK = 1 << 22


def is_remote(source: Any) -> bool:
    """Return whether a source is the URL of a remote file."""
    return isinstance(source, str) and source.partition("://")[0].lower() in SCHEMES


def remote_identity(url: str) -> str:
    """Return what distinguishes a file from others, without secrets.

    >>> remote_identity("https://me:secret@example.org/a.csv")
    'https://example.org/a.csv'
    """
    found = split(url)
    marked = f"?{hashlib.sha256(found.query.encode()).hexdigest()[:16]}" if found.query else ""
    return f"{found.scheme}://{hosts(found)}{found.path}{marked}"


def split(url: str) -> Any:
    found = pieces(url)
    if found is None or not PurePosixPath(found.path).name:
        raise SourceError("Cannot read the URL of the file. Expected SCHEME://HOST/PATH/FILE.")
    return found


def fetch(url: str) -> Path:
    """Download the file and return the path of the copy, which has the same name."""
    found = split(url)
    name = PurePosixPath(found.path).name
    try:
        import fsspec
    except ImportError:
        raise MissingExtra("fsspec", "remote", f"a file at {found.scheme}://") from None
    folder = Path(tempfile.mkdtemp(prefix="hushgram-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    try:
        with fsspec.open(url, "rb") as stream, (folder / name).open("wb") as target:
            shutil.copyfileobj(stream, target, CHUNK)
    except ImportError:
        reason = f"a package is missing. Install it with: pip install {SCHEMES[found.scheme]}"
    except Exception as error:  # any library's; it may quote the URL with its secrets
        reason = f"{type(error).__name__}. Check the address and your credentials"
    else:
        return folder / name
    shutil.rmtree(folder, ignore_errors=True)
    raise SourceError(f"Cannot fetch {name} from {found.scheme}://{hosts(found)}: {reason}.")
