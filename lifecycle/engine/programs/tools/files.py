"""Tools for files and folders."""

from lifecycle.engine.programs.file_system import FILE, FOLDER, LINK, FileProblem, join_path
from lifecycle.engine.programs.shell import patterns
from lifecycle.engine.programs.shell.task import Wait
from lifecycle.engine.programs.tools.call import Call, Outcome, split_options
from lifecycle.engine.programs.tools.registry import tool

_POLL_MS, _LONGEST_POLL_MS = 1_000, 10_000


@tool("cat", "zcat")
def cat(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    if any(call.path(name) in ("/dev/zero", "/dev/urandom") for name in names):
        return call.cannot("of an endless device")

    def handle(line: str) -> bool:
        if "n" in options:
            call.state["line"] = call.state.get("line", 0) + 1
            call.out(f"{call.state['line']:6}\t{line}")
        else:
            call.out(line)
        return False

    return call.each_line(names, handle)


@tool("tee")
def tee(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    if "opened" not in call.state:
        call.state["opened"] = True
        for name in names:
            try:
                call.files.write(call.path(name), "", append="a" in options)
            except FileProblem as problem:
                call.err(f"{name}: {problem}")
                call.state["failed"] = True

    def handle(line: str) -> bool:
        for name in names:
            _append(call, name, line)
        call.out(line)
        return False

    outcome = call.each_line((), handle)
    return call.status if outcome == 0 else outcome


def _append(call: Call, name: str, text: str) -> None:
    if call.path(name) in ("/proc/1/fd/1", "/dev/stderr", "/proc/1/fd/2"):
        call.machine.log(text)
        return
    try:
        call.files.write(call.path(name), text, append=True)
    except FileProblem:
        call.state["failed"] = True


@tool("tail")
def tail(call: Call) -> Outcome:
    options, names = split_options(_old_count(call.arguments), "nc", ("lines", "bytes", "pid"))
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


def _old_count(words: list[str]) -> list[str]:
    """`-20` and `+5f` as `-n 20`."""
    return [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in words]


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
    lines = text.splitlines(keepends=True)
    count = int(wanted.lstrip("-+") or 0) if wanted.lstrip("-+").isdigit() else 10
    if wanted.startswith("+"):
        return "".join(lines[max(count - 1, 0) :])
    return "".join(lines[-count:]) if count else ""


def _size(call: Call, name: str) -> int:
    entry = call.files.find(call.path(name))
    return entry.size if entry is not None else 0


def _follow(call: Call, options: dict[str, str], names: list[str]) -> Outcome:
    """Writes what was added. Files of shared volumes are looked at again and again, ever less often."""
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
    until_ms = call.now_ms + call.state["poll_ms"] if is_shared else _NEVER_MS
    return Wait(Wait.CHANGE, [call.machine.root.version, until_ms])


_NEVER_MS = 1 << 60


def _is_in_volume(call: Call, name: str) -> bool:
    path = call.path(name)
    return any(path.startswith(mount.path.rstrip("/") + "/") for mount in call.files.mounts)


def _fill_memory(call: Call) -> Outcome:
    """`tail /dev/zero` looks for the end of a line that never comes, and keeps all it read."""
    call.task.cpu_milli = 1_000
    call.task.memory_bytes = min(call.task.memory_bytes * 4, 1 << 40)
    return call.sleep_until(call.now_ms + 250)


@tool("ls")
def ls(call: Call) -> Outcome:
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
            if len(names) > 1:
                lines.append(f"{name}:")
            shown = [
                one for one in call.files.names_in(path) if "a" in options or "A" in options or one[0] != "."
            ]
            lines.extend(_long_line(call, join_path(path, one), one, options) for one in shown)
    call.out("".join(line + "\n" for line in lines))
    return (1 if call.state.get("flavour") == "ash" else 2) if call.state.get("failed") else 0


def _long_line(call: Call, path: str, name: str, options: dict[str, str]) -> str:
    if "l" not in options:
        return name
    entry = call.files.find(path, follow=False)
    assert entry is not None, path
    kind = {FOLDER: "d", LINK: "l"}.get(entry.kind, "-")
    bits = "".join(sign if entry.mode >> (8 - place) & 1 else "-" for place, sign in enumerate("rwxrwxrwx"))
    size = 4096 if entry.kind == FOLDER else entry.size
    return f"{kind}{bits} 1 root root {size:8} Jan  1 00:00 {name}"


@tool("touch")
def touch(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "dtr", ("date", "reference"))
    for name in names:
        if "c" in options and call.files.find(call.path(name)) is None:
            continue
        _try(call, name, lambda name=name: call.files.touch(call.path(name)))
    return call.status


def _try(call: Call, name: str, act: object) -> bool:
    assert callable(act)
    try:
        act()
    except FileProblem as problem:
        call.err(f"{name}: {problem}")
        call.state["failed"] = True
        return False
    return True


@tool("mkdir")
def mkdir(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "m", ("mode",))
    parents = "p" in options or "parents" in options
    for name in names:
        _try(call, name, lambda name=name: call.files.make_folder(call.path(name), parents))
    return call.status


@tool("rm", "unlink")
def rm(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    for name in names:
        entry = call.files.find(call.path(name), follow=False)
        if entry is None:
            if "f" not in options:
                call.err(f"can't remove '{name}': No such file or directory")
                call.state["failed"] = True
        elif entry.kind == FOLDER and not {"r", "R", "recursive"} & set(options):
            call.err(f"'{name}' is a directory")
            call.state["failed"] = True
        else:
            _try(call, name, lambda name=name: call.files.remove(call.path(name)))
    return call.status


@tool("rmdir")
def rmdir(call: Call) -> Outcome:
    for name in split_options(call.arguments)[1]:
        path = call.path(name)
        entry = call.files.find(path)
        if entry is None or entry.kind != FOLDER or call.files.names_in(path):
            return call.fail(f"'{name}': Directory not empty or not there")
        call.files.remove(path)
    return 0


@tool("cp", "mv", "install")
def cp(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "tmog", ("mode",))
    target = options.get("t") or (names.pop() if names else "")
    if not names or not target:
        return call.fail("missing file operand")
    for name in names:
        source = call.path(name)
        if call.files.find(source) is None:
            call.machine.met_unknown = True
            if call.machine.is_lenient and not call.is_known_absent(name):
                call.machine.note(
                    f"cannot interpret {call.name} {name}: not in the manifest; an empty file is made"
                )
                call.files.write(_target_path(call, source, target), "")
                continue
            call.err(f"can't stat '{name}': No such file or directory")
            call.state["failed"] = True
        elif call.is_folder(name) and call.name == "cp" and not {"r", "R", "a"} & set(options):
            call.err(f"omitting directory '{name}'")
            call.state["failed"] = True
        else:
            _copy(call, source, _target_path(call, source, target), "n" in options)
            if call.name == "mv":
                _try(call, name, lambda source=source: call.files.remove(source))
    return call.status


def _target_path(call: Call, source: str, target: str) -> str:
    path = call.path(target)
    name = source.rpartition("/")[2]
    # Copying `folder/.` puts what it holds into the target.
    return join_path(path, name) if call.is_folder(target) and name else path


def _copy(call: Call, source: str, target: str, keeps: bool) -> None:
    try:
        for path in list(call.files.walk(source)):
            new = target + path[len(source) :]
            entry = call.files.find(path)
            if entry is None or (keeps and call.files.find(new) is not None):
                continue
            if entry.kind == FOLDER:
                call.files.make_folder(new, parents=True)
            else:
                call.files.write(new, entry.text)
                copied = call.files.find(new)
                if copied is not None:
                    copied.mode = entry.mode
    except FileProblem as problem:
        call.err(f"{target}: {problem}")
        call.state["failed"] = True


@tool("ln")
def ln(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    if len(names) < 2:
        names = [*names, names[0].rpartition("/")[2]] if names else ["", ""]
    source, target = names[0], names[1]
    path = _target_path(call, call.path(source), target)
    if "f" in options and call.files.find(path, follow=False) is not None:
        call.files.remove(path)
    if "s" in options:
        _try(call, target, lambda: call.files.make_link(path, source))
    else:
        _copy(call, call.path(source), path, False)
    return call.status


@tool("chmod")
def chmod(call: Call) -> Outcome:
    options, names = split_options([word for word in call.arguments if word not in ("-x", "-w", "-r")])
    if not names:
        return 0
    mode, names = names[0], names[1:]
    for name in names:
        path = call.path(name)
        if call.files.find(path) is None:
            call.machine.met_unknown = True
            if not call.machine.is_lenient:
                call.err(f"{name}: No such file or directory")
                call.state["failed"] = True
            continue
        for one in call.files.walk(path) if "R" in options else [path]:
            entry = call.files.find(one)
            if entry is not None and entry.kind == FILE:
                entry.mode = _new_mode(entry.mode, mode)
        call.machine.root.version += 1
    return call.status


def _new_mode(old: int, text: str) -> int:
    if text.isdigit():
        return int(text, 8)
    bits = sum({"r": 0o444, "w": 0o222, "x": 0o111}.get(letter, 0) for letter in set(text))
    return old & ~bits if "-" in text else old | bits


@tool("mktemp")
def mktemp(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "pt", ("tmpdir",))
    number = call.machine.root.version
    template = names[0] if names else "tmp.XXXXXXXXXX"
    marks = len(template) - len(template.rstrip("X"))
    name = template[: len(template) - marks] + f"{number:0{max(marks, 1)}d}"[-max(marks, 1) :]
    folder = options.get("p") or options.get("tmpdir") or "/tmp"
    path = join_path(folder, name) if not names or "p" in options or "t" in options else call.path(name)
    if "d" in options:
        _try(call, path, lambda: call.files.make_folder(path, True))
    else:
        _try(call, path, lambda: call.files.write(path, ""))
    call.out(path + "\n")
    return call.status


@tool("find")
def find(call: Call) -> Outcome:
    words = call.arguments
    count = next((place for place, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    roots, tests = words[:count] or ["."], words[count:]
    known = {"-name": 1, "-iname": 1, "-type": 1, "-path": 1, "-maxdepth": 1, "-mindepth": 1, "-print": 0}
    known |= {"-delete": 0, "-mmin": 1, "-mtime": 1, "-newer": 1}
    values: dict[str, str] = {}
    at = 0
    while at < len(tests):
        if tests[at] not in known:
            return call.cannot(f"… {tests[at]}")
        takes = known[tests[at]]
        values[tests[at]] = tests[at + 1] if takes and at + 1 < len(tests) else ""
        at += 1 + takes
    for root in roots:
        if call.files.find(call.path(root)) is None:
            call.machine.met_unknown = True
            call.err(f"{root}: No such file or directory")
            call.state["failed"] = True
            continue
        for path in list(call.files.walk(call.path(root))):
            if _is_found(call, path, call.path(root), values):
                shown = root + path[len(call.path(root)) :] if path != call.path(root) else root
                if "-delete" in values:
                    call.files.remove(path)
                else:
                    call.out(shown + "\n")
    return call.status


def _is_found(call: Call, path: str, root: str, values: dict[str, str]) -> bool:
    entry = call.files.find(path, follow=False)
    if entry is None:
        return False
    depth = path[len(root.rstrip("/")) :].count("/")
    name = path.rpartition("/")[2]
    kinds = {"f": FILE, "d": FOLDER, "l": LINK}
    age_minutes = (call.now_ms - entry.modified_ms) // 60_000
    return (
        ("-name" not in values or patterns.matches(values["-name"], name))
        and ("-iname" not in values or patterns.matches(values["-iname"].lower(), name.lower()))
        and ("-path" not in values or patterns.matches(values["-path"], path))
        and ("-type" not in values or entry.kind == kinds.get(values["-type"]))
        and depth <= int(values.get("-maxdepth") or 1 << 30)
        and depth >= int(values.get("-mindepth") or 0)
        and ("-mmin" not in values or _is_aged(age_minutes, values["-mmin"]))
        and ("-mtime" not in values or _is_aged(age_minutes // 1440, values["-mtime"]))
    )


def _is_aged(age: int, text: str) -> bool:
    wanted = int(text.lstrip("+-") or 0)
    return age > wanted if text.startswith("+") else age < wanted if text.startswith("-") else age == wanted


@tool("readlink", "realpath")
def readlink(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    for name in names:
        entry = call.files.find(call.path(name), follow=False)
        if entry is not None and entry.kind == LINK:
            call.out((entry.text if not options else call.path(entry.text)) + "\n")
        elif options or call.name == "realpath":
            call.out(call.path(name) + "\n")
        else:
            return 1
    return 0


@tool("stat")
def stat(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "c", ("format",))
    for name in names:
        entry = call.files.find(call.path(name))
        if entry is None:
            call.machine.met_unknown = True
            return call.fail(f"can't stat '{name}': No such file or directory")
        modified = (call.world.epoch_ms + entry.modified_ms) // 1000
        form = options.get("c", options.get("format", "  File: %n\n  Size: %s"))
        values = {"%n": name, "%s": str(entry.size), "%Y": str(modified), "%a": f"{entry.mode & 0o777:o}"}
        for sign, value in values.items():
            form = form.replace(sign, value)
        call.out(form + "\n")
    return 0


@tool("dd")
def dd(call: Call) -> Outcome:
    values = dict(word.split("=", 1) for word in call.arguments if "=" in word)
    source, target = values.get("if", ""), values.get("of", "")
    if source not in ("/dev/zero", "/dev/urandom", "/dev/random"):
        return call.cannot("from a file")
    if target and target != "/dev/null":
        # Only the place is kept: nothing asks for that many bytes.
        _try(call, target, lambda: call.files.write(call.path(target), ""))
    if "slept" not in call.state and "count" in values:
        call.state["slept"] = True
        return call.sleep_until(call.now_ms + 100)
    return call.status if "count" in values else Wait(Wait.SIGNAL)
