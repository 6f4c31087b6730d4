"""What pyproject.toml cannot say: the loops in C are compiled by cffi."""

from setuptools import setup

setup(cffi_modules=["src/carob/_kernels/build_loops.py:ffi"])
