"""A call for every public name of xarray's classes, or the word that says why there is none.

A call is a function of an object and of the world that it is of (`worlds.World`), or several.
"""

import math
from functools import partial

import numpy as np
import xarray as xr

from tests.xarray.worlds import DAYS


def mean_of(values, axis=None, **_):
    return np.mean(values, axis=axis)


def same(value):
    return value


def assigned(o, w):
    made = o.copy(deep=True)
    made[{"x": 0}] = w.data(3.0)
    made.loc[{"x": w.place([1.0, 2.0])}] = w.data(4.0)
    return made


def assigned_on_axes(o, w):
    made = o.copy(deep=True)
    made[{"time": [0, 2], "x": [3, 1]}] = w.data(3.0)
    made.loc[{"time": o.time[[0, 1]].values, "x": w.place([0.5, 1.0])}] = w.data(5.0)
    return made


def assigned_to_points(o, w):
    made = o.copy(deep=True)
    made[points(time=[0, 2], x=[3, 1])] = w.data(3.0)
    made.loc[points(x=w.place([1.0, 2.0]), time=o.time[[0, 1]].values)] = w.data(5.0)
    return made


def points(**places):
    return {name: xr.DataArray(each, dims="station") for name, each in places.items()}


# Names that hold or change labels, sizes, blocks and files, not numbers: nothing to compare.
_STRUCTURE = """
assign_attrs assign_coords attrs boundary center chunk chunks chunksizes close compute
coord_func coords dim data_vars dims drop_attrs drop_dims drop_encoding drop_indexes drop_vars dt
dtype dtypes dump_to_store encoded encoding filter_by_attrs from_dataframe from_dict from_iris
from_series get get_axis_num get_index group1d groupers groups indexes info item items keys
load load_async load_store min_periods name nbytes ndim obj persist pipe rename rename_dims
rename_vars reset_encoding set_close set_coords set_xindex shape shuffle_to_chunks side size
sizes str to_base_variable to_coord to_index_variable to_iris to_variable unify_chunks
variable variables weights window trim_excess window_labels windows xindexes
"""
STRUCTURE = frozenset(_STRUCTURE.split())

# What gives plain numbers away refuses quantities, and names the call that works.
EXITS = {
    "as_numpy": lambda x: x.as_numpy(),
    "to_dask_dataframe": lambda x: x.chunk().to_dask_dataframe(),
    "to_dataframe": lambda x: x.to_dataframe(),
    "to_dict": lambda x: x.to_dict(),
    "to_index": lambda x: x[0].to_index(),
    "to_masked_array": lambda x: x.to_masked_array(),
    "to_netcdf": lambda x: x.to_netcdf("never.nc"),
    "to_numpy": lambda x: x.to_numpy(),
    "to_pandas": lambda x: x.to_pandas(),
    "to_series": lambda x: x.to_series(),
    "to_zarr": lambda x: x.to_zarr("never.zarr"),
    "values": lambda x: x.values,
}
MORE_EXITS = {  # of arrays, by Python and NumPy
    "float": lambda x: float(x[0, 0]),
    "int": lambda x: int(x[0, 0]),
    "bool": lambda x: bool(x[0, 0]),
    "complex": lambda x: complex(x[0, 0]),
    "np.asarray": np.asarray,
    "to_list": lambda x: x.values.tolist(),
    "math": lambda x: math.sqrt(x[0, 0]),
}

