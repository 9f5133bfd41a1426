#!/bin/sh
# Installs idc into ./prefix, copies the project $1 to ./project, and configures it, with the options behind $1, and
# builds it there: as somebody who has only the installed package. The log is printed when that fails.
set -e
cmake --install "$IDC_BUILD" --prefix "$PWD/prefix" >install.log 2>&1 || { cat install.log; exit 1; }
cp -r "$1" project
shift
{ cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$PWD/prefix" "$@" && cmake --build project/build; } >build.log 2>&1 ||
  { cat build.log; exit 1; }
