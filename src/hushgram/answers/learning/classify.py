"""A classifier that is trained on a release instead of a table."""

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
    """An ID3 tree, grown on the noisy counts of a release.

    `from_release` grows it on a public file: that costs no budget, and any number of trees may be
    grown. A node is split by the feature that tells most about the class; a feature must tell more
    than noise of the release's known variance would seem to tell. Counts below zero count as none,
    and small leaves follow the node above them as far as noise hides them. Values of features
    are the release's bins; one that is not declared is predicted from the node that it reaches.

    `fit` grows the plain ID3 tree on rows, without privacy, for comparison: every distinct value of
    a feature is a category of its own.

    Parameters
    ----------
    strictness
        How many times what noise is expected to tell a value must tell. The default 2 leaves out
        19 of 20 useless values of two equally frequent classes; 0 believes everything.

    Attributes
    ----------
    classes_
        The classes, in the order of the target's declaration (of `fit`: sorted).
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
        """The classifier of one axis, a category or an integer, by all others."""
        made = cls(**parameters)
        features = [name for name in release.domain if name != target]
        made.classes_ = np.array(classes_of(release, target))
        if not features:
            raise NotAnswerable(f"the release has no axis but {target!r} to predict it from.")
        made.tree_ = grow(contingency(release, target), made.strictness)
        made.coding_ = Slices(cells_of(release, target, "a tree"), tuple(features))
        made.n_features_in_ = len(features)
        made.feature_names_in_ = np.array(features, dtype=object)
        return made

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the plain tree on rows. NOT private: what it learns is the rows' own."""
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
        """The probability of each class, row by row: its share in the leaf, without an error bar,
        since the noise had a say in which leaf that is. Ask `Release.share` for one that holds."""
        check_is_fitted(self)
        return self.tree_.predict(self._codes(X))

    def predict(self, X: Any) -> Any:
        """The most probable class of each row."""
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
    """Every distinct value of a column by a number; NaN is one value."""

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
    """A value that equals itself."""
    return value if value == value else None


class Slices:
    """The slices of a release's axes; -1 for what was not declared."""

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
