"""Writing releases. Outputs are checked before budget is spent; if writing fails afterwards, for
example because the disk is full, the release can be written again at no cost."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hushgram.errors import OutputError

if TYPE_CHECKING:
    from hushgram.cli.options import OutputOptions, PaymentOptions
    from hushgram.release import Release


def check_target(target: Path, *, overwrite: bool) -> None:
    """Raise an error if the release file cannot be written."""
    from hushgram.base.files import check_format, check_writable
    from hushgram.spending.rehearsal import check_space

    check_format(target, "a release")
    check_writable(target, overwrite=overwrite)
    check_space(target.parent)


def write_releases(
    releases: Mapping[Path, Release], payment: PaymentOptions, output: OutputOptions, key: Any
) -> None:
    """Write published releases, signed if there is a key."""
    for target, release in releases.items():
        try:
            write_release(release, target, key=key, overwrite=output.force)
        except OutputError as error:
            paid = "releases are" if len(releases) > 1 else "release is"
            raise OutputError(
                f"{error} The {paid} paid for and stored. Repeat the command with --request "
                f"{payment.request} and another --output: that costs nothing."
            ) from None


def write_release(release: Release, target: Path, *, key: Any, overwrite: bool) -> None:
    from hushgram.base.files import write_new
    from hushgram.release.signing import sign_release

    if key is None:
        release.save(target, overwrite=overwrite)
    else:
        write_new(target, sign_release(release, key), overwrite=overwrite)
