"""Programs in the language as Python objects whose algorithms are functions of arrays."""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
import weakref
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import adjoints, devices, libidc, sizes
from .devices import HOST, Family, View, family_of, host_pointer, identity_of, with_derivatives
from .errors import Error, warn_of_copy
from .explanation import Explanation
from .layouts import layout_of
from .types import dtype_of, name_of, real_of

Setting = Union[int, float, bool, str, type, np.dtype]

# Calls that an algorithm keeps. Whoever calls with ever new shapes compiles each time, or asks libidc.
_MOST_CALLS = 4096

_numbers = itertools.count()
numbered: weakref.WeakValueDictionary = weakref.WeakValueDictionary()  # entries by number, for those that name them so


def load(file: Union[str, os.PathLike], folders: Iterable[Union[str, os.PathLike]] = ()) -> "Program":
    """The program in a file, which may be one of the standard library without its folder. Imports are looked for in the
    file's folder, in `folders` and in the standard library.

    >>> import idc, numpy as np
    >>> scan = idc.load("scan.id")
    >>> scan.inclusive_scan(np.array([1., 2., 3., 4.]))
    array([ 1.,  3.,  6., 10.])
    """
    return Program(file=os.fspath(file), folders=[os.fspath(folder) for folder in folders])


def compile(text: str, name: str = "<text>", folders: Iterable[Union[str, os.PathLike]] = ()) -> "Program":
    """The program in a string, called `name` in messages.

    >>> import idc, numpy as np
    >>> program = idc.compile('''
    ... func twice<T>(x: T) -> T { return x + x; }
    ... algorithm doubled<T>(x: T[N]) -> T[N] { return x |> twice; }
    ... ''')
    >>> program.doubled(np.arange(3.))
    array([0., 2., 4.])
    """
    return Program(text=text, name=name, folders=[os.fspath(folder) for folder in folders])


class Program:
    """A program. Each of its algorithms is an attribute, a function (Entry); `dir()` lists them."""

    def __init__(self, file: Optional[str] = None, text: Optional[str] = None, name: str = "<text>", folders=()):
        self._source = dict(file=file, text=text, name=name, folders=list(folders))
        described = libidc.Request(**self._source).describe()
        self._entries = {algorithm["name"]: Entry(self, algorithm) for algorithm in described}

    def __getattr__(self, name: str) -> "Entry":
        try:
            return self.__dict__["_entries"][name]
        except KeyError:
            known = ", ".join(self.__dict__.get("_entries", {}))
            raise AttributeError(f"the program has no algorithm '{name}'; it has {known or 'none'}") from None

    def __dir__(self):
        return list(self._entries) + list(super().__dir__())

    def __repr__(self) -> str:
        return f"<idc program {self._source['file'] or self._source['name']}: {', '.join(self._entries)}>"


