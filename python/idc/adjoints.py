"""Gradients of an algorithm's arguments from those of its results: its adjoint, a program that the compiler derives."""

from __future__ import annotations

import math
from typing import Any, Iterable, Optional, Union

import numpy as np

from . import libidc, sizes
from .devices import family_of
from .errors import Error
from .types import dtype_of

_MOST_ADJOINTS = 1024


def has_gradients(dtype: np.dtype) -> bool:
    """Whether numbers of a dtype, or of a record's fields, have derivatives."""
    if dtype.names is not None:
        return any(has_gradients(dtype[name]) for name in dtype.names)
    return dtype.kind in "fc"


class Instance:
    """An algorithm for arrays of certain shapes and dtypes: what it makes of them, and its adjoint."""

    def __init__(self, entry, views: list, settings: dict, text_of):
        self._entry, self._views = entry, views
        #: settings of sizes and types, those that the arrays decide, too
        self.texts = {name: text_of(value) for name, value in settings.items()}
        expected = entry._types(views, self.texts)
        #: of each array, the dtype that the algorithm takes
        self.dtypes = [view.dtype if dtype is None else dtype for view, dtype in zip(views, expected)]
        self.batch = entry._batch(views)
        entry._sizes(views, self.texts)
        self._adjoints: dict[tuple[str, ...], Any] = {}

    def outline(self) -> list[tuple[tuple[int, ...], np.dtype]]:
        """The shape and dtype of each result, without compiling."""
        known = {name: int(text) for name, text in self.texts.items() if text.lstrip("-").isdigit()}
        known.update(self._defaults(known))
        results = []
        for result in self._entry._algorithm["results"]:
            lengths = [sizes.value(expression, known) for expression in result["dimensions"]]
            if any(length is None for length in lengths):
                raise Error(f"{self._entry.__name__}: the length of a result, {result['text']}, is not known before it "
                            "is compiled")  # fmt: skip
            results.append((self.batch + tuple(lengths), self.dtype(result["element"])))
        return results

    def dtype(self, element: str) -> np.dtype:
        """The dtype of elements that are declared so."""
        for generic in self._entry._algorithm["generics"]:
            text = self.texts.get(generic["name"], generic["default"])
            if generic["kind"] == "type" and text is not None:
                if element == generic["name"]:
                    element = text
                elif element == f"complex<{generic['name']}>":
                    element = f"complex<{text}>"
        return dtype_of(element)

    def _defaults(self, known: dict[str, int]) -> dict[str, int]:
        return {generic["name"]: int(generic["default"]) for generic in self._entry._algorithm["generics"]
                if generic["name"] not in known and (generic["default"] or "").lstrip("-").isdigit()}  # fmt: skip

    def adjoint(self, names: tuple[str, ...]):
        """The adjoint with respect to these parameters, an Entry."""
        if names not in self._adjoints:
            from .program import Program

            request = libidc.Request(**self._entry._program._source)
            request.entry(self._entry.__name__)
            for name, text in self.texts.items():
                request.set(name, text)
            program = Program(text=request.adjoint(names), name=f"the adjoint of {self._entry.__name__}")
            self._adjoints[names] = getattr(program, f"{self._entry.__name__}_adjoint")
        return self._adjoints[names]

    def names(self, with_respect_to: Union[None, str, Iterable[str]]) -> tuple[str, ...]:
        """The parameters whose gradients are asked for; None: all that have any."""
        if isinstance(with_respect_to, str):
            return (with_respect_to,)
        if with_respect_to is not None:
            return tuple(with_respect_to)
        arrays = [self._entry._parameters[i]["name"] for i in self._entry._arrays]
        names = tuple(name for name, dtype in zip(arrays, self.dtypes) if has_gradients(dtype))
        if not names:
            raise Error(f"{self._entry.__name__}: no argument has numbers that have derivatives")
        return names

    def _source(self, name: str) -> tuple[bool, int]:
        """Whose value a parameter of the adjoint is: (True, a parameter's number) or (False, a result's)."""
        own = {parameter["name"]: i for i, parameter in enumerate(self._entry._parameters)}
        if name in own:
            return True, own[name]
        return False, int(name.rstrip("_")[len("d_y") :])

    def needed(self, names: tuple[str, ...]) -> list[str]:
        """The parameters whose values the adjoint takes."""
        sources = [self._source(parameter["name"]) for parameter in self.adjoint(names)._parameters]
        return [self._entry._parameters[number]["name"] for is_own, number in sources if is_own]

    def pull(self, family, names: tuple[str, ...], values: dict[str, Any], gradients, apply) -> list:
        """The gradients of the parameters `names`, from those of the results (None: zeros) and the values of the
        parameters that are needed, arrays of the family. `apply` calls the adjoint with a list of arguments."""
        entry = self._entry
        results = entry._algorithm["results"]
        if len(gradients) != len(results):
            raise Error(f"{entry.__name__} has {len(results)} results, and {len(gradients)} gradients are given")
        adjoint, taken = self.adjoint(names), []
        for parameter in adjoint._parameters:
            is_own, number = self._source(parameter["name"])
            declared = (entry._parameters if is_own else results)[number]
            value = values[declared["name"]] if is_own else gradients[number]
            if not parameter["dimensions"]:
                taken.append(value)
                continue
            if value is None:
                shape, dtype = self.outline()[number]
                value = family.empty(shape, dtype)
                value[...] = 0
            if is_own:
                value = _as(family, value, self.dtypes[entry._arrays.index(number)])
            elif (dtype := _number_type(parameter["element"])) is not None:
                value = _as(family, value, dtype)
            taken.append(_flattened(value, len(declared["dimensions"]), len(parameter["dimensions"])))
        made = apply(adjoint, taken)
        pulled = []
        for name, gradient in zip(names, made if isinstance(made, tuple) else (made,)):
            number = self._source(name)[1]
            view = self._views[entry._arrays.index(number)]
            axes = len(entry._parameters[number]["dimensions"])
            pulled.append(_summed(family, gradient, self.batch, view, axes))
        return pulled


