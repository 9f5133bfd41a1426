"""What `idc explain` says of each kernel's launch is in the manifest: explain.py MANIFEST.json EXPLAINED.txt"""

import json
import re
import sys

with open(sys.argv[1]) as file:
    kernels = json.load(file)["kernels"]
with open(sys.argv[2]) as file:
    text = file.read()
shown = re.findall(r"^Kernel \d+ of \d+: (\S+)\n.*?(\d+) blocks? of (\d+) threads? for (\d+) problems?.*\n"
                   r"  (\d+) bytes? of shared memory per block, (?:(\d+) registers? per thread, (?:no spills|(\d+) bytes?)|"
                   r"registers unknown)", text, re.MULTILINE)
expected = [(kernel["name"], str(kernel["blocksPerGroup"]), str(kernel["threads"]), str(kernel["problemsPerBlockGroup"]),
             str(kernel["sharedBytes"]), "" if kernel["registers"] is None else str(kernel["registers"]),
             str(kernel["spillBytes"]) if kernel["spillBytes"] else "") for kernel in kernels]
assert shown == expected and shown, f"shown {shown}, in the manifest {expected}"
