"""Programs applied along one axis of an array, or along its last ones, without a copy where a form of them allows it."""

from __future__ import annotations

import functools
import math
import operator
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np

from .devices import HOST, family_of
from .program import Entry, Launch, Program, load

_PROGRAMS = Path(__file__).resolve().parent / "programs"
_plans: dict[Any, tuple] = {}
_MOST_PLANS = 16384


@functools.lru_cache(maxsize=None)
def program(file: Union[str, Path]) -> Program:
    """The program in a file, loaded once."""
    return load(file)


def entry(file: str, name: str) -> Entry:
    """An algorithm of one of the package's programs."""
    return getattr(program(_PROGRAMS / file), name)


def axis_of(axis, dimensions: int) -> int:
    """An axis counted from the front. Raises what NumPy raises."""
    axis = operator.index(axis)
    if not -dimensions <= axis < dimensions:
        raise np.AxisError(axis, dimensions) if hasattr(np, "AxisError") else np.exceptions.AxisError(axis, dimensions)
    return axis % dimensions


def is_dense(array) -> bool:
    """Whether elements follow each other in the order of their indices."""
    family, array = family_of(array)
    view = family.view(array)
    step = view.dtype.itemsize
    for length, stride in zip(reversed(view.shape), reversed(view.strides)):
        if length != 1 and stride != step:
            return False
        step *= length
    return True


def remembered(key):
    """The plan that along() or together() kept for the key, or None; None, too, when the key has no hash."""
    try:
        return _plans.get(key)
    except TypeError:
        return None


def repeat(plan, pointer: int):
    """What such a plan makes of an array that begins there; None when it does not begin where the plan needs it to."""
    call, arguments, shape = plan
    if pointer & 15:
        return None
    result = call(arguments, (pointer,), None)
    return result if shape is None else result.reshape(shape)


def _remember(key, plan) -> None:
    if len(_plans) >= _MOST_PLANS:
        _plans.clear()
    try:
        _plans[key] = plan
    except TypeError:  # arguments like lists
        pass


def along(file: str, name: str, array, axis: int, scalars: tuple, settings: dict, out=None, key=None):
    """`name` of `file` along one axis. There is a form `name`_side of two dimensions, for axes that are not the last.
    With a key, repeat() does the same for arrays of the same dtype, shape and strides, which the key has to have."""
    family, array = family_of(array)
    shape = tuple(array.shape)
    moved = final = None
    if axis != len(shape) - 1:
        behind = math.prod(shape[axis + 1 :])
        if is_dense(array) and behind:
            array = array.reshape((math.prod(shape[:axis]), shape[axis], behind))
            name += "_side"
        else:
            moved = array = family.axis_last(array, axis)
    call, arguments, pointers = entry(file, name).find((array,) + scalars, "throughput", settings)
    result = call(arguments, pointers, out if axis == len(shape) - 1 else None)
    if axis == len(shape) - 1:
        out = None
    elif moved is not None:
        result = family.axis_back(result, axis)
    else:
        final = shape[:axis] + (tuple(result.shape)[1],) + shape[axis + 1 :]
        result = result.reshape(final)
    if key is not None and moved is None and isinstance(call, Launch) and not pointers[0] & 15:
        _remember(key, (call, (None,) + scalars, final))
    return result if out is None else written(result, out)


def together(file: str, name: str, array, scalars: tuple, settings: dict, out=None, key=None):
    """`name` of `file` on the last axes that it declares; the key is as along() takes it."""
    call, arguments, pointers = entry(file, name).find((array,) + scalars, "throughput", settings)
    if key is not None and isinstance(call, Launch) and not pointers[0] & 15:
        _remember(key, (call, (None,) + scalars, None))
    return call(arguments, pointers, out)


def written(result, out):
    if tuple(out.shape) != tuple(result.shape) or out.dtype != result.dtype:
        raise ValueError(f"out has the shape {tuple(out.shape)} and elements of {out.dtype}; the result has "
                         f"{tuple(result.shape)} and {result.dtype}")  # fmt: skip
    out[...] = result
    return out


def array_of(array) -> tuple[Any, Any]:
    """The family of what the caller gave, and it as an array."""
    return family_of(array) if not isinstance(array, (list, tuple, int, float, complex)) else (HOST, np.asarray(array))


def copied(family, array, dtype: Optional[np.dtype]):
    """The array with elements of another type where it has to be; itself where it has not."""
    return array if dtype is None or family.view(array).dtype == dtype else family.convert(array, dtype)