def _number_type(element: str) -> Optional[np.dtype]:
    """The dtype of numbers that an element type names; None for a record's."""
    try:
        return dtype_of(element)
    except Error:
        return None


def instance_of(entry, views: list, settings: dict, text_of) -> Instance:
    """The instance for such arrays, kept."""
    key = (tuple((view.dtype, view.shape) for view in views), tuple(sorted(settings.items(), key=lambda item: item[0])))
    known = entry._instances.get(key)
    if known is None:
        if len(entry._instances) >= _MOST_ADJOINTS:
            entry._instances.clear()
        known = entry._instances[key] = Instance(entry, views, settings, text_of)
    return known


def vjp(entry, arguments: tuple, gradient, with_respect_to: Union[None, str, Iterable[str]], plan: str, settings: dict,
        text_of) -> Any:
    """Entry.vjp()."""
    family, arguments, views = entry.arrays_of(arguments)
    instance = instance_of(entry, views, settings, text_of)
    names = instance.names(with_respect_to)
    values = {parameter["name"]: value for parameter, value in zip(entry._parameters, arguments)}
    given = gradient if isinstance(gradient, (tuple, list)) else (gradient,)
    given = [value if value is None else family_of(value)[1] for value in given]
    gradients = instance.pull(family, names, values, given, lambda adjoint, taken: adjoint(*taken, plan=plan))
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def _as(family, array, dtype: np.dtype):
    """The array with elements of another type, where it has to be: of a complex array for a real one its real part."""
    have = family.view(array).dtype
    if have == dtype:
        return array
    if have.kind == "c" and dtype.kind != "c":
        array = array.real
    return family.convert(array, dtype)


def _flattened(array, axes: int, count: int):
    """The last `axes` axes as `count`, which is one where the adjoint declares no dimensions."""
    if axes == count:
        return array
    shape, batch = tuple(array.shape), len(array.shape) - axes
    return array.reshape(shape[:batch] + (math.prod(shape[batch:]),))


def _summed(family, gradient, batch: tuple[int, ...], view, axes: int):
    """The gradient of an argument from that of what it was converted and broadcast to."""
    own = view.shape[: len(view.shape) - axes]
    missing = len(batch) - len(own)
    for axis in reversed(range(len(batch))):
        if axis < missing or (own[axis - missing] == 1 and batch[axis] != 1):
            gradient = gradient.sum(axis)
    return _as(family, gradient.reshape(view.shape), view.dtype)