class Entry:
    """An algorithm, to be called with arrays and scalars in the order of its parameters.

    The last axes of an array are those that its parameter declares; axes before them are the batch, whose lengths are
    broadcast between the arguments. Sizes and type variables come from shapes and dtypes; those that shapes do not
    decide, and other parameters in <..>, are keywords: `irfft(x, N=100)`, `f(x, T="f32")`. Results have the batch's axes
    and those that the algorithm declares; with `out`, an array or a tuple of them, they are written there. `plan` is
    "throughput", or "latency" for one problem at a time.

    A call with new shapes, dtypes or strides compiles, which takes tenths of a second unless it is in the cache.
    """

    def __init__(self, program: Program, algorithm: dict):
        self._program, self._algorithm = program, algorithm
        self._parameters = algorithm["parameters"]
        self._arrays = [i for i, p in enumerate(self._parameters) if p["dimensions"]]
        self._calls: dict[Any, Any] = {}
        self._instances: dict[Any, Any] = {}
        self.number = next(_numbers)
        numbered[self.number] = self
        self.__name__ = algorithm["name"]
        declared = ", ".join(f"{p['name']}: {p['text']}" for p in self._parameters)
        results = ", ".join(r["text"] for r in algorithm["results"])
        self.__doc__ = f"{self.__name__}({declared}) -> {results}\n\n{algorithm['doc']}"

    def __repr__(self) -> str:
        return f"<idc algorithm {self.__doc__.splitlines()[0]}>"

    def __call__(self, *arguments, out=None, plan: str = "throughput", **settings: Setting):
        pointers, key, known = [], [plan], None
        if len(arguments) == len(self._parameters):
            for i in self._arrays:
                array = arguments[i]
                if type(array) is np.ndarray:
                    pointer = host_pointer(array)
                    key += array.dtype, array.shape, array.strides, pointer & 15
                elif with_derivatives(array):
                    return devices.torch_side.call(self, arguments, out, plan, settings)
                elif (identity := identity_of(array)) is not None:
                    own, pointer = identity
                    key += own
                    key.append(pointer & 15)
                else:
                    break
                pointers.append(pointer)
            else:
                if settings:
                    key += settings.items()
                known = tuple(key)
                call = self._calls.get(known)
                if call is not None:
                    return call(arguments, pointers, out)
        call, arguments, pointers = self.find(arguments, plan, settings)
        if known is not None:
            self._calls[known] = call
        return call(arguments, pointers, out)

    def vjp(self, *arguments, gradient, with_respect_to: Union[None, str, Iterable[str]] = None,
            plan: str = "throughput", **settings: Setting):  # fmt: skip
        """The gradients of arguments from those of the results: the vector-Jacobian product.

        `arguments` and settings are those of a call, `gradient` is an array of the result's shape, or a tuple of one
        for each result, where None stands for zeros. A gradient has its argument's shape and dtype; several are a tuple,
        one for each array of real or complex numbers, or for each parameter that `with_respect_to` names. Those of
        arguments that a batch shares are summed over it. Of complex numbers they are dL/d(re) + i dL/d(im), as PyTorch has them.

        >>> import idc, numpy as np
        >>> program = idc.compile('''
        ... func product<T>(x: T, y: T) -> T { return x * y; }
        ... algorithm times<T>(x: T[N], y: T[N]) -> T[N] { return (x, y) |> product; }
        ... ''')
        >>> program.times.vjp(np.array([1., 2.]), np.array([3., 4.]), gradient=np.ones(2))
        (array([3., 4.]), array([1., 2.]))
        """
        return adjoints.vjp(self, arguments, gradient, with_respect_to, plan, settings, _setting)

    def explain(self, target: str = "sm_90", plan: str = "throughput", **settings: Setting) -> Explanation:
        """What becomes of it on a GPU of the architecture `target`, for sizes and types that are all keywords. In a notebook
        the pictures are shown in place.

        >>> import idc
        >>> print(idc.load("hadamard.id").hadamard.explain(n=10, T="f32").text.splitlines()[0])
        hadamard_n10_f32: hadamard, n = 10, T = f32, for sm_90, plan throughput, schedule: the planner's
        """
        request = libidc.Request(**self._program._source)
        request.entry(self.__name__)
        request.target(target)
        request.plan(plan)
        for name, value in settings.items():
            request.set(name, _setting(value))
        return Explanation(**request.explain())

    # ---- everything that is not a repetition ----

    def arrays_of(self, arguments: tuple) -> tuple[Family, list, list[View]]:
        """The arguments of a call as arrays of one family, and where each array lies."""
        if len(arguments) != len(self._parameters):
            raise TypeError(f"{self.__doc__.splitlines()[0]}: takes {len(self._parameters)} arguments, "
                            f"not {len(arguments)}")  # fmt: skip
        arguments = list(arguments)
        families = []
        for i in self._arrays:
            family, arguments[i] = family_of(arguments[i])
            families.append(family)
        family = families[0] if families else HOST
        if any(other is not family for other in families):
            raise Error("the arrays of a call have to be of one library and on one device")
        return family, arguments, [family.view(arguments[i]) for i in self._arrays]

    def find(self, arguments: tuple, plan: str, settings: dict[str, Setting]):
        """The call for arrays like these, compiled if it is new, and what it is to be called with: the arguments as
        arrays and their pointers."""
        family, arguments, views = self.arrays_of(arguments)
        key = tuple((v.dtype, v.shape, v.strides, v.pointer & 15) for v in views)
        if family is not HOST:
            key += (family.place,)
        key = (key, plan, tuple(settings.items()))
        call = self._calls.get(key)
        if call is None:
            call = self._prepare(family, views, plan, settings)
            if len(self._calls) >= _MOST_CALLS:
                self._calls.clear()
            self._calls[key] = call
        return call, arguments, [v.pointer for v in views]

    def _prepare(self, family: Family, views: list[View], plan: str, settings: dict[str, Setting]):
        """A call for arrays like these: one that launches, or one that converts arguments and calls again."""
        texts = {name: _setting(value) for name, value in settings.items()}
        expected = self._types(views, texts)
        changes: dict[int, Any] = {}
        layouts = []
        batch = self._batch(views)
        for i, view, dtype in zip(self._arrays, views, expected):
            parameter = self._parameters[i]
            count = len(parameter["dimensions"])
            if dtype is not None and dtype != view.dtype:
                if not (np.can_cast(view.dtype, dtype, "same_kind") or (view.dtype.kind in "iu" and dtype.kind == "u")):
                    raise Error(f"{self.__name__}: '{parameter['name']}' takes elements of {dtype}, not {view.dtype}")
                changes[i] = lambda array, dtype=dtype: family.convert(array, dtype)
                continue
            own = view.shape[: len(view.shape) - count]
            full = _broadcast(view, own, batch)
            layout = layout_of(full, count, family is HOST)
            if layout is None:
                where = f"the argument '{parameter['name']}' of {self.__name__}"
                warn_of_copy(f"{where} lies in memory in a way that no layout describes, and is copied")
                changes[i] = lambda array, shape=full.shape: family.dense(array, shape)
                continue
            layouts.append((parameter["name"], *layout))
        if changes:
            return _Converting(self, changes, plan, settings)
        self._sizes(views, texts)
        request = libidc.Request(**self._program._source)
        request.entry(self.__name__)
        request.target(family.target)
        request.plan(plan)
        for name, text in texts.items():
            request.set(name, text)
        for name, layout, _ in layouts:
            if layout:
                request.layout(f"{name}={layout}")
        result = request.compile()
        signature = result.signature
        for i, view, of in zip(self._arrays, views, signature["inputs"]):
            _fits(self.__name__, self._parameters[i], view, of)
        scalars = [i for i, p in enumerate(self._parameters) if not p["dimensions"]]
        if [self._parameters[i]["name"] for i in scalars] != [s["name"] for s in signature["scalars"]]:
            raise Error(f"{self.__name__}: parameters that are records without brackets cannot be given here")
        with family.current():
            module = result.load()
        count = 1
        for length in batch:
            count *= length
        outputs = [(batch + tuple(o["shape"]), dtype_of(o["type"])) for o in signature["outputs"]]
        return Launch(family, module, count, self._arrays, [before for _, _, before in layouts],
                          [(i, dtype_of(s["type"])) for i, s in zip(scalars, signature["scalars"])], outputs)  # fmt: skip

    def _types(self, views: list[View], texts: dict[str, str]) -> list[Optional[np.dtype]]:
        """Adds the type variables that dtypes decide to the settings; the dtypes that the arrays have to have."""
        variables = {g["name"] for g in self._algorithm["generics"] if g["kind"] == "type"}
        found: dict[str, list[np.dtype]] = {}
        for i, view in zip(self._arrays, views):
            element = self._parameters[i]["element"]
            if element in variables:
                found.setdefault(element, []).append(view.dtype)
            elif element.startswith("complex<") and (name := element[8:-1]) in variables:
                found.setdefault(name, []).append(real_of(np.result_type(view.dtype, np.complex64)))
        for variable, dtypes in found.items():
            if variable not in texts:
                dtype = np.result_type(*dtypes)
                if (name := name_of(dtype)) is not None:
                    texts[variable] = name
                elif dtype.names is None:
                    raise Error(f"{self.__name__}: no element type of the language is {dtype}")
        expected: list[Optional[np.dtype]] = []
        for i in self._arrays:
            element = self._parameters[i]["element"]
            for variable, text in texts.items():
                if element == variable:
                    element = text
                elif element == f"complex<{variable}>":
                    element = f"complex<{text}>"
            try:
                expected.append(dtype_of(element))
            except (Error, ValueError):
                expected.append(None)  # a record, whose fields the compiled function tells
        return expected

    def _batch(self, views: list[View]) -> tuple[int, ...]:
        shapes = []
        for i, view in zip(self._arrays, views):
            parameter = self._parameters[i]
            count = len(parameter["dimensions"])
            if len(view.shape) < count:
                raise Error(f"{self.__name__}: '{parameter['name']}: {parameter['text']}' has {count} axes, "
                            f"and the array only {len(view.shape)}")  # fmt: skip
            shapes.append(view.shape[: len(view.shape) - count])
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            raise Error(f"{self.__name__}: the batches {', '.join(map(str, shapes))} do not fit together") from None

    def _sizes(self, views: list[View], texts: dict[str, str]) -> None:
        """Adds the sizes that shapes decide to the settings."""
        known = {name: int(text) for name, text in texts.items() if text.lstrip("-").isdigit()}
        lengths = []
        for i, view in zip(self._arrays, views):
            dimensions = self._parameters[i]["dimensions"]
            lengths += zip(dimensions, view.shape[len(view.shape) - len(dimensions) :])
        try:
            sizes.solve(lengths, known)
        except sizes.NoSize as wrong:
            length, declared = wrong.args
            raise Error(f"{self.__name__}: no array of length {length} is a {declared}") from None
        for name, number in known.items():
            texts.setdefault(name, str(number))
        for expression, length in lengths:
            result = sizes.value(expression, known)
            if result is None and isinstance(expression, list):
                unknown = [name for name in sorted(sizes.names(expression)) if name not in known]
                if unknown:
                    raise Error(f"{self.__name__}: a length of {length} does not decide '{unknown[0]}' in "
                                f"{sizes.text(expression)}: give it, as in {unknown[0]}=8")  # fmt: skip
            if result is not None and result != length:
                raise Error(f"{self.__name__}: no array has the length {length} where {sizes.text(expression)} is "
                            f"{result}")  # fmt: skip


