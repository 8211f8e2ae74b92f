"""Functions and modules stay small, the engine speaks one dialect. Read from the syntax trees, not run."""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

import pytest

from tests.test_floors import TOP, modules, resolve, walk_statements

# The worker that reads the trees for the floors reads them for these too.
pytestmark = pytest.mark.together("floors")

MOST_LINES_OF_A_FUNCTION = 50
MOST_LINES_OF_A_MODULE = 400
MOST_FILES_OF_A_FOLDER = 25
# What is longer, and why; a folder that is not any more leaves the table.
LONG_FOLDERS = {"lifecycle/engine/kinds": "a kind is one file, and there are as many as Kubernetes has"}

# Who speaks the dialect of the engine; inside each of them imports are relative.
PACKAGES = ("lifecycle.engine", "lifecycle.userland")
# What is left to mend, by room (a package and all below it; the deepest that fits counts). A number is
# exact: it goes down with every repair and never up, and a room that is done leaves the table.
ROOMS: dict[str, dict[str, int]] = {
    "without a docstring": {},
    "annotated without the future import": {},
    "importing its own package by its full name": {},
}

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Find = Callable[[str, ast.Module], Iterable[str]]


def production() -> dict[str, ast.Module]:
    """Every module that people write; migrations are written by Django."""
    return {name: tree for name, tree in modules().items() if ".migrations" not in name}


def is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def package_of(name: str) -> str | None:
    """The one of PACKAGES that a module is in."""
    return next((package for package in PACKAGES if is_in(name, package)), None)


def count_lines(name: str) -> int:
    path = TOP / name.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return len(file.read_text().splitlines())


# --- sizes ------------------------------------------------------------------------------------------------


def find_long_functions(name: str, tree: ast.Module) -> Iterator[str]:
    """Functions of too many lines, signature and docstring counted, decorators not."""
    for node in walk_statements(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION:
                yield f"{name}:{node.lineno} {node.name} has {lines} lines"


def test_no_function_is_over_50_lines():
    wrong = [text for name, tree in production().items() for text in find_long_functions(name, tree)]
    assert not wrong, "\n".join(wrong)


def test_no_module_is_over_400_lines():
    lines = {name: count_lines(name) for name in production()}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES_OF_A_MODULE}


def count_files() -> Counter[str]:
    """How many files of code each folder has, without those of the folders in it."""
    files = [
        path
        for top in ("lifecycle", "dashboard", "podline", "static", "tests")
        for end in ("py", "js", "mjs")
        for path in (TOP / top).rglob(f"*.{end}")
    ]
    return Counter(str(path.parent.relative_to(TOP)) for path in files)


def test_no_folder_has_more_files_than_are_taken_in_at_a_glance():
    long = {folder for folder, count in count_files().items() if count > MOST_FILES_OF_A_FOLDER}
    assert long == LONG_FOLDERS.keys()


# --- the dialect of the engine ----------------------------------------------------------------------------


def find_undocumented(name: str, tree: ast.Module) -> Iterator[str]:
    """Public functions and classes of a module, and public methods of public classes, without a docstring."""
    bodies: list[ast.Module | ast.ClassDef] = [tree]
    for body in bodies:
        for node in body.body:
            if not isinstance(node, Definition) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                yield f"{name}:{node.lineno} {node.name} has no docstring"
            if isinstance(node, ast.ClassDef):
                bodies.append(node)


def is_annotated(node: ast.AST) -> bool:
    match node:
        case ast.AnnAssign():
            return True
        case ast.arg(annotation=annotation) if annotation is not None:
            return True
        case ast.FunctionDef(returns=returns) | ast.AsyncFunctionDef(returns=returns):
            return returns is not None
    return False


def find_missing_future(name: str, tree: ast.Module) -> Iterator[str]:
    """The module, when it has annotations and evaluates them."""
    futures = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    if not futures and any(map(is_annotated, ast.walk(tree))):
        yield f"{name} has annotations, but no `from __future__ import annotations`"


def find_full_names(name: str, tree: ast.Module) -> Iterator[str]:
    """The module, when it names its own package from the top of the project."""
    package = package_of(name) or name
    for node in walk_statements(tree):
        named = []
        if isinstance(node, ast.Import):
            named = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            named = [f"{resolve(name, node)}.{alias.name}" for alias in node.names]
        if any(is_in(one, package) for one in named):
            yield f"{name}:{node.lineno} imports {package} by its full name; use dots"
            return


DIALECT: list[tuple[str, Find]] = [
    ("without a docstring", find_undocumented),
    ("annotated without the future import", find_missing_future),
    ("importing its own package by its full name", find_full_names),
]


def room_of(name: str, rooms: Iterable[str]) -> str:
    """The deepest of the rooms that a module is in; its package when it is in none."""
    return max((room for room in rooms if is_in(name, room)), key=len, default=package_of(name) or name)


def test_the_packages_are_there():
    assert {package_of(name) for name in modules()} >= {*PACKAGES}


@pytest.mark.parametrize("what, find", DIALECT, ids=[what for what, _ in DIALECT])
def test_the_engine_speaks_one_dialect(what: str, find: Find):
    allowed = ROOMS[what]
    wrong = [
        (room_of(name, allowed), text)
        for name, tree in production().items()
        if package_of(name)
        for text in find(name, tree)
    ]
    found = Counter(room for room, _ in wrong)
    off = {room: (found[room], allowed.get(room, 0)) for room in sorted({*found, *allowed})}
    off = {room: counts for room, counts in off.items() if counts[0] != counts[1]}
    grown = [text for room, text in wrong if room in off and off[room][0] > off[room][1]]
    assert not off, (
        f"{what}, by room (found, allowed): {off}. Mend what is new; lower the number in ROOMS"
        " where there are fewer, and carry it along where a package moved.\n" + "\n".join(grown)
    )


# --- the checks see what they are for ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "find, source, count",
    [
        pytest.param(find_long_functions, "def a():\n" + "    pass\n" * 49, 0, id="50 lines"),
        pytest.param(find_long_functions, "def a():\n" + "    pass\n" * 50, 1, id="51 lines"),
        pytest.param(find_undocumented, "def a(): 'Say.'\ndef _b(): pass\n", 0, id="said, or private"),
        pytest.param(find_undocumented, "class A:\n  def b(self): pass\n", 2, id="class and method"),
        pytest.param(find_undocumented, "class _A:\n  def b(self): pass\n", 0, id="private class"),
        pytest.param(find_undocumented, "def a():\n  'Say.'\n  def b(): pass\n", 0, id="inside a function"),
        pytest.param(find_missing_future, "def a(b: int): pass", 1, id="annotated argument"),
        pytest.param(find_missing_future, "def a() -> int: pass", 1, id="annotated answer"),
        pytest.param(find_missing_future, "a: int", 1, id="annotated name"),
        pytest.param(find_missing_future, "def a(b): pass", 0, id="nothing annotated"),
        pytest.param(find_missing_future, "from __future__ import annotations\na: int", 0, id="with it"),
        pytest.param(find_full_names, "from lifecycle.engine.loop import Loop", 1, id="full name"),
        pytest.param(find_full_names, "from lifecycle import engine", 1, id="by its parent"),
        pytest.param(find_full_names, "import lifecycle.engine.loop", 1, id="plain import"),
        pytest.param(find_full_names, "from ..loop import Loop", 0, id="dots"),
        pytest.param(find_full_names, "from lifecycle.userland import shell", 0, id="another package"),
    ],
)
def test_the_checks_see(find: Find, source: str, count: int):
    assert len(list(find("lifecycle.engine.room.module", ast.parse(source)))) == count
