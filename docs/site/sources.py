"""Copies what the site is made of: the pages, and the files that they link.

    sources.py FOLDER      (made anew)

MkDocs takes pages from one folder. Pages of this project link folders and files of the sources, too; on the site these
become pages that list or show them.
"""

import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["*.md", "docs/*.md", "docs/reference/*.md", "runtime/*.md", "examples/*/README.md"]
STYLE = pathlib.Path("docs/site/site.css")
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(#[^)\s]*)?(?=\))")


def shown(path):
    """The text of a page that shows a file or lists a folder."""
    if (ROOT / path).is_dir():
        entries = sorted(entry.name for entry in (ROOT / path).iterdir() if entry.is_file())
        return f"# {path}\n\n" + "\n".join(f"- [{name}]({name})" for name in entries) + "\n"
    code = (ROOT / path).read_text(encoding="utf-8")
    return f"# {path.name}\n\n`{path}`\n\n````{{.{path.suffix[1:] or 'text'} linenums=\"1\"}}\n{code}````\n"


def place(fragment):
    """The place in a page that shows a file, for a line of it as code hosts name it, `#L12`; others are their own."""
    line = re.fullmatch(r"#L(\d+)", fragment or "")
    return f"#__codelineno-0-{line[1]}" if line else fragment or ""


def as_page(path):
    """Where the site has a file or folder of the sources, relative to its top."""
    if (ROOT / path).is_dir():
        readme = path / "README.md"
        return readme if (ROOT / readme).exists() else path / "index.md"
    return path if path.suffix in (".md", ".svg", ".png") else path.with_name(path.name + ".md")


class Sources:
    def __init__(self, folder):
        self.folder, self.copied = folder, set()

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def take(self, path):
        """Copies a page, picture, file or folder of the sources, and what its page links."""
        if path in self.copied:
            return
        self.copied.add(path)
        target = as_page(path)
        if target.suffix != ".md":
            (self.folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.folder / target)
        elif target == path or target.name == "README.md":
            self.write(target, self.linked((ROOT / target).read_text(encoding="utf-8"), target.parent))
        else:
            text = shown(path)
            self.write(target, self.linked(text, path) if (ROOT / path).is_dir() else text)

    def linked(self, text, folder):
        """The text with links to what the site has in the place of files and folders; code stays as it is."""

        def link(match):
            if re.match(r"\w+:", match[1]):
                return match[0]
            path = pathlib.Path(os.path.normpath(folder / match[1]))
            self.take(path)
            return os.path.relpath(as_page(path), folder) + place(match[2])

        parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
        return "".join(part if i % 2 else LINK.sub(link, part) for i, part in enumerate(parts))


def main(folder):
    shutil.rmtree(folder, ignore_errors=True)
    sources = Sources(pathlib.Path(folder))
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            sources.take(page.relative_to(ROOT))
    sources.write(STYLE, (ROOT / STYLE).read_text(encoding="utf-8"))


main(*sys.argv[1:])
