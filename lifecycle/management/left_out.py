"""What modules say that they leave out of what Kubernetes does, read from their docstrings."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("lifecycle/engine", "lifecycle/userland", "lifecycle/kube_api")
SENTENCES = re.compile(r"Left\s+out(?:, and named where [\w ]+)?: .*?(?=\n\s*\n|\Z)", re.S)


def list_left_out(top: Path) -> Iterator[tuple[str, str]]:
    """(module, what it leaves out) of each that says so, below the top folder of the repository, by path."""
    for folder in FOLDERS:
        for path in sorted((top / folder).rglob("*.py")):
            text = path.read_text()
            if SENTENCES.search(text):
                where = path.relative_to(top / "lifecycle").with_suffix("")
                name = (where.parent if where.name == "__init__" else where).as_posix()
                yield from ((name, one) for one in _read_sentences(text))


def _read_sentences(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            for found in SENTENCES.findall(ast.get_docstring(node) or ""):
                head, _, what = " ".join(found.split()).removesuffix(".").partition(": ")
                yield what if head == "Left out" else f"{what} ({head.removeprefix('Left out, and ')})"
