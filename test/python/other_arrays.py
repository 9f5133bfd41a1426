"""Arrays of other libraries, with stand-ins for these in the place of a GPU: whose results are made by whom, on which
stream and device, and what is refused. The stand-ins' memory is the CPU's, so that results can be looked at."""

import contextlib
import sys
import types
import unittest

import numpy as np

log = []  # what the library was asked for


class Array:
    """What CuPy's arrays have that the package uses."""

    def __init__(self, array):
        self.own = array
        self.device = types.SimpleNamespace(id=0)
        self.dtype, self.shape, self.strides = array.dtype, array.shape, array.strides
        self.data = types.SimpleNamespace(ptr=array.ctypes.data)
        self.__cuda_array_interface__ = dict(array.__array_interface__, version=3)

    def reshape(self, shape):
        return Array(self.own.reshape(shape))

    def __setitem__(self, key, value):
        self.own[key] = value.own if isinstance(value, Array) else value


Array.__module__ = "cupy._core"


current = [1]  # number of the device


class Device(contextlib.AbstractContextManager):
    def __init__(self, index):
        self.compute_capability = "90"
        self.index = index

    def __enter__(self):
        log.append("device")
        self.before, current[0] = current[0], self.index

    def __exit__(self, *_):
        current[0] = self.before


def empty(shape, dtype):
    log.append(("empty", tuple(shape), np.dtype(dtype)))
    return Array(np.empty(shape, dtype))


def current_stream():
    log.append("stream")
    return types.SimpleNamespace(ptr=4096)


cupy = types.ModuleType("cupy")
cupy.cuda = types.SimpleNamespace(Device=Device, get_current_stream=current_stream,
                                  runtime=types.SimpleNamespace(getDevice=lambda: current[0]))  # fmt: skip
cupy.empty = empty
cupy.ascontiguousarray = lambda a, dtype=None: Array(np.ascontiguousarray(a.own, dtype))
cupy.array = lambda a, order, copy: Array(np.array(a.own, order=order, copy=copy))
cupy.moveaxis = lambda a, s, d: Array(np.moveaxis(a.own, s, d))
cupy.from_dlpack = lambda a: Array(a.shared)
sys.modules["cupy"] = cupy

import idc  # noqa: E402
from idc import devices  # noqa: E402

target_for, devices.target_for = devices.target_for, lambda capability: log.append(capability) or "cpu"


class Other:
    """An array of a library that only speaks DLPack."""

    def __init__(self, array):
        self.shared = array

    def __dlpack__(self, stream=None):
        raise AssertionError("the stand-in for CuPy takes it")

    def __dlpack_device__(self):
        return (2, 0)


class OtherArrays(unittest.TestCase):
    def setUp(self):
        log.clear()
        self.program = idc.compile("func twice<T>(x: T) -> T { return x + x; }\n"
                                   "algorithm f<T>(x: T[N]) -> T[N] { return x |> twice; }")  # fmt: skip

    def test_results_are_made_by_the_same_library(self):
        x = np.arange(12.0).reshape(3, 4)
        y = self.program.f(Array(x))
        self.assertIsInstance(y, Array)
        np.testing.assert_array_equal(y.own, 2 * x)
        self.assertIn(("empty", (3, 4), np.dtype("d")), log)
        self.assertIn("stream", log)
        self.assertLess(log.index("device"), log.index("stream"))
        log.clear()
        self.program.f(Array(x + 1))  # nothing but the result and the stream the second time
        self.assertEqual(log, ["device", ("empty", (3, 4), np.dtype("d")), "stream"])

    def test_workspace_comes_from_its_allocator(self):
        x = np.random.default_rng(0).standard_normal(2**15)
        log.clear()
        y = idc.cumsum(Array(x))
        np.testing.assert_allclose(y.own, np.cumsum(x), atol=1e-9)
        kinds = {entry[2] for entry in log if isinstance(entry, tuple) and entry[0] == "empty"}
        self.assertIn(np.dtype("d"), kinds)

    def test_transforms(self):
        x = np.random.default_rng(0).standard_normal((3, 4, 6)) + 0j
        for axis in range(3):
            np.testing.assert_allclose(idc.fft.fft(Array(x), axis=axis).own, np.fft.fft(x, axis=axis), atol=1e-13)
        np.testing.assert_allclose(idc.fft.fftn(Array(x)).own, np.fft.fftn(x), atol=1e-13)
        np.testing.assert_allclose(idc.fft.rfft(Array(x.real)).own, np.fft.rfft(x.real), atol=1e-13)
        out = Array(np.zeros_like(x))
        self.assertIs(idc.fft.ifft(Array(x), out=out), out)
        np.testing.assert_allclose(out.own, np.fft.ifft(x), atol=1e-13)
        same = Array(x.copy())
        idc.fft.fft(same, out=same)  # arguments are not overwritten before they are read
        np.testing.assert_allclose(same.own, np.fft.fft(x), atol=1e-13)

    def test_dlpack(self):
        x = np.arange(5.0)
        np.testing.assert_array_equal(self.program.f(Other(x)).own, 2 * x)

    def test_libraries_are_not_mixed(self):
        two = idc.compile("func plus<T>(x: T, y: T) -> T { return x + y; }\n"
                          "algorithm g<T>(x: T[N], y: T[N]) -> T[N] { return (x, y) |> plus; }")  # fmt: skip
        with self.assertRaisesRegex(idc.Error, "of one library and on one device"):
            two.g(Array(np.zeros(4)), np.zeros(4))

    def test_the_newest_target_that_a_device_runs(self):
        self.assertEqual(target_for((9, 0)), "sm_90")
        known = sorted(int(name[3:]) for name in idc.libidc.lib.idc_targets().decode().split() if name != "cpu")
        self.assertEqual(target_for((99, 0)), f"sm_{known[-1]}")
        with self.assertRaisesRegex(idc.Error, "compute capability 1.0"):
            target_for((1, 0))


if __name__ == "__main__":
    unittest.main()
