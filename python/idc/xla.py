"""libidc-xla by ctypes: algorithms as functions of XLA's foreign function interface (interfaces/xla)."""

from __future__ import annotations

import ctypes
import functools
from pathlib import Path
from typing import Callable

import numpy as np

from . import libidc
from .errors import Error

_kept = []  # the values of scalars: what XLA compiled may call an algorithm at any time


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    """Beside libidc, or where the system has its libraries."""
    name = "libidc-xla.so.0"
    beside = Path(libidc.lib._name).with_name(name)
    try:
        library = ctypes.CDLL(str(beside) if beside.exists() else name)
    except OSError as error:
        raise Error(f"{name}, which JAX calls, was not found beside libidc: {error}") from error
    library.idc_xla_algorithm.restype = ctypes.c_void_p
    library.idc_xla_algorithm.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    return library


def functions() -> dict[str, Callable]:
    """The library's functions for XLA, by the platform for which each is registered."""
    return {"cpu": _library().idc_xla_cpu, "CUDA": _library().idc_xla_gpu}


def algorithm(request: libidc.Request, scalars: list[np.ndarray]) -> int:
    """The attribute "algorithm" of calls that run what is requested with these values of its scalars."""
    pointers = (ctypes.c_void_p * max(len(scalars), 1))(*(value.ctypes.data for value in scalars))
    made = _library().idc_xla_algorithm(request.give_away(), pointers)
    if not made:
        raise Error("no memory")
    _kept.append((scalars, pointers))
    return made
