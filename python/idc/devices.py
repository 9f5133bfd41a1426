"""Arrays of the libraries that people have them in: NumPy's on the CPU; PyTorch's, CuPy's and JAX's on a GPU.

A family is what calls ask about arrays of one kind: where an array lies, how to make another, on which stream its
library works. Results and workspaces are made by the library whose array the first argument is, with its allocator,
and kernels run on its current stream, so that they are in order with everything else the caller does, and captured when
a graph is.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from .errors import Error


class View(NamedTuple):
    """Where an array lies; `strides` are in bytes."""

    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    pointer: int


_HERE = contextlib.nullcontext()


def dense_strides(shape: tuple[int, ...]) -> list[int]:
    """The distances of neighbours, in elements, in an array whose elements follow each other."""
    strides, product = [], 1
    for length in reversed(shape):
        strides.append(product)
        product *= length
    return strides[::-1]


class Family:
    """Arrays of one library on one device. `place` tells devices apart."""

    target = "cpu"
    place: Any = None

    def view(self, array) -> View:
        raise NotImplementedError

    def pointer(self, array) -> int:
        return self.view(array).pointer

    def empty(self, shape: tuple[int, ...], dtype: np.dtype):
        raise NotImplementedError

    def maker(self, shape: tuple[int, ...], dtype: np.dtype) -> Callable:
        """A function that makes such arrays."""
        return functools.partial(self.empty, shape, dtype)

    def convert(self, array, dtype: np.dtype):
        """The elements as another type, dense."""
        raise NotImplementedError

    def dense(self, array, shape: tuple[int, ...]):
        """A copy whose elements follow each other, repeated along axes that the array lacks of the shape."""
        raise NotImplementedError

    def axis_last(self, array, axis: int):
        """A view with one axis moved behind the others, and back."""
        raise NotImplementedError

    def axis_back(self, array, axis: int):
        raise NotImplementedError

    def stream(self) -> Optional[int]:
        return None

    def is_current(self) -> bool:
        """Whether the device is the current one."""
        return True

    def current(self):
        """A context in which the device is the current one."""
        return _HERE

    @staticmethod
    def identity(families: dict[int, "Family"]) -> Callable[[Any], Optional[tuple]]:
        """A function of an array without derivatives: what tells apart arrays for which other code is compiled, as a key,
        and the array's pointer; None for one that has to be looked at more closely, as all do on a GPU without a family
        here, by the GPUs' numbers."""
        raise NotImplementedError

    @staticmethod
    def device_number(array) -> int:
        """The number of the GPU in whose memory an array lies; below 0 for none."""
        raise NotImplementedError


_address, _from_buffer = ctypes.addressof, ctypes.c_char.from_buffer


def host_pointer(array: np.ndarray) -> int:
    """Where a NumPy array's first element lies."""
    try:
        return _address(_from_buffer(array))  # a third of the time of the attribute below
    except (TypeError, ValueError, BufferError):  # read-only, empty, or not dense
        return array.ctypes.data


class Host(Family):
    """NumPy's arrays."""

    def view(self, array) -> View:
        return View(array.dtype, array.shape, array.strides, host_pointer(array))

    def pointer(self, array) -> int:
        return host_pointer(array)

    def empty(self, shape, dtype):
        return np.empty(shape, dtype)

    def maker(self, shape, dtype):
        return functools.partial(np.empty, shape, dtype)

    def convert(self, array, dtype):
        return np.ascontiguousarray(array, dtype)

    def dense(self, array, shape):
        return np.array(np.broadcast_to(array, shape), order="C", copy=True)

    def axis_last(self, array, axis):
        return np.moveaxis(array, axis, -1)

    def axis_back(self, array, axis):
        return np.moveaxis(array, -1, axis)


HOST = Host()


def target_for(capability: tuple[int, int]) -> str:
    """The newest architecture that the compiler knows and that such a device runs."""
    from . import libidc

    target = libidc.lib.idc_target_for(*capability)
    if target is None:
        raise Error(f"the compiler has no target for a GPU of compute capability {capability[0]}.{capability[1]}")
    return target.decode()


class Torch(Family):
    """PyTorch's tensors on one GPU."""

    def __init__(self, array):
        import torch

        device = array.device
        self._torch, self._device, self._index = torch, device, device.index
        self.place = ("torch", device.index)
        self._current_index = getattr(torch._C, "_cuda_getDevice", None) or torch.cuda.current_device
        # A tenth of the time of the function below, which every PyTorch has.
        raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None) or (
            lambda index: torch.cuda.current_stream(index).cuda_stream
        )
        self.stream = functools.partial(raw_stream, self._index)
        self.target = target_for(torch.cuda.get_device_capability(device))
        self._to_numpy = {
            getattr(torch, name): np.dtype(name)
            for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64",
                         "complex64", "complex128")
        }  # fmt: skip
        self._from_numpy = {dtype: own for own, dtype in self._to_numpy.items()}

    def view(self, array):
        if array.requires_grad and self._torch.is_grad_enabled():
            raise Error("a tensor that requires gradients cannot be taken here, with out= or beside arrays of NumPy: "
                        "pass tensor.detach()")  # fmt: skip
        if array.is_conj() or array.is_neg():
            raise Error("a tensor that stands for its conjugate or negative has no elements of its own: resolve_conj()")
        dtype = self._to_numpy.get(array.dtype)
        if dtype is None:
            raise Error(f"no element type of the language is {array.dtype}")
        size = array.element_size()
        return View(dtype, tuple(array.shape), tuple(s * size for s in array.stride()), array.data_ptr())

    def pointer(self, array):
        return array.data_ptr()

    def empty(self, shape, dtype):
        return self.maker(shape, dtype)()

    def maker(self, shape, dtype):
        if dtype not in self._from_numpy:
            raise Error(f"PyTorch has no element type for {dtype}")
        # Two thirds of the time that torch.empty() takes.
        return functools.partial(self._torch.empty_strided, shape, dense_strides(shape), dtype=self._from_numpy[dtype],
                                 device=self._device)  # fmt: skip

    def convert(self, array, dtype):
        return array.to(self._from_numpy[dtype]).contiguous()

    def dense(self, array, shape):
        return array.expand(shape).clone(memory_format=self._torch.contiguous_format)

    def axis_last(self, array, axis):
        return array.movedim(axis, -1)

    def axis_back(self, array, axis):
        return array.movedim(-1, axis)

    def is_current(self):
        return self._current_index() == self._index

    def current(self):
        return _HERE if self.is_current() else self._torch.cuda.device(self._device)

    @staticmethod
    def identity(families):
        from torch import Tensor

        # The functions themselves: finding them by an object's attribute takes half as long again.
        is_conj, is_neg, get_device = Tensor.is_conj, Tensor.is_neg, Tensor.get_device
        stride, data_ptr = Tensor.stride, Tensor.data_ptr

        def identity(array):
            if is_conj(array) or is_neg(array) or (number := get_device(array)) not in families:
                return None
            return (array.dtype, array.shape, stride(array), number), data_ptr(array)

        return identity

    @staticmethod
    def device_number(array):
        return array.get_device()


