"""Follows every link of the built site: check.py FOLDER prints those that lead nowhere, and fails when there are some.

What pages load (scripts, styles, pictures) has to be part of the site, too.
"""

import html.parser
import os
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """What a page links, what it loads, and the places in it that links may name."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.places = [], [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and found.get("href"):
            self.links.append(found["href"])
        elif tag in ("img", "script") and found.get("src"):
            self.loads.append(found["src"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon"):
            self.loads.append(found["href"])


def main(folder):
    top = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in top.rglob("*.html")}
    wrong = followed = 0
    for path, page in pages.items():
        for target in page.links + page.loads:
            parts = urllib.parse.urlsplit(target)
            if parts.scheme and target not in page.loads:
                continue
            followed += 1
            start = f"{top}/" if parts.path.startswith("/") else f"{path.parent}/"
            file = pathlib.Path(os.path.normpath(start + urllib.parse.unquote(parts.path))) if parts.path else path
            place = urllib.parse.unquote(parts.fragment)
            if parts.scheme or not file.is_file():
                problem = "not on the site"
            elif place and file in pages and place not in pages[file].places:
                problem = "no such place"
            else:
                continue
            wrong += 1
            print(f"{path.relative_to(top)}: {target}: {problem}")
    print(f"{len(pages)} pages, {followed} links, {wrong} wrong")
    return wrong > 0 or not pages


sys.exit(main(*sys.argv[1:]))