SHARED = {  # of arrays, datasets and variables
    "T": lambda o, w: o.T,
    "all": lambda o, w: (o >= w.data(2.0)).all("x"),
    "any": lambda o, w: (o >= w.data(9.0)).any("x"),
    "argmax": lambda o, w: o.argmax("x"),
    "argmin": lambda o, w: o.argmin("x"),
    "argsort": lambda o, w: o.argsort(),
    "astype": [
        lambda o, w: o.astype("float64"),
        lambda o, w: o.astype(int),
    ],
    "broadcast_equals": lambda o, w: (o.broadcast_equals(o), o.broadcast_equals(o.isel(x=[0]))),
    "clip": lambda o, w: o.clip(w.data(2.0), w.data(6.0)),
    "coarsen": lambda o, w: o.coarsen(x=2).mean(),
    "conj": lambda o, w: o.conj(),
    "conjugate": lambda o, w: o.conjugate(),
    "copy": lambda o, w: o.copy(deep=True),
    "count": lambda o, w: o.count("x"),
    "cumprod": lambda o, w: o.cumprod("x"),
    "cumsum": lambda o, w: o.cumsum("x"),
    "equals": lambda o, w: (o.equals(o.copy(deep=True)), o.equals(o.isel(x=[0]))),
    "expand_dims": lambda o, w: o.expand_dims("run"),
    "fillna": [
        lambda o, w: o.where(o > w.data(3.0)).fillna(w.data(3.5)),
        lambda o, w: o.fillna(5.0),
    ],
    "identical": lambda o, w: o.identical(o.copy(deep=True)),
    "imag": lambda o, w: o.imag,
    "isel": lambda o, w: o.isel(x=[0, 2]),
    "isnull": lambda o, w: o.where(o > w.data(3.0)).isnull(),
    "max": lambda o, w: o.max("x"),
    "mean": lambda o, w: o.mean("x"),
    "median": lambda o, w: o.median("x"),
    "min": lambda o, w: o.min("x"),
    "notnull": lambda o, w: o.notnull(),
    "pad": [
        lambda o, w: o.pad(x=1),
        lambda o, w: o.pad(x=1, mode="edge"),
        lambda o, w: o.pad(x=1, mode="linear_ramp", end_values=w.data(1.0)),
        lambda o, w: o.pad(x=1, constant_values=5.0),
    ],
    "prod": lambda o, w: o.prod("x"),
    "quantile": lambda o, w: o.quantile([0.2, 0.5], "x"),
    "rank": lambda o, w: o.rank("x"),
    "real": lambda o, w: o.real,
    "reduce": lambda o, w: o.reduce(mean_of, "x"),
    "roll": lambda o, w: o.roll(x=1),
    "round": lambda o, w: o.round(1),
    "shift": [
        lambda o, w: o.shift(x=1),
        lambda o, w: o.shift(x=1, fill_value=w.data(2.0)),
        lambda o, w: o.shift(x=1, fill_value=5.0),
    ],
    "squeeze": lambda o, w: o.isel(x=[0]).squeeze(),
    "std": lambda o, w: o.std("x", ddof=1),
    "sum": lambda o, w: o.sum("x"),
    "transpose": lambda o, w: o.transpose("x", "time"),
    "var": lambda o, w: o.var("x"),
    "where": lambda o, w: o.where(o > w.data(3.0), w.data(1.0)),
}

