"""The wheel has libraries for one kind of machine, and serves every Python 3."""

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class Binary(Distribution):
    def has_ext_modules(self):
        return True


class Wheel(bdist_wheel):
    def get_tag(self):
        return "py3", "none", "manylinux_2_36_x86_64"  # Debian 12's C library, which it was linked with


setup(distclass=Binary, cmdclass={"bdist_wheel": Wheel})