def _setting(value: Setting) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        text = repr(float(value))
        return text if "." in text else text.replace("e", ".0e")
    if isinstance(value, str):
        return value
    try:
        name = name_of(np.dtype(value))
    except TypeError:
        name = None
    if name is None:
        raise TypeError(f"{value!r} is no setting: an integer, a real number, a truth value, a dtype or text is")
    return name


def _broadcast(view: View, own: tuple[int, ...], batch: tuple[int, ...]) -> View:
    """The view with all the axes of the batch; those that it lacks are repeated."""
    if own == batch:
        return view
    missing = len(batch) - len(own)
    strides = (0,) * missing + tuple(s if length != 1 else 0 for s, length in zip(view.strides, own))
    rest = len(own)
    return View(view.dtype, batch + view.shape[rest:], strides + view.strides[rest:], view.pointer)


def _fits(name: str, parameter: dict, view: View, signature: dict) -> None:
    shape = view.shape[len(view.shape) - len(parameter["dimensions"]) :]
    if list(shape) != signature["shape"]:
        raise Error(f"{name}: '{parameter['name']}: {parameter['text']}' has the shape {tuple(signature['shape'])}, "
                    f"not {shape}")  # fmt: skip
    dtype = dtype_of(signature["type"])
    if dtype != view.dtype:
        raise Error(f"{name}: '{parameter['name']}: {parameter['text']}' takes elements of {dtype}, not {view.dtype}")


