"""Makes an installed prefix independent of the system's LLVM: bundle.py PREFIX

Copies the shared libraries that its programs and libraries need into PREFIX/lib, but for those of C and C++, which
every Linux has, and has all of them look for each other there (patchelf). Their licences, and those of headers that are
compiled in, go to PREFIX/share/doc/idc/licences.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

# Of the C library and the compiler's run-time library: newer systems run what was linked with older ones of these.
SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|stdc\+\+|gcc_s))\.so\.\d+")

HEADERS = ("libcli11-dev", "librandom123-dev", "libxxhash-dev", "nlohmann-json3-dev")


def binaries(prefix):
    """Programs and shared libraries, without links to them."""
    for path in sorted(prefix.rglob("*")):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                start = file.read(18)
            if start[:4] == b"\x7fELF" and start[16] in (2, 3):
                yield path


def needed(binary, libraries):
    """Names and files of all libraries that are loaded with it, those that others need among them."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries)}
    listed = subprocess.run(["ldd", binary], env=environment, text=True, check=True, stdout=subprocess.PIPE).stdout
    for name, file in re.findall(r"^\s*(\S+) => (not found|\S+)", listed, re.M):
        if file == "not found":
            sys.exit(f"bundle.py: {binary} needs {name}, which is not there")
        if not SYSTEM.fullmatch(name):
            yield name, file


def package_of(file):
    """The Debian package that a library is of. It is known by the folder where it was put, which may be a link now."""
    name = pathlib.Path(file).resolve().name
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], text=True, check=True, stdout=subprocess.PIPE).stdout
    return found.split(":")[0]


def main(prefix):
    libraries, licences = prefix / "lib", prefix / "share" / "doc" / "idc" / "licences"
    licences.mkdir(parents=True, exist_ok=True)

    def keep_licence(package):
        shutil.copyfile(f"/usr/share/doc/{package}/copyright", licences / package)

    for package in HEADERS:
        keep_licence(package)
    for name, file in {pair for binary in list(binaries(prefix)) for pair in needed(binary, libraries)}:
        if not (libraries / name).exists():
            shutil.copyfile(file, libraries / name)
            keep_licence(package_of(file))
    for binary in binaries(prefix):
        there = os.path.relpath(libraries, binary.parent)
        path = "$ORIGIN" if there == "." else f"$ORIGIN/{there}"
        subprocess.run(["patchelf", "--set-rpath", path, binary], check=True)


main(pathlib.Path(sys.argv[1]).resolve())
