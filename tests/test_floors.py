"""Imports go down the floors of the house, and the engine is pure. Read from the syntax trees, not run."""

import ast
import fnmatch
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]

# One worker reads the trees for all of these.
pytestmark = pytest.mark.xdist_group("floors")

# Lowest first. A pattern names a module and everything below it; the first pattern that fits decides.
# Modules of one floor may import each other, unless the floor is one of strangers.
FLOORS: list[tuple[str, str]] = [
    ("1 ground", "errors timing clock agenda chance settings version"),
    ("1a objects, actions", "objects actions commands"),
    ("1a decisions", "columns workload_columns ages"),
    ("1b store, programs", "store programs trace"),
    ("1c act, loop", "act loop context api_server namespace_rules quotas"),
    ("1d parts", "controllers scheduler kubelet faults"),
    ("1e cluster", "cluster command_handlers engine"),
    (
        "2 input",
        "problems yaml_values yaml_nodes manifests schema admission expressions lanes scenario"
        " scenario_steps",
    ),
    ("2 simulation", "simulation"),
    ("2 kept", "models fields migrations frames access broker bulk run_clock collector"),
    (
        "2a recorder, publisher",
        "recorder publisher checkpoints forks retention run_controls engine_faults reads metrics shards"
        " container_logs",
    ),
    ("2b runner", "runner"),
    ("2c tasks", "tasks serving"),
    ("2d inbox", "inbox ticker health benches"),
    ("3 surfaces", "admin export kube_api management apps"),
    ("4 dashboard", "dashboard"),
]
STRANGERS = {"1d parts", "3 surfaces"}

# Code that decides sees objects, actions, errors and timing: never store, clock, agenda or chance.
DECIDERS = [
    "lifecycle.engine.*columns",
    "lifecycle.engine.controllers.*.[!o]*",
    "lifecycle.engine.kubelet.pod_[acrs]*",
    "lifecycle.engine.kubelet.container_status",
    "lifecycle.engine.kubelet.cpu_manager",
    "lifecycle.engine.kubelet.restart_rules",
    "lifecycle.engine.kubelet.security",
    "lifecycle.engine.kubelet.user_namespaces",
    "lifecycle.engine.kubelet.eviction*",
    "lifecycle.engine.kubelet.grace",
    "lifecycle.engine.kubelet.kernel_files",
    "lifecycle.engine.kubelet.probe_rules",
    "lifecycle.engine.kubelet.qos",
    "lifecycle.engine.scheduler.filters",
    "lifecycle.engine.scheduler.scores",
]
DECIDERS_SEE = ["errors", "timing", "objects", "actions", "ages", "columns", "workload_columns"]

IMPURE = {"time", "random", "os", "io", "socket", "subprocess", "threading", "asyncio"}
# Grammar of shell scripts, YAML of annotations, time zones: pure functions of their input.
THIRD_PARTIES = {"tree_sitter", "tree_sitter_bash", "yaml", "tzdata"}
# They remember by identity what they hold on to; no order and no value comes from it.
REMEMBER_BY_IDENTITY = {"lifecycle.engine.objects.codec", "lifecycle.engine.scheduler.scheduler"}
UNSTABLE_CALLS = {"id", "hash", "open", "input", "print", "eval", "exec", "__import__"}


def name_of(path: Path) -> str:
    """The dotted name of a module's file; a package has the name of its folder."""
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the project by name."""
    files = sorted(path for folder in ("lifecycle", "dashboard") for path in (TOP / folder).rglob("*.py"))
    return {name_of(path): ast.parse(path.read_text(), str(path)) for path in files}


def engine_modules() -> list[str]:
    return [name for name in modules() if name == "lifecycle.engine" or name.startswith("lifecycle.engine.")]


def place_in(name: str) -> str:
    """The name inside its app: `lifecycle.engine.store.index` is `store.index`."""
    if name == "lifecycle.engine":
        return "engine"
    for prefix in ("lifecycle.engine", "lifecycle"):
        if name == prefix or name.startswith(prefix + "."):
            return name[len(prefix) + 1 :]
    return name


def is_decider(name: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in DECIDERS)


def floor_of(name: str) -> int | None:
    """The index of the floor a module is on; None when the house has no room for it."""
    titles = [title for title, _ in FLOORS]
    if is_decider(name):
        return titles.index("1a decisions")
    is_engine = name == "lifecycle.engine" or name.startswith("lifecycle.engine.")
    lowest_outside = titles.index("2 input")
    storeys = range(lowest_outside) if is_engine else range(lowest_outside, len(FLOORS))
    room = place_in(name).split(".")[0]
    return next((index for index in storeys if room in FLOORS[index][1].split()), None)


@cache
def imports_of(name: str) -> list[tuple[str, int]]:
    """(imported module, line) for every import, type-checking ones left out: they never run."""
    return list(_find_imports(name))


def _find_imports(name: str) -> Iterator[tuple[str, int]]:
    for node in walk_running(modules()[name]):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve(name, node)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in modules() else base), node.lineno


def walk_running(tree: ast.AST) -> Iterator[ast.AST]:
    """Like ast.walk, without the bodies of `if TYPE_CHECKING`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        yield from walk_running(node)