# Of arrays and datasets.
BOTH = SHARED | {
    "bfill": lambda o, w: o.bfill("x"),
    "broadcast_like": lambda o, w: o.broadcast_like(w.near),
    "coarsen": [
        lambda o, w: o.coarsen(x=2).mean(),
        lambda o, w: o.coarsen(x=2, coord_func="max").median(),
    ],
    "combine_first": lambda o, w: o.isel(x=[0, 1]).combine_first(w.near),
    "convert_calendar": lambda o, w: o.convert_calendar("noleap").drop_vars("time"),
    "cumulative": lambda o, w: o.cumulative("x").max(),
    "cumulative_integrate": lambda o, w: o.cumulative_integrate("x"),
    "curvefit": lambda o, w: o.curvefit("x", lambda x, a, b: a * x + b),
    "diff": lambda o, w: o.diff("x"),
    "differentiate": [
        lambda o, w: o.differentiate("x"),
        lambda o, w: o.differentiate("x", edge_order=2),
        lambda o, w: o.differentiate("depth"),
        lambda o, w: o.differentiate("time", datetime_unit="s"),
    ],
    "drop": lambda o, w: o.drop_vars("depth"),
    "drop_duplicates": lambda o, w: o.drop_duplicates("x"),
    "drop_isel": lambda o, w: o.drop_isel(x=0),
    "drop_sel": [
        lambda o, w: o.drop_sel(x=w.place(1.0)),
        lambda o, w: o.drop_sel(x=w.place_with_unit([1.0, 2.0])),
    ],
    "dropna": lambda o, w: o.where(o.x > w.place_with_unit(0.7)).dropna("x"),
    "equals": lambda o, w: (o.equals(w.same(o)), o.equals(o.isel(x=[0]))),
    "ffill": lambda o, w: o.ffill("x"),
    "groupby": [
        lambda o, w: o.groupby("band").mean(),
        lambda o, w: o.groupby("x").mean(...),
        lambda o, w: o.groupby("x") - w.near.mean("time").to_dataset(name="a")["a"],
    ],
    "groupby_bins": [
        lambda o, w: o.groupby_bins("x", w.place([0.0, 1.5, 5.0])).mean(),
        lambda o, w: o.groupby_bins("x", w.place_with_unit([0.0, 1.5, 5.0])).mean(),
        lambda o, w: o.groupby_bins("depth", w.data([0.0, 15.0, 60.0], "m")).max(),
        lambda o, w: o.groupby_bins("depth", 2).max(),
    ],
    "head": lambda o, w: o.head(x=2),
    "identical": lambda o, w: o.identical(o.copy(deep=True)),
    "idxmax": lambda o, w: o.idxmax("x"),
    "idxmin": [lambda o, w: o.idxmin("x"), lambda o, w: o.idxmin("time")],
    "integrate": [
        lambda o, w: o.integrate("x"),
        lambda o, w: o.integrate("depth"),
        lambda o, w: o.integrate(["x", "time"], datetime_unit="s"),
    ],
    "interp": [
        lambda o, w: o.interp(x=w.place([0.7, 1.5])),
        lambda o, w: o.interp(x=w.place_with_unit([0.7, 1.5]), method="cubic"),
        lambda o, w: o.interp(x=w.near.x),
        lambda o, w: o.interp(x=xr.DataArray(w.place_with_unit([0.7, 1.5]), dims="k")),
        lambda o, w: o.interp(time=o.time + np.timedelta64(1, "h")),
        lambda o, w: o.interp(x=w.place([0.1]), kwargs={"fill_value": 5.0}),
    ],
    "interp_calendar": lambda o, w: o.interp_calendar(o.time + np.timedelta64(1, "h")),
    "interp_like": lambda o, w: o.interp_like(w.near),
    "interpolate_na": [
        lambda o, w: o.where(o.x != w.place_with_unit(1.0)).interpolate_na("x"),
        lambda o, w: o.where(o.x != w.place_with_unit(1.0)).interpolate_na(
            "x", max_gap=w.place_with_unit(0.5)
        ),
    ],
    "isel": [
        lambda o, w: o.isel(x=[0, 2]),
        lambda o, w: o.isel(x=w.line.argmax("x")),
        lambda o, w: o.isel(x=w.line.argsort().variable),
        lambda o, w: o.isel(x=w.line > w.data(3.0)),
        lambda o, w: o.isel(points(time=[0, 2], x=[3, 1])),
        lambda o, w: o.isel(x=w.a.argmax("x").compute()),
        lambda o, w: o.isel(x=[3, 1], time=[0, 2]),
    ],
    "loc": [
        lambda o, w: o.loc[{"x": w.place([1.0, 4.0])}],
        lambda o, w: o.loc[{"x": slice(w.place_with_unit(1.0), w.place_with_unit(2.0))}],
        assigned,
        assigned_on_axes,
        assigned_to_points,
    ],
    "map_blocks": lambda o, w: o.map_blocks(same),
    "pad": lambda o, w: o.pad(time=1).drop_vars("time"),
    "polyfit": lambda o, w: o.polyfit("x", 1),
    "query": lambda o, w: o.query(x="band == 1"),
    "reindex": [
        lambda o, w: o.reindex(x=w.place([1.0, 9.0])),
        lambda o, w: o.reindex(x=w.place_with_unit([1.0, 9.0])),
        lambda o, w: o.reindex(
            x=w.place_with_unit([1.1, 9.0]), method="nearest", tolerance=w.place_with_unit(0.3)
        ),
        lambda o, w: o.reindex(x=w.place([1.0, 9.0]), fill_value=5.0),
    ],
    "reindex_like": lambda o, w: o.reindex_like(w.near),
    "reorder_levels": lambda o, w: o.stack(z=["time", "x"]).reorder_levels(z=["x", "time"]),
    "resample": [
        lambda o, w: o.resample(time="MS").mean(),
        lambda o, w: o.resample(time="12h").interpolate("linear"),
    ],
    "reset_coords": lambda o, w: o.reset_coords("depth", drop=True),
    "reset_index": lambda o, w: o.reset_index("x"),
    "roll": lambda o, w: o.roll(x=1, roll_coords=True),
    "rolling": lambda o, w: o.rolling(x=2).mean(),
    "rolling_exp": lambda o, w: o.rolling_exp(x=2).mean(),
    "sel": [
        lambda o, w: o.sel(x=w.place(1.1), method="nearest"),
        lambda o, w: o.sel(x=w.place_with_unit([1.0, 4.0])),
        lambda o, w: o.sel(x=slice(w.place_with_unit(1.0), None)),
        lambda o, w: o.sel(
            x=w.place_with_unit([1.1]), method="nearest", tolerance=w.place_with_unit(0.2)
        ),
        lambda o, w: o.sel(x=w.near.x),
        lambda o, w: o.sel(x=w.line.idxmax("x")),
        lambda o, w: o.sel(points(x=w.place([1.1, 4.0]), time=DAYS[:2]), method="nearest"),
        lambda o, w: o.sel(points(x=w.place_with_unit([1.0, 4.0]), time=DAYS[:2])),
    ],
    "set_index": lambda o, w: o.set_index(x="band"),
    "sortby": [
        lambda o, w: o.sortby("x", ascending=False),
        lambda o, w: o.sortby(w.line),
    ],
    "stack": lambda o, w: o.stack(z=["time", "x"]),
    "swap_dims": lambda o, w: o.swap_dims(x="band"),
    "tail": lambda o, w: o.tail(x=2),
    "thin": lambda o, w: o.thin(x=2),
    "unstack": lambda o, w: o.stack(z=["time", "x"]).isel(z=[0, 1, 5]).unstack(),
    "weighted": [
        lambda o, w: o.weighted(w.weights).mean("x"),
        lambda o, w: o.weighted(w.near_weights).mean("x"),
    ],
    "where": [
        lambda o, w: o.where(o.x > w.place_with_unit(1.5)),
        lambda o, w: o.where(w.near.isel(time=0, drop=True) > w.data(3.0), drop=True),
        lambda o, w: o.where(o.x > w.place_with_unit(1.5), 5.0),
    ],
}

