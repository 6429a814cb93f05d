"""What dimflow replaces in pandas: the list below is all of it."""

import subprocess
import sys

# Why pandas has no extension point there.
PATCHES = {
    "construction.sanitize_array": "every constructor and assignment makes its columns there",
    "pandas.array": "pd.array finds a dtype by pandas' own kinds alone",
    "DataFrame.__init__": "it makes a plain array of what it does not know, first of all",
    "Index.__new__": "the same",
    "lib.maybe_convert_objects": "it finds the dtype of lists and of results one by one",
    "describe.select_describe_func": "describe makes a column of floats of its results",
    "GroupBy.describe": "and so it does of each group",
    "GroupBy.quantile": "it makes plain floats of its columns",
    "DataFrame.dot": "it multiplies objects, and loses their errors",
    "DataFrame._reduce": "a row of many dimensions has an error of pandas' own",
    "DataFrame.transpose": "rows of one dimension in several units become objects",
    "SelectNSeries.compute": "nlargest and nsmallest partition plain numbers",
    "BaseWindow._apply_columnwise": "windows run over plain floats",
    "BaseWindow._prep_values": "so do their corr and cov, which are refused",
    "Series.corr": "it makes plain floats of its columns",
    "DataFrame.corr": "the same",
    "DataFrame.corrwith": "it multiplies deviations, and has none of points",
    "Series.cov": "the same",
    "pandas.to_timedelta": "it counts nanoseconds of plain numbers",
    "Op.has_invalid_return_type": "eval wants a dtype of every operand",
    "_MergeOperation._get_merge_keys": "keys of two dtypes become objects",
    "merge._factorize_keys": "and those of an index",
    "_AsOfMerge._validate_tolerance": "a tolerance is a plain number",
    "_AsOfMerge._convert_values_for_libjoin": "and so are the keys",
    "common.apply_if_callable": "an index that is no array of NumPy's is a list of labels",
    "missing._isna": "isna makes a plain array of what it does not know",
    "NDFrame._inplace_method": "it calls Series.__add__, which leaves quantities to us",
    "Expression._with_op": "the same, for pd.col",
    "Block.coerce_to_target_dtype": "a column takes any value by becoming one of objects",
    "_iLocIndexer._setitem_single_column": "it hides why a column does not take a value",
    "_LocationIndexer.__setitem__": "it adds a row before the columns take their values",
    "Series.combine_first": "it concatenates, and a concat of two dtypes is a column of objects",
    "DataFrame.combine_first": "the same",
    "Series.case_when": "it knows no dtype of a quantity",
    "BaseBlockManager._make_na_block": "new columns of one quantity are columns of objects",
    "Block.replace": "it compares, and a bare number is in no column with a unit",
    "Block.replace_list": "the same",
    "missing.mask_missing": "it takes what a comparison makes for an array of pandas",
    "missing._index_to_interp_indices": "it makes plain floats of an index",
    "PlotAccessor.__call__": "a histogram cuts objects into bins, and shows the error of that",
    "NDFrame.clip": "it takes an array of no axes for a list",
    "NDFrame.replace": "the same",
    "NDFrame.align": "the same",
    "DataFrame.set_index": "it takes arrays of NumPy and pandas alone",
    "BaseGroupBy.get_group": "it looks a label up in a dict, where an array cannot be hashed",
    "concat.concat_compat": "a column of missing values has a dtype of floats, and none in common",
}

PROGRAM = """
import inspect, sys
import pandas as pd, pandas.plotting, pandas.api.typing, pandas.core.computation.ops

def found():
    every = {}
    for key, module in [(k, m) for k, m in sys.modules.items() if k.startswith("pandas")]:
        for name, value in list(vars(module).items()):
            if inspect.isclass(value) and value.__module__.startswith("pandas"):
                every |= {f"{value.__name__}.{n}": v for n, v in vars(value).items()}
            elif callable(value) and getattr(value, "__module__", None) == key:
                every[f"{key.rpartition('.')[2]}.{name}"] = value
    return every

before = found()
import dimflow.pandas
after = found()
print(*[name for name, value in after.items() if before.get(name, value) is not value])
"""


def test_these_are_all_the_functions_of_pandas_that_are_replaced() -> None:
    run = [sys.executable, "-c", PROGRAM]
    found = subprocess.run(run, check=True, capture_output=True, text=True, timeout=120).stdout
    changed = set(found.split())
    assert changed == PATCHES.keys()
