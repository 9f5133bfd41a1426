#!/bin/sh
# Runs a command as docs/install.md has it for idc under a prefix: ./prefix; python3 is ./bin's.
prefix=$PWD/prefix
PATH=$PWD/bin:$prefix/bin:$PATH LD_LIBRARY_PATH=$prefix/lib PKG_CONFIG_PATH=$prefix/lib/pkgconfig \
  CMAKE_PREFIX_PATH=$prefix PYTHONPATH=$prefix/lib/python3/dist-packages exec "$@"
