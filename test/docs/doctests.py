"""Runs the examples of a page in Python: doctests.py PAGE.md"""

import doctest
import os
import sys

failed, attempted = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.ELLIPSIS)
print(f"{os.path.basename(sys.argv[1])}: {attempted} examples, {failed} failed")
sys.exit(failed != 0)
