"""Runs a command on a terminal and prints what it writes there, escapes readable: terminal.py COMMAND…"""

import os
import pty
import subprocess
import sys

own, theirs = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
os.close(theirs)
text = b""
try:
    while data := os.read(own, 65536):
        text += data
except OSError:  # the end, as terminals tell it
    pass
process.wait()
print(text.decode().replace("\033", "<ESC>").replace("\r", ""), end="")
