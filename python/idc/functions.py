"""Scans, sorting, convolutions and linear systems of the standard library as functions of arrays.

Arrays are NumPy's, or others' on a GPU (idc.devices). Axes before those that a function works on are the batch.
"""

from __future__ import annotations

import functools
from typing import Any, Literal, Optional

import numpy as np

from . import axes as _axes
from . import devices as _devices

__all__ = ["convolve", "correlate", "cumsum", "hadamard", "solve_tridiagonal", "sort"]


def _differentiable(function):
    """The function, which PyTorch's tensors with derivatives have a form of in idc.torch."""

    @functools.wraps(function)
    def call(*arguments, **keywords):
        for argument in arguments:
            if type(argument) is not np.ndarray and _devices.with_derivatives(argument):
                return _devices.torch_side.functions[function.__name__](*arguments, **keywords)
        return function(*arguments, **keywords)

    return call


@_differentiable
def solve_tridiagonal(a: Any, b: Any, c: Any, d: Any, *, pivoting: bool = True, periodic: bool = False) -> Any:
    """x with a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i]: one system for each of the axes before the last.

    All arguments have the shape (..., N), broadcast before the last axis. Where the system has no neighbour, a[0] and
    c[N-1], the coefficients are not used, but with `periodic`, where the last unknown is the first one's neighbour.
    Without `pivoting` systems are solved faster, but right only where elimination in order is: when b is large against a
    and c, for one. A system that has no solution, or many, gives no
    numbers that mean anything, NaN as a rule.

    >>> import numpy as np, idc
    >>> one = np.ones(4)
    >>> idc.solve_tridiagonal(-one, 2 * one, -one, np.array([1., 0., 0., 1.]))
    array([1., 1., 1., 1.])
    """
    if pivoting:
        name = "periodic_tridiagonal_pivoting_any" if periodic else "tridiagonal_pivoting_any"
        solve = getattr(_axes.program("tridiagonal_pivoting.id"), name)
    elif periodic:
        raise ValueError("periodic systems of any size are solved with pivoting")
    else:
        solve = _axes.program("tridiagonal.id").tridiagonal_any
    prepared = [_axes.array_of(argument) for argument in (a, b, c, d)]
    kinds = [family.view(array).dtype for family, array in prepared]
    if any(kind.kind in "biu" for kind in kinds):
        kinds.append(np.dtype(np.float64))
    dtype = np.result_type(*kinds)
    return solve(*(_axes.copied(family, array, dtype) for family, array in prepared))


@_differentiable
def cumsum(x: Any, axis: Optional[int] = None, *, exclusive: bool = False) -> Any:
    """Sums of all elements up to each one along an axis, of all elements in order without one, as numpy.cumsum has it.
    `exclusive`: without the element itself.

    Small integers are summed as numpy.cumsum sums them. Floating-point sums are made in the order of a tree, which is
    more accurate than one after the other.

    >>> import numpy as np, idc
    >>> idc.cumsum(np.array([[1, 2, 3], [4, 5, 6]]), axis=1)
    array([[ 1,  3,  6],
           [ 4,  9, 15]])
    """
    family, x = _axes.array_of(x)
    dtype = family.view(x).dtype
    if dtype.kind in "bi" and dtype.itemsize < 8:
        x = family.convert(x, np.dtype(np.int64))
    elif dtype.kind == "u" and dtype.itemsize < 8:
        x = family.convert(x, np.dtype(np.uint64))
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    axis = _axes.axis_of(axis, len(x.shape))
    if x.shape[axis] == 0:
        return x
    scan = getattr(_axes.program("scan.id"), "exclusive_scan_any" if exclusive else "inclusive_scan_any")
    moved = axis != len(x.shape) - 1
    result = scan(family.axis_last(x, axis) if moved else x)
    return family.axis_back(result, axis) if moved else result


@_differentiable
def sort(x: Any, axis: int = -1, *, descending: bool = False) -> Any:
    """The elements along an axis in order. Not stable, and without a place for NaN: an axis that has one is in no order.

    >>> import numpy as np, idc
    >>> idc.sort(np.array([3., 1., 2.]))
    array([1., 2., 3.])
    """
    family, x = _axes.array_of(x)
    axis = _axes.axis_of(axis, len(x.shape))
    moved = axis != len(x.shape) - 1
    if moved:
        x = family.axis_last(x, axis)
    shape, dtype = tuple(x.shape), family.view(x).dtype
    count = shape[-1]
    if count == 0:
        return family.axis_back(x, axis) if moved else x
    whole = 1 << max(count - 1, 0).bit_length()
    if whole != count:  # the network is one of a power of two: the rest goes to the end
        if dtype.kind == "f":
            last = -np.inf if descending else np.inf
        elif dtype.kind in "iu":
            last = np.iinfo(dtype).min if descending else np.iinfo(dtype).max
        else:
            raise TypeError(f"elements of {dtype} have no order")
        with family.current():
            padded = family.empty(shape[:-1] + (whole,), dtype)
            padded[..., :count] = x
            padded[..., count:] = last
        x = padded
    name = "bitonic_sort_descending" if descending else "bitonic_sort"
    result = getattr(_axes.program("sort.id"), name)(x)[..., :count]
    return family.axis_back(result, axis) if moved else result


def _convolution(name: str, x, h, mode: str):
    parts = {"full": 1, "same": 0, "valid": -1}
    if mode not in parts:
        raise ValueError(f"mode is 'full', 'same' or 'valid', not {mode!r}")
    prepared = [_axes.array_of(argument) for argument in (x, h)]
    kinds = [family.view(array).dtype for family, array in prepared]
    if any(kind.kind in "biu" for kind in kinds):
        kinds.append(np.dtype(np.float64))
    dtype = np.result_type(*kinds)
    signal, filter = (_axes.copied(family, array, dtype) for family, array in prepared)
    return getattr(_axes.program("real_convolution.id"), name)(signal, filter, part=parts[mode])


@_differentiable
def convolve(x: Any, h: Any, mode: Literal["full", "same", "valid"] = "full") -> Any:
    """The convolution of real signals, along the last axis, with a filter that is not longer; `mode` as in
    scipy.signal.convolve: "full" has N + M - 1 elements, "same" N, "valid" N - M + 1.

    >>> import numpy as np, idc
    >>> np.round(idc.convolve([1., 2., 3.], [1., 1.]), 3)
    array([1., 3., 5., 3.])
    """
    return _convolution("convolve1d", x, h, mode)


@_differentiable
def correlate(x: Any, h: Any, mode: Literal["full", "same", "valid"] = "full") -> Any:
    """The same with the filter turned round, as in scipy.signal.correlate.

    >>> import numpy as np, idc
    >>> np.round(idc.correlate([1., 2., 3.], [1., 0.], "valid"), 3)
    array([1., 2.])
    """
    return _convolution("correlate1d", x, h, mode)


@_differentiable
def hadamard(x: Any) -> Any:
    """The Walsh-Hadamard transform along the last axis, whose length is a power of two, in natural order, unscaled.

    >>> import numpy as np, idc
    >>> idc.hadamard(np.array([1., 0., 0., 0.]))
    array([1., 1., 1., 1.])
    """
    return _axes.program("hadamard.id").hadamard(x)