ARRAY = BOTH | {
    "data": lambda o, w: o.data,
    "dot": [lambda o, w: o.dot(o, "x"), lambda o, w: o.dot(w.near, "x")],
    "isin": lambda o, w: o.isin(w.data([4.0, 16.0])),
    "loc": [
        lambda o, w: o.loc[{"x": w.place([1.0, 4.0])}],
        lambda o, w: o.loc[:, slice(w.place_with_unit(1.0), w.place_with_unit(2.0))],
        assigned,
        assigned_on_axes,
        assigned_to_points,
    ],
    "searchsorted": lambda o, w: w.line.isel(x=[0, 1]).searchsorted(w.data([2.0])),
    "to_dataset": lambda o, w: o.to_dataset(name="a"),
    "to_unstacked_dataset": lambda o, w: (
        w.dataset.reset_coords("depth", drop=True)
        .to_stacked_array("z", ["time", "x"])
        .to_unstacked_dataset("z")
    ),
}

DATASET = {name: call for name, call in BOTH.items() if name != "T"} | {
    "apply": lambda o, w: o.map(np.abs),
    "argmax": lambda o, w: o.argmax("x"),
    "assign": lambda o, w: o.assign(c=w.near),
    "eval": lambda o, w: o.eval("a - b"),
    "isin": lambda o, w: o.isin(w.data([4.0, 16.0])),
    "map": lambda o, w: o.map(lambda v: v.max("x")),
    "merge": lambda o, w: o.merge(w.near.to_dataset(name="c"), join="outer", compat="no_conflicts"),
    "to_array": lambda o, w: o.to_array(),
    "to_dataarray": lambda o, w: o.to_dataarray(),
    "to_stacked_array": lambda o, w: o.to_stacked_array("z", ["time"]).reset_index("z"),
    "update": lambda o, w: o.copy().update({"c": w.near}),
}

VARIABLE = SHARED | {
    "broadcast_to": lambda o, w: o.broadcast_to(time=3, x=4),
    "coarsen": lambda o, w: o.coarsen({"x": 2}, np.mean),
    "coarsen_reshape": lambda o, w: o.coarsen_reshape({"x": 2}, "exact", "left"),
    "concat": lambda o, w: xr.Variable.concat([o, w.near.variable], "x"),
    "data": lambda o, w: o.data,
    "no_conflicts": lambda o, w: (o.no_conflicts(o), o.no_conflicts(o[:, ::-1])),
    "permute_dims": lambda o, w: o.permute_dims("x", "time"),
    "rolling_window": lambda o, w: o.rolling_window("x", 2, "w"),
    "searchsorted": lambda o, w: w.line.variable[:2].searchsorted(w.data([2.0])),
    "set_dims": lambda o, w: o.set_dims(("run", "time", "x")),
    "stack": lambda o, w: o.stack(z=["time", "x"]),
    "unstack": lambda o, w: o.stack(z=["time", "x"]).unstack(z={"time": 3, "x": 4}),
}

