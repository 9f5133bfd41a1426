"""A picture is XML, and holds each pattern so many times: explain-picture.py PICTURE.svg 'PATTERN=COUNT' …"""

import re
import sys
import xml.etree.ElementTree as xml

root = xml.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
assert float(root.get("width")) > 50 and float(root.get("height")) > 50, root.attrib
with open(sys.argv[1]) as file:
    text = re.sub(r"<title>.*?</title>", "", file.read())
for wanted in sys.argv[2:]:
    pattern, count = wanted.rsplit("=", 1)
    found = len(re.findall(pattern, text))
    assert found == int(count), f"{sys.argv[1]}: {found} times {pattern}, not {count}"
