"""How many rows a release found inside its axes: computed from the release, so noisy and free."""

from __future__ import annotations

from typing import Any


def inside_json(release: Any) -> dict[str, Any]:
    from hushgram.answers.counting.inside import rows_inside

    total = rows_inside(release)
    return {"value": total.value, "interval": list(total.interval), "confidence": total.confidence}


def inside_text(release: Any) -> str:
    """About how many rows fall inside the axes. If hardly any: what may be the cause."""
    from hushgram.answers.answer import format_rows
    from hushgram.answers.counting.inside import hardly_any, rows_inside, usual_causes

    total = rows_inside(release)
    said = f"{format_rows(total.value)} ± {format_rows(total.half_width)}"
    if not hardly_any(total):
        return f"About {said} rows fall inside the axes."
    return (
        f"Hardly any rows fall inside the axes ({said}). Check that names, values and "
        "bounds match the table. Common causes: "
        f"{'; '.join(usual_causes(release.domain))}."
    )
