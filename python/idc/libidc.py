"""libidc by ctypes: where it is found, its functions, and results of compilations as objects."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
from pathlib import Path
from typing import Iterable, Optional

from .errors import CompileError, Diagnostic, Error

_PROGRAM_ERROR = 12  # IDC_ERROR_PROGRAM


class _Diagnostic(ctypes.Structure):
    _fields_ = [
        ("severity", ctypes.c_int),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int32),
        ("column", ctypes.c_int32),
        ("text", ctypes.c_char_p),
        ("rendered", ctypes.c_char_p),
    ]


def _candidates() -> list[Path]:
    """$IDC_LIBRARY alone when it is set; else in the package (a wheel), the installation and the build tree around it."""
    if named := os.environ.get("IDC_LIBRARY"):
        return [Path(named)]
    here = Path(__file__).resolve().parent
    return [
        here / "lib" / "libidc.so.0",
        *(parent / "lib" / "libidc.so.0" for parent in here.parents),
        here.parent.parent / "build" / "lib" / "libidc.so.0",
    ]


def _open() -> ctypes.CDLL:
    tried = []
    for path in _candidates():
        if path.exists():
            try:
                return ctypes.CDLL(str(path))
            except OSError as error:
                raise Error(f"libidc was found but cannot be loaded: {error}") from error
        tried.append(str(path))
    if not os.environ.get("IDC_LIBRARY"):
        try:
            return ctypes.CDLL("libidc.so.0")  # where the system has its libraries
        except OSError:
            tried.append("libidc.so.0 in the system's folders")
    raise Error("libidc, the compiler, was not found: IDC_LIBRARY can name its file; tried " + ", ".join(tried))


_P, _S, _I32, _I64 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32, ctypes.c_int64
_PP = ctypes.POINTER(ctypes.c_void_p)

_PROTOTYPES = {
    "idc_request_create": (ctypes.c_int, [_PP]),
    "idc_request_destroy": (None, [_P]),
    "idc_request_file": (ctypes.c_int, [_P, _S]),
    "idc_request_text": (ctypes.c_int, [_P, _S, ctypes.c_size_t, _S]),
    "idc_request_folder": (ctypes.c_int, [_P, _S]),
    "idc_request_entry": (ctypes.c_int, [_P, _S]),
    "idc_request_set": (ctypes.c_int, [_P, _S]),
    "idc_request_target": (ctypes.c_int, [_P, _S]),
    "idc_request_plan": (ctypes.c_int, [_P, _S]),
    "idc_request_layout": (ctypes.c_int, [_P, _S]),
    "idc_request_in_place": (ctypes.c_int, [_P, _I32]),
    "idc_compile": (ctypes.c_int, [_P, _PP]),
    "idc_describe": (ctypes.c_int, [_P, _PP]),
    "idc_adjoint": (ctypes.c_int, [_P, _S, _PP]),
    "idc_explain": (ctypes.c_int, [_P, _PP]),
    "idc_result_destroy": (None, [_P]),
    "idc_result_origin": (ctypes.c_int, [_P]),
    "idc_result_signature": (_S, [_P]),
    "idc_result_description": (_S, [_P]),
    "idc_result_adjoint": (_S, [_P]),
    "idc_result_explanation": (_S, [_P]),
    "idc_result_manifest": (_S, [_P, ctypes.POINTER(ctypes.c_size_t)]),
    "idc_result_load": (ctypes.c_int, [_P, _PP]),
    "idc_result_diagnostic_count": (_I32, [_P]),
    "idc_result_diagnostic": (ctypes.c_int, [_P, _I32, ctypes.POINTER(_Diagnostic)]),
    "idc_targets": (_S, []),
    "idc_target_for": (_S, [_I32, _I32]),
    "idc_compiler_version": (_S, []),
    "idc_cpu_threads": (ctypes.c_int, [_I32]),
    "idc_workspace_size": (ctypes.c_int, [_P, _I64, ctypes.POINTER(_I64)]),
    "idc_module_unload": (ctypes.c_int, [_P]),
    "idc_message": (_S, [ctypes.c_int]),
}


def _prepare(library: ctypes.CDLL) -> ctypes.CDLL:
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _prepare(_open())
# With arguments that are of ctypes' types already: converting numbers takes as long as everything else of a call.
launch = lib["idc_launch"]
launch.restype = ctypes.c_int


def check(status: int) -> None:
    """Raises Error for a status of the runtime that is no success."""
    if status:
        raise Error(lib.idc_message(status).decode())


@contextlib.contextmanager
def cpu_threads(count: int):
    """So many threads share what this thread launches on the CPU meanwhile; all of them afterwards."""
    check(lib.idc_cpu_threads(count))
    try:
        yield
    finally:
        check(lib.idc_cpu_threads(0))


class Request:
    """A program and what is asked of it; see idc/compiler.h for the parts."""

    def __init__(self, file: Optional[str] = None, text: Optional[str] = None, name: str = "<text>",
                 folders: Iterable[str] = ()):
        handle = ctypes.c_void_p()
        check(lib.idc_request_create(ctypes.byref(handle)))
        self._handle = handle.value
        if text is None:
            check(lib.idc_request_file(self._handle, os.fsencode(file)))
        else:
            data = text.encode()
            check(lib.idc_request_text(self._handle, data, len(data), name.encode()))
        for folder in folders:
            check(lib.idc_request_folder(self._handle, os.fsencode(folder)))

    def entry(self, name: str) -> None:
        check(lib.idc_request_entry(self._handle, name.encode()))

    def set(self, name: str, value: str) -> None:
        check(lib.idc_request_set(self._handle, f"{name}={value}".encode()))

    def target(self, name: str) -> None:
        check(lib.idc_request_target(self._handle, name.encode()))

    def plan(self, name: str) -> None:
        check(lib.idc_request_plan(self._handle, name.encode()))

    def layout(self, text: str) -> None:
        check(lib.idc_request_layout(self._handle, text.encode()))

    def compile(self) -> "Result":
        return Result(self._handle, lib.idc_compile)

    def describe(self) -> list[dict]:
        """The algorithms of the file."""
        result = Result(self._handle, lib.idc_describe)
        return json.loads(lib.idc_result_description(result.handle))

    def adjoint(self, with_respect_to: Iterable[str]) -> str:
        """The text of the program that computes the gradients of these inputs."""
        names = ",".join(with_respect_to).encode()
        result = Result(self._handle, lambda request, handle: lib.idc_adjoint(request, names, handle))
        return lib.idc_result_adjoint(result.handle).decode()

    def explain(self) -> dict:
        """What becomes of the entry: text and pictures by their names."""
        result = Result(self._handle, lib.idc_explain)
        return json.loads(lib.idc_result_explanation(result.handle))

    def give_away(self) -> int:
        """The handle, for a function that takes the request over."""
        handle, self._handle = self._handle, None
        return handle

    def __del__(self):
        if getattr(self, "_handle", None):
            lib.idc_request_destroy(self._handle)


class Result:
    """What was compiled. Raises CompileError when there is nothing."""

    def __init__(self, request: int, function):
        handle = ctypes.c_void_p()
        status = function(request, ctypes.byref(handle))
        self.handle = handle.value
        if status == _PROGRAM_ERROR:
            raise CompileError(self._diagnostics())
        check(status)

    def _diagnostics(self) -> list[Diagnostic]:
        messages = []
        for i in range(lib.idc_result_diagnostic_count(self.handle)):
            d = _Diagnostic()
            check(lib.idc_result_diagnostic(self.handle, i, ctypes.byref(d)))
            severity = "note" if d.severity else "error"
            file, text, rendered = (s.decode(errors="replace") for s in (d.file, d.text, d.rendered))
            messages.append(Diagnostic(severity, file, d.line, d.column, text, rendered))
        return messages

    @property
    def origin(self) -> str:
        """"compiled", "disk" or "memory"."""
        return ("compiled", "disk", "memory")[lib.idc_result_origin(self.handle)]

    @property
    def signature(self) -> dict:
        return json.loads(lib.idc_result_signature(self.handle))

    def load(self) -> "Module":
        return Module(self)

    def __del__(self):
        if getattr(self, "handle", None):
            lib.idc_result_destroy(self.handle)


class Module:
    """A loaded function. Keeps the result, whose code it runs."""

    def __init__(self, result: Result):
        handle = ctypes.c_void_p()
        check(lib.idc_result_load(result.handle, ctypes.byref(handle)))
        self.handle = handle.value
        self._result = result

    def workspace(self, batch: int) -> int:
        """Bytes that a launch of so many problems needs."""
        size = ctypes.c_int64()
        check(lib.idc_workspace_size(self.handle, batch, ctypes.byref(size)))
        return size.value

    def __del__(self):
        if getattr(self, "handle", None):
            lib.idc_module_unload(self.handle)
