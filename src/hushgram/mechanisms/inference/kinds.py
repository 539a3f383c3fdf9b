"""The list of all inferences, for reading releases. A new one is one entry here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hushgram.errors import BadInput
from hushgram.mechanisms.inference.averaged import Averaged
from hushgram.mechanisms.inference.base import Inference
from hushgram.mechanisms.inference.direct import Direct
from hushgram.mechanisms.inference.even import EvenLeaves
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.posterior_means import PosteriorMeans
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.inference.summed import Summed
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.queries import Measurement

INFERENCES: tuple[type[Inference], ...] = (
    Direct,
    Tree,
    EvenLeaves,
    Pooled,
    Averaged,
    Wavelet,
    SortedSequence,
    Zoomed,
    Summed,
    PosteriorMeans,
)


def inference_from_json(data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Inference:
    """The inference that `Inference.to_json` described."""
    kind = data.get("kind")
    for inference in INFERENCES:
        if inference.kind == kind:
            return inference.from_json(data, measurements)
    raise BadInput(
        f"Unknown inference {kind!r}. Read this release with a newer version of Hushgram."
    )