class Cupy(Family):
    """CuPy's arrays on one GPU, and what has `__cuda_array_interface__` or `__dlpack__` and no family of its own."""

    def __init__(self, array):
        import cupy

        index = array.device.id
        self._cupy, self._device, self._index = cupy, cupy.cuda.Device(index), index
        self.place = ("cupy", index)
        capability = self._device.compute_capability
        self.target = target_for((int(capability[:-1]), int(capability[-1])))

    def view(self, array):
        return View(array.dtype, array.shape, array.strides, array.data.ptr)

    def pointer(self, array):
        return array.data.ptr

    def empty(self, shape, dtype):
        return self._cupy.empty(shape, dtype)

    def convert(self, array, dtype):
        return self._cupy.ascontiguousarray(array, dtype)

    def dense(self, array, shape):
        return self._cupy.array(self._cupy.broadcast_to(array, shape), order="C", copy=True)

    def axis_last(self, array, axis):
        return self._cupy.moveaxis(array, axis, -1)

    def axis_back(self, array, axis):
        return self._cupy.moveaxis(array, -1, axis)

    def stream(self):
        return self._cupy.cuda.get_current_stream().ptr or None

    def is_current(self):
        return self._cupy.cuda.runtime.getDevice() == self._index

    def current(self):
        return self._device

    @staticmethod
    def identity(families):
        def identity(array):
            number = array.device.id
            return ((array.dtype, array.shape, array.strides, number), array.data.ptr) if number in families else None

        return identity

    @staticmethod
    def device_number(array):
        return array.device.id


_families: dict[type, dict[int, Family]] = {}  # by kind and the GPU's number
_identities: dict[type, Callable] = {}  # by the type of arrays


def _kept(kind: type, array) -> Family:
    families = _families.setdefault(kind, {})
    number = kind.device_number(array)
    if number not in families:
        families[number] = kind(array)
    if type(array) not in _identities:
        _identities[type(array)] = kind.identity(families)
    return families[number]


def identity_of(array) -> Optional[tuple]:
    """What Family.identity()'s function says of an array on a GPU whose family is known; None for all others."""
    identity = _identities.get(type(array))
    return identity(array) if identity is not None else None


torch_side = None  # idc.torch, once it is imported


def with_derivatives(array) -> bool:
    """Whether a call of an array goes through idc.torch: it is a tensor that requires gradients, or torch.compile
    traces the call. The first such tensor imports it."""
    if torch_side is not None:
        return torch_side.takes(array)
    if not getattr(array, "requires_grad", False) or _module_of(array) != "torch":
        return False
    from . import torch as _  # sets the variable

    return torch_side.takes(array)


def _module_of(array) -> str:
    return type(array).__module__.split(".")[0]


def family_of(array) -> tuple[Family, Any]:
    """The family of an array and the array as one of the family; NumPy's for everything that lies on the CPU."""
    if isinstance(array, np.ndarray):
        return HOST, array
    module = _module_of(array)
    if module == "torch" and "torch" in sys.modules and array.device.type == "cuda":
        if array.is_conj() or array.is_neg():
            array = array.resolve_conj().resolve_neg()
        return _kept(Torch, array), array
    if module == "cupy" and hasattr(array, "__cuda_array_interface__"):
        return _kept(Cupy, array), array
    if hasattr(array, "__cuda_array_interface__") or _on_gpu(array):
        return _through_cupy(array)
    return HOST, np.asarray(array)


def _on_gpu(array) -> bool:
    """Whether an array that speaks DLPack lies in a GPU's memory (device types 2, CUDA, and 13, CUDA managed)."""
    device = getattr(array, "__dlpack_device__", None)
    return device is not None and int(device()[0]) in (2, 13)


def _through_cupy(array) -> tuple[Family, Any]:
    """Arrays of other libraries as CuPy's, or PyTorch's, without a copy; results are theirs, too."""
    if "cupy" in sys.modules or "torch" not in sys.modules:
        try:
            import cupy
        except ImportError as error:
            raise Error(f"an array of {_module_of(array)} on a GPU needs CuPy or PyTorch, to make results with") from error
        taken = cupy.from_dlpack(array) if hasattr(array, "__dlpack__") else cupy.asarray(array)
    else:
        import torch

        taken = torch.from_dlpack(array) if hasattr(array, "__dlpack__") else torch.as_tensor(array, device="cuda")
    return family_of(taken)
