"""The inferences by name, for releases that are read back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hushgram.errors import BadInput
from hushgram.mechanisms.estimate import Direct, Inference
from hushgram.mechanisms.inference.even import Even
from hushgram.mechanisms.inference.pooled import Pooled
from hushgram.mechanisms.inference.sorted_sequence import SortedSequence
from hushgram.mechanisms.inference.summed import Summed
from hushgram.mechanisms.inference.tree import Tree
from hushgram.mechanisms.inference.wavelet import Wavelet
from hushgram.mechanisms.inference.zoomed import Zoomed
from hushgram.queries import Measurement


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
