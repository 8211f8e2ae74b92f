"""What the wheel holds: everything below one package, `podline`, so that no name of ours meets a user's own.

The repository has `lifecycle` and `dashboard` beside `podline`. In the wheel they are `podline.lifecycle` and
`podline.dashboard`; imports, and texts that name a module, follow.
"""

import ast
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "podline"
MOVED = ("lifecycle", "dashboard", "manage")
"""Packages and modules that stand beside the package in the repository, and below it in the wheel."""
DATA = ("templates", "static")
_LEFT_OUT = ("__pycache__",)
_NAMES_MODULE = re.compile(r"(lifecycle|dashboard)(\.\w+)+(:\w+)?")
_MAY_NAME_MODULE = re.compile(rb"""["'](lifecycle|dashboard)\b""")

Edit = tuple[int, int, str]
"""(first byte, byte behind the last, text instead)"""


def place(root: Path, target: Path) -> None:
    """Write the contents of the package `podline`, as the wheel has them, into a folder."""
    modules = frozenset(_list_modules(root))
    for source, name in _list_files(root):
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        assert not copy.exists(), f"two files want to be {name}"
        if source.suffix == ".py":
            copy.write_text(rewrite(source.read_text("utf-8"), modules), "utf-8")
        else:
            shutil.copyfile(source, copy)


def _list_files(root: Path) -> Iterator[tuple[Path, str]]:
    """Each file of the product with its place in the package."""
    yield root / "manage.py", "manage.py"
    for folder in (PACKAGE, *MOVED, *DATA):
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and not any(part in _LEFT_OUT for part in path.parts):
                base = root / PACKAGE if folder == PACKAGE else root
                yield path, path.relative_to(base).as_posix()


def _list_modules(root: Path) -> Iterator[str]:
    for folder in MOVED:
        for path in (root / folder).rglob("*.py"):
            parts = path.relative_to(root).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def rewrite(source: str, modules: frozenset[str]) -> str:
    """A module with every name of a moved module below the package; its lines stay where they are."""
    encoded = source.encode()
    starts = [0]
    for line in encoded.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    tree = ast.parse(source)
    for first, end, text in sorted(_list_edits(tree, encoded, starts, modules), reverse=True):
        encoded = encoded[:first] + text.encode() + encoded[end:]
    return encoded.decode()


def _list_edits(
    tree: ast.Module, encoded: bytes, starts: list[int], modules: frozenset[str]
) -> Iterator[Edit]:
    # Parts of an f-string have no place of their own in each Python; of other expressions only texts matter.
    passed_over = ast.JoinedStr if _MAY_NAME_MODULE.search(encoded) else ast.expr
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, passed_over):
            waiting += ast.iter_child_nodes(node)
        if not isinstance(node, ast.stmt | ast.expr):
            continue
        first = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        text = _change(node, encoded[first:end].decode(), modules)
        if text is not None:
            yield first, end, text


def _change(node: ast.AST, text: str, modules: frozenset[str]) -> str | None:
    """What stands instead of a node; None where it stays."""
    if isinstance(node, ast.ImportFrom) and not node.level and _is_moved(node.module or ""):
        return re.sub(r"^from\s+", f"from {PACKAGE}.", text)
    if isinstance(node, ast.Import) and any(_is_moved(alias.name) for alias in node.names):
        return "; ".join(_import(alias) for alias in node.names)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and _is_module(node.value, modules):
        return repr(f"{PACKAGE}.{node.value}")
    return None


def _is_module(text: str, modules: frozenset[str]) -> bool:
    """Whether a text is a dotted name of which at least the first two parts are a module."""
    return bool(_NAMES_MODULE.fullmatch(text)) and ".".join(re.split("[.:]", text)[:2]) in modules


def _is_moved(module: str) -> bool:
    return module.partition(".")[0] in MOVED


def _import(alias: ast.alias) -> str:
    """An import that binds the same name as before."""
    name, other = alias.name, alias.asname
    if not _is_moved(name):
        return f"import {name} as {other}" if other else f"import {name}"
    if other:
        return f"import {PACKAGE}.{name} as {other}"
    top = name.partition(".")[0]
    return f"import {PACKAGE}.{name}; from {PACKAGE} import {top}"
