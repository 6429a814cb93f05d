"""What pandas has no extension point for: the functions of it that dimflow replaces.

`PATCHES` is the whole list; a test compares it with what is changed in pandas.
"""

import sys
from collections.abc import Callable
from typing import Any

import pandas as pd
from pandas._libs import lib
from pandas.core import common, construction, generic
from pandas.core import missing as missing_values
from pandas.core.col import Expression
from pandas.core.computation.ops import Op
from pandas.core.dtypes import concat, missing
from pandas.core.groupby.groupby import BaseGroupBy, GroupBy
from pandas.core.indexing import _iLocIndexer, _LocationIndexer
from pandas.core.internals.blocks import Block
from pandas.core.internals.managers import BaseBlockManager
from pandas.core.methods import describe, selectn
from pandas.core.reshape import merge
from pandas.core.tools import timedeltas
from pandas.core.window.rolling import BaseWindow
from pandas.plotting._core import PlotAccessor

from dimflow.pandas import computed, incoming, merging

Function = Callable[..., Any]

# (home, name) -> what takes its place.
PATCHES: dict[tuple[Any, str], Function] = {
    (construction, "sanitize_array"): incoming.sanitize_array,
    (construction, "array"): incoming.array,
    (pd.DataFrame, "__init__"): incoming.frame_constructor,
    (pd.Index, "__new__"): incoming.index_constructor,
    (lib, "maybe_convert_objects"): incoming.maybe_convert_objects,
    (describe, "select_describe_func"): computed.select_describe_func,
    (GroupBy, "describe"): computed.inferring,
    (pd.DataFrame, "dot"): computed.dot,
    (pd.DataFrame, "_reduce"): computed.reduce_rows,
    (pd.DataFrame, "transpose"): computed.transpose,
    (GroupBy, "quantile"): computed.quantile,
    (selectn.SelectNSeries, "compute"): computed.compute,
    (BaseWindow, "_apply_columnwise"): computed.apply_columnwise,
    (BaseWindow, "_prep_values"): computed.prep_values,
    (pd.Series, "corr"): computed.corr,
    (pd.DataFrame, "corr"): computed.corr,
    (pd.DataFrame, "corrwith"): computed.corr,
    (pd.Series, "cov"): computed.cov,
    (timedeltas, "to_timedelta"): computed.to_timedelta,
    (Op, "has_invalid_return_type"): computed.has_invalid_return_type,
    (merge._MergeOperation, "_get_merge_keys"): merging.get_merge_keys,
    (merge, "_factorize_keys"): merging.factorize_keys,
    (merge._AsOfMerge, "_validate_tolerance"): merging.validate_tolerance,
    (merge._AsOfMerge, "_convert_values_for_libjoin"): merging.convert_values_for_libjoin,
    (common, "apply_if_callable"): incoming.apply_if_callable,
    (missing, "_isna"): incoming.isna,
    (generic.NDFrame, "_inplace_method"): incoming.inplace_method,
    (Expression, "_with_op"): incoming.with_op,
    (Block, "coerce_to_target_dtype"): incoming.coerce_to_target_dtype,
    (missing_values, "mask_missing"): incoming.mask_missing,
    (missing_values, "_index_to_interp_indices"): computed.index_to_interp_indices,
    (PlotAccessor, "__call__"): computed.plot,
    (Block, "replace"): incoming.replace,
    (Block, "replace_list"): incoming.replace,
    (_iLocIndexer, "_setitem_single_column"): incoming.setitem_single_column,
    (_LocationIndexer, "__setitem__"): incoming.setitem,
    (concat, "concat_compat"): incoming.concat_compat,
    (pd.Series, "combine_first"): incoming.combine_first,
    (pd.DataFrame, "combine_first"): incoming.combine_first,
    (pd.Series, "case_when"): incoming.case_when,
    (BaseBlockManager, "_make_na_block"): incoming.make_na_block,
    (generic.NDFrame, "clip"): incoming.with_scalars,
    (generic.NDFrame, "replace"): incoming.with_scalars,
    (generic.NDFrame, "align"): incoming.with_scalars,
    (pd.DataFrame, "set_index"): incoming.with_scalars,
    (BaseGroupBy, "get_group"): incoming.with_scalars,
}


def apply() -> None:
    """Put every patch in its place, also where pandas imported the name to; done once."""
    for (home, name), making in PATCHES.items():
        original = vars(home)[name]
        made = making(getattr(original, "__func__", original))  # __new__ is a static method
        setattr(home, name, made)
        for module in [m for key, m in sys.modules.items() if key.partition(".")[0] == "pandas"]:
            if vars(module).get(name) is original:
                setattr(module, name, made)
