"""What is refused in units, and for which data: a call that begins to work fails the law.

`points` are temperatures in °C and levels; `levels` alone cannot be averaged or interpolated.
"""

_KINDS = {
    "all": ("lengths", "celsius", "levels"),
    "points": ("celsius", "levels"),
    "levels": ("levels",),
}
_CALLS = {
    # A bare number beside a unit, a result that depends on the unit, a unit for every factor or
    # coefficient.
    "all": """
DataArray.astype.1 DataArray.cumprod DataArray.fillna.1 DataArray.prod DataArray.round
DataArray.shift.2 DataArray.where.2 DataArray.curvefit DataArray.interp.5 DataArray.polyfit
DataArray.reindex.3 Dataset.astype.1 Dataset.cumprod Dataset.fillna.1 Dataset.prod
Dataset.round Dataset.shift.2 Dataset.where.2 Dataset.curvefit Dataset.interp.5
Dataset.polyfit Dataset.reindex.3 Variable.astype.1 Variable.cumprod Variable.fillna.1
Variable.pad.3 Variable.prod Variable.round Variable.shift.2 Rolling.prod Rolling.construct.1
Coarsen.prod GroupBy.cumprod GroupBy.prod Resample.cumprod Resample.prod xarray.align.6
xarray.full_like.1 xarray.polyval xarray.where.1
""",
    # A sum, a product or a zero of points.
    "points": """
DataArray.cumsum DataArray.sum DataArray.cumulative_integrate DataArray.integrate
DataArray.integrate.1 DataArray.integrate.2 DataArray.dot DataArray.dot.1 Dataset.cumsum
Dataset.sum Dataset.cumulative_integrate Dataset.integrate Dataset.integrate.1
Dataset.integrate.2 Dataset.apply Variable.cumsum Variable.sum Rolling.sum Coarsen.all
Coarsen.any Coarsen.sum GroupBy.all GroupBy.any GroupBy.cumsum GroupBy.sum Resample.all
Resample.any Resample.cumsum Resample.sum Weighted.sum Weighted.sum.1 Weighted.sum.2
RollingExp.sum xarray.cross xarray.dot operators.multiply operators.a_power
""",
    # An average, a spread, an interpolation or a slope of levels: convert to the linear unit first.
    "levels": """
DataArray.coarsen DataArray.coarsen.1 DataArray.mean DataArray.median DataArray.quantile
DataArray.reduce DataArray.std DataArray.var DataArray.differentiate DataArray.differentiate.1
DataArray.differentiate.2 DataArray.differentiate.3 DataArray.groupby DataArray.groupby.1
DataArray.groupby.2 DataArray.groupby_bins DataArray.groupby_bins.1 DataArray.interp
DataArray.interp.1 DataArray.interp.2 DataArray.interp.3 DataArray.interp.4
DataArray.interp_calendar DataArray.interp_like DataArray.interpolate_na
DataArray.interpolate_na.1 DataArray.resample DataArray.resample.1 DataArray.rolling
DataArray.rolling_exp DataArray.weighted DataArray.weighted.1 Dataset.coarsen
Dataset.coarsen.1 Dataset.mean Dataset.median Dataset.quantile Dataset.reduce Dataset.std
Dataset.var Dataset.differentiate Dataset.differentiate.1 Dataset.differentiate.2
Dataset.differentiate.3 Dataset.groupby Dataset.groupby.1 Dataset.groupby.2
Dataset.groupby_bins Dataset.groupby_bins.1 Dataset.interp Dataset.interp.1 Dataset.interp.2
Dataset.interp.3 Dataset.interp.4 Dataset.interp_calendar Dataset.interp_like
Dataset.interpolate_na Dataset.interpolate_na.1 Dataset.resample Dataset.resample.1
Dataset.rolling Dataset.rolling_exp Dataset.weighted Dataset.weighted.1 Variable.coarsen
Variable.mean Variable.median Variable.pad.2 Variable.quantile Variable.reduce Variable.std
Variable.var Rolling.mean Rolling.median Rolling.std Rolling.var Rolling.reduce Coarsen.mean
Coarsen.median Coarsen.std Coarsen.var Coarsen.reduce GroupBy.mean GroupBy.median GroupBy.std
GroupBy.var GroupBy.apply GroupBy.quantile GroupBy.reduce Resample.mean Resample.median
Resample.std Resample.var Resample.asfreq Resample.apply Resample.quantile Resample.reduce
Resample.interpolate Weighted.mean Weighted.mean.1 Weighted.mean.2 Weighted.std Weighted.std.1
Weighted.std.2 Weighted.sum_of_squares Weighted.sum_of_squares.1 Weighted.sum_of_squares.2
Weighted.var Weighted.var.1 Weighted.var.2 Weighted.quantile RollingExp.mean RollingExp.std
RollingExp.var RollingExp.corr RollingExp.cov xarray.apply_ufunc.2 xarray.corr xarray.cov
operators.minus_its_mean_by_band operators.an_index_by
""",
}
REFUSED = {key: _KINDS[kind] for kind, text in _CALLS.items() for key in text.split()}
