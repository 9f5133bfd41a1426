"""Fourier, cosine and sine transforms with the names and arguments of numpy.fft and scipy.fft.

Any length from 1 up. Results have the precision of the input: float32 and complex64 stay single, float16 becomes single,
integers become double. `workers` is how many threads may share a transform on the CPU, all that there are unless said;
from the end where negative. `overwrite_x` is taken and changes nothing: inputs stay as they are. `out`, a keyword, is an
array for the result.

>>> import numpy as np, idc.fft
>>> np.round(idc.fft.fft([1., 0., 0., 0.]), 3)
array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
>>> idc.fft.rfft(np.ones((3, 8), np.float32)).shape
(3, 5)
>>> x = np.random.rand(5, 7)
>>> np.allclose(idc.fft.ifftn(idc.fft.fftn(x)), x)
True
"""

from __future__ import annotations

import functools
import math
import operator
import os
from typing import Any, Literal, Optional, Sequence, Union

import numpy as np

from . import axes as _axes
from . import devices as _devices
from .devices import HOST, host_pointer, identity_of
from .libidc import cpu_threads

__all__ = [
    "fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fft2", "ifft2", "fftn", "ifftn", "rfft2", "irfft2", "rfftn",
    "irfftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift", "dct", "idct", "dst", "idst", "dctn", "idctn", "dstn",
    "idstn",
]  # fmt: skip

Norm = Optional[Literal["backward", "ortho", "forward"]]
Axes = Union[None, int, Sequence[int]]

_FILE = "transforms.id"
_COMPLEX = {"F": np.dtype("F"), "D": np.dtype("D"), "e": np.dtype("F"), "f": np.dtype("F"), "d": np.dtype("D")}
_REAL = {"e": np.dtype("f"), "f": np.dtype("f"), "d": np.dtype("d")}


def _prepared(given, complex_elements: bool, key):
    """The argument as an array with elements that the transforms take, its family, and the key if it was one already."""
    family, x = _axes.array_of(given)
    dtype = x.dtype if family is HOST else family.view(x).dtype
    kind, char = dtype.kind, dtype.char
    if kind in "biu":
        char = "d"
    target = (_COMPLEX if complex_elements else _REAL).get(char)
    if target is None:
        raise TypeError(f"no transform of {'complex' if complex_elements else 'real'} values takes {dtype}")
    x = _axes.copied(family, x, target)
    return family, x, key if x is given else None


def _workers(workers: int) -> int:
    """How many threads are meant, counted from the end where negative: -1 is all."""
    count = operator.index(workers)
    most = os.cpu_count() or 1
    if count < 0:
        count += most + 1
    if count < 1:
        raise ValueError(f"workers must not be zero, nor below -{most}")
    return min(count, most)


def _plan(plan: Any) -> None:
    if plan is not None:
        raise NotImplementedError("plans made beforehand are not for these functions: calls keep their own")


def _scale(norm: Optional[str], length: float, forward: bool) -> float:
    """The factor of an unscaled transform."""
    if norm is None or norm == "backward":
        return 1.0 if forward else 1.0 / length
    if norm == "ortho":
        return 1.0 / math.sqrt(length)
    if norm == "forward":
        return 1.0 / length if forward else 1.0
    raise ValueError(f"Invalid norm value {norm!r}; should be \"backward\", \"ortho\" or \"forward\".")


def _length(n, default: int) -> int:
    n = default if n is None else operator.index(n)
    if n < 1:
        raise ValueError(f"Invalid number of data points ({n}) specified.")
    return n


def _not_empty(family, x, axis: int):
    """An axis without elements gets one zero, which stands for what is padded."""
    if x.shape[axis]:
        return x
    if family is not HOST:
        raise ValueError("the axis that is transformed has no elements")
    shape = list(x.shape)
    shape[axis] = 1
    return np.zeros(shape, x.dtype)


def _one(name: str, x, n: int, axis: int, by: float, settings: dict, out=None, key=None):
    return _axes.along(_FILE, name, x, axis, (by,), {"N": n, **settings}, out, key)


def _remembered(transform):
    """A transform whose repetitions, with an array of the same dtype, shape and strides and the same arguments, look up
    what they call, on as many threads as `workers`, the last argument but one. `transform` takes a key for
    _axes.along(), or None, behind the others."""

    def repeated(x, arguments, out):
        key = None
        if out is None:
            if type(x) is np.ndarray:
                key, pointer = (transform, x.dtype, x.shape, x.strides, arguments), host_pointer(x)
            elif _devices.with_derivatives(x):
                return _devices.torch_side.transforms[transform.__name__](x, *arguments)
            elif (own := identity_of(x)) is not None:
                key, pointer = (transform, own[0], arguments), own[1]
            plan = _axes.remembered(key)
            if plan is not None and (result := _axes.repeat(plan, pointer)) is not None:
                return result
        return transform(x, *arguments, out=out, key=key)

    @functools.wraps(transform)
    def call(x, *arguments, out=None):
        workers = arguments[-2]
        if workers is None:
            return repeated(x, arguments, out)
        with cpu_threads(_workers(workers)):
            return repeated(x, arguments, out)

    return call