class _Converting:
    """A call whose arguments are converted or copied first."""

    def __init__(self, entry: Entry, changes: dict, plan: str, settings: dict):
        self._entry, self._changes, self._plan, self._settings = entry, changes, plan, settings

    def __call__(self, arguments, pointers, out):
        changed = list(arguments)
        for i, change in self._changes.items():
            changed[i] = change(changed[i])
        return self._entry(*changed, out=out, plan=self._plan, **self._settings)


class _Slot:
    """What one launch gives to idc_launch(). A launch that runs owns one."""

    def __init__(self, module: libidc.Module, batch: int, inputs: int, scalars: list, outputs: int):
        self.inputs = (ctypes.c_void_p * max(inputs, 1))()
        self.outputs = (ctypes.c_void_p * max(outputs, 1))()
        self.values = [np.zeros(1, dtype) for _, dtype in scalars]
        self.workspace, self.stream = ctypes.c_void_p(), ctypes.c_void_p()
        scalar_pointers = (ctypes.c_void_p * max(len(scalars), 1))(*(v.ctypes.data for v in self.values))
        self.arguments = (ctypes.c_void_p(module.handle), ctypes.c_int64(batch), self.inputs, scalar_pointers,
                          self.outputs, self.workspace, self.stream)  # fmt: skip


