"""Writes the manual page of idc from what its --help says: manpage.py IDC > idc.1"""

import subprocess
import sys

import helptext


def escaped(text):
    return text.replace("\\", r"\\").replace("-", r"\-").replace("'", r"\(aq")


def main(idc):
    commands = helptext.commands(idc)
    version = subprocess.run([idc, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    print(f'.TH IDC 1 "" "{version}" "User commands"')
    print(".SH NAME\nidc \\- compiler of index\\-digit algorithms to GPU and CPU code")
    print(".SH SYNOPSIS")
    for command, _ in commands:
        file = " \\fIFILE.id\\fR" if helptext.takes_file(idc, command) else ""
        print(f".B idc {command}\n[\\fIoptions\\fR]{file}\n.br")
    print(".SH DESCRIPTION\nAn index\\-digit algorithm works on the elements of a sequence in steps; a step applies a small "
          "operator to elements whose indices differ in one digit. idc compiles such programs to kernels, and to C "
          "libraries of them for applications.")
    for command, description in commands:
        print(f".SH IDC {command.upper()}\n{escaped(description[0].upper() + description[1:])}.")
        for option, meaning in helptext.options(idc, command):
            print(f".TP\n.B {escaped(option)}\n{escaped(meaning)}")
    print(".SH ENVIRONMENT")
    print(".TP\n.B CUDA_HOME\nwhere CUDA's tools are looked for, before PATH and /usr/local/cuda")
    print(".TP\n.B IDC_CACHE\nfolder where the compilations of libraries are kept (default: idc in the user's cache "
          "folder); empty: nowhere")
    print(".TP\n.B IDC_TUNED\nfolder of the user's measured schedules (default: idc/tuned in the user's data folder); "
          "empty: none")
    print(".SH EXIT STATUS\n0; 1 when a program or an option is wrong, or a comparison failed.")


if __name__ == "__main__":
    main(sys.argv[1])
