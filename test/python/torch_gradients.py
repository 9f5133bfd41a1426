"""Derivatives of PyTorch's tensors, with a stand-in for PyTorch in the place of the library: what the operators are
given, what their fake implementations say, what is saved, and gradients against differences. Tensors are NumPy's arrays."""

import sys
import types
import unittest

import numpy as np


class Tensor:
    def __init__(self, own, requires_grad=False):
        self.own, self.requires_grad, self.made = np.asarray(own), requires_grad, None
        self.dtype, self.shape = getattr(torch, self.own.dtype.name), self.own.shape
        self.device = types.SimpleNamespace(type="cpu")

    def detach(self):
        return Tensor(self.own)

    resolve_conj = resolve_neg = detach

    def contiguous(self):
        return Tensor(np.ascontiguousarray(self.own), self.requires_grad)

    def reshape(self, shape):
        if self.shape == tuple(shape):
            return self
        return Tensor(self.own.reshape(shape), self.requires_grad)

    def numpy(self):
        return self.own

    def dim(self):
        return self.own.ndim

    def stride(self):
        return tuple(s // self.own.itemsize for s in self.own.strides)

    def is_complex(self):
        return self.own.dtype.kind == "c"

    def is_floating_point(self):
        return self.own.dtype.kind == "f"

    def movedim(self, source, to):
        return Tensor(np.moveaxis(self.own, source, to), self.requires_grad)

    def new_empty(self, shape, dtype):
        return ("empty", tuple(shape), dtype)

    def sum(self, axis):
        return Tensor(self.own.sum(axis), self.requires_grad)

    real = property(lambda self: Tensor(self.own.real, self.requires_grad))

    def to(self, dtype):
        return Tensor(self.own.astype(str(dtype).rpartition(".")[2]), self.requires_grad)


Tensor.__module__ = "torch"


class Type(str):
    is_floating_point = property(lambda self: "float" in self)
    is_complex = property(lambda self: "complex" in self)


class Operator:
    """torch.library's operators as documented: called, they save what their setup wants for the backward function."""

    def __init__(self, function):
        self.function, self.backward = function, None

    def register_fake(self, function):
        self.fake = function

    def register_autograd(self, backward, setup_context):
        self.backward, self.setup = backward, setup_context

    def __call__(self, *inputs):
        results = self.function(*inputs)
        said = [("empty", r.shape, r.dtype) for r in results]
        assert self.fake(*inputs) == said, (self.fake(*inputs), said)
        if self.backward and any(t.requires_grad for t in inputs[0]):
            context = types.SimpleNamespace(save_for_backward=lambda *saved: setattr(context, "saved_tensors", saved))
            self.setup(context, inputs, results)
            for result in results:
                result.made, result.requires_grad = (self, context), True
        return results


torch = types.ModuleType("torch")
for name in ("bool", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
    setattr(torch, name, Type("torch." + name))
torch.dtype, torch.Tensor = Type, Tensor
torch.is_grad_enabled = lambda: True
torch.from_numpy = Tensor
torch.as_tensor = lambda array, device=None: Tensor(array)
torch.zeros = lambda shape, dtype, device: Tensor(np.zeros(shape, dtype.rpartition(".")[2]))
torch.promote_types = lambda a, b: getattr(torch, np.result_type(a.rpartition(".")[2], b.rpartition(".")[2]).name)
torch.compiler = types.SimpleNamespace(is_dynamo_compiling=lambda: False, assume_constant_result=lambda own: own)
torch.library = types.SimpleNamespace(custom_op=lambda name, mutates_args: Operator)
sys.modules["torch"] = torch

import idc  # noqa: E402


def pull(result, given):
    """Gradients of the arrays that the operator took which made a result, as tensors."""
    operator, context = result.made
    pulled, rest = operator.backward(context, given)
    assert rest is None
    return pulled


def gradients(result, given):
    """The same as arrays, and what the operator had saved."""
    pulled = pull(result, [None if g is None else Tensor(g) for g in given])
    return [g and g.own for g in pulled], [t.own for t in result.made[1].saved_tensors]


class TorchGradients(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(0)

    def test_the_transform_saves_nothing(self):
        x, g = (self.rng.standard_normal((3, 12)) + 1j * self.rng.standard_normal((3, 12)) for _ in range(2))
        y = idc.fft.fft(Tensor(x, requires_grad=True))
        np.testing.assert_allclose(y.own, np.fft.fft(x), atol=1e-13)
        (pulled,), saved = gradients(y, [g])
        np.testing.assert_allclose(pulled, 12 * np.fft.ifft(g), atol=1e-12)
        self.assertEqual(saved, [])

    def test_real_transforms(self):
        x = self.rng.standard_normal((2, 10))
        y = idc.fft.rfft(Tensor(x, requires_grad=True), norm="ortho")
        g = self.rng.standard_normal((2, 6)) + 1j * self.rng.standard_normal((2, 6))
        (pulled,), _ = gradients(y, [g])
        matrix = np.fft.rfft(np.eye(10), norm="ortho")  # rows belong to inputs
        np.testing.assert_allclose(pulled, (g @ matrix.conj().T).real, atol=1e-13)
        (pulled,), _ = gradients(idc.fft.dct(Tensor(x, requires_grad=True)), [x])
        matrix = idc.fft.dct(np.eye(10))
        np.testing.assert_allclose(pulled, x @ matrix.T, atol=1e-12)

    def test_several_axes(self):
        x = self.rng.standard_normal((2, 4, 6))
        z = x + 1j * self.rng.standard_normal((2, 4, 6))
        given = Tensor(z, requires_grad=True)
        np.testing.assert_allclose(idc.fft.fft2(given).own, np.fft.fft2(z), atol=1e-12)
        np.testing.assert_allclose(idc.fft.ifftn(given, axes=(0, 2)).own, np.fft.ifftn(z, axes=(0, 2)), atol=1e-12)
        np.testing.assert_allclose(idc.fft.rfftn(Tensor(x, requires_grad=True)).own, np.fft.rfftn(x), atol=1e-12)
        np.testing.assert_allclose(idc.fft.irfftn(given, s=(2, 4, 10)).own, np.fft.irfftn(z, s=(2, 4, 10)), atol=1e-12)
        np.testing.assert_allclose(idc.cumsum(Tensor(x, requires_grad=True), 1).own, np.cumsum(x, 1), atol=1e-12)
        np.testing.assert_allclose(idc.fft.irfft2(given).own, np.fft.irfft2(z), atol=1e-12)

    def test_functions(self):
        a, b, c, d, g = (self.rng.standard_normal((3, 7)) for _ in range(5))
        b = b + 4
        tensors = [Tensor(array, requires_grad=i != 1) for i, array in enumerate((a, b, c, d))]
        pulled, saved = gradients(idc.solve_tridiagonal(*tensors), [g])
        self.assertIsNone(pulled[1])
        self.assertEqual(len(saved), 4)
        h = 1e-6
        for i in (0, 2, 3):
            v = self.rng.standard_normal((3, 7))
            arrays = [a, b, c, d]
            above, below = ([x + s * v if k == i else x for k, x in enumerate(arrays)] for s in (h, -h))
            difference = (idc.solve_tridiagonal(*above) - idc.solve_tridiagonal(*below)) / (2 * h)
            self.assertAlmostEqual(np.sum(g * difference), np.sum(pulled[i] * v), 6)

    def test_own_programs(self):
        program = idc.compile("func weighed<T>(x: T, w: T, by: T) -> T { return exp(by * x) * w; }\n"
                              "algorithm f<T>(x: T[N], w: T[N], by: T) -> T[N] { return (x, w) |> weighed(by); }")  # fmt: skip
        x, w, g = self.rng.standard_normal((4, 6)), self.rng.standard_normal(6), self.rng.standard_normal((4, 6))
        y = program.f(Tensor(x, requires_grad=True), Tensor(w, requires_grad=True), 0.5)
        (of_x, of_w), saved = gradients(y, [g])
        np.testing.assert_allclose(of_x, g * w * np.exp(x / 2) / 2, atol=1e-13)
        np.testing.assert_allclose(of_w, (g * np.exp(x / 2)).sum(0), atol=1e-13)
        self.assertEqual(len(saved), 2)

    def test_second_derivatives(self):
        program = idc.compile("func cubed<T>(x: T) -> T { return x * x * x; }\n"
                              "algorithm f<T>(x: T[N]) -> T[N] { return x |> cubed; }")  # fmt: skip
        x, g, v = self.rng.standard_normal((3, 5))
        (once,) = pull(program.f(Tensor(x, requires_grad=True)), [Tensor(g, requires_grad=True)])
        np.testing.assert_allclose(once.own, 3 * x * x * g)
        of_x, of_g = pull(once, [Tensor(v)])
        np.testing.assert_allclose(of_x.own, 6 * x * g * v)
        np.testing.assert_allclose(of_g.own, 3 * x * x * v)

    def test_precision_stays(self):
        x = self.rng.standard_normal(8).astype("f")
        y = idc.load("fft.id").fft(Tensor(x, requires_grad=True))
        self.assertEqual(y.dtype, torch.complex64)
        (pulled,), _ = gradients(y, [np.ones(8, "F")])
        self.assertEqual(pulled.dtype, np.float32)

    def test_integers_beside(self):
        value, place = idc.load("reduce.id").argmax(Tensor([1.0, 7.0, 3.0, 2.0], requires_grad=True))
        self.assertEqual(place.own, 1)
        (pulled,), _ = gradients(value, [np.array([5.0]), None])
        np.testing.assert_array_equal(pulled, [0, 5, 0, 0])


if __name__ == "__main__":
    unittest.main()
