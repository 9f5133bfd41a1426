"""Derivatives for PyTorch: the package's functions and every algorithm on tensors that require gradients.

An operator of torch.library, `idc::call`, runs an algorithm. It has a fake implementation, so that torch.compile traces
calls without a graph break (import this module before compiling), and its backward function calls the algorithm's adjoint
(docs/adjoints.md), which is an algorithm, too: so derivatives have derivatives. Tensors on the CPU are taken as NumPy's
arrays, without a copy.
"""

# No annotations as strings here: torch.library reads them.
import json
import math
import sys
from typing import List

import numpy as np
import torch

from . import adjoints, axes, devices, fft
from .devices import View
from .errors import CompileError, Error
from .program import _setting, numbered


def takes(array) -> bool:
    """Whether a call with this array comes here; see devices.with_derivatives()."""
    if not isinstance(array, torch.Tensor):
        return False
    if torch.compiler.is_dynamo_compiling():
        return True
    return array.requires_grad and torch.is_grad_enabled()


# ---- the operator ----

_used = {}  # algorithms by number: graphs that name them may live longer than their programs


def _numpy_type(dtype: torch.dtype) -> np.dtype:
    name = str(dtype).rpartition(".")[2]
    if name in ("bfloat16", "complex32"):
        raise Error(f"no element type of the language is {dtype}")
    return np.dtype(name)


def _torch_type(dtype: np.dtype) -> torch.dtype:
    return getattr(torch, dtype.name)


def _own(tensor: torch.Tensor):
    """A tensor as the package's functions take it when no derivatives are asked for."""
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.device.type != "cuda":
        return tensor.numpy()
    return tensor.contiguous() if 0 in tensor.stride() else tensor


def _tensors(results) -> List[torch.Tensor]:
    results = results if isinstance(results, (tuple, list)) else (results,)
    return [r if isinstance(r, torch.Tensor) else torch.from_numpy(np.ascontiguousarray(r)) for r in results]


def _instance(call: dict) -> adjoints.Instance:
    views = [View(np.dtype(dtype), tuple(shape), (), 0) for shape, dtype in call["arrays"]]
    return adjoints.instance_of(_used[call["entry"]], views, call["settings"], _setting)


def _described(arrays, call: str) -> dict:
    """The call with the shapes and dtypes of its arrays."""
    read = json.loads(call)
    read["arrays"] = [([int(n) for n in a.shape], _numpy_type(a.dtype).str) for a in arrays]
    return read


def _scalars(call: dict) -> list:
    return [complex(*value) if isinstance(value, list) else value for value in call["scalars"]]


@torch.library.custom_op("idc::call", mutates_args=())
def _call(arrays: List[torch.Tensor], call: str) -> List[torch.Tensor]:
    read = json.loads(call)
    entry = _used[read["entry"]]
    given, scalars = iter([_own(a) for a in arrays]), iter(_scalars(read))
    arguments = [next(given) if p["dimensions"] else next(scalars) for p in entry._parameters]
    return _tensors(entry(*arguments, plan=read["plan"], **read["settings"]))


@_call.register_fake
def _(arrays, call):
    outline = _instance(_described(arrays, call)).outline()
    return [arrays[0].new_empty(shape, dtype=_torch_type(dtype)) for shape, dtype in outline]


class _Traced(devices.Family):
    """Tensors in operations that PyTorch can differentiate and trace."""

    def view(self, array):
        return View(_numpy_type(array.dtype), tuple(array.shape), (), 0)

    def convert(self, array, dtype):
        return array.to(_torch_type(dtype))


_TRACED = _Traced()


