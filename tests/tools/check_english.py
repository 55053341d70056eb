#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds stiff English in the documents, and in the comments and texts of headers.

usage: check_english.py SOURCE_DIR

docs/style.md has the rules. Only what a program can see is checked here: words that nobody says, and
sentences that begin with a relative clause. Each finding is one line; the status is 1 if there is any.
"""

import re
import sys
from pathlib import Path

WORDS = re.compile(
    r"\b(whoever|whomever|whosoever|nobody|so many|as which|is none of|of theirs|nor is|save that|"
    r"be it|lest|thereof|whence|hath|told (?:of|by|from))\b",
    re.I,
)
# "What is missing fails." A question may begin so.
STARTS = re.compile(r"^(Nor|Of which|Of what|What|Who|Whose)\b[^?]*[.:]$")
SENTENCE = re.compile(r"(?<=[.!?:]) +(?=[A-Z])")
# A comment that goes on from the one before it: "/* .. of the first */".
ELLIPSIS = re.compile(r"^\.\. ")
COMMENT = re.compile(r"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*", re.S | re.M)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def plain(comment):
    """A comment without its marks, as one line."""
    comment = re.sub(r"\s*\n\s*(\*(?!/)|//)?\s?", " ", comment)
    return re.sub(r"^\s*(/\*+|//)\s?|\s*\*/$", "", comment).strip()


def of_header(text):
    """(line, text, is a comment) of every comment and string."""
    for m in COMMENT.finditer(text):
        yield text.count("\n", 0, m.start()) + 1, plain(m.group(0)), True
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
    for m in TEXT.finditer(code):
        yield code.count("\n", 0, m.start()) + 1, m.group(1), False


def of_document(text):
    """(line, paragraph) of running text: no blocks of code, no tables."""
    code, start, lines = False, 0, []
    for number, line in enumerate([*text.split("\n"), ""], 1):
        if line.startswith("```"):
            code = not code
        ends = code or line.startswith(("```", "|", "#", "<!--", "    ")) or not line.strip()
        if (ends or re.match(r"\s*([*-]|\d+\.) ", line)) and lines:
            yield start, " ".join(lines)
            lines = []
        if not ends:
            start = start if lines else number
            lines.append(re.sub(r"^\s*([*-]|\d+\.) ", "", line).strip())


def findings(text, starts):
    for m in WORDS.finditer(text):
        yield f"'{m.group(0)}'"
    for sentence in SENTENCE.split(text) if starts else ():
        if STARTS.match(sentence):
            yield f"begins with '{sentence.split(' ')[0]}': {sentence[:60]}"


def main(source):
    found = 0
    documents = [source / "README.md", *sorted((source / "docs").rglob("*.md"))]
    for path in documents:
        if path.name == "style.md":  # it quotes what it forbids
            continue
        for line, paragraph in of_document(path.read_text()):
            for what in findings(re.sub(r"`[^`]*`", "X", paragraph), True):
                print(f"{path.relative_to(source)}:{line}: {what}")
                found += 1
    headers = sorted(h for top in ("models", "platform", "traces", "firmware")
                     for h in (source / top).rglob("*.h"))
    for path in headers:
        for line, text, is_comment in of_header(path.read_text()):
            what = list(findings(text, False))
            if is_comment and ELLIPSIS.match(text):
                what.append("goes on from another comment")
            for one in what:
                print(f"{path.relative_to(source)}:{line}: {one}: {text[:80]}")
                found += 1
    print(f"{len(documents)} documents and {len(headers)} headers" if not found
          else f"{found} findings: docs/style.md has the rules")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
