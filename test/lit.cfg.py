"""The tests that are files: RUN lines in .test, .id and .mlir files. The programs of unit/ are a suite of their own
(unit/lit.cfg.py), which lit finds inside this one.

Paths     idc, idc-opt and the test tools (build/bin), FileCheck, not, split-file (LLVM's tools).
Substitutions
  %stdlib   the folder of the standard library
  %root     the top folder of the sources
  %examples the folder of the examples
  %python   the system's python3
  %cc       the C compiler
  %cxx      the C++ compiler
  %build    the build folder
  %include  the folder of the runtime's headers
  %runtime  what links the static runtime, for %cc
Features, for REQUIRES lines (summary.py gives the reasons when one is missing)
  ptxas     NVIDIA's assembler: cubin and fatbin can be made
  libdevice CUDA's device library, where idc looks for it
  gpu       an NVIDIA GPU with its driver
  gfortran  the Fortran compiler
  mkdocs    MkDocs, which makes the site
  patchelf  changes where binaries look for libraries
  chromium  a browser without a window: pages can be looked at
  scipy     SciPy, for the system's python3
  vscode    npm's packages of the extension for Visual Studio Code: ./dev vscode has fetched them
  fish, zsh  these shells
  locales   the sources of locales, which localedef compiles
  fuzzers   the targets of libFuzzer are built
  unsanitized  a build without sanitizers: programs that are not instrumented can link its libraries
"""

import ctypes
import os
import shutil
import subprocess

import lit.formats


def has_gpu():
    """Whether the CUDA driver loads and sees a device."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


config.environment["IDC_CACHE"] = "" # what is tested is compiled
config.environment["IDC_TUNED"] = "" # by what the tree has
config.name = "idc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".id", ".mlir", ".test"]
# unit/ is a suite of its own; Inputs folders hold what tests read; gpu/ and benchmarks/ need a GPU to themselves.
config.excludes = ["Inputs", "gpu", "benchmarks"]
config.test_source_root = os.path.join(config.idc_source_dir, "test")
config.test_exec_root = os.path.join(config.idc_binary_dir, "test")

paths = [config.idc_tools_dir, config.llvm_tools_dir]
paths += [os.path.join(os.environ[name], "bin") for name in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
paths += [config.environment["PATH"], "/usr/local/cuda/bin"]
config.environment["PATH"] = os.pathsep.join(paths)
if shutil.which("ptxas", path=config.environment["PATH"]):
    config.available_features.add("ptxas")
libraries = ["/usr/local/cuda/nvvm/libdevice", "/usr/lib/nvidia-cuda-toolkit/libdevice"]
if os.environ.get("CUDA_HOME"):
    config.environment["CUDA_HOME"] = os.environ["CUDA_HOME"]
    libraries = [os.path.join(os.environ["CUDA_HOME"], "nvvm", "libdevice")]
if any(os.path.exists(os.path.join(folder, "libdevice.10.bc")) for folder in libraries):
    config.available_features.add("libdevice")
if has_gpu():
    config.available_features.add("gpu")
for program in ("chromium", "fish", "gfortran", "mkdocs", "patchelf", "zsh"):
    if shutil.which(program, path=config.environment["PATH"]):
        config.available_features.add(program)
if os.path.exists("/usr/share/i18n/locales/de_DE"):
    config.available_features.add("locales")
if subprocess.run([config.python, "-c", "import scipy"], stderr=subprocess.DEVNULL).returncode == 0:
    config.available_features.add("scipy")
if os.path.isdir(os.path.join(config.idc_source_dir, "editors", "vscode", "node_modules")):
    config.available_features.add("vscode")
if config.fuzzers:
    config.available_features.add("fuzzers")
if "-fsanitize" not in config.c_flags:
    config.available_features.add("unsanitized")

config.substitutions.append(("%stdlib", os.path.join(config.idc_source_dir, "stdlib")))
config.substitutions.append(("%root", config.idc_source_dir))
config.substitutions.append(("%examples", os.path.join(config.idc_source_dir, "examples")))
config.substitutions.append(("%python", config.python))
config.substitutions.append(("%cc", config.c_compiler))
config.substitutions.append(("%cxx", config.cxx_compiler))
config.substitutions.append(("%build", config.idc_binary_dir))
config.substitutions.append(("%include", os.path.join(config.idc_source_dir, "runtime", "include")))
config.substitutions.append(("%runtime", os.path.join(config.idc_binary_dir, "lib", "libidc_runtime.a")
                             + config.c_flags + " -lstdc++ -lm -lpthread -ldl"))