def _setup(ctx, inputs, output):
    """Saves the arrays that the adjoint takes: none, where the algorithm is linear."""
    arrays, call = inputs
    read = _described(arrays, call)
    names = [p["name"] for p in _used[read["entry"]]._parameters if p["dimensions"]]
    instance = _instance(read)
    floating = [a.is_floating_point() or a.is_complex() for a in arrays]
    asked = [f and a.requires_grad for f, a in zip(floating, arrays)]
    if not any(asked):
        asked = floating
    read["names"] = [name for name, is_asked in zip(names, asked) if is_asked]
    try:
        needed = set(instance.needed(tuple(read["names"])))
    except CompileError:  # there is no adjoint, which is said when it is asked for
        needed = set(names)
    read["needed"] = [name for name in names if name in needed]
    ctx.asked, ctx.call, ctx.device = asked, json.dumps(read), arrays[0].device
    ctx.results = [(tuple(o.shape), o.dtype) for o in output]
    ctx.save_for_backward(*[a for name, a in zip(names, arrays) if name in needed])


def _backward(ctx, *gradients):
    if len(gradients) == 1 and isinstance(gradients[0], (list, tuple)):
        gradients = gradients[0]
    given = [torch.zeros(shape, dtype=dtype, device=ctx.device) if g is None else g
             for g, (shape, dtype) in zip(gradients, ctx.results)]  # fmt: skip
    read = json.loads(ctx.call)
    parameters = _used[read["entry"]]._parameters
    values = dict(zip([p["name"] for p in parameters if not p["dimensions"]], _scalars(read)))
    values.update(zip(read["needed"], ctx.saved_tensors))

    def apply(adjoint, taken):
        scalars = tuple(value for i, value in enumerate(taken) if i not in adjoint._arrays)
        return _run(adjoint.number, [taken[i] for i in adjoint._arrays], scalars, (), read["plan"])

    pulled = iter(_instance(read).pull(_TRACED, tuple(read["names"]), values, given, apply))
    return [next(pulled) if is_asked else None for is_asked in ctx.asked], None


_call.register_autograd(_backward, setup_context=_setup)


@torch.compiler.assume_constant_result
def _spelled(number: int, scalars: tuple, plan: str, settings: tuple) -> str:
    _used[number] = numbered[number]
    scalars = [v.item() if isinstance(v, np.generic) else v for v in scalars]
    plain = [[v.real, v.imag] if isinstance(v, complex) else v for v in scalars]
    texts = {name: value if isinstance(value, (bool, int, float, str)) else _setting(value) for name, value in settings}
    return json.dumps({"entry": number, "scalars": plain, "plan": plan, "settings": texts})


def _run(number: int, arrays: list, scalars: tuple = (), settings: tuple = (), plan: str = "throughput"):
    results = _call(arrays, _spelled(number, scalars, plan, settings))
    return results[0] if len(results) == 1 else tuple(results)


def call(entry, arguments: tuple, out, plan: str, settings: dict):
    """A call of an algorithm."""
    if out is not None:
        raise Error("results with out= have no derivatives")
    arrays = [arguments[i] for i in entry._arrays]
    arrays = [a if isinstance(a, torch.Tensor) else torch.as_tensor(a) for a in arrays]
    scalars = tuple(a for i, a in enumerate(arguments) if i not in entry._arrays)
    return _run(entry.number, arrays, scalars, tuple(settings.items()), plan)


@torch.compiler.assume_constant_result
def _number(file: str, name: str) -> int:
    """The number of an algorithm of the package's programs, or of the standard library."""
    return (axes.entry(file, name) if file == fft._FILE else getattr(axes.program(file), name)).number


# ---- the transforms of idc.fft, by the names of their common forms ----


def _complex(x):
    if x.is_complex():
        return x
    return x.to(torch.complex64 if x.dtype in (torch.float16, torch.float32) else torch.complex128)


def _real(x):
    if x.is_complex():
        raise TypeError(f"no transform of real values takes {x.dtype}")
    if x.dtype in (torch.float32, torch.float64):
        return x
    return x.to(torch.float32 if x.dtype == torch.float16 else torch.float64)