def _launcher(module: libidc.Module, new_slot, before, scalars, make_workspace, pointer_of, stream):
    """A function that launches, of a call's arguments, the pointers of its arrays and those of results. Everything that
    does not change lies in its cells, where it is found faster than in an object."""
    slots: list[_Slot] = []  # free ones

    def launch(arguments, pointers, results, start=libidc.launch):
        if before is not None:
            pointers = [pointer - distance for pointer, distance in zip(pointers, before)]
        try:
            slot = slots.pop()
        except IndexError:
            slot = new_slot()
        slot.inputs[:] = pointers or (None,)
        slot.outputs[:] = results
        for value, i in zip(slot.values, scalars):
            value[0] = arguments[i]
        if make_workspace is not None:
            memory = make_workspace()
            slot.workspace.value = pointer_of(memory)
        if stream is not None:
            slot.stream.value = stream()
        status = start(*slot.arguments)
        slots.append(slot)
        if status:
            libidc.check(status)

    launch.module = module  # lives as long
    return launch


class Launch:
    """A call of a loaded function with arrays of certain shapes, types and strides."""

    def __init__(self, family: Family, module: libidc.Module, batch: int, arrays: list[int], before: list[int],
                 scalars: list, outputs: list):  # fmt: skip
        self._family, self._arrays, self._outputs = family, arrays, outputs
        self._makers = [family.maker(shape, dtype) for shape, dtype in outputs]
        self._maker = self._makers[0] if len(outputs) == 1 else None
        self._is_current = None if family is HOST else family.is_current
        self.pointer = host_pointer if family is HOST else family.pointer
        workspace = module.workspace(batch)
        self._launch = _launcher(module, functools.partial(_Slot, module, batch, len(arrays), scalars, len(outputs)),
                                 before if any(before) else None, [i for i, _ in scalars],
                                 family.maker((workspace,), np.dtype(np.uint8)) if workspace else None, self.pointer,
                                 None if family is HOST else family.stream)  # fmt: skip

    def __call__(self, arguments, pointers, out):
        if out is not None:
            return self._into(arguments, pointers, out)
        if self._is_current is not None and not self._is_current():
            with self._family.current():
                return self(arguments, pointers, None)
        if self._maker is not None:
            result = self._maker()
            self._launch(arguments, pointers, (self.pointer(result),))
            return result
        results = tuple([make() for make in self._makers])
        self._launch(arguments, pointers, [self.pointer(result) for result in results])
        return results

    def _into(self, arguments, pointers, out):
        """Writes results into the caller's arrays: directly where these are dense and no argument lies there."""
        family = self._family
        given = out if isinstance(out, tuple) else (out,)
        if len(given) != len(self._outputs):
            raise Error(f"there are {len(self._outputs)} results, and {len(given)} arrays for them")
        direct = []
        for array, (shape, dtype) in zip(given, self._outputs):
            view = family.view(array)
            if view.shape != tuple(shape) or view.dtype != dtype:
                raise Error(f"a result has the shape {tuple(shape)} and elements of {dtype}; the array for it has "
                            f"{view.shape} and {view.dtype}")  # fmt: skip
            if family is HOST and not array.flags.writeable:
                raise Error("the array for a result is read-only")
            overlaps = family is HOST and any(
                np.may_share_memory(array, other) for other in [arguments[i] for i in self._arrays] + list(given)
                if other is not array or any(other is arguments[i] for i in self._arrays)
            )  # fmt: skip
            if family is not HOST:
                overlaps = any(_extent(view)[0] < _extent(v)[1] and _extent(v)[0] < _extent(view)[1]
                               for v in (family.view(arguments[i]) for i in self._arrays))  # fmt: skip
            direct.append(layout_of(view, len(view.shape), family is HOST) == ("", 0) and not overlaps)
        with family.current():
            results = [array if is_direct else family.empty(shape, dtype)
                       for array, is_direct, (shape, dtype) in zip(given, direct, self._outputs)]  # fmt: skip
            self._launch(arguments, pointers, [family.pointer(result) for result in results])
            for array, result in zip(given, results):
                if result is not array:
                    array[...] = result
        return out


def _extent(view: View) -> tuple[int, int]:
    """The first byte of an array and the one behind its last."""
    low = high = view.pointer
    for length, stride in zip(view.shape, view.strides):
        low, high = low + min(0, (length - 1) * stride), high + max(0, (length - 1) * stride)
    return low, high + view.dtype.itemsize
