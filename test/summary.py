"""Reads lit's results, prints every skipped test with its reason and the failed ones, and ends with one line:
`N passed, N failed, N skipped`. The exit status is 1 when a test failed or none ran.

usage: summary.py FOLDER

FOLDER holds results.xml (lit --xunit-xml-output; lit's JSON leaves out what a GoogleTest program skips) and, below
unit/, the GoogleTest programs.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

MISSING_FEATURE = {
    "chromium": "no chromium (Debian's package of that name)",
    "fish": "no fish (Debian's package of that name)",
    "fuzzers": "the targets of libFuzzer are built with sanitizers (./dev fuzz, ./dev check --sanitize)",
    "gfortran": "no gfortran (Debian's package of that name)",
    "locales": "no sources of locales (Debian's package locales)",
    "mkdocs": "no MkDocs (Debian's packages mkdocs and mkdocs-material)",
    "patchelf": "no patchelf (Debian's package of that name)",
    "scipy": "no SciPy (Debian's package python3-scipy)",
    "gpu": "no NVIDIA GPU with a driver on this machine",
    "libdevice": "no libdevice.10.bc: the CUDA toolkit is not installed",
    "ptxas": "no ptxas: the CUDA toolkit is not installed",
    "vscode": "the extension for Visual Studio Code was not packed here (./dev vscode)",
    "zsh": "no zsh (Debian's package of that name)",
    "unsanitized": "a build with sanitizers: what it installs is not for programs without them",
}
NOT_SELECTED = "Test not selected"


def unit_test_reason(folder, path):
    """Asks the program itself: lit keeps no message of a test that skips itself."""
    test = os.path.join(folder, "unit", path)
    program = test
    while program != folder and not os.path.isfile(program):
        program = os.path.dirname(program)
    if os.path.isfile(program):
        name = os.path.relpath(test, program).replace("/", "?")
        run = subprocess.run([program, "--gtest_filter=" + name], capture_output=True, text=True)
        message = re.search(r"Skipped\n(.*?)\n*\[", run.stdout, re.DOTALL)
        if message and message.group(1).strip():
            return " ".join(message.group(1).split())
    return "the test skips itself and gives no reason"


def reason(folder, suite, path, message):
    if suite == "idc-unit":
        return unit_test_reason(folder, path)
    features = message.removeprefix("Missing required feature(s): ").split(", ")
    return "; ".join(MISSING_FEATURE.get(feature, feature) for feature in features)


def main():
    folder = sys.argv[1]
    try:
        tests = list(xml.parse(os.path.join(folder, "results.xml")).iter("testcase"))
    except (OSError, xml.ParseError) as error:
        sys.exit(f"summary.py: no results of the tests: {error}")
    passed, failed, skipped = 0, [], []
    for test in tests:
        suite, path = test.get("classname").split(".", 1)
        path = test.get("name") if path == suite else os.path.normpath(f"{path}/{test.get('name')}")
        skip = test.find("skipped")
        if skip is not None and skip.get("message").startswith(NOT_SELECTED):
            continue
        if skip is not None:
            skipped.append(f"{suite} :: {path}: {reason(folder, suite, path, skip.get('message'))}")
        elif test.find("failure") is not None:
            failed.append(f"{suite} :: {path}")
        else:
            passed += 1
    for line in sorted(skipped):
        print("skipped:", line)
    for line in sorted(failed):
        print("failed:", line)
    print(f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
