"""Compiled index-digit algorithms on arrays: transforms, scans, sorting, tridiagonal systems, and one's own programs.

    program = idc.load("mine.id")        a program in the language of idc, as an object
    y = program.entry(x, n=3)            an algorithm of it, a function of arrays

Arrays are NumPy's, or PyTorch's, CuPy's and JAX's on a GPU. The first axes of an array are the batch; what an algorithm
declares are its last ones. A call with new shapes or dtypes compiles, which takes tenths of a second, once: results are
kept in the process and on disk.
"""

from . import fft
from .errors import CompileError, CopyWarning, Diagnostic, Error
from .fft import __ua_domain__, __ua_function__
from .functions import convolve, correlate, cumsum, hadamard, solve_tridiagonal, sort
from .program import Entry, Program, compile, load

__all__ = [
    "CompileError", "CopyWarning", "Diagnostic", "Entry", "Error", "Program", "compile", "convolve", "correlate", "cumsum",
    "fft", "hadamard", "load", "solve_tridiagonal", "sort",
]  # fmt: skip
