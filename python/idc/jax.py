"""JAX: an algorithm as a function that jax.jit, jax.grad, jax.vjp and jax.vmap take.

    f = idc.jax.function(idc.load("real.id").rfft)
    jax.jit(jax.grad(lambda x: abs(f(x)).sum()))(x)

It runs where the arrays are, on the CPU or a GPU, through XLA's foreign function interface (jax.ffi), on XLA's stream and in
its memory, and is compiled for that device at its first execution. Derivatives are algorithms, too
(docs/adjoints.md), so that they have derivatives.
"""

from __future__ import annotations

import functools
from typing import Any, Callable, Mapping, Optional

import jax
import jax.numpy as jnp
import numpy as np

from . import libidc, xla
from .adjoints import Instance, has_gradients, instance_of
from .devices import Family, View
from .errors import CompileError, Error
from .program import Entry, Setting, _setting


def function(entry: Entry, scalars: Optional[Mapping[str, Any]] = None, plan: str = "throughput",
             **settings: Setting) -> Callable:  # fmt: skip
    """The algorithm as a function of JAX's arrays, in the order of its parameters; those without brackets are given
    here, by name. Axes before those that a parameter declares are the batch, whose lengths are broadcast. Cotangents are
    those of JAX: of complex numbers the conjugates of what Entry.vjp() gives."""
    scalars = dict(scalars or {})
    names = [p["name"] for p in entry._parameters if not p["dimensions"]]
    if sorted(scalars) != sorted(names):
        raise Error(f"{entry.__name__} needs scalars for {', '.join(names) or 'none'}")
    typed = functools.lru_cache(maxsize=None)(functools.partial(_Typed, entry, scalars, plan, settings))

    def call(*arrays):
        if len(arrays) != len(entry._arrays):
            raise TypeError(f"{entry.__name__} takes {len(entry._arrays)} arrays, not {len(arrays)}")
        arrays = [jnp.asarray(a) for a in arrays]
        return typed(tuple((tuple(a.shape), np.dtype(a.dtype)) for a in arrays)).differentiable(*arrays)

    call.__name__, call.__doc__ = entry.__name__, entry.__doc__
    return call


class _Traced(Family):
    """Arrays in operations that JAX can differentiate and trace."""

    def view(self, array):
        return View(np.dtype(array.dtype), tuple(array.shape), (), 0)

    def convert(self, array, dtype):
        return array.astype(dtype)


_TRACED = _Traced()


@functools.lru_cache(maxsize=None)
def _target() -> str:
    """The name under which XLA knows the functions that run algorithms."""
    for platform, function in xla.functions().items():
        jax.ffi.register_ffi_target("idc", jax.ffi.pycapsule(function), platform=platform)
    return "idc"


class _Typed:
    """An algorithm for arrays of certain shapes and dtypes."""

    def __init__(self, entry: Entry, scalars: dict, plan: str, settings: dict, kinds: tuple):
        views = [View(dtype, shape, (), 0) for shape, dtype in kinds]
        self._entry, self._scalars, self._plan, self._kinds = entry, scalars, plan, kinds
        self._instance = instance_of(entry, views, settings, _setting)
        self._outline = self._instance.outline()
        self._names = [p["name"] for p in entry._parameters if p["dimensions"]]
        self._wanted = tuple(name for name, (_, dtype) in zip(self._names, kinds) if has_gradients(dtype))
        self._adjoints: dict[int, Callable] = {}
        values = [np.array(scalars[p["name"]], self._instance.dtype(p["element"]))
                  for p in entry._parameters if not p["dimensions"]]  # fmt: skip
        request = libidc.Request(**entry._program._source)
        request.entry(entry.__name__)
        request.plan(plan)
        for name, text in self._instance.texts.items():
            request.set(name, text)
        self._algorithm = xla.algorithm(request, values)
        self.differentiable = jax.custom_vjp(self._run)
        self.differentiable.defvjp(self._forward, self._backward)

    def _run(self, *arrays):
        batch = self._instance.batch
        given = []
        for array, dtype, number in zip(arrays, self._instance.dtypes, self._entry._arrays):
            axes = len(self._entry._parameters[number]["dimensions"])
            own = tuple(array.shape[array.ndim - axes :])
            given.append(jnp.broadcast_to(array.astype(dtype), batch + own))
        made = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in self._outline]
        call = jax.ffi.ffi_call(_target(), made, vmap_method="broadcast_all")
        results = call(*given, algorithm=np.int64(self._algorithm))
        return results[0] if len(results) == 1 else tuple(results)

    def _needed(self) -> set[str]:
        try:
            return set(self._instance.needed(self._wanted))
        except CompileError:  # there is no adjoint, which is said when it is asked for
            return set(self._names)

    def _forward(self, *arrays):
        needed = self._needed()
        return self.differentiable(*arrays), {name: array for name, array in zip(self._names, arrays) if name in needed}

    def _backward(self, kept, gradients):
        gradients = gradients if isinstance(gradients, (tuple, list)) else (gradients,)
        given = [jnp.conj(g) if has_gradients(dtype) else jnp.zeros(shape, dtype)
                 for g, (shape, dtype) in zip(gradients, self._outline)]  # fmt: skip
        pulled = self._instance.pull(_TRACED, self._wanted, {**self._scalars, **kept}, given, self._adjoint)
        made = {name: jnp.conj(gradient) for name, gradient in zip(self._wanted, pulled)}
        return tuple(made[name] if name in made else np.zeros(shape, jax.dtypes.float0)
                     for name, (shape, _) in zip(self._names, self._kinds))  # fmt: skip

    def _adjoint(self, adjoint: Entry, taken: list):
        parameters = list(zip(adjoint._parameters, taken))
        if adjoint.number not in self._adjoints:
            scalars = {p["name"]: value for p, value in parameters if not p["dimensions"]}
            self._adjoints[adjoint.number] = function(adjoint, scalars, self._plan)
        return self._adjoints[adjoint.number](*(value for p, value in parameters if p["dimensions"]))
