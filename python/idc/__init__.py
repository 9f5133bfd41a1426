"""Compiled index-digit algorithms on arrays: transforms, scans, sorting, tridiagonal systems, and one's own programs.

    program = idc.load("mine.id")        a program in the language of idc, as an object
    y = program.entry(x, n=3)            an algorithm of it, a function of arrays

Arrays are NumPy's, or PyTorch's, CuPy's and JAX's on a GPU. The first axes of an array are the batch; what an algorithm
declares are its last ones. A call with new shapes or dtypes compiles, which takes tenths of a second, once: results are
kept in the process and on disk.
"""

from .errors import CompileError, CopyWarning, Diagnostic, Error
from .program import Entry, Program, compile, load

__all__ = ["CompileError", "CopyWarning", "Diagnostic", "Entry", "Error", "Program", "compile", "load"]
