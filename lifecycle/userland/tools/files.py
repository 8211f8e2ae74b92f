"""Tools for files and folders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from ..file_layers import FOLDER, OPAQUE, FileProblem
from ..file_view import join_path
from ..guesses import COPIED_FILE
from ..shell.reading.options import split_options
from ..shell.task import Wait
from .call import Call, Outcome
from .quantities import read_size
from .registry import tool


@tool("cat", "zcat")
def cat(call: Call) -> Outcome:
    """`cat`: files, or what comes in, one behind the other."""
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

    if names in ([], ["-"]) or "n" in options:
        return call.each_line(names, handle)
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    call.out("".join(text for _, text in texts))
    return call.status


@tool("tee")
def tee(call: Call) -> Outcome:
    """`tee`: write what comes in to files too."""
    options, names = split_options(call.arguments)
    if "opened" not in call.state:
        call.state["opened"] = True
        for name in names:
            try:
                call.files.need_file_name(call.path(name), name)
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


@tool("touch")
def touch(call: Call) -> Outcome:
    """`touch`: make files, or change their times."""
    options, names = split_options(call.arguments, "dtr", ("date", "reference"))
    for name in names:
        path = call.path(name)
        entry = call.files.find(path)
        if "c" in options and entry is None:
            continue
        is_folder = entry is not None and entry.kind == FOLDER
        if is_folder or _try(call, name, partial(call.files.need_file_name, path, name)):
            _try(call, name, partial(call.files.touch, path))
    return call.status


def _try(call: Call, name: str, act: Callable[[], None]) -> bool:
    """Do something to a file; a failure is told and makes the status 1."""
    try:
        act()
    except FileProblem as problem:
        call.err(f"{name}: {problem}")
        call.state["failed"] = True
        return False
    return True


@tool("mkdir")
def mkdir(call: Call) -> Outcome:
    """`mkdir`: make folders."""
    options, names = split_options(call.arguments, "m", ("mode",))
    parents = "p" in options or "parents" in options
    for name in names:
        _try(call, name, partial(call.files.make_folder, call.path(name), parents))
    return call.status


@tool("rm", "unlink")
def rm(call: Call) -> Outcome:
    """`rm`: remove files, with -r folders."""
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
            call.machine.open_files.unlink(call.path(name), entry.text)
            _try(call, name, partial(call.files.remove, call.path(name)))
    return call.status


@tool("rmdir")
def rmdir(call: Call) -> Outcome:
    """`rmdir`: remove folders that are empty."""
    for name in split_options(call.arguments)[1]:
        path = call.path(name)
        entry = call.files.find(path)
        if entry is None or entry.kind != FOLDER or call.files.names_in(path):
            return call.fail(f"'{name}': Directory not empty or not there")
        call.files.remove(path)
    return 0


@tool("cp", "mv", "install")
def cp(call: Call) -> Outcome:
    """`cp`, `mv` and `install`: copy, or move."""
    options, names = split_options(call.arguments, "tmog", ("mode",))
    target = options.get("t") or (names.pop() if names else "")
    if not names or not target:
        return call.fail("missing file operand")
    if "t" in options or len(names) > 1:
        # Only a folder can take several.
        target = f"{target.rstrip('/')}/"
    for name in names:
        source = call.path(name)
        if call.files.find(source) is None:
            call.machine.met_unknown = True
            if call.machine.is_lenient and not call.is_known_absent(name):
                what = f"{call.name} {name}: not in the manifest"
                call.machine.note(f"cannot interpret {what}; its copy is {COPIED_FILE.taken}")
                call.files.write_unknown(_target_path(call, name, target))
                continue
            call.err(f"can't stat '{name}': No such file or directory")
            call.state["failed"] = True
        elif call.is_folder(name) and call.name == "cp" and not {"r", "R", "a"} & set(options):
            call.err(f"omitting directory '{name}'")
            call.state["failed"] = True
        elif call.is_folder(name) and f"{_target_path(call, name, target)}/".startswith(f"{source}/"):
            call.err(f"cannot put a directory, '{name}', into itself")
            call.state["failed"] = True
        else:
            path = _target_path(call, name, target)
            if call.name == "mv" and path != source:
                replaced = call.files.find(path)
                call.machine.open_files.unlink(path, replaced.text if replaced is not None else "")
            is_done = _copy(call, source, path, "n" in options, _mode_of_copies(call, options))
            if call.name == "mv" and is_done:
                call.machine.open_files.rename(source, path)
                _try(call, name, partial(call.files.remove, source))
    return call.status


def _mode_of_copies(call: Call, options: Mapping[str, str]) -> int | None:
    """None: that of the original."""
    return _new_mode(0, options.get("m") or options.get("mode") or "755") if call.name == "install" else None


def _target_path(call: Call, word: str, target: str) -> str:
    path, source = call.path(target), call.path(word)
    is_content = word.rpartition("/")[2] == "." and call.is_folder(word)
    name = "" if is_content else source.rpartition("/")[2]
    # The sign behind its name says that it is a folder; one that is not there is made of a folder alone.
    is_called_so = target.endswith(("/", "/.")) and not call.is_folder(word)
    is_folder = call.is_folder(target) or is_called_so
    # Copying `folder/.` puts what it holds into the target.
    return join_path(path, name) if is_folder and name else path


def _copy(call: Call, source: str, target: str, keeps: bool, mode: int | None = None) -> bool:
    """Copy a file, or a folder with all below it; a failure is told and makes the status 1."""
    try:
        for path in call.walk(source):
            new = target + path[len(source) :]
            entry = call.files.find(path)
            if entry is None or (keeps and call.files.find(new) is not None):
                continue
            if entry.kind == FOLDER:
                call.files.make_folder(new, parents=True)
            else:
                call.files.write(new, "" if entry.kind == OPAQUE else call.files.read(path))
                copied = call.files.find(new)
                if copied is not None:
                    copied.kind, copied.mode = entry.kind, mode or entry.mode
    except FileProblem as problem:
        call.err(f"{target}: {problem}")
        call.state["failed"] = True
        return False
    return True


@tool("ln")
def ln(call: Call) -> Outcome:
    """`ln`: make symbolic links."""
    options, names = split_options(call.arguments)
    if len(names) < 2:
        names = [*names, names[0].rpartition("/")[2]] if names else ["", ""]
    source, target = names[0], names[1]
    path = _target_path(call, source, target)
    if "f" in options and call.files.find(path, follow=False) is not None:
        call.files.remove(path)
    if "s" in options:
        _try(call, target, partial(call.files.make_link, path, source))
    else:
        _copy(call, call.path(source), path, False)
    return call.status


_WHO = {"u": 0o700, "g": 0o070, "o": 0o007}
_WHAT = {"r": 0o444, "w": 0o222, "x": 0o111, "X": 0o111}


@tool("chmod")
def chmod(call: Call) -> Outcome:
    """`chmod`: change who may do what."""
    taken = [word for word in call.arguments if word in ("-x", "-w", "-r")][:1]
    options, names = split_options([word for word in call.arguments if word not in taken])
    mode, *names = [*taken, *names] or [""]
    for name in names:
        path = call.path(name)
        if call.files.find(path) is None:
            call.machine.met_unknown = True
            if not call.machine.is_lenient:
                call.err(f"{name}: No such file or directory")
                call.state["failed"] = True
            continue
        for one in call.walk(path) if "R" in options else [path]:
            entry = call.files.find(one)
            if entry is not None and not _try(
                call, one, partial(call.files.change_mode, one, _new_mode(entry.mode, mode))
            ):
                break
    return call.status


def _new_mode(old: int, text: str) -> int:
    """`755`, `u+x` or `a-w,g=r`; without a word for whom it is for all but what a umask of 022 takes."""
    if text.isdigit():
        return int(text, 8)
    for clause in text.split(","):
        sign = next((one for one in clause if one in "+-="), "")
        who, _, what = clause.partition(sign or "+")
        reach = sum(_WHO.get(one, 0) for one in set(who)) if who and "a" not in who else 0o777
        bits = sum(_WHAT.get(one, 0) for one in set(what)) & reach
        if not who:
            bits &= ~0o022
        old = old & ~bits if sign == "-" else (old & ~reach if sign == "=" else old) | bits
    return old


@tool("dd")
def dd(call: Call) -> Outcome:
    """`dd`: copy blocks."""
    values = dict(word.split("=", 1) for word in call.arguments if "=" in word)
    source, target = values.get("if", ""), values.get("of", "")
    if source not in ("/dev/zero", "/dev/urandom", "/dev/random"):
        return call.cannot("from a file")
    if target and target != "/dev/null" and "slept" not in call.state:
        count, block = read_size(values.get("count", "")), read_size(values.get("bs", "512"))
        _fill(call, target, (count or 0) * (block or 0))
    if "slept" not in call.state and "count" in values:
        call.state["slept"] = True
        return call.sleep_until(call.now_ms + 100)
    return call.status if "count" in values else Wait(Wait.SIGNAL)


def _fill(call: Call, name: str, size: int) -> None:
    """Make a file of so many bytes, of which nobody asks what they are."""
    path = call.path(name)
    if _try(call, name, partial(call.files.write, path, "")) and not call.files.pad(path, size):
        call.err(f"error writing '{name}': No space left on device")
        call.state["failed"] = True
