"""Dask: functions, blocks and stores."""

from tests.contract.hints.program import program

DASK = (
    "import dask.array as da, dimflow.dask; from dimflow.dask import DaskDimArray; "
    "n = x; x = DaskDimArray.from_array(n, chunks=2); blocks = dimflow.dask"
)
FILE = f"{DASK}; import tempfile; folder = tempfile.mkdtemp(); url = folder + '/v.zarr'"
UNKNOWN = f"{DASK}; x = x[x > 0 * u.m]"

PROGRAMS = [
    program(
        "DaskDimArray(x, 'm', backend='numpy')",
        "data, unit = [1.0, 2.0, 4.0], 'm'; DimArray(data, unit, backend='numpy')",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_blocks(x, x)",
        "function = lambda x, y: x + y; y = x; dimflow.dask.map_blocks(function, x, y).compute()",
        right="2 * n",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_overlap(lambda x: x, n, depth=1)",
        "x = n; dimflow.dask.map_overlap(lambda x: x, DaskDimArray.from_array(x, chunks=2), "
        "depth=1).compute()",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_overlap(lambda x: x, x, depth=2, allow_rechunk=False)",
        "dimflow.dask.map_overlap(lambda x: x, x, depth=2, allow_rechunk=True).compute()",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_blocks(lambda x: x.to_backend('torch'), x)",
        "dimflow.dask.map_blocks(lambda x: x.to_backend('torch').to_backend('numpy'), x).compute()",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_blocks(lambda x: x * 1.0, x, dtype=int)",
        "dimflow.dask.map_blocks(lambda x: x * 1.0, x, dtype='float64').compute()",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.dask.reduction(n, np.sum, np.sum)",
        "x = n; dimflow.dask.reduction(DaskDimArray.from_array(x, chunks=2), np.sum, np.sum)"
        ".compute()",
        right="7 * u.m",
        given=DASK,
    ),
    program(
        "da.coarsen(np.mean, x, {0: 2})",
        "da.coarsen(np.mean, x, {0: 2}, trim_excess=True).compute()",
        right="[1.5] * u.m",
        given=DASK,
    ),
    program(
        "dimflow.dask.map_blocks(f, x, dtype='float32').compute()",
        "dimflow.dask.map_blocks(lambda x: f(x).astype('float32'), x).compute()",
        "dimflow.dask.map_blocks(f, x, dtype='float64').compute()",
        right="n",
        given=f"{DASK}; f = lambda x: x.astype('float32') if x.sum() < 4 * u.m else x",
    ),
    program(
        "dimflow.dask.map_blocks(lambda x: x.to('km') if x[0] > 1 * u.m else x, x).compute()",
        "dimflow.dask.map_blocks(lambda x: x.to('km') if x[0] > 1 * u.m else x, x, unit='m')"
        ".compute()",
        right="n",
        given=DASK,
    ),
    program(
        "dimflow.grad(lambda x: x.compute().sum())(x)",
        "dimflow.grad(lambda x: (x * dimflow.stop_gradient(x)).sum())(x).compute()",
        right="n",
        given=DASK,
    ),
    program(
        "da.arange(0 * u.m, 3 * u.m)",
        "start, stop = 0 * u.m, 3 * u.m; da.arange(start, stop, 1 * Unit('m')).compute()",
        right="[0.0, 1.0, 2.0] * u.m",
        given=DASK,
    ),
    program(
        "da.arange(x[0], 3 * u.m, 1 * u.m)",
        "da.arange(x.compute()[0], 3 * u.m, 1 * u.m).compute()",
        right="[1.0, 2.0] * u.m",
        given=DASK,
    ),
    program(
        "da.ma.filled(x)",
        "da.ma.filled(x, 0 * Unit('m')).compute()",
        right="n",
        given=DASK,
    ),
    program(
        "x.to_tiledb(url)",
        "x.to_zarr(url); DaskDimArray.from_zarr(url).compute()",
        right="n",
        given=FILE,
    ),
    program(
        "np.tril_indices_from(x)",
        "np.tril_indices_from(x.compute()[None])[0]",
        "x.compute_chunk_sizes(); np.tril_indices_from(x[None])[0]",
        right="[0]",
        given=UNKNOWN,
    ),
    program(
        "np.put(x, 0, 5 * u.m)",
        "key, y = 0, 5 * u.m; x[key] = y; x.compute()",
        "key, y = 0, 5 * u.m; x = x.at[key].set(y); x.compute()",
        right="[5.0, 2.0, 4.0] * u.m",
        given=DASK,
    ),
    program(
        "np.add(x, x, where=x > 1 * u.m)",
        "mask, x, y = x > 1 * u.m, 2 * x, x; dimflow.where(mask, x, y).compute()",
        right="[1.0, 4.0, 8.0] * u.m",
        given=DASK,
    ),
    program(
        "np.hypot.reduce(x)",
        "np.hypot.reduce(x.compute())",
        right="21**0.5 * u.m",
        given=DASK,
    ),
    program(
        "da.add(x, n.to_backend('torch'))",
        "y = x; x = n.to_backend('torch'); da.add(y, x.to_backend('dask')).compute()",
        right="2 * n",
        given=DASK,
    ),
    program(
        "DaskDimArray.linspace(y, z, 2)",
        "DaskDimArray.linspace(y.to(y.unit.linear), z.to(y.unit.linear), 2).to('dBm').compute()",
        right="[0.0, 10.0] * Unit('dBm')",
        given=f"{DASK}; y, z = DimArray(0.0, 'dBm'), DimArray(10.0, 'dBm')",
    ),
    program(
        "x.to_zarr(url)",
        "x.compute_chunk_sizes(); x.to_zarr(url); DaskDimArray.from_zarr(url).compute()",
        right="n",
        given=f"{FILE}; x = x[x > 0 * u.m]",
    ),
    program(
        "da.store(x, target)",
        "da.store(x, target, unit='m'); target",
        right="[1.0, 2.0, 4.0]",
        given=f"{DASK}; target = np.zeros(3)",
    ),
    program(
        "da.store(x, target)",
        "da.store(x.astype(int, unit='m'), target, unit='m'); target.data",
        right="[1, 2, 4]",
        given=f"{DASK}; target = DimArray(np.zeros(3, int), 'm')",
    ),
    program(
        "y.to_zarr(url, region=3)",
        "y.to_zarr(url, region=(slice(0, 10), slice(None))); DaskDimArray.from_zarr(url).compute()",
        right="np.ones((10, 2)) * u.m",
        given=f"{FILE}; y = DaskDimArray.from_array(np.ones((10, 2)) * u.m); y.to_zarr(url)",
    ),
    program(
        "DaskDimArray.from_zarr(url)",
        "DaskDimArray.from_zarr(url, unit='m').compute()",
        "DaskDimArray.from_zarr(url, unit='').compute() * u.m",
        right="n",
        given=f"{FILE}; da.from_array(n.to_value('m')).to_zarr(url)",
    ),
    program(
        "DaskDimArray.from_zarr(url)",
        "DaskDimArray.from_zarr(url, component='v').compute()",
        right="n",
        given=f"{FILE}; x.to_zarr(url, component='v')",
    ),
    program(
        "x.to_zarr(url, region=(slice(0, 3),))",
        "import zarr; array = zarr.open_array(url); array.attrs['units'] = 'm'; "
        "x.to_zarr(url, region=(slice(0, 3),)); DaskDimArray.from_zarr(url).compute()",
        right="n",
        given=f"{FILE}; da.zeros(3).to_zarr(url)",
    ),
    program(
        "x.to_zarr(url)",
        "x = x.astype('float64'); x.to_zarr(url); DaskDimArray.from_zarr(url).compute()",
        right="n",
        given=f"{FILE}; x = x.astype('longdouble')",
    ),
    program(
        "dimflow.dask.draw(n)",
        "x = DaskDimArray.from_array(n, chunks=2); dimflow.dask.draw(x); x.compute()",
        right="n",
        given=DASK,
    ),
    program(
        "x + x[x > 1 * u.m]",
        "x = x[x > 0 * u.m]; x.compute_chunk_sizes(); (x + x).compute()",
        right="2 * n",
        given=DASK,
    ),
    program(
        "dimflow.linalg.det(x)",
        "x.compute_chunk_sizes(); dimflow.linalg.det(x).compute()",
        right="3.0 * u.m**2",
        given=f"{DASK}; x = DaskDimArray.from_array([[2.0, 1.0], [1.0, 2.0]] * u.m); "
        "x = x[x[:, 0] > 0 * u.m]; x = x[:, x[0] > 0 * u.m]",
    ),
]
