"""Writes an .id program with every identifier in rot13, leaving alone what the language itself names.

usage: rename.py FILE > RENAMED
"""

import codecs
import re
import sys

LANGUAGE = set(
    """
    import const type func node algorithm schedule let for in to downto by if else require return true false
    bool i32 i64 u32 u64 f16 bf16 f32 f64 complex mod
    unshuffle reverse permute complement digit digits index omega radix log2
    select min max abs sqrt rsqrt exp log sin cos conj re im fma xor
    """.split()
)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[A-Za-z_]\w*|\d\w*(?:\.\d\w*)?|.', re.DOTALL)


def renamed(token):
    if re.match(r"[A-Za-z_]", token) and token not in LANGUAGE:
        name = codecs.encode(token, "rot13")
        if name in LANGUAGE:
            sys.exit(f"rename.py: {token} in rot13 is {name}, a word of the language")
        return name
    return "" if token.startswith(("//", "/*")) else token


with open(sys.argv[1], encoding="utf-8") as file:
    sys.stdout.write("".join(renamed(token) for token in TOKEN.findall(file.read())))
