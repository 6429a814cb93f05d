"""DimIndex: labels that are quantities, found by quantities in whatever unit."""

from typing import Any

import numpy as np
import pandas as pd
from pandas._libs.index import Float64Engine

from dimflow.pandas.column import DimExtensionArray
from dimflow.pandas.reading import is_missing, is_quantity
from dimflow.pandas.scalar import DimScalar


class DimIndex(pd.Index):
    """What pandas makes of labels of our dtype; `dimflow.pandas.keys` says when two are one.

    Nobody calls it: `pd.Index(x)`, `frame.set_index("distance")`.
    """

    # pandas looks labels up among plain floats: these are the numbers in the index's own unit

    _engine_type = Float64Engine
    _can_use_libjoin = False  # it would make the joined index of these numbers

    def _get_engine_target(self) -> Any:
        return self.array._raw.astype(np.float64, copy=False)

    def _maybe_cast_indexer(self, key: Any) -> Any:
        label = self._label(key)
        return label.item() if isinstance(label, DimScalar) else label

    def _label(self, key: Any) -> Any:
        """A quantity as a label, in the unit of the others; KeyError if it cannot be one."""
        if is_missing(key):
            return np.nan
        if np.ndim(key) or isinstance(key, slice):
            return key
        if (number := self.array._as_keys(key)) is None:
            raise KeyError(key)
        return DimScalar(number, self.dtype.unit)

    def __contains__(self, key: Any) -> bool:
        """Whether `get_loc` finds a label."""
        if np.ndim(key) or not is_quantity(key):
            hash(key)
        try:
            self.get_loc(key)
        except KeyError:
            return False
        return True

    def get_loc(self, key: Any) -> Any:
        """Where a label stands."""
        return super().get_loc(self._label(key))

    def _maybe_cast_slice_bound(self, label: Any, side: str) -> Any:
        """A slice begins and ends at quantities; a bare number has no place among them."""
        if not is_missing(label):
            self.array._in_own_unit(label, "a slice of an index")
        return self._label(label)

    def reindex(self, target: Any, *args: Any, **kwargs: Any) -> Any:
        """On other labels, which are quantities too."""
        labels = pd.Index(target)
        if not isinstance(labels, DimIndex):
            self.array._refuse_bare(labels, "reindex")
            if labels.dtype.kind in "iuf" and len(labels):
                numbers = [self.array._as_keys(label) for label in labels]
                column = DimExtensionArray(numbers, self.dtype.unit)
                is_index = isinstance(target, pd.Index)
                target = pd.Index(column, name=target.name) if is_index else column
        return super().reindex(target, *args, **kwargs)

    def asof(self, label: Any) -> Any:
        """The last label that is not above another."""
        self.array._in_own_unit(label, "asof")
        return super().asof(self._label(label))

    def _convert_tolerance(self, tolerance: Any, target: Any) -> Any:
        return self.array._difference(tolerance, "a tolerance")

    def _in_own_unit(self, other: Any) -> Any:
        """Another index of quantities in this one's unit; any other as it is."""
        if not isinstance(other, DimIndex) or other.dtype == self.dtype:
            return other
        numbers = self.array._as_keys(other.array.quantities)
        if numbers is None:
            return other
        return pd.Index(DimExtensionArray(numbers, self.dtype.unit), name=other.name)

    def _convert_can_do_setop(self, other: Any) -> Any:
        other, name = super()._convert_can_do_setop(other)
        return self._in_own_unit(other), name

    def _maybe_downcast_for_indexing(self, other: Any) -> Any:
        ours, theirs = super()._maybe_downcast_for_indexing(other)
        return ours, self._in_own_unit(theirs)

    def _find_common_type_compat(self, target: Any) -> Any:
        """A bare number would make it one of objects, unseen."""
        if not np.ndim(target):
            self.array._in_own_unit(target, "an index")
        return super()._find_common_type_compat(target)
