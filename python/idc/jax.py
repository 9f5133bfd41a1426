"""Derivatives for JAX: an algorithm as a function that jax.jit, jax.vjp and jax.grad take.

    f = idc.jax.function(idc.load("real.id").rfft)
    jax.grad(lambda x: abs(f(x)).sum())(x)

The algorithm runs on the host, by jax.pure_callback, wherever the arrays are; what idc makes of JAX's arrays on a GPU
without derivatives needs no such function. Second derivatives are not there.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, Optional

import jax
import numpy as np

from .adjoints import Instance, has_gradients, instance_of
from .devices import HOST, View
from .errors import Error
from .program import Entry, Setting, _setting


def function(entry: Entry, scalars: Optional[Mapping[str, Any]] = None, plan: str = "throughput",
             **settings: Setting) -> Callable:  # fmt: skip
    """The algorithm as a function of JAX's arrays, in the order of its parameters; those without brackets are given
    here, by name. Cotangents are those of JAX: of complex numbers the conjugates of what Entry.vjp() gives."""
    scalars = dict(scalars or {})
    names = [p["name"] for p in entry._parameters if not p["dimensions"]]
    if sorted(scalars) != sorted(names):
        raise Error(f"{entry.__name__} needs scalars for {', '.join(names) or 'none'}")

    def call(*arrays):
        if len(arrays) != len(entry._arrays):
            raise TypeError(f"{entry.__name__} takes {len(entry._arrays)} arrays, not {len(arrays)}")
        arrays = tuple(a if hasattr(a, "dtype") else np.asarray(a) for a in arrays)
        return typed(tuple((tuple(a.shape), np.dtype(a.dtype)) for a in arrays))(*arrays)

    @functools.lru_cache(maxsize=None)
    def typed(kinds: tuple) -> Callable:
        views = [View(dtype, shape, (), 0) for shape, dtype in kinds]
        return _differentiable(entry, instance_of(entry, views, settings, _setting), kinds, scalars, plan, settings)

    call.__name__, call.__doc__ = entry.__name__, entry.__doc__
    return call


def _structs(kinds):
    return tuple(jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in kinds)


def _differentiable(entry: Entry, instance: Instance, kinds: tuple, scalars: dict, plan: str,
                    settings: dict) -> Callable:  # fmt: skip
    """The function for arrays of these shapes and dtypes."""
    arrays = [p["name"] for p in entry._parameters if p["dimensions"]]
    outline = instance.outline()
    wanted = tuple(name for name, (_, dtype) in zip(arrays, kinds) if has_gradients(dtype))

    def run(*given):
        known = {**scalars, **{name: np.asarray(array) for name, array in zip(arrays, given)}}
        results = entry(*(known[p["name"]] for p in entry._parameters), plan=plan, **settings)
        return results if isinstance(results, tuple) else (results,)

    def pull(needed, values, gradients):
        known = {**scalars, **{name: np.asarray(value) for name, value in zip(needed, values)}}
        given = [np.conj(np.asarray(g)) if has_gradients(dtype) else None for g, (_, dtype) in zip(gradients, outline)]
        pulled = instance.pull(HOST, wanted, known, given, lambda adjoint, taken: adjoint(*taken, plan=plan))
        return tuple(np.conj(g) for g in pulled)

    @jax.custom_vjp
    def call(*given):
        results = jax.pure_callback(run, _structs(outline), *given, vmap_method="sequential")
        return results[0] if len(results) == 1 else tuple(results)

    def forward(*given):
        needed = set(instance.needed(wanted))
        return call(*given), tuple(array for name, array in zip(arrays, given) if name in needed)

    def backward(kept, gradients):
        gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
        gradients = [g if has_gradients(dtype) else np.zeros(shape, dtype)
                     for g, (shape, dtype) in zip(gradients, outline)]  # fmt: skip
        needed = [name for name in arrays if name in set(instance.needed(wanted))]
        kinds_of = dict(zip(arrays, kinds))
        pulled = jax.pure_callback(functools.partial(pull, needed), _structs(kinds_of[name] for name in wanted), kept,
                                   tuple(gradients), vmap_method="sequential")  # fmt: skip
        made = dict(zip(wanted, pulled))
        return tuple(made[name] if name in made else np.zeros(kinds_of[name][0], jax.dtypes.float0) for name in arrays)

    call.defvjp(forward, backward)
    return call
