"""`tail`, also of files that grow."""

from __future__ import annotations

from ...file_layers import FOLDER
from ...lines import whole_lines_of
from ...shell.reading.options import split_options
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool

_POLL_MS, _LONGEST_POLL_MS = 1_000, 10_000


@tool("tail")
def tail(call: Call) -> Outcome:
    """`tail`: the last lines, with -f what is added to them."""
    options, names = split_options(old_count(call.arguments), "nc", ("lines", "bytes", "pid"))
    if any(call.path(name) == "/dev/zero" for name in names):
        return _fill_memory(call)
    if names == ["/dev/null"] or (not names and _follows(options) and "offsets" not in call.state):
        # The usual way to keep a container alive.
        return Wait(Wait.SIGNAL) if _follows(options) else 0
    if "offsets" not in call.state:
        outcome = _tail_ends(call, options, names)
        if outcome is not None or not _follows(options):
            return outcome
    return _follow(call, options, names)


def _follows(options: dict[str, str]) -> bool:
    return any(option in options for option in ("f", "F", "follow"))


def old_count(words: list[str]) -> list[str]:
    """A leading `-20` as `-n20`, the way it was written before there was -n."""
    first = words[0] if words else ""
    return [f"-n{first[1:]}", *words[1:]] if first[:1] == "-" and first[1:].isdigit() else words


def _tail_ends(call: Call, options: dict[str, str], names: list[str]) -> Outcome:
    if _follows(options) and names:
        texts = []
        for name in names:
            is_there = call.files.find(call.path(name)) is not None
            if not is_there and "F" not in options and "retry" not in options:
                return call.fail(f"cannot open '{name}' for reading: No such file or directory")
            texts.append((name, call.files.read(call.path(name)) if is_there else ""))
    else:
        read = call.whole_inputs(names)
        if isinstance(read, Wait):
            return read
        texts = read
    for name, text in texts:
        if len(names) > 1:
            call.out(f"==> {name} <==\n")
        call.out(_last_part(text, options))
    if not _follows(options):
        return call.status
    call.state["offsets"] = {name: _size(call, name) for name in names}
    call.state["poll_ms"] = _POLL_MS
    return None


def _last_part(text: str, options: dict[str, str]) -> str:
    bytes_wanted = options.get("c", options.get("bytes"))
    if bytes_wanted is not None:
        count = int(bytes_wanted.lstrip("-+") or 0)
        return (
            text[count - 1 :] if bytes_wanted.startswith("+") else text[len(text) - count :] if count else ""
        )
    wanted = options.get("n", options.get("lines", "10"))
    lines = whole_lines_of(text)
    count = int(wanted.lstrip("-+") or 0) if wanted.lstrip("-+").isdigit() else 10
    if wanted.startswith("+"):
        return "".join(lines[max(count - 1, 0) :])
    return "".join(lines[-count:]) if count else ""


def _size(call: Call, name: str) -> int:
    entry = call.files.find(call.path(name))
    return entry.size if entry is not None else 0


def _follow(call: Call, options: dict[str, str], names: list[str]) -> Outcome:
    """Write what was added. Files of shared volumes are looked at again and again, ever less often."""
    offsets: dict[str, int] = call.state["offsets"]
    has_changed = False
    for name in names:
        entry = call.files.find(call.path(name))
        if entry is None or entry.kind == FOLDER:
            continue
        if entry.size < offsets[name]:
            offsets[name] = 0
        added = entry.read_from(offsets[name])
        has_changed = has_changed or bool(added)
        offsets[name] = entry.size
        call.out(added)
    if not call.is_alive:
        return None
    longer = min(call.state["poll_ms"] * 2, _LONGEST_POLL_MS)
    call.state["poll_ms"] = _POLL_MS if has_changed else longer
    is_shared = any(_is_in_volume(call, name) for name in names)
    until_ms = call.now_ms + call.state["poll_ms"] if is_shared else None
    return Wait(Wait.CHANGE, [call.machine.root.version, until_ms])


def _is_in_volume(call: Call, name: str) -> bool:
    path = call.path(name)
    return any(path.startswith(mount.path.rstrip("/") + "/") for mount in call.files.mounts)


def _fill_memory(call: Call) -> Outcome:
    """`tail /dev/zero` looks for the end of a line that never comes, and keeps all it read."""
    call.task.cpu_milli = 1_000
    call.task.memory_bytes = min(call.task.memory_bytes * 4, 1 << 40)
    return call.sleep_until(call.now_ms + 250)
