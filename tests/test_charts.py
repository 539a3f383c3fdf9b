"""Pictures are drawn, and bad ones refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hushgram as hg
from hushgram.errors import QuestionError

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("shape", [(40,), (5,), (1,), (20, 30), (3, 4)])
@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_one_and_two_axes(tmp_path: Path, shape: tuple[int, ...], ending: str) -> None:
    release = hg.publish(hg.Counts(np.full(shape, 9)), epsilon=1)
    figure = release.plot(tmp_path / f"picture.{ending}", title="A title")
    assert (tmp_path / f"picture.{ending}").stat().st_size > 1000
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == "A title"
    assert axes.get_xlabel() == "x0"


def test_the_steps_are_the_counts_and_the_band_holds_the_noise() -> None:
    release = hg.publish(hg.Counts([50, 60, 70]), epsilon=1)
    axes = release.plot().axes[0]
    steps = axes.patches[0].get_data()
    assert steps.values.tolist() == release.to_array().tolist()
    band = axes.collections[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == (steps.values.min() - 3, steps.values.max() + 3)


def test_uneven_and_named_bins(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"size": [5.0, 50.0, 5e6], "land": ["FR", "DE", "??"]})
    domain = hg.Domain(
        land=hg.Category(("FR", "DE"), outside="other"), size=hg.Variable((0, 10, 100, 1e7))
    )
    release = hg.publish(frame, domain, epsilon=1, account="a", ledger=hg.Ledger.in_memory())
    axes = release.plot(tmp_path / "p.png").axes[0]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["FR", "DE", "other"]
    assert axes.get_yticklabels()[1].get_text() == "10–100"


def test_three_axes_are_too_many() -> None:
    with pytest.raises(QuestionError, match="one or two axes"):
        hg.publish(hg.Counts(np.ones((2, 2, 2), dtype=int)), epsilon=1).plot()
