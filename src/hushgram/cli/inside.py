"""What a publish says about the rows that it found, from the release alone: free, and noisy."""

from __future__ import annotations

from typing import Any


def inside_json(release: Any) -> dict[str, Any]:
    from hushgram.answers.counting.inside import rows_inside

    total = rows_inside(release)
    return {"value": total.value, "interval": list(total.interval), "confidence": total.confidence}


def inside_text(release: Any) -> str:
    """About how many rows lie inside the axes; if hardly any, why that may be."""
    from hushgram.answers.answer import format_rows
    from hushgram.answers.counting.inside import hardly_any, rows_inside, usual_causes

    total = rows_inside(release)
    said = f"{format_rows(total.value)} ± {format_rows(total.half_width)}"
    if not hardly_any(total):
        return f"About {said} rows lie inside the axes."
    return (
        f"Hardly any row lies inside the axes ({said}). Are they spelled and bounded as in the "
        f"table? Usual causes: {'; '.join(usual_causes(release.domain))}."
    )