def resolve(name: str, node: ast.ImportFrom) -> str:
    """The absolute module that a `from` import names."""
    if not node.level:
        return node.module or ""
    is_package = any((TOP / name.replace(".", "/")).glob("__init__.py"))
    parts = name.split(".")
    base = parts[: len(parts) - node.level + is_package]
    return ".".join([*base, node.module] if node.module else base)


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
            if place_in(name).split(".")[0] != place_in(imported).split(".")[0]:
                wrong.append(f"{name}:{line} imports the stranger {imported}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_code_that_decides_sees_only_what_was_seen():
    wrong = []
    for name in engine_modules():
        if not is_decider(name):
            continue
        for imported, line in imports_of(name):
            room = place_in(imported).split(".")[0]
            is_sibling = imported.rpartition(".")[0] == name.rpartition(".")[0]
            if imported.startswith("lifecycle.") and room not in DECIDERS_SEE and not is_sibling:
                wrong.append(f"{name}:{line} decides, and imports {imported}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_the_engine_imports_nothing_impure():
    wrong = []
    for name in engine_modules():
        for imported, line in imports_of(name):
            package = imported.split(".")[0]
            is_ours = imported == "lifecycle.engine" or imported.startswith("lifecycle.engine.")
            is_pure = package in sys.stdlib_module_names and package not in IMPURE
            if not (is_ours or is_pure or package in THIRD_PARTIES):
                wrong.append(f"{name}:{line} imports {imported}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


def test_the_engine_calls_nothing_that_differs_between_runs():
    """Addresses and string hashes differ between processes; files and terminals are input and output."""
    wrong = [
        f"{name}:{node.lineno} calls {node.func.id}()"
        for name in engine_modules()
        for node in ast.walk(modules()[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in UNSTABLE_CALLS
        if not (node.func.id == "id" and name in REMEMBER_BY_IDENTITY)
    ]
    assert not wrong, "\n".join(dict.fromkeys(wrong))


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


def names_of_sets(function: ast.AST) -> set[str]:
    """Names that a function (or module) binds to a set, by value or by annotation."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and is_set(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign | ast.arg) and node.annotation is not None:
            target = node.arg if isinstance(node, ast.arg) else getattr(node.target, "id", None)
            if target and ast.unparse(node.annotation).startswith(("set[", "frozenset[")):
                found.add(target)
    return found


# What does not depend on the order it is given.
ORDERLESS = {"sorted", "set", "frozenset", "sum", "min", "max", "any", "all", "len"}


def walks_of_sets(tree: ast.AST) -> Iterator[int]:
    """Lines that walk a set in its own order."""
    for function in [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]:
        sets = names_of_sets(function)
        settled = {
            inner
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ORDERLESS
            for inner in node.args
        }
        for node in ast.walk(function):
            if node in settled or isinstance(node, ast.SetComp):
                continue
            walked = [generator.iter for generator in getattr(node, "generators", [])]
            if isinstance(node, ast.For):
                walked = [node.iter]
            elif isinstance(node, ast.Call) and ast.unparse(node.func) in {
                "list",
                "tuple",
                "enumerate",
                "iter",
                "next",
            }:
                walked = node.args
            yield from (expression.lineno for expression in walked if is_set(expression, sets))


def test_the_engine_never_walks_a_set_in_its_own_order():
    wrong = [
        f"{name}:{line}" for name in engine_modules() for line in sorted(set(walks_of_sets(modules()[name])))
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
