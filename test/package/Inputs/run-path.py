"""The RUNPATH and RPATH of every ELF file in the folders that are given consist of absolute folders."""
import pathlib
import re
import subprocess
import sys

count, wrong = 0, []
for path in (path for folder in sys.argv[1:] for path in pathlib.Path(folder).rglob("*")):
    if "Output" in path.parts or path.is_symlink() or not path.is_file():
        continue
    with path.open("rb") as file:
        start = file.read(18)
    if start[:4] != b"\x7fELF" or start[16] not in (2, 3):  # programs and shared libraries
        continue
    count += 1
    dynamic = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
    for element in (element for found in re.findall(r"R(?:UN)?PATH\).*\[(.*)\]", dynamic) for element in found.split(":")):
        if not element.startswith(("/", "$ORIGIN")):
            wrong.append(f"{path}: '{element}'")
print(f"{count} files", *wrong, sep="\n")
sys.exit(bool(wrong) or count < 3)
