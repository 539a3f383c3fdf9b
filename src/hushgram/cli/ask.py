"""``hushgram count``, ``hushgram show`` and ``hushgram explain``: query and describe a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from hushgram.base.text import align_columns
from hushgram.cli.output import Json, show
from hushgram.cli.parameters import Confidence, Ranges, ReleaseFile, Signer


def add_to(app: typer.Typer) -> None:
    app.command("count")(count)
    app.command("show")(describe)
    app.command("explain")(explain)


def count(
    release: ReleaseFile,
    ranges: Ranges = None,
    confidence: Confidence = 0.95,
    signer: Signer = None,
    as_json: Json = False,
) -> None:
    """Count the rows in a range, with an error bar. Costs nothing.

    \b
    Example:
      hushgram count checkins.hush.parquet lon=-74.3:-73.7 lat=40.5:40.9
    """
    from hushgram.cli.grammar import parse_question
    from hushgram.release import load

    found = load(release, signer=signer)
    question = parse_question(found.domain, ranges or [])
    answer = found.count(question, confidence=confidence)
    data = {
        "value": answer.value,
        "interval": list(answer.interval),
        "confidence": answer.confidence,
        "noise_interval": list(answer.noise_interval),
        "partial": answer.partial,
    }
    show(data, str(answer), as_json=as_json)


def describe(release: ReleaseFile, signer: Signer = None, as_json: Json = False) -> None:
    """Show what a release contains and whom it protects.

    \b
    Example:
      hushgram show checkins.hush.parquet
      hushgram show checkins.hush.parquet --signer steward.key.pub
    """
    import json

    from hushgram.release import load
    from hushgram.release.parquet import describe as described

    found = load(release, signer=signer)
    signature = signature_of(release, signer)
    about = {**json.loads(described(found)), "signature": signature}
    show(about, f"{sheet(found)}\n\n{signature_text(signature)}", as_json=as_json)


def explain(release: ReleaseFile, signer: Signer = None, as_json: Json = False) -> None:
    """Explain how a release was made.

    Says why this mechanism was chosen, how it works and what its parameters mean.

    \b
    Example:
      hushgram explain checkins.hush.parquet
    """
    from hushgram.release import load

    found = load(release, signer=signer)
    text = found.explain()
    data = {
        "mechanism": found.mechanism,
        "why": found.why,
        "parameters": dict(found.parameters),
        "text": text,
    }
    show(data, text, as_json=as_json)


def sheet(release: Any) -> str:
    from hushgram.base.exact import format_number as plain
    from hushgram.declare.axis.text import axis_text, kind_text

    axes = [(name, kind_text(axis), axis_text(axis)) for name, axis in release.domain.items()]
    paid = (
        f"receipt {release.receipt['id']}"
        if release.receipt
        else "none (published without an account)"
    )
    facts = [
        ("mechanism", release.mechanism),
        ("epsilon", plain(release.epsilon)),
        ("protects", f"{release.unit}, {release.neighbours}"),
        ("parts", f"{release.estimate.partition.size:,}"),
        *[("measured", one.measure.described) for one in release.measured],
        ("noise", noise_text(release.estimate.variances())),
        ("paid", paid),
        *([("rows", release.where)] if release.where else []),
        *release.about.texts.items(),
    ]
    return align_columns(facts) + "\n\n" + align_columns(axes, heads=("axis", "kind", "values"))


def signature_of(release: Path, signer: str | None) -> dict[str, Any] | None:
    """The signer of a file: verified, or as the file claims."""
    from hushgram.release.signing import as_signer, claimed_signers

    if signer is not None:
        return {"signer": as_signer(signer), "checked": True}
    claims = claimed_signers(release.read_bytes())
    return {"signer": ", ".join(claims), "checked": False} if claims else None


def signature_text(signature: dict[str, Any] | None) -> str:
    if signature is None:
        return "Not signed."
    if signature["checked"]:
        return f"Signed by {signature['signer']}. Signature verified."
    return f"The file claims a signature by {signature['signer']}. To verify it, use --signer."


def noise_text(variances: Any) -> str:
    low, high = (f"{end**0.5:,.2f}" for end in (variances.min(), variances.max()))
    return f"standard deviation {low if low == high else f'{low} to {high}'} per part"
