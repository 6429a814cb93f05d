"""What the kernels on Dask's arrays are made of: how ops run on blocks, and which blocks they need.

    block_op        an op as a function of blocks; elementwise ops
    looping         ops on blocks that meet along some axes, and on the whole of the others
    trees, places   reductions of blocks, then of these; where an extreme is
    keys            x[key]
    writing         x[key] = y; placing is where in each block it goes
    conversion      conversions of units: a chain of them is one
    layout          an array in the blocks of another
    lengths         which are known before the numbers are, and blocks that are too large
    pairing         blocks that meet where lengths are not known
    known_numbers   of arrays that came from memory
    notes           what is written beside a layer, for people to read

An axis that an op needs whole is gathered: its blocks are joined in the task that runs the op, and
the blocks of all other axes stay. What gathers, and what does not:

    sort, argsort, lexsort, partition, topk   the axis; all of them without one
    quantiles, medians                        the axis
    unique, unique_values, the sets           nothing: each block gives its own values first, and
                                              these are joined. With places or counts: everything
    take_along_axis, gather, isin,            lines of x along the axis; the values that are looked
    searchsorted by a sorter                  up in; never what is looked up
    Fourier transforms                        the axes that are transformed
    solve, inv, det, eigh, expm, lu, ...      the last two axes; leading ones stay a batch in blocks
    cholesky, solve, inv                      nothing, of a matrix that is larger than Dask would
                                              have a block be: then Dask's own algorithms run
    qr, svd                                   nothing, of a matrix cut along its longer axis alone
    x[key]                                    nothing: keys that Dask takes, several index arrays,
                                              lazy ones, masks of several axes. A lazy mask beside
                                              other arrays, and places along an axis of unknown
                                              length, need that all
    x.at[key], x[key] = y                     the index arrays and the values, never x; all only for
                                              a lazy mask with a value for each element it picks
"""
