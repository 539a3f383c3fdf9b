"""A classifier trained on a release instead of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hushgram.answers.learning.id3 import Node, grow
from hushgram.answers.tables.contingency import (
    Contingency,
    cells_of,
    classes_of,
    contingency,
    noiseless,
)
from hushgram.answers.tables.rows import row_indices
from hushgram.declare.axis import Floats
from hushgram.errors import MissingExtra, NotAnswerable
from hushgram.geometry.partition import Ints, Lattice

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
except ImportError:
    raise MissingExtra("scikit-learn", "learn", "HistogramClassifier") from None

if TYPE_CHECKING:
    from hushgram.release.release import Release


class HistogramClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A decision tree (ID3), trained on the noisy counts of a release.

    `from_release` trains it on a public file, so it costs no budget and can be repeated. Each node
    is split by the feature with the largest information gain, if the gain exceeds what noise of the
    known variance would produce. Negative counts are treated as zero, and small leaves are pulled
    towards the node above them, the more so the noisier they are. The values of features are the
    bins of the release; other values are predicted from the node that they reach.

    `fit` trains the plain ID3 tree on rows, without privacy, for comparison: every distinct value
    of a feature is a category.

    Parameters
    ----------
    strictness
        How many times larger than expected from noise the gain of a value must be. The default, 2,
        rejects 19 of 20 useless values for two equally frequent classes; 0 accepts all.

    Attributes
    ----------
    classes_
        The classes, in the order of the declared target (with `fit`: sorted).
    tree_
        The root of the tree.

    References
    ----------
    Quinlan, *Induction of decision trees*, Machine Learning 1986. Xiao, Xiong, Fan, Goryczka & Li,
    *DPCube: differentially private histogram release through multidimensional partitioning*,
    Transactions on Data Privacy 2014, section 5.

    Examples
    --------
    >>> import hushgram as hg
    >>> release = hg.publish(hg.Counts([[900, 100], [200, 800]]), epsilon=1)
    >>> model = hg.HistogramClassifier.from_release(release, target="x1")
    >>> model.predict({"x0": [0, 1, 1]}).tolist()
    [0, 1, 1]
    """

    classes_: Any
    tree_: Node
    coding_: Slices | Distinct

    def __init__(self, *, strictness: float = 2.0) -> None:
        self.strictness = strictness

    @classmethod
    def from_release(cls, release: Release, target: str, **parameters: Any) -> Self:
        """Train a classifier for one axis, a category or an integer, from all others."""
        made = cls(**parameters)
        features = [name for name in release.domain if name != target]
        made.classes_ = np.array(classes_of(release, target))
        if not features:
            raise NotAnswerable(f"The release has no axis besides {target!r} to predict it from.")
        made.tree_ = grow(contingency(release, target), made.strictness)
        made.coding_ = Slices(cells_of(release, target, "a tree"), tuple(features))
        made.n_features_in_ = len(features)
        made.feature_names_in_ = np.array(features, dtype=object)
        return made

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Train the plain tree on rows. NOT private: the tree reveals the rows."""
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
        check_classification_targets(y)
        weights = _check_sample_weight(sample_weight, X)
        self.classes_, labels = np.unique(y, return_inverse=True)
        counts = np.zeros((len(X), len(self.classes_)))
        counts[np.arange(len(X)), labels] = weights
        self.coding_ = Distinct.of(X)
        self.tree_ = grow(Contingency(self.coding_.codes(X), counts, noiseless), self.strictness)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The probability of each class for each row: its share in the leaf.

        There is no error bar, because noise affects which leaf a row reaches. Use `Release.share`
        for shares with valid error bars.
        """
        check_is_fitted(self)
        return self.tree_.predict(self._codes(X))

    def predict(self, X: Any) -> Any:
        """The most likely class for each row."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]

    def _codes(self, X: Any) -> Ints:
        if isinstance(self.coding_, Slices):
            return self.coding_.codes(X)
        return self.coding_.codes(
            validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


class Distinct:
    """Codes for the distinct values of each column; NaN is one value."""

    def __init__(self, known: list[dict[Any, int]]) -> None:
        self.known = known

    @classmethod
    def of(cls, rows: Any) -> Distinct:
        columns = ([key(value) for value in column] for column in rows.T.tolist())
        return cls([{one: n for n, one in enumerate(dict.fromkeys(c))} for c in columns])

    def codes(self, rows: Any) -> Ints:
        columns = zip(self.known, rows.T.tolist(), strict=True)
        return np.array([[known.get(key(v), -1) for v in c] for known, c in columns]).T.reshape(
            rows.shape
        )


def key(value: Any) -> Any:
    """The value, with None for NaN, which does not equal itself."""
    return value if value == value else None


class Slices:
    """Codes for the slices of a release's axes; -1 for undeclared values."""

    def __init__(self, lattice: Lattice, features: tuple[str, ...]) -> None:
        self.lattice = lattice
        self.features = features

    def codes(self, rows: Any) -> Ints:
        domain = self.lattice.domain
        found = row_indices(domain, self.features, rows)
        places = [domain.names.index(name) for name in self.features]
        slices = [
            np.where(indices < 0, -1, self.lattice.slice_of(place, np.maximum(indices, 0)))
            for place, indices in zip(places, found, strict=True)
        ]
        return np.stack(slices, axis=1)
