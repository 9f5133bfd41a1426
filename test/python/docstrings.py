"""Runs the examples of all docstrings and counts them."""

import doctest
import importlib
import pkgutil
import sys

import idc

failed = 0
for found in pkgutil.iter_modules(idc.__path__, "idc."):
    if found.name in ("idc.torch", "idc.jax"):
        continue  # need PyTorch and JAX; torch_gradients.py and jax_gradients.py have stand-ins
    results = doctest.testmod(importlib.import_module(found.name))
    failed += results.failed
    if results.attempted:
        print(f"{found.name}: {results.attempted} examples")
sys.exit(failed != 0)
