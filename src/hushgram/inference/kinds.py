"""The inferences by name, for releases that are read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hushgram.errors import BadInput
from hushgram.estimate import Direct, Inference, Measurement
from hushgram.inference.even import Even
from hushgram.inference.pooled import Pooled
from hushgram.inference.sorted_sequence import SortedSequence
from hushgram.inference.summed import Summed
from hushgram.inference.tree import Tree
from hushgram.inference.wavelet import Wavelet
from hushgram.inference.zoomed import Zoomed


def inference_from_json(data: Mapping[str, Any], measurements: Sequence[Measurement]) -> Inference:
    """The inference that `Inference.to_json` described, over these measurements."""
    kind = data.get("kind")
    if kind == Direct.kind and len(measurements) == 1:
        return Direct()
    if kind == SortedSequence.kind:
        return SortedSequence.of(measurements)
    if kind == Zoomed.kind:
        return Zoomed.of(measurements)
    if kind == Tree.kind:
        return Tree.of(measurements)
    if kind == Wavelet.kind and len(measurements) == 1:
        return Wavelet.of(measurements)
    if kind == Even.kind and len(measurements) in (1, 2):
        return Even.from_json(data, measurements)
    if kind == Pooled.kind and len(measurements) == 1:
        return Pooled.from_json(data, measurements)
    if kind == Summed.kind:
        return Summed.from_json(data, inference_from_json(data["inference"], measurements))
    raise BadInput(f"no inference is of kind {kind!r}; a newer Hushgram may know it.")
