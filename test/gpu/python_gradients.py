"""Derivatives of PyTorch's tensors: gradients against differences (gradcheck, f64), against PyTorch's own, through
torch.compile without a graph break, and what is saved for them.

    IDC_LIBRARY=build/lib/libidc.so.0 PYTHONPATH=python python3 test/gpu/python_gradients.py

with a python3 that has NumPy and PyTorch 2.4 or newer; on the CPU always, and on a GPU where there is one.
"""

import unittest

import torch

import idc
import idc.fft
import idc.torch  # before anything is compiled
from python_layer import OWN

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


def reals(*shape, device):
    return torch.randn(*shape, dtype=torch.float64, device=device, requires_grad=True)


def complexes(*shape, device):
    return torch.randn(*shape, dtype=torch.complex128, device=device, requires_grad=True)


class Gradients(unittest.TestCase):
    def each(self, check):
        for device in DEVICES:
            with self.subTest(device=device):
                torch.manual_seed(0)
                check(device)

    def test_transforms_against_differences(self):
        def check(device):
            gradcheck = torch.autograd.gradcheck
            self.assertTrue(gradcheck(idc.fft.fft, complexes(2, 12, device=device)))
            self.assertTrue(gradcheck(lambda x: idc.fft.ifft(x, norm="ortho"), complexes(2, 7, device=device)))
            self.assertTrue(gradcheck(lambda x: idc.fft.fft(x, n=10, axis=0), complexes(8, 3, device=device)))
            self.assertTrue(gradcheck(idc.fft.rfft, reals(2, 10, device=device)))
            self.assertTrue(gradcheck(lambda x: idc.fft.irfft(x, n=10), complexes(2, 6, device=device)))
            self.assertTrue(gradcheck(idc.fft.fft2, complexes(2, 3, 4, device=device)))
            self.assertTrue(gradcheck(idc.fft.rfft2, reals(3, 4, device=device)))
            for kind in (1, 2, 3, 4):
                self.assertTrue(gradcheck(lambda x: idc.fft.dct(x, type=kind, norm="ortho"), reals(2, 9, device=device)))

        self.each(check)

    def test_functions_against_differences(self):
        def check(device):
            gradcheck = torch.autograd.gradcheck
            self.assertTrue(gradcheck(idc.cumsum, reals(11, device=device)))
            self.assertTrue(gradcheck(lambda x: idc.cumsum(x, 0), reals(5, 2, device=device)))
            self.assertTrue(gradcheck(idc.sort, reals(2, 6, device=device)))
            a, b, c, d = (reals(7, device=device) for _ in range(4))
            b = (b.detach() + 5).requires_grad_()
            self.assertTrue(gradcheck(idc.solve_tridiagonal, (a, b, c, d)))
            self.assertTrue(gradcheck(idc.convolve, (reals(9, device=device), reals(4, device=device))))
            self.assertTrue(gradcheck(idc.hadamard, reals(3, 8, device=device)))

        self.each(check)

    def test_own_programs(self):
        def check(device):
            x, w = reals(3, 8, device=device), reals(8, device=device)
            self.assertTrue(torch.autograd.gradcheck(lambda x, w: OWN(x, w, 0.5), (x, w)))
            value, place = idc.load("reduce.id").argmax(reals(8, device=device))
            value.sum().backward()
            self.assertFalse(place.requires_grad)

        self.each(check)

    def test_second_derivatives(self):
        def check(device):
            x, w = reals(2, 4, device=device), reals(4, device=device)
            self.assertTrue(torch.autograd.gradgradcheck(lambda x, w: OWN(x, w, 0.5), (x, w)))
            self.assertTrue(torch.autograd.gradgradcheck(idc.fft.fft, complexes(6, device=device)))

        self.each(check)

    def test_against_pytorch(self):
        def check(device):
            for own, other, x in (
                (idc.fft.fft, torch.fft.fft, complexes(4, 1000, device=device)),
                (idc.fft.rfft, torch.fft.rfft, reals(4, 999, device=device)),
                (idc.fft.irfft, torch.fft.irfft, complexes(4, 501, device=device)),
                (lambda x: idc.cumsum(x, 1), lambda x: torch.cumsum(x, 1), reals(4, 1000, device=device)),
                (idc.sort, lambda x: torch.sort(x).values, reals(4, 1000, device=device)),
            ):
                expected = other(x)
                g = torch.randn_like(expected)
                (wanted,) = torch.autograd.grad(expected, x, g)
                (got,) = torch.autograd.grad(own(x), x, g)
                torch.testing.assert_close(got, wanted)

        self.each(check)

    def test_linear_programs_save_nothing(self):
        saved = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
            idc.fft.fft(complexes(64, device=DEVICES[-1]))
            self.assertEqual(saved, [])
            OWN(reals(8, device=DEVICES[-1]), reals(8, device=DEVICES[-1]), 0.5)
            self.assertEqual(len(saved), 2)

    def test_compiled_without_a_graph_break(self):
        def check(device):
            def loss(x, w):
                spectrum = idc.fft.rfft(OWN(x, w, 0.5))
                return (spectrum.abs() ** 2).sum() + idc.cumsum(x, 1).sum()

            x, w = reals(3, 8, device=device), reals(8, device=device)
            wanted = torch.autograd.grad(loss(x, w), (x, w))
            for backend in ("aot_eager", "inductor"):
                torch._dynamo.reset()
                compiled = torch.compile(loss, fullgraph=True, backend=backend)
                got = torch.autograd.grad(compiled(x, w), (x, w))
                for one, other in zip(got, wanted):
                    torch.testing.assert_close(one, other)

        self.each(check)

    def test_operators(self):
        x = complexes(4, 12, device=DEVICES[-1])
        program = idc.load("fft.id")
        call = idc.torch._spelled(program.fft_any.number, (), "throughput", ())
        torch.library.opcheck(idc.torch._call, ([x], call))

    def test_without_gradients(self):
        for device in DEVICES:
            x = complexes(16, device=device)
            with torch.no_grad():
                y = idc.fft.fft(x if device == "cuda" else x.detach())
            self.assertEqual(isinstance(y, torch.Tensor), device == "cuda")
            with self.assertRaises(idc.Error):
                idc.load("fft.id").fft(x, out=torch.empty_like(x))


if __name__ == "__main__":
    unittest.main()
