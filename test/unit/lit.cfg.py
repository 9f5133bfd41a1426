"""The GoogleTest programs: every program whose name ends in "-tests", wherever it was built below build/test/unit."""

import os

import lit.formats

config.name = "idc-unit"
config.test_format = lit.formats.GoogleTest("", "-tests")
config.test_source_root = os.path.join(config.idc_binary_dir, "test", "unit")
config.test_exec_root = config.test_source_root
config.excludes = ["CMakeFiles"]