NUMERIC = ("max", "mean", "median", "min", "prod", "std", "sum", "var")
REDUCTIONS = ("all", "any", "count", "cumprod", "cumsum", "first", "last", *NUMERIC)


def reducing(made, *names):
    """Calls of the reductions of a window, of blocks or of groups."""
    return {name: lambda o, w, n=name: getattr(made(o, w), n)() for name in names}


def windows(o, w):
    return o.rolling(x=2, min_periods=1)


def blocks(o, w):
    return o.coarsen(x=2)


def groups(o, w):
    return o.groupby("band")


def months(o, w):
    return o.resample(time="2D")


ROLLING = reducing(windows, "argmax", "argmin", "count", *NUMERIC) | {
    "construct": [
        lambda o, w: o.rolling(x=2).construct("w"),
        lambda o, w: o.rolling(x=2).construct("w", fill_value=5.0),
    ],
    "reduce": lambda o, w: windows(o, w).reduce(mean_of),
}
COARSEN = reducing(blocks, "all", "any", "count", *NUMERIC) | {
    "construct": lambda o, w: blocks(o, w).construct(x=("y", "w")),
    "reduce": lambda o, w: blocks(o, w).reduce(mean_of),
}
GROUPS = {
    "apply": lambda o, w: groups(o, w).map(lambda g: g - g.mean()),
    "fillna": lambda o, w: o.where(o > w.data(3.0)).groupby("band").fillna(w.data(2.0)),
    "map": lambda o, w: groups(o, w).map(lambda g: g.max("x")),
    "quantile": lambda o, w: groups(o, w).quantile(0.3),
    "reduce": lambda o, w: groups(o, w).reduce(mean_of),
    "where": lambda o, w: groups(o, w).where(o > w.data(3.0)),
}
GROUPBY = reducing(groups, *REDUCTIONS) | GROUPS
RESAMPLE = (
    reducing(months, *REDUCTIONS, "asfreq", "nearest")
    | GROUPS
    | {
        "backfill": lambda o, w: o.resample(time="12h").backfill(),
        "bfill": lambda o, w: o.resample(time="12h").bfill(),
        "ffill": lambda o, w: o.resample(time="12h").ffill(),
        "interpolate": lambda o, w: o.resample(time="12h").interpolate("linear"),
        "pad": lambda o, w: o.resample(time="12h").pad(),
    }
)


def weighted(o, w, name, weights="weights"):
    return getattr(o.weighted(getattr(w, weights)), name)("x")


WEIGHTED = {
    name: [
        partial(weighted, name=name),
        partial(weighted, name=name, weights="near_weights"),
        partial(weighted, name=name, weights="heavy"),
    ]
    for name in ("mean", "std", "sum", "sum_of_squares", "sum_of_weights", "var")
} | {"quantile": lambda o, w: o.weighted(w.weights).quantile([0.3, 0.5], dim="x")}

ROLLING_EXP = {
    name: lambda o, w, n=name: getattr(o.rolling_exp(x=2), n)()
    for name in ("mean", "sum", "std", "var")
} | {
    "corr": lambda o, w: o.rolling_exp(x=2).corr(w.b),
    "cov": lambda o, w: o.rolling_exp(x=2).cov(w.b),
}

