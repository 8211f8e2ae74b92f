"""Tools that read and write text."""

from __future__ import annotations

import re

from ...lines import lines_of
from ...shell.reading.options import split_options
from ...shell.task import Wait
from ..call import Call, Outcome
from ..quantities import read_size
from ..registry import tool
from .following import old_count
from .formats import format_echo, format_printf

_MOST_LINES = 1 << 50


@tool("echo")
def echo(call: Call) -> Outcome:
    """`echo` as a program."""
    return int(not call.out(format_echo(call.arguments, call.state.get("flavour", "ash"))))


@tool("printf")
def printf(call: Call) -> Outcome:
    """`printf` as a program."""
    words = call.arguments[1:] if call.arguments[:1] == ["--"] else call.arguments
    if not words:
        return call.fail("usage: printf format [arguments]", 2)
    if words[0] == "-v":
        return call.cannot("-v")
    text, status = format_printf(words)
    return int(not call.out(text)) or status


@tool("pwd")
def pwd(call: Call) -> Outcome:
    """`pwd`: the working folder."""
    return int(not call.out(call.task.folder + "\n"))


@tool("head")
def head(call: Call) -> Outcome:
    """`head`: the first lines or signs."""
    options, names = split_options(old_count(call.arguments), "nc", ("lines", "bytes"))
    size = options.get("c", options.get("bytes"))
    if size is not None:
        return _head_bytes(call, names, read_size(size) or 0)
    wanted = options.get("n", options.get("lines", "10"))
    if wanted.startswith("-"):
        return call.guess(f"-n {wanted}")
    state = call.state
    state.setdefault("left", min(int(wanted), _MOST_LINES) if wanted.isdigit() else 10)
    if state["left"] == 0:
        return 0

    def handle(line: str) -> bool:
        state["left"] -= 1
        call.out(line)
        return bool(state["left"] <= 0)

    return call.each_line(names, handle)


def _head_bytes(call: Call, names: list[str], size: int) -> Outcome:
    if any(call.path(name) in ("/dev/urandom", "/dev/zero", "/dev/random") for name in names):
        call.machine.is_volatile = True
        key = (call.world.pod.uid, call.task.pid, call.now_ms)
        call.work(min(size, 4096))
        draws = (call.world.draw("device-bytes", *key, place) for place in range(min(size, 4096)))
        is_written = call.out("".join(chr(33 + int(draw * 94)) for draw in draws))
        return 0 if is_written and call.machine.pad(call.task, 1, max(size - 4096, 0)) else 1
    state = call.state
    state.setdefault("left", size)

    def handle(line: str) -> bool:
        call.out(line[: state["left"]])
        state["left"] -= min(len(line), state["left"])
        return bool(state["left"] <= 0)

    return call.each_line(names, handle)


@tool("wc")
def wc(call: Call) -> Outcome:
    """`wc`: count lines, words and signs."""
    options, names = split_options(call.arguments)
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    wanted = [letter for letter in ("l", "w", "m", "c") if letter in options] or ["l", "w", "c"]
    totals = dict.fromkeys(wanted, 0)
    for name, text in texts:
        counts = {
            "l": text.count("\n"),
            "w": len(text.split()),
            "m": len(text),
            "c": len(text.encode(errors="replace")),
        }
        for letter in wanted:
            totals[letter] += counts[letter]
        call.out(_counts([counts[letter] for letter in wanted], name if names else "", bool(names)))
    if len(texts) > 1:
        call.out(_counts([totals[letter] for letter in wanted], "total", True))
    return call.status


def _counts(numbers: list[int], name: str, is_file: bool) -> str:
    if len(numbers) == 1:
        return f"{numbers[0]} {name}".rstrip() + "\n"
    width = 7 if not is_file else 1
    return " ".join(f"{number:{width}}" for number in numbers) + (f" {name}" if name else "") + "\n"


@tool("cut")
def cut(call: Call) -> Outcome:
    """`cut`: fields or signs of each line."""
    options, names = split_options(call.arguments, "dfcb", ("delimiter", "fields", "characters"))
    delimiter = options.get("d", options.get("delimiter", "\t")) or "\t"
    listed = options.get("f", options.get("fields"))
    ranges = _ranges(listed or options.get("c") or options.get("b") or options.get("characters") or "")
    if ranges is None:
        return call.cannot("with that list")

    def handle(line: str) -> bool:
        text = line.rstrip("\n")
        if listed is None:
            call.work(1 + (len(line) >> 4))
            call.out("".join(sign for place, sign in enumerate(text, 1) if _is_in(place, ranges)) + "\n")
        elif delimiter in text:
            fields = text.split(delimiter)
            call.out(
                delimiter.join(one for place, one in enumerate(fields, 1) if _is_in(place, ranges)) + "\n"
            )
        elif "s" not in options:
            call.out(text + "\n")
        return False

    return call.each_line(names, handle)


def _ranges(text: str) -> list[tuple[int, int]] | None:
    ranges: list[tuple[int, int]] = []
    for part in text.split(","):
        match = re.fullmatch(r"(\d*)(-?)(\d*)", part.strip())
        if match is None or not (match[1] or match[3]):
            return None
        low = int(match[1] or 1)
        ranges.append((low, int(match[3] or 1 << 30) if match[2] else low))
    return ranges


