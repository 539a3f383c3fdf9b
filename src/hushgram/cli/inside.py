"""The number of rows inside the axes, computed from the release, so it is noisy and free."""

from __future__ import annotations

from typing import Any


def inside_json(release: Any) -> dict[str, Any]:
    from hushgram.answers.counting.inside import rows_inside

    total = rows_inside(release)
    return {"value": total.value, "interval": list(total.interval), "confidence": total.confidence}


def inside_text(release: Any) -> str:
    """Return about how many rows are inside the axes and, if hardly any, the possible causes."""
    from hushgram.answers.answer import format_rows
    from hushgram.answers.counting.inside import hardly_any, rows_inside, usual_causes

    total = rows_inside(release)
    count = f"{format_rows(total.value)} ± {format_rows(total.half_width)}"
    if not hardly_any(total):
        return f"About {count} rows fall inside the axes."
    return (
        f"Hardly any rows fall inside the axes ({count}). Check that names, values and "
        "bounds match the table. Common causes: "
        f"{'; '.join(usual_causes(release.domain))}."
    )
