# SPDX-License-Identifier: Apache-2.0
"""Links from docs/ to sources: the site holds docs/ alone, so it shows the path and no link."""
import posixpath
import re

LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, **_):
    """MkDocs calls this with the text of every page before it makes HTML of it."""
    folder = posixpath.dirname(page.file.src_path)

    def plain(match):
        target = match.group(3)
        outside = posixpath.normpath(posixpath.join(folder, target)).startswith("..")
        if "://" in target or not outside:
            return match.group(0)
        text = match.group(2)
        return text if "`" in text or "/" not in text else "`" + text + "`"

    return LINK.sub(plain, markdown)
