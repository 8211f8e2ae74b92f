"""Tools that show what files there are."""

from __future__ import annotations

import re
from functools import partial

from ..file_layers import FILE, FOLDER, LINK, OPAQUE, File
from ..file_view import join_path
from ..shell.reading import patterns
from ..shell.reading.options import split_options
from .call import Call, Outcome
from .registry import tool

_SIGNS = re.compile(r"%(.)")


@tool("ls")
def ls(call: Call) -> Outcome:
    """`ls`: names in folders, with -l what they are."""
    options, names = split_options(call.arguments)
    lines: list[str] = []
    for name in names or ["."]:
        path = call.path(name)
        entry = call.files.find(path)
        if entry is None:
            call.machine.met_unknown = True
            call.err(f"{name}: No such file or directory")
            call.state["failed"] = True
        elif entry.kind != FOLDER or "d" in options:
            lines.append(_long_line(call, path, name, options))
        else:
            for folder in _list_folders(call, name, options) if "R" in options else (name,):
                path = call.path(folder)
                if "R" in options and lines:
                    lines.append("")
                if len(names) > 1 or "R" in options:
                    lines.append(f"{folder}:")
                shown = _list_names(call, path, options)
                lines.extend(_long_line(call, join_path(path, one), one, options) for one in shown)
    call.out("".join(line + "\n" for line in lines))
    return (1 if call.state.get("flavour") == "ash" else 2) if call.state.get("failed") else 0


def _list_names(call: Call, path: str, options: dict[str, str]) -> list[str]:
    return [one for one in call.files.names_in(path) if {"a", "A"} & options.keys() or one[0] != "."]


def _list_folders(call: Call, name: str, options: dict[str, str]) -> list[str]:
    """A folder and those below it that are shown, each before its own; links are not followed."""
    # What is looked at is work, and bounded by that.
    call.walk(name)
    found, left = [], [name]
    while left:
        folder = left.pop()
        found.append(folder)
        path = call.path(folder)
        below = []
        for one in _list_names(call, path, options):
            entry = call.files.find(join_path(path, one), follow=False)
            if entry is not None and entry.kind == FOLDER:
                below.append(f"{folder.rstrip('/')}/{one}")
        left += reversed(below)
    return found


def _long_line(call: Call, path: str, name: str, options: dict[str, str]) -> str:
    if "l" not in options:
        return name
    entry = call.files.find(path, follow=False)
    assert entry is not None, path
    return f"{_bits(entry)} 1 root root {_size(entry):8} Jan  1 00:00 {name}"


def _bits(entry: File) -> str:
    kind = {FOLDER: "d", LINK: "l"}.get(entry.kind, "-")
    shown = (sign if entry.mode >> (8 - place) & 1 else "-" for place, sign in enumerate("rwxrwxrwx"))
    return kind + "".join(shown)


def _size(entry: File) -> int:
    return 4096 if entry.kind == FOLDER else entry.size


@tool("stat")
def stat(call: Call) -> Outcome:
    """`stat -c`: kind, mode, size and time of files."""
    options, names = split_options(call.arguments, "c", ("format",))
    form = options.get("c") or options.get("format")
    if form is None:
        return call.cannot("without a format", 1)
    for name in names:
        entry = call.files.find(call.path(name), follow="L" in options)
        if entry is None:
            call.machine.met_unknown = True
            call.err(f"can't stat '{name}': No such file or directory")
            call.state["failed"] = True
            continue
        call.out(_SIGNS.sub(partial(_tell, call, name, entry), form) + "\n")
    return call.status


def _tell(call: Call, name: str, entry: File, sign: re.Match[str]) -> str:
    seconds = (call.world.epoch_ms + entry.modified_ms) // 1000
    kind = {FOLDER: "directory", LINK: "symbolic link"}.get(entry.kind, "regular file")
    told: dict[str, object] = {
        "a": f"{entry.mode:o}",
        "A": _bits(entry),
        "n": name,
        "s": _size(entry),
        "F": kind,
    }
    told |= {"Y": seconds, "Z": seconds, "X": seconds, "h": 1, "%": "%"}
    return str(told.get(sign[1], sign[0]))


@tool("find")
def find(call: Call) -> Outcome:
    """`find`: paths below folders that fulfil conditions."""
    words = call.arguments
    count = next((place for place, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    roots, tests = words[:count] or ["."], words[count:]
    known = {"-name": 1, "-iname": 1, "-type": 1, "-path": 1, "-maxdepth": 1, "-mindepth": 1, "-print": 0}
    known |= {"-print0": 0, "-delete": 0, "-mmin": 1, "-mtime": 1, "-newer": 1}
    values: dict[str, str] = {}
    at = 0
    while at < len(tests):
        if tests[at] not in known:
            return call.guess(f"… {tests[at]}")
        takes = known[tests[at]]
        values[tests[at]] = tests[at + 1] if takes and at + 1 < len(tests) else ""
        at += 1 + takes
    for root in roots:
        if call.files.find(call.path(root)) is None:
            call.machine.met_unknown = True
            call.err(f"{root}: No such file or directory")
            call.state["failed"] = True
            continue
        for path in call.walk(root):
            if _is_found(call, path, call.path(root), values):
                shown = root + path[len(call.path(root)) :] if path != call.path(root) else root
                if "-delete" in values:
                    call.files.remove(path)
                else:
                    call.out(shown + ("\0" if "-print0" in values else "\n"))
    return call.status


def _is_found(call: Call, path: str, root: str, values: dict[str, str]) -> bool:
    entry = call.files.find(path, follow=False)
    if entry is None:
        return False
    depth = path[len(root.rstrip("/")) :].count("/")
    name = path.rpartition("/")[2]
    kinds = {FILE: "f", OPAQUE: "f", FOLDER: "d", LINK: "l"}
    # How old a file is changes by itself.
    call.machine.is_volatile |= bool(values.keys() & {"-mmin", "-mtime"})
    age_minutes = (call.now_ms - entry.modified_ms) // 60_000
    return (
        ("-name" not in values or patterns.matches(values["-name"], name))
        and ("-iname" not in values or patterns.matches(values["-iname"].lower(), name.lower()))
        and ("-path" not in values or patterns.matches(values["-path"], path))
        and ("-type" not in values or kinds[entry.kind] == values["-type"])
        and depth <= int(values.get("-maxdepth") or 1 << 30)
        and depth >= int(values.get("-mindepth") or 0)
        and ("-mmin" not in values or _is_aged(age_minutes, values["-mmin"]))
        and ("-mtime" not in values or _is_aged(age_minutes // 1440, values["-mtime"]))
    )


def _is_aged(age: int, text: str) -> bool:
    wanted = int(text.lstrip("+-") or 0)
    return age > wanted if text.startswith("+") else age < wanted if text.startswith("-") else age == wanted
