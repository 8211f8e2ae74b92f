"""What the site does with its pages: a link to a file beside docs/ has no page there, and stands as text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s#:]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Called by MkDocs for each page."""
    top = Path(config["docs_dir"]).resolve()
    folder = Path(page.file.abs_src_path).parent

    def stand(match: re.Match[str]) -> str:
        target = (folder / match[2]).resolve()
        is_page = target.is_relative_to(top) and target.suffix == ".md"
        return match[0] if is_page else match[1]

    return _LINK.sub(stand, markdown)
