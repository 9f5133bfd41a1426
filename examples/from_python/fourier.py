"""A generated library from Python: arrays of NumPy on the CPU; of PyTorch or CuPy on a GPU, without a copy."""

import ctypes
import pathlib

import numpy as np

CPU = ctypes.c_void_p(-1)  # IDC_CPU


class Fourier:
    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        i64, pointer = ctypes.c_int64, ctypes.c_void_p
        for name in ("fourier_f32", "fourier_f64"):
            getattr(self.library, name).argtypes = [i64, i64, pointer, pointer, pointer, pointer]
            getattr(self.library, name + "_workspace_size").argtypes = [i64, i64]
            getattr(self.library, name + "_workspace_size").restype = i64
            getattr(self.library, name + "_message").restype = ctypes.c_char_p

    def _launch(self, name, n, batch, x, y, allocate, stream):
        workspace_bytes = getattr(self.library, name + "_workspace_size")(n, batch)
        workspace = allocate(max(workspace_bytes, 1))
        status = getattr(self.library, name)(n, batch, x, y, workspace[1], stream)
        if status:
            raise RuntimeError(getattr(self.library, name + "_message")(status).decode())

    def numpy(self, x):
        """The transforms of the rows of an array, on the CPU."""
        x = np.ascontiguousarray(x)
        name = {"complex64": "fourier_f32", "complex128": "fourier_f64"}[x.dtype.name]
        length, y = x.shape[-1], np.empty_like(x)

        def allocate(size):
            memory = np.empty(size, "u1")
            return memory, memory.ctypes.data

        self._launch(name, length.bit_length() - 1, x.size // length, x.ctypes.data, y.ctypes.data, allocate, CPU)
        return y

    def torch(self, x):
        """The same of a PyTorch tensor on a GPU, on its current stream."""
        import torch

        x = x.contiguous()
        name = {torch.complex64: "fourier_f32", torch.complex128: "fourier_f64"}[x.dtype]
        length, y = x.shape[-1], torch.empty_like(x)

        def allocate(size):  # PyTorch frees memory in the order of the stream
            memory = torch.empty(size, dtype=torch.uint8, device=x.device)
            return memory, memory.data_ptr()

        stream = torch.cuda.current_stream(x.device).cuda_stream
        with torch.cuda.device(x.device):
            self._launch(name, length.bit_length() - 1, x.numel() // length, x.data_ptr(), y.data_ptr(), allocate, stream)
        return y


def main():
    fourier = Fourier(pathlib.Path(__file__).parent / "build" / "fourier.so")
    random = np.random.default_rng(1)
    for dtype, tolerance in (("c8", 1e-6), ("c16", 1e-14)):
        x = (random.standard_normal((10, 4096)) + 1j * random.standard_normal((10, 4096))).astype(dtype)
        expected = np.fft.fft(x)
        error = np.linalg.norm(fourier.numpy(x) - expected) / np.linalg.norm(expected)
        print(f"NumPy, {np.dtype(dtype)}: error {error:.1e}")
        assert error < tolerance
    try:
        fourier.numpy(np.zeros(2**17, "c8"))
    except RuntimeError as error:
        print(error)
    try:
        import torch

        on_gpu = torch.cuda.is_available()
    except ImportError:
        on_gpu = False
    if not on_gpu:
        return print("no PyTorch with a GPU here")
    x = torch.randn(10, 4096, dtype=torch.complex64, device="cuda")
    expected = torch.fft.fft(x)
    error = (torch.linalg.norm(fourier.torch(x) - expected) / torch.linalg.norm(expected)).item()
    print(f"PyTorch: error {error:.1e}")
    assert error < 1e-6


if __name__ == "__main__":
    main()
