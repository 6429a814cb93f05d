"""Columns of pandas, arrays of xarray, files."""

from tests.contract.hints.program import program

PANDAS = "import pandas as pd, dimflow.pandas; series = pd.Series([1.0, 2.0, 4.0])"
COLUMN = f"{PANDAS}; series = series.dimflow.quantify('m')"
XARRAY = """
import xarray as xr, dimflow.xarray
n = xr.DataArray([1.0, 2.0, 4.0], dims='x', coords={'x': [0.0, 1.0, 2.0]}, name='v')
x = n.dimflow.quantify('m')
"""
FILE = """
import tempfile, pathlib, io
folder = pathlib.Path(tempfile.mkdtemp())
path = folder / 'v.csv'
"""

PROGRAMS = [
    program(
        "dimflow.from_csv(io.StringIO('cost [€]\\n3\\n'))['cost']",
        "with dimflow.units.Registry() as mine: "
        "define = dimflow.units.define; dimflow.units.define = mine.define; "
        "dimflow.units.define('€ = [currency]'); dimflow.units.define = define; "
        "x = dimflow.from_csv(io.StringIO('cost [€]\\n3\\n'))['cost'].value",
        right="[3.0]",
        given="import io",
    ),
    program(
        "series.dimflow.to('m')",
        "series.dimflow.quantify('m/s').dimflow.to_value('m/s')",
        right="[1.0, 2.0, 4.0]",
        given=PANDAS,
    ),
    program(
        "series.dimflow.quantify('km')",
        "unit = 'km'; series.dimflow.to(unit).dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=COLUMN,
    ),
    program(
        "series.astype(float)",
        "series.dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=COLUMN,
    ),
    program(
        "dimflow.pandas.DimDtype('m', 'int8')",
        "dimflow.pandas.DimDtype('m').unit",
        right="u.m",
        given=COLUMN,
    ),
    program(
        "dates + series",
        "(dates + pd.to_timedelta(series)).astype(str).tolist()[1]",
        right="'2020-01-01 00:00:02'",
        given=f"{PANDAS}; series = series.dimflow.quantify('s')\n"
        "dates = pd.Series(pd.to_datetime(['2020-01-01'] * 3))",
    ),
    program(
        "frame.reindex(columns=['a', 'b'], fill_value=3 * u.m)",
        "quantity = 3 * u.m; frame.assign(name=quantity).name.dimflow.to_value('m')",
        right="[3.0, 3.0]",
        given=f"{PANDAS}; frame = pd.DataFrame({{'a': [1.0, 2.0]}})",
    ),
    program(
        "x.values",
        "x.data.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "xr.DataArray(y, dims='x', coords={'x': DimArray([0.0, 1.0, 2.0], 'm')})",
        "x = DimArray([0.5, 3.0, 2.0], 'm'); c = ('x', x.to_value('m'), {'units': 'm'}); "
        "xr.DataArray(y.data, dims='x', coords={'x': c}).x.values",
        "import pandas as pd; series = pd.Series(y, pd.Index([0.5, 3.0, 2.0] * u.m, name='x')); "
        "series.to_xarray().x.values",
        right="[0.5, 3.0, 2.0]",
        given=XARRAY,
    ),
    program(
        "x.interp(x=[5.0], kwargs={'fill_value': 3.0})",
        "value = 3 * u.m; x.interp(x=[5.0]).fillna(value).dimflow.to_value('m')",
        "x.interp(x=[5.0], kwargs={}).fillna(3 * u.m).dimflow.to_value('m')",
        right="[3.0]",
        given=XARRAY,
    ),
    program(
        "x.groupby(g).max()",
        "x.groupby(g.dimflow.dequantify()).max().dimflow.to_value('m')",
        right="[2.0, 4.0]",
        given=XARRAY + "\ng = xr.DataArray([1.0, 1.0, 2.0] * u.s, dims='x', name='g')",
    ),
    program(
        "x.groupby_bins('d', bins).max()",
        "x.groupby_bins('d', DimArray(bins, 'm')).max().dimflow.to_value('m')",
        right="[2.0, 4.0]",
        given=XARRAY + "\nx = x.assign_coords(d=('x', x.data)); bins = [0.0, 2.5, 5.0]",
    ),
    program(
        "q * x",
        "(q * x.dimflow.quantify('km')).dimflow.to_value('km*s')",
        "(q * x.drop_attrs()).dimflow.to_value('s')",
        "(q * f(labels.dimflow.quantify())).dimflow.to_value('km*s')",
        right="[2.0, 4.0, 8.0]",
        given=XARRAY
        + "\nlabels = x = n.rename(None).assign_attrs(units='km'); q = 2 * u.s"
        + "\ndef f(labels): return labels",
    ),
    program(
        "x.polyfit('x', 1)",
        "coord = x.x; x.dimflow.polyfit('x', 1).dimflow.polyval(coord).dimflow.to_value('m')",
        right="np.polyval(np.polyfit([0, 1, 2], [1, 2, 4], 1), [0, 1, 2])",
        given=XARRAY + "\nx.x.attrs['units'] = 's'",
    ),
    program(
        "xr.polyval(x.x, x.dimflow.polyfit('x', 1))",
        "coord = x.x; x.dimflow.polyfit('x', 1).dimflow.polyval(coord).dimflow.to_value('m')",
        right="np.polyval(np.polyfit([0, 1, 2], [1, 2, 4], 1), [0, 1, 2])",
        given=XARRAY + "\nx.x.attrs['units'] = 's'",
    ),
    program(
        "x.curvefit('x', lambda x, a: a * x)",
        "x.dimflow.drop_units().curvefit('x', lambda x, a: a * x).curvefit_coefficients.values",
        right="[2.0]",
        given=XARRAY,
    ),
    program(
        "x.dimflow.polyfit('x', 1, cov=True)",
        "x.dimflow.drop_units().polyfit('x', 1, cov=True).polyfit_covariance.values",
        right="np.polyfit([0, 1, 2], [1, 2, 4], 1, cov=True)[1]",
        given=XARRAY,
    ),
    *(
        program(
            broken,
            "(x / 8).dimflow.round(1, unit='m').dimflow.to_value('m')",
            "x = x / 8; x.dimflow.round(1, unit='m').dimflow.to_value('m')",
            right="[0.1, 0.2, 0.5]",
            given=XARRAY,
        )
        for broken in ("(x / 8).round(1)", "np.round(x / 8, 1)")
    ),
    program(
        "np.floor(x * 1.5)",
        "(x * 1.5).dimflow.floor(unit='m').dimflow.to_value('m')",
        "x = x * 1.5; x.dimflow.floor(unit='m').dimflow.to_value('m')",
        right="[1.0, 3.0, 6.0]",
        given=XARRAY,
    ),
    program(
        "np.ceil(series / 8)",
        "series = series / 8; series.dimflow.ceil(unit='m').dimflow.to_value('m')",
        right="[1.0, 1.0, 1.0]",
        given=COLUMN,
    ),
    program(
        "df.dimflow.quantify()",
        "df.rename(columns={'day [d]': 'day'}).dimflow.quantify()['a'].dimflow.to_value('m')",
        right="[1.0]",
        given=f"{PANDAS}; df = pd.DataFrame({{'a [m]': [1.0], 'day [d]': ['2001-01-01']}})",
    ),
    program(
        "n.to_dataset().dimflow.polyval(n.x)",
        "x.dimflow.polyfit('x', 1).dimflow.polyval(x.x).dimflow.to_value('m')",
        right="np.polyval(np.polyfit([0, 1, 2], [1, 2, 4], 1), [0, 1, 2])",
        given=XARRAY,
    ),
    program(
        "x.dimflow.quantify('km')",
        "x.dimflow.to('km').dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "x.attrs['units'] = 's'; x.dimflow.quantify()",
        "x.dimflow.to('km').dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "n.attrs['units'] = 'nothing'; n.to_dataset().dimflow.quantify()",
        "n.to_dataset().dimflow.quantify({'v': '1'}).v.dimflow.to_value('1')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "n.rename(None).assign_attrs(units='C').dimflow.quantify()",
        "n.rename(None).assign_attrs(units='C').dimflow.quantify('degree_Celsius')"
        ".dimflow.to_value('degC')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "n.to_dataset().dimflow.to({'v': 'm'})",
        "n.to_dataset().dimflow.quantify({'v': 'm'}).v.dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "n.attrs['units'] = 'm'; n.dimflow.to('km')",
        "n.attrs['units'] = 'm'; n.dimflow.quantify().dimflow.to_value('m')",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY,
    ),
    program(
        "x.dimflow.sel(x=1 * u.s)",
        "x.x.attrs['units'] = 's'; x['x'].attrs['units'] = 's'; "
        "x.dimflow.sel(x=1 * u.s).dimflow.to_value('m')",
        right="2.0",
        given=XARRAY,
    ),
    program(
        "x.integrate('time')",
        "x.dimflow.quantify({'time': 'd'}).integrate('time').dimflow.to_value('m*d')",
        "dataset = x.to_dataset(); "
        "xr.decode_cf(dataset).v.integrate('time').dimflow.to_value('m*d')",
        right="4.5",
        given=XARRAY + "\nx = x.rename(x='time'); "
        "x['time'].attrs.update(units='days since 2000-01-01', calendar='360_day')",
    ),
    program(
        "x.dimflow.sel(x=1)",
        "x.dimflow.sel(x=5 * Unit('s') / 5).dimflow.to_value('m')",
        right="2.0",
        given=XARRAY + "\nx.x.attrs['units'] = 's'",
    ),
    program(
        "x.to_dataset().to_netcdf(folder / 'v.nc')",
        "x = x.to_dataset(); x.dimflow.dequantify().v.values",
        right="[1.0, 2.0, 4.0]",
        given=XARRAY + FILE,
    ),
    program(
        "dimflow.loadtxt(path)",
        "dimflow.loadtxt(path, unit=['m', 's', 'kg'], unpack=True)[2] / u.kg",
        "dimflow.loadtxt(path, unpack=True, unit=[u.m] * 3)[2] / u.m",
        right="3.0",
        given=FILE + "\npath.write_text('# [m] [s]\\n1 2 3\\n')",
    ),
    program(
        "dimflow.loadtxt(path)",
        "dimflow.loadtxt(path, unit='m')[0]",
        right="[1.0, 2.0, 3.0] * u.m",
        given=FILE + "\npath.write_text('# [nothing]\\n1 2 3\\n')",
    ),
    program(
        "dimflow.loadtxt(path)",
        "dimflow.loadtxt(path, unpack=True)[0]",
        right="1 * u.m",
        given=FILE + "\npath.write_text('# [m] [s]\\n1 2\\n')",
    ),
    program(
        "dimflow.loadtxt(path, 's')",
        "unit = 's'; DimArray(np.loadtxt(path), unit)",
        right="[1.0, 2.0] * u.s",
        given=FILE + "\npath.write_text('# [m]\\n1\\n2\\n')",
    ),
    program(
        "dimflow.load(path, max_bytes=10)",
        "dimflow.load(path, max_bytes=10000)",
        right="x",
        given=FILE + "\npath = folder / 'v.npz'; dimflow.save(path, x)",
    ),
    program(
        "dimflow.load(path)",
        "numbers, unit = np.load(path)['a'], 'm'; DimArray(numbers, unit)",
        right="x",
        given=FILE + "\npath = folder / 'v.npz'; np.savez(path, a=x.to_value('m'))",
    ),
    program(
        "dimflow.load(pipe)",
        "dimflow.load(io.BytesIO(pipe.read()))",
        right="x",
        given=FILE + "\npath = folder / 'v.npz'; dimflow.save(path, x)\n"
        "class Pipe(io.RawIOBase):\n  def readable(self): return True\n"
        "  def read(self, n=-1): return path.read_bytes()\npipe = Pipe()",
    ),
    program(
        "dimflow.from_csv(path)",
        "dimflow.from_csv(path, decimal=',')['a [m]'] if 0 else "
        "list(dimflow.from_csv(path, decimal=',').values())[0]",
        right="[1.5, 2.5] * u.m",
        given=FILE + "\npath.write_text('a [m];b [s]\\n1,5;2\\n2,5;3\\n')",
    ),
    program(
        "dimflow.from_csv(path)",
        "list(dimflow.from_csv(path, missing='lost', usecols=[0]).values())[0]",
        right="[1.5, 2.5] * u.m",
        given=FILE + "\npath.write_text('a [m],b [s]\\n1.5,2\\n2.5,lost\\n')",
    ),
    program(
        "dimflow.from_csv(path)",
        "dimflow.from_csv(path, usecols=['n'], dtype='int64')['n']",
        right="[9007199254740993]",
        given=FILE + "\npath.write_text('n,a [m]\\n9007199254740993,0.5\\n')",
    ),
    program(
        "x.dimflow.quantify().t.dimflow.to_value('degC')",
        "x = xr.decode_cf(x); x.dimflow.quantify().t.dimflow.to_value('degC')",
        right="[20.0, 21.0]",
        given="import xarray as xr, dimflow.xarray; attrs = {'units': 'degC', 'add_offset': 20.0}\n"
        "x = xr.Dataset({'t': ('x', np.array([0, 1], 'int16'), attrs)})",
    ),
    program(
        "dimflow.from_csv(path)",
        "list(dimflow.from_csv(path, encoding='latin-1').values())[0]",
        right="[1.5] * u.m",
        given=FILE + "\npath.write_bytes(b'a [m],\\xb5 [s]\\n1.5,2\\n')",
    ),
    program(
        "dimflow.from_csv(path, max_bytes=3)",
        "list(dimflow.from_csv(path, max_bytes=300).values())[0]",
        right="[1.5] * u.m",
        given=FILE + "\npath.write_text('a [m],b [s]\\n1.5,2\\n')",
    ),
    program(
        "dimflow.from_csv(path, max_columns=1)",
        "list(dimflow.from_csv(path, max_columns=3).values())[0]",
        right="[1.5] * u.m",
        given=FILE + "\npath.write_text('a [m],b [s]\\n1.5,2\\n')",
    ),
    program(
        "dimflow.from_csv(path)",
        "list(dimflow.from_csv(path, usecols=[0]).values())[0]",
        right="[1.5] * u.m",
        given=FILE + "\npath.write_text('a,b\\nm,nothing\\n1.5,2\\n')",
    ),
]