@_remembered
def _c2c(x, n, axis, norm, forward, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, True, key)
    axis = _axes.axis_of(axis, len(x.shape))
    n = _length(n, x.shape[axis])
    return _one("c2c", _not_empty(family, x, axis), n, axis, _scale(norm, n, forward),
                {"sign": 1 if forward else -1}, out, key)  # fmt: skip


def fft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
        workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The Fourier transform along one axis, X[k] = sum over j of x[j] exp(-2 pi i j k / n).

    `n`: the length; a longer axis is cropped, a shorter one padded with zeros. `norm`: "backward" (unscaled forward, 1/n
    backward), "ortho" (1/sqrt(n) both ways), "forward" (1/n forward).

    >>> np.round(fft(np.arange(3.)), 3)
    array([ 3. +0.j   , -1.5+0.866j, -1.5-0.866j])
    """
    return _c2c(x, n, axis, norm, True, workers, plan, out=out)


def ifft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of fft.

    >>> np.round(ifft([4., 0., 0., 0.]).real, 3)
    array([1., 1., 1., 1.])
    """
    return _c2c(x, n, axis, norm, False, workers, plan, out=out)


@_remembered
def _r2c(x, n, axis, norm, forward, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, False, key)
    axis = _axes.axis_of(axis, len(x.shape))
    n = _length(n, x.shape[axis])
    return _one("r2c", _not_empty(family, x, axis), n, axis, _scale(norm, n, forward),
                {"conjugated": not forward}, out, key)  # fmt: skip


@_remembered
def _c2r(x, n, axis, norm, forward, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, True, key)
    axis = _axes.axis_of(axis, len(x.shape))
    n = _length(n, 2 * (x.shape[axis] - 1))
    return _one("c2r", _not_empty(family, x, axis), n, axis, _scale(norm, n, forward), {"conjugated": forward}, out,
                key)  # fmt: skip


def rfft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The Fourier transform of real values: its first n//2 + 1 values, which the others mirror.

    >>> rfft([1., 1., 1.]).real.round(3)
    array([3., 0.])
    """
    return _r2c(x, n, axis, norm, True, workers, plan, out=out)


def irfft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of rfft. `n`: the number of real values, 2*(m - 1) of m complex ones when it is not given.

    >>> np.round(irfft([1., 1., 1.]), 3)
    array([1., 0., 0., 0.])
    """
    return _c2r(x, n, axis, norm, False, workers, plan, out=out)


def hfft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The Fourier transform, which is real, of values of which the first half is given and the others mirror it.

    >>> np.round(hfft([1., 2., 3.]), 3)
    array([ 8., -2.,  0., -2.])
    """
    return _c2r(x, n, axis, norm, True, workers, plan, out=out)


def ihfft(x: Any, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of hfft: the first n//2 + 1 values."""
    return _r2c(x, n, axis, norm, False, workers, plan, out=out)


# ---- several axes ----


def _lengths(shape, s, axes) -> tuple[list[int], list[Optional[int]]]:
    """Axes counted from the front and the length that is asked for along each, or None, as NumPy reads them."""
    if s is not None:
        s = [operator.index(n) for n in (s if np.iterable(s) else [s])]
    if axes is None:
        count = len(shape) if s is None else len(s)
        if count > len(shape):
            raise ValueError("shape requires more axes than are present")
        axes = range(len(shape) - count, len(shape))
    axes = [_axes.axis_of(axis, len(shape)) for axis in (axes if np.iterable(axes) else [axes])]
    if s is not None and len(s) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return axes, [None] * len(axes) if s is None else [None if n == -1 else n for n in s]


def _last(axes: list[int], dimensions: int) -> bool:
    """Whether the axes are the last ones, in order, of which the programs for several axes take two or three."""
    return len(axes) in (2, 3) and axes == list(range(dimensions - len(axes), dimensions))