def _one(name, x, n, axis, by, *settings):
    if x.shape[axis] == 0:
        raise ValueError("the axis that is transformed has no elements")
    settings = (("N", n), *settings)
    if axis == x.dim() - 1:
        return _run(_number(fft._FILE, name), [x], (by,), settings)
    before, behind = list(x.shape[:axis]), list(x.shape[axis + 1 :])
    x = x.reshape((-1, x.shape[axis], _product(behind)))
    y = _run(_number(fft._FILE, name + "_side"), [x], (by,), settings)
    return y.reshape((*before, y.shape[1], *behind))


def _product(lengths):
    product = 1
    for length in lengths:
        product *= length
    return product


def _last(x, axis):
    """The tensor with an axis behind the others."""
    return x if axis == x.dim() - 1 else x.movedim(axis, -1).contiguous()


def _c2c(x, n, axis, norm, forward, workers, plan):
    axis = axes.axis_of(axis, x.dim())
    n = fft._length(n, x.shape[axis])
    return _one("c2c", _complex(x), n, axis, fft._scale(norm, n, forward), ("sign", 1 if forward else -1))


def _r2c(x, n, axis, norm, forward, workers, plan):
    axis = axes.axis_of(axis, x.dim())
    n = fft._length(n, x.shape[axis])
    return _one("r2c", _real(x), n, axis, fft._scale(norm, n, forward), ("conjugated", not forward))


def _c2r(x, n, axis, norm, forward, workers, plan):
    axis = axes.axis_of(axis, x.dim())
    n = fft._length(n, 2 * (x.shape[axis] - 1))
    return _one("c2r", _complex(x), n, axis, fft._scale(norm, n, forward), ("conjugated", forward))


def _lengths(shape, s, given):
    """Axes counted from the front, and the length that is asked for along each, or None; as idc.fft reads them."""
    if s is not None and not isinstance(s, (list, tuple)):
        s = [s]
    if given is None:
        count = len(shape) if s is None else len(s)
        if count > len(shape):
            raise ValueError("shape requires more axes than are present")
        given = list(range(len(shape) - count, len(shape)))
    elif not isinstance(given, (list, tuple)):
        given = [given]
    chosen = [axes.axis_of(axis, len(shape)) for axis in given]
    if s is not None and len(s) != len(chosen):
        raise ValueError("when given, axes and shape arguments have to be of the same length")
    return chosen, [None] * len(chosen) if s is None else [None if n is None or n == -1 else n for n in s]


def _c2cn(x, s, several, norm, forward, workers, plan):
    several, s = _lengths(x.shape, s, several)
    lengths = [fft._length(n, x.shape[axis]) for axis, n in zip(several, s)]
    x = _complex(x)
    for axis, n in list(zip(several, lengths))[::-1]:
        x = _one("c2c", x, n, axis, fft._scale(norm, n, forward), ("sign", 1 if forward else -1))
    return x


def _r2cn(x, s, several, norm, workers, plan):
    several, s = _lengths(x.shape, s, several)
    if not several:
        raise ValueError("at least 1 axis must be transformed")
    x = _r2c(x, s[-1], several[-1], norm, True, workers, plan)
    return _c2cn(x, s[:-1], several[:-1], norm, True, workers, plan) if len(several) > 1 else x


def _c2rn(x, s, several, norm, workers, plan):
    several, s = _lengths(x.shape, s, several)
    if not several:
        raise ValueError("at least 1 axis must be transformed")
    if len(several) > 1:
        x = _c2cn(x, s[:-1], several[:-1], norm, False, workers, plan)
    return _c2r(x, s[-1], several[-1], norm, False, workers, plan)


