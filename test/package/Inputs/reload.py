"""Loads a shared library of `fourier`, runs it on all cores, unloads it, 20 times."""

import _ctypes
import ctypes
import os
import sys

import numpy as np

path = os.path.abspath(sys.argv[1])
x = np.ones((64, 4096), "c8")
for _ in range(20):
    library = ctypes.CDLL(path)
    y = np.zeros_like(x)
    i64, pointer = ctypes.c_int64, ctypes.c_void_p
    size = library.fourier_f32_workspace_size
    size.restype, size.argtypes = i64, [i64, i64]
    workspace = np.empty(size(12, 64) + 1, "u1")
    run = library.fourier_f32
    run.argtypes = [i64, i64, pointer, pointer, pointer, pointer]
    assert run(12, 64, x.ctypes.data, y.ctypes.data, workspace.ctypes.data, -1) == 0
    assert y[63, 0] == 4096
    handle = library._handle
    del library, size, run
    _ctypes.dlclose(handle)
threads = len(os.listdir("/proc/self/task"))
mapped = path in open("/proc/self/maps").read()
print(f"20 times: {threads} thread{'s' * (threads > 1)}, {'' if mapped else 'not '}mapped")