FUNCTIONS = {  # of the module
    "align": [
        lambda o, w: xr.align(o, w.near, join="inner"),
        lambda o, w: xr.align(o, w.near, join="outer"),
        lambda o, w: xr.align(o, w.near, join="left"),
        lambda o, w: xr.align(o, w.near, join="right"),
        lambda o, w: xr.align(o, w.same(o), join="exact"),
        lambda o, w: xr.align(o, w.same(o), join="override"),
        lambda o, w: xr.align(o, w.near, join="outer", fill_value=5.0),
    ],
    "apply_ufunc": [
        lambda o, w: xr.apply_ufunc(np.subtract, o, w.near, join="outer", keep_attrs=True),
        lambda o, w: xr.apply_ufunc(np.maximum, o.x, w.place_with_unit(1.2)),
        lambda o, w: xr.apply_ufunc(np.mean, o, input_core_dims=[["x"]], kwargs={"axis": -1}),
    ],
    "as_variable": lambda o, w: xr.as_variable(o),
    "broadcast": lambda o, w: xr.broadcast(o, w.near.isel(time=0, drop=True)),
    "combine_by_coords": lambda o, w: xr.combine_by_coords(
        [w.near.isel(x=[2]).to_dataset(name="a"), o.isel(x=[0, 1]).to_dataset(name="a")]
    ),
    "combine_nested": lambda o, w: xr.combine_nested([o.isel(x=[0]), w.near], "x"),
    "concat": [
        lambda o, w: xr.concat([o, w.near], "x"),
        lambda o, w: xr.concat([o, w.near], "run", join="outer"),
        lambda o, w: xr.concat(
            [o.isel(x=0), w.near.isel(x=1)], "x", coords="different", compat="equals"
        ),
    ],
    "corr": lambda o, w: xr.corr(o, w.near, "x"),
    "cov": lambda o, w: xr.cov(o, w.near, "x"),
    "cross": lambda o, w: xr.cross(o.isel(x=[1, 2, 3]), w.near, dim="x"),
    "dot": lambda o, w: xr.dot(o, w.near, dim="x"),
    "full_like": [
        lambda o, w: xr.full_like(o, w.data(3.0)),
        lambda o, w: xr.full_like(o, 3.0),
    ],
    "map_blocks": lambda o, w: xr.map_blocks(same, o),
    "merge": lambda o, w: xr.merge([o, w.near.rename("c")], join="outer", compat="no_conflicts"),
    "polyval": lambda o, w: xr.polyval(
        o.x, o.isel(x=[0, 1]).rename(x="degree").assign_coords(degree=[0, 1])
    ),
    "unify_chunks": lambda o, w: xr.unify_chunks(o, w.near),
    "where": [
        lambda o, w: xr.where(o > w.data(3.0), o, w.data(3.0)),
        lambda o, w: xr.where(o > w.data(3.0), o, 5.0),
        lambda o, w: xr.where(o.x > w.place_with_unit(1.2), o, w.data(0.5)),
    ],
}
_NO_FUNCTIONS = """
ALL_DIMS AlignmentError CFTimeIndex Context CoordinateTransform CoordinateValidationError
Coordinates DataArray DataTree Dataset Index IndexSelResult IndexVariable InvalidTreeError
MergeError NamedArray NotFoundInTreeError SerializationWarning TreeIsomorphismError Variable
backends cftime_range coders coding compat computation conventions core date_range
date_range_like decode_cf get_options group_subtrees groupers indexes infer_freq
load_dataarray load_dataset load_datatree map_over_datasets namedarray open_dataarray
open_dataset open_datatree open_groups open_mfdataset open_zarr plot
register_dataarray_accessor register_dataset_accessor register_datatree_accessor
save_mfdataset set_options show_versions structure testing tutorial ufuncs util
"""
# Numbers in the unit that the array is in, which is in sight: test_labelled.py has them.
NO_FUNCTIONS = frozenset([*_NO_FUNCTIONS.split(), "ones_like", "zeros_like"])

# Arithmetic, which is no public name: with quantities, with indexes, in place.
OPERATORS = {
    "add": lambda o, w: o + (w.near - o.isel(x=0)),
    "subtract": lambda o, w: o - w.near,
    "multiply": lambda o, w: o * w.near,
    "compare": lambda o, w: o > w.near,
    "equal": lambda o, w: o == w.near,
    "by_an_index": lambda o, w: (o - w.data(1.0)) / o.x,
    "an_index_by": lambda o, w: o.x * (o - w.data(1.0)),
    "by_an_element_of_an_index": lambda o, w: (o - w.data(1.0)) / o.x[1],
    "an_index_and_a_place": lambda o, w: (o.x > w.place_with_unit(1.2), o.x - w.place_with_unit(1)),
    "a_place_and_an_index": lambda o, w: w.place_with_unit(1.2) < o.x,
    "numpy_of_an_index": lambda o, w: np.maximum(o.x, w.place_with_unit(1.2)),
    "in_place": lambda o, w: _in_place(o, w),
    "a_power": lambda o, w: o**2,
    "minus_its_mean_by_band": lambda o, w: o.groupby("band") - o.groupby("band").mean(),
}


def _in_place(o, w):
    made = o.isel(x=[1, 2, 3]).copy(deep=True)
    made -= w.near - w.b.isel(x=[1, 2, 3])
    return made