def _r2r(x, type, n, given, several, norm, forward, orthogonalize, workers, sine):
    if x.is_complex():
        rest = (type, n, given, several, norm, forward, orthogonalize, workers, sine)
        return torch.complex(_r2r(x.real, *rest), _r2r(x.imag, *rest))
    kind = fft._kind(type, forward)
    if orthogonalize is None:
        orthogonalize = norm == "ortho"
    orthogonal = bool(orthogonalize) and not (kind == 4 or (kind == 1 and sine))
    chosen, lengths = _lengths(x.shape, n, given) if several else ([axes.axis_of(given, x.dim())], [n])
    x = _real(x)
    for axis, length in zip(chosen, lengths):
        length = fft._length(length, x.shape[axis])
        if kind == 1 and not sine and length < 2:
            raise ValueError("a cosine transform of the first kind is of at least 2 values")
        period = 2 * (length + (0 if kind > 1 else 1 if sine else -1))
        by = fft._scale(norm, period, forward) * (math.sqrt(period) if orthogonal else 1.0)
        x = _one("r2r", x, length, axis, by, ("kind", kind), ("sine", sine), ("orthonormal", orthogonal))
    return x


transforms = {form.__name__: form for form in (_c2c, _r2c, _c2r, _c2cn, _r2cn, _c2rn, _r2r)}


# ---- idc.functions, by their names ----


def _promoted(*given):
    """Tensors of one floating type and one device."""
    device, dtype, tensors = None, None, []
    for one in given:
        if isinstance(one, torch.Tensor):
            device = one.device
    for one in given:
        tensor = one if isinstance(one, torch.Tensor) else torch.as_tensor(one, device=device)
        dtype = tensor.dtype if dtype is None else torch.promote_types(dtype, tensor.dtype)
        tensors.append(tensor)
    if not dtype.is_floating_point and not dtype.is_complex:
        dtype = torch.float64
    return [t if t.dtype == dtype else t.to(dtype) for t in tensors]


def solve_tridiagonal(a, b, c, d, *, pivoting=True, periodic=False):
    if not pivoting and periodic:
        raise ValueError("periodic systems of any size are solved with pivoting")
    name = ("periodic_" if periodic else "") + ("tridiagonal_pivoting_any" if pivoting else "tridiagonal_any")
    number = _number("tridiagonal_pivoting.id" if pivoting else "tridiagonal.id", name)
    return _run(number, _promoted(a, b, c, d))


def cumsum(x, axis=None, *, exclusive=False):
    if not x.is_floating_point() and not x.is_complex():
        x = x.to(torch.int64)
    if axis is None:
        x, axis = x.reshape((-1,)), 0
    axis = axes.axis_of(axis, x.dim())
    number = _number("scan.id", "exclusive_scan_any" if exclusive else "inclusive_scan_any")
    return _run(number, [_last(x, axis)]).movedim(-1, axis)


def sort(x, axis=-1, *, descending=False):
    axis = axes.axis_of(axis, x.dim())
    x = _last(x, axis)
    count = x.shape[-1]
    whole = 1 << max(count - 1, 0).bit_length()
    if whole != count:
        if x.is_floating_point():
            last = -math.inf if descending else math.inf
        else:
            last = torch.iinfo(x.dtype).min if descending else torch.iinfo(x.dtype).max
        x = torch.cat([x, x.new_full((*x.shape[:-1], whole - count), last)], -1)
    number = _number("sort.id", "bitonic_sort_descending" if descending else "bitonic_sort")
    return _run(number, [x])[..., :count].movedim(-1, axis)


def _convolution(name, x, h, mode):
    parts = {"full": 1, "same": 0, "valid": -1}
    if mode not in parts:
        raise ValueError(f"mode is 'full', 'same' or 'valid', not {mode!r}")
    return _run(_number("real_convolution.id", name), _promoted(x, h), (), (("part", parts[mode]),))


def convolve(x, h, mode="full"):
    return _convolution("convolve1d", x, h, mode)


def correlate(x, h, mode="full"):
    return _convolution("correlate1d", x, h, mode)


def hadamard(x):
    return _run(_number("hadamard.id", "hadamard"), [x])


functions = {form.__name__: form for form in (solve_tridiagonal, cumsum, sort, convolve, correlate, hadamard)}

devices.torch_side = sys.modules[__name__]