def _is_in(place: int, ranges: list[tuple[int, int]]) -> bool:
    return any(low <= place <= high for low, high in ranges)


@tool("sort")
def sort(call: Call) -> Outcome:
    """`sort`: lines in order."""
    options, names = split_options(call.arguments, "kto", ("key", "field-separator"))
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    if unknown := sorted(set(options) & set("VghMRms")):
        return call.guess(f"with -{unknown[0]}")
    end = "\0" if "z" in options else "\n"
    lines = [
        line for _, text in texts for line in lines_of(text.replace("\0", "\n") if "z" in options else text)
    ]
    call.work(len(lines) >> 1)
    key = options.get("k", options.get("key", ""))
    letters = set(options) | set(re.sub(r"[\d,.]", "", key))
    place = int(re.match(r"\d+", key)[0]) if re.match(r"\d+", key) else 0  # type: ignore[index]
    separator = options.get("t", options.get("field-separator"))

    def key_of(line: str) -> tuple[float, str]:
        fields = line.split(separator) if separator else line.split()
        text = (fields[place - 1] if place <= len(fields) else "") if place else line
        if "n" in letters:
            number = re.match(r"\s*([-+]?\d*\.?\d+)", text)
            return (float(number[1]) if number else 0.0, line)
        return (0.0, text.lower() if "f" in letters else text)

    lines.sort(key=key_of, reverse="r" in letters)
    if "u" in letters:
        lines = [line for at, line in enumerate(lines) if at == 0 or key_of(line) != key_of(lines[at - 1])]
    call.out("".join(line + end for line in lines))
    return call.status


@tool("uniq")
def uniq(call: Call) -> Outcome:
    """`uniq`: lines without those like the one before."""
    options, names = split_options(call.arguments)
    if unknown := sorted(set(options) - {"c"}):
        return call.guess(f"with -{unknown[0]}")
    texts = call.whole_inputs(names[:1])
    if isinstance(texts, Wait):
        return texts
    groups: list[tuple[str, int]] = []
    call.work(sum(text.count("\n") for _, text in texts) >> 1)
    for line in (line for _, text in texts for line in lines_of(text)):
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    for line, count in groups:
        call.out(f"{count:7} {line}\n" if "c" in options else line + "\n")
    return call.status


_TR_CLASSES = {
    "[:upper:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "[:lower:]": "abcdefghijklmnopqrstuvwxyz",
    "[:digit:]": "0123456789",
    "[:alpha:]": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "[:alnum:]": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "[:space:]": " \t\n\r\f\v",
    "[:blank:]": " \t",
    "[:punct:]": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}
_TR_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}


def _characters(text: str) -> str:
    for name, signs in _TR_CLASSES.items():
        text = text.replace(name, signs)
    text = re.sub(r"\\([ntr0\\])", lambda found: _TR_ESCAPES[found[1]], text)
    return re.sub(
        r"(.)-(.)",
        lambda found: "".join(chr(code) for code in range(ord(found[1]), ord(found[2]) + 1)),
        text,
        flags=re.DOTALL,
    )


@tool("tr")
def tr(call: Call) -> Outcome:
    """`tr`: replace, delete or squeeze signs."""
    options, sets = split_options(call.arguments)
    if not sets:
        return call.fail("a set is needed")
    first = _characters(sets[0])
    second = _characters(sets[1]) if len(sets) > 1 else ""

    def inside(sign: str) -> bool:
        return (sign in first) != ("c" in options or "C" in options)

    def handle(line: str) -> bool:
        call.work(1 + (len(line) >> 4))
        if "d" in options:
            call.out("".join(sign for sign in line if not inside(sign)))
            return False
        changed = [_translate(sign, first, second, inside(sign)) for sign in line]
        if "s" in options:
            squeezed = second or first
            changed = [
                sign for at, sign in enumerate(changed) if not (at and changed[at - 1] == sign in squeezed)
            ]
        call.out("".join(changed))
        return False

    return call.each_line((), handle)


def _translate(sign: str, first: str, second: str, is_inside: bool) -> str:
    if not is_inside or not second:
        return sign
    place = first.find(sign)
    return second[min(place, len(second) - 1)] if place >= 0 else second[-1]


@tool("basename", "dirname")
def path_part(call: Call) -> Outcome:
    """`basename` and `dirname`: parts of a path."""
    options, names = split_options(call.arguments, "s")
    if not names:
        return call.fail("missing operand")
    path = names[0].rstrip("/") or "/"
    folder, slash, name = path.rpartition("/")
    if path == "/":
        call.out("/\n")
        return 0
    if call.name == "dirname":
        call.out(((folder or "/") if slash else ".") + "\n")
        return 0
    suffix = options.get("s") or (names[1] if len(names) > 1 else "")
    call.out((name.removesuffix(suffix) if name != suffix else name) + "\n")
    return 0


@tool("rev")
def rearrange(call: Call) -> Outcome:
    """`rev`: lines turned round."""
    texts = call.whole_inputs(split_options(call.arguments)[1])
    if isinstance(texts, Wait):
        return texts
    lines = [line for _, text in texts for line in lines_of(text)]
    call.out("".join(line[::-1] + "\n" for line in lines))
    return call.status