@_remembered
def _c2cn(x, s, axes, norm, forward, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, True, key)
    axes, s = _lengths(x.shape, s, axes)
    lengths = [_length(n, x.shape[axis]) for axis, n in zip(axes, s)]
    by = _scale(norm, math.prod(lengths), forward)
    sign = 1 if forward else -1
    if not axes:
        return x if out is None else _axes.written(x, out)
    if _last(sorted(axes), len(x.shape)) and all(x.shape[axis] == n for axis, n in zip(axes, lengths)):
        return _axes.together(_FILE, f"c2c_{len(axes)}d", x, (by,), {"sign": sign}, out, key)
    steps = list(zip(axes, lengths))[::-1]
    for i, (axis, n) in enumerate(steps):
        last = i == len(steps) - 1
        x = _one("c2c", _not_empty(family, x, axis), n, axis, by if last else 1.0, {"sign": sign}, out if last else None)
    return x


def fftn(x: Any, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The Fourier transform along several axes, all when nothing is said. `s`: the length along each.

    >>> np.round(fftn(np.ones((2, 3))).real, 3)
    array([[6., 0., 0.],
           [0., 0., 0.]])
    """
    return _c2cn(x, s, axes, norm, True, workers, plan, out=out)


def ifftn(x: Any, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of fftn."""
    return _c2cn(x, s, axes, norm, False, workers, plan, out=out)


def fft2(x: Any, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """fftn along two axes."""
    return _c2cn(x, s, axes, norm, True, workers, plan, out=out)


def ifft2(x: Any, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of fft2."""
    return _c2cn(x, s, axes, norm, False, workers, plan, out=out)


def rfftn(x: Any, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The Fourier transform of real values along several axes; along the last of them its first n//2 + 1 values.

    >>> rfftn(np.ones((4, 6))).shape
    (4, 4)
    """
    return _r2cn(x, s, axes, norm, workers, plan, out=out)


@_remembered
def _r2cn(x, s, axes, norm, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, False, key)
    axes, s = _lengths(x.shape, s, axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    lengths = [_length(n, x.shape[axis]) for axis, n in zip(axes, s)]
    by = _scale(norm, math.prod(lengths), True)
    if _last(axes, len(x.shape)) and all(x.shape[axis] == n for axis, n in zip(axes, lengths)):
        return _axes.together(_FILE, f"r2c_{len(axes)}d", x, (by,), {}, out, key)
    steps = list(zip(axes, lengths))[::-1]
    for i, (axis, n) in enumerate(steps):
        name, settings = ("c2c", {"sign": 1}) if i else ("r2c", {"conjugated": False})
        last = i == len(steps) - 1
        x = _one(name, _not_empty(family, x, axis), n, axis, by if last else 1.0, settings, out if last else None)
    return x


def irfftn(x: Any, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
           workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of rfftn. `s`: the lengths of the result, of which the last is 2*(m - 1) when it is not given."""
    return _c2rn(x, s, axes, norm, workers, plan, out=out)


@_remembered
def _c2rn(x, s, axes, norm, workers, plan, out, key):
    _plan(plan)
    family, x, key = _prepared(x, True, key)
    axes, s = _lengths(x.shape, s, axes)
    if not axes:
        raise ValueError("at least 1 axis must be transformed")
    lengths = [_length(n, x.shape[axis]) for axis, n in zip(axes, s)]
    lengths[-1] = _length(s[-1], 2 * (x.shape[axes[-1]] - 1))
    by = _scale(norm, math.prod(lengths), False)
    whole = all(x.shape[axis] == n for axis, n in zip(axes[:-1], lengths))
    if _last(axes, len(x.shape)) and whole and x.shape[axes[-1]] == lengths[-1] // 2 + 1:
        return _axes.together(_FILE, f"c2r_{len(axes)}d", x, (by,), {"N": lengths[-1]}, out, key)
    for axis, n in zip(axes[:-1], lengths):
        x = _one("c2c", _not_empty(family, x, axis), n, axis, 1.0, {"sign": -1})
    axis = axes[-1]
    return _one("c2r", _not_empty(family, x, axis), lengths[-1], axis, by, {"conjugated": False}, out)


def rfft2(x: Any, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """rfftn along two axes."""
    return rfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


def irfft2(x: Any, s: Axes = None, axes: Axes = (-2, -1), norm: Norm = None, overwrite_x: bool = False,
           workers: Optional[int] = None, *, plan: None = None, out: Any = None) -> Any:
    """The inverse of rfft2."""
    return irfftn(x, s, axes, norm, overwrite_x, workers, plan=plan, out=out)


# NumPy's own: they move and count, and transform nothing.
fftfreq, rfftfreq, fftshift, ifftshift = np.fft.fftfreq, np.fft.rfftfreq, np.fft.fftshift, np.fft.ifftshift


# ---- cosine and sine transforms ----


def _kind(type: int, forward: bool) -> int:
    if type not in (1, 2, 3, 4):
        raise ValueError("Transform type must be an integer in [1, 4]")
    return type if forward else {1: 1, 2: 3, 3: 2, 4: 4}[type]


@_remembered
def _r2r(x, type, n, axes, several, norm, forward, orthogonalize, workers, sine, out, key):
    """Along one axis, or, with `several`, along those that n and axes say as numpy.fft's s and axes do."""
    family, x = _axes.array_of(x)
    if family.view(x).dtype.kind == "c":
        if out is not None:
            raise TypeError("out is for transforms of real values")
        parts = [_r2r(part, type, n, axes, several, norm, forward, orthogonalize, workers, sine)
                 for part in (x.real, x.imag)]  # fmt: skip
        return parts[0] + 1j * parts[1]
    family, x, key = _prepared(x, False, key)
    kind = _kind(type, forward)
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    # Of these the orthogonal form is a multiple of the other.
    orthogonal = bool(orthogonalize) and not (kind == 4 or (kind == 1 and sine))
    axes, lengths = _lengths(x.shape, n, axes) if several else ([_axes.axis_of(axes, len(x.shape))], [n])
    for i, (axis, length) in enumerate(zip(axes, lengths)):
        length = _length(length, x.shape[axis])
        if kind == 1 and not sine and length < 2:
            raise ValueError("a cosine transform of the first kind is of at least 2 values")
        period = 2 * (length + (0 if kind > 1 else 1 if sine else -1))
        by = _scale(norm, period, forward)
        if orthogonal:
            by *= math.sqrt(period)  # the programs' orthogonal forms are scaled, too
        settings = {"kind": kind, "sine": sine, "orthonormal": orthogonal}
        last = i == len(axes) - 1
        x = _one("r2r", _not_empty(family, x, axis), length, axis, by, settings, out if last else None,
                 key if len(axes) == 1 else None)  # fmt: skip
    return x


def dct(x: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
        workers: Optional[int] = None, orthogonalize: Optional[bool] = None, *, out: Any = None) -> Any:
    """The cosine transform of the kind `type`, 1 to 4, along one axis, as scipy.fft.dct has it.

    `norm` as of fft, for 2n values (2(n-1) of type 1). `orthogonalize`: the form that is an orthogonal matrix times a
    number; the default is norm == "ortho".

    >>> np.round(dct([1., 2., 3., 4.], norm="ortho"), 3)
    array([ 5.   , -2.23 , -0.   , -0.159])
    """
    return _r2r(x, type, n, axis, False, norm, True, orthogonalize, workers, False, out=out)


def idct(x: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, orthogonalize: Optional[bool] = None, *, out: Any = None) -> Any:
    """The inverse of dct of the same type.

    >>> np.round(idct(dct([1., 2., 3.])), 3)
    array([1., 2., 3.])
    """
    return _r2r(x, type, n, axis, False, norm, False, orthogonalize, workers, False, out=out)


def dst(x: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
        workers: Optional[int] = None, orthogonalize: Optional[bool] = None, *, out: Any = None) -> Any:
    """The sine transform of the kind `type`, 1 to 4, along one axis, as scipy.fft.dst has it; of 2n values (2(n+1) of
    type 1)."""
    return _r2r(x, type, n, axis, False, norm, True, orthogonalize, workers, True, out=out)


def idst(x: Any, type: int = 2, n: Optional[int] = None, axis: int = -1, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, orthogonalize: Optional[bool] = None, *, out: Any = None) -> Any:
    """The inverse of dst of the same type."""
    return _r2r(x, type, n, axis, False, norm, False, orthogonalize, workers, True, out=out)


def dctn(x: Any, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None, out: Any = None) -> Any:
    """dct along several axes, all when nothing is said."""
    return _r2r(x, type, s, axes, True, norm, True, orthogonalize, workers, False, out=out)


def idctn(x: Any, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None, out: Any = None) -> Any:
    """The inverse of dctn."""
    return _r2r(x, type, s, axes, True, norm, False, orthogonalize, workers, False, out=out)


def dstn(x: Any, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
         workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None, out: Any = None) -> Any:
    """dst along several axes."""
    return _r2r(x, type, s, axes, True, norm, True, orthogonalize, workers, True, out=out)


def idstn(x: Any, type: int = 2, s: Axes = None, axes: Axes = None, norm: Norm = None, overwrite_x: bool = False,
          workers: Optional[int] = None, *, orthogonalize: Optional[bool] = None, out: Any = None) -> Any:
    """The inverse of dstn."""
    return _r2r(x, type, s, axes, True, norm, False, orthogonalize, workers, True, out=out)


# ---- SciPy's protocol for backends: scipy.fft.set_backend(idc.fft), or of idc ----

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method, args: Sequence, kwargs: dict):
    """Calls the function of the same name; SciPy tries its next backend for those that are not here."""
    function = globals().get(method.__name__) if method.__name__ in __all__ else None
    return NotImplemented if function is None else function(*args, **kwargs)
