"""Tools that read and write text."""

import base64
import hashlib
import re

from lifecycle.engine.programs.shell.conditions import ConditionProblem, evaluate_test, extended_expression
from lifecycle.engine.programs.shell.task import Wait
from lifecycle.engine.programs.tools.call import Call, Outcome, split_options
from lifecycle.engine.programs.tools.formats import format_echo, format_printf
from lifecycle.engine.programs.tools.registry import tool
from lifecycle.engine.programs.tools.system import read_size


@tool("echo")
def echo(call: Call) -> Outcome:
    call.out(format_echo(call.arguments, call.state.get("flavour", "ash")))
    return 0


@tool("printf")
def printf(call: Call) -> Outcome:
    text, status = format_printf(call.arguments)
    call.out(text)
    return status


@tool("pwd")
def pwd(call: Call) -> Outcome:
    call.out(call.task.folder + "\n")
    return 0


@tool("test", "[")
def test(call: Call) -> Outcome:
    words = call.arguments
    if call.name == "[":
        if words[-1:] != ["]"]:
            return call.fail("missing ]", 2)
        words = words[:-1]
    try:
        return int(not evaluate_test(words, call.machine, call.task))
    except ConditionProblem as problem:
        return call.fail(str(problem), 2)


@tool("head")
def head(call: Call) -> Outcome:
    words = [f"-n{word[1:]}" if word[:1] == "-" and word[1:].isdigit() else word for word in call.arguments]
    options, names = split_options(words, "nc", ("lines", "bytes"))
    size = options.get("c", options.get("bytes"))
    if size is not None:
        return _head_bytes(call, names, read_size(size) or 0)
    wanted = options.get("n", options.get("lines", "10"))
    if wanted.startswith("-"):
        return _all_but_last(call, names, int(wanted[1:] or 0))
    state = call.state
    state.setdefault("left", int(wanted) if wanted.isdigit() else 10)
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
        draws = (call.world.draw("device-bytes", *key, place) for place in range(min(size, 4096)))
        call.out("".join(chr(33 + int(draw * 94)) for draw in draws))
        return 0
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    call.out("".join(text[:size] for _, text in texts))
    return call.status


def _all_but_last(call: Call, names: list[str], count: int) -> Outcome:
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    for _, text in texts:
        lines = text.splitlines(keepends=True)
        call.out("".join(lines[: max(len(lines) - count, 0)]))
    return call.status


@tool("wc")
def wc(call: Call) -> Outcome:
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


def basic_expression(pattern: str) -> str:
    """A POSIX basic regular expression in Python's spelling."""
    found: list[str] = []
    at = 0
    while at < len(pattern):
        sign = pattern[at]
        if sign == "\\" and at + 1 < len(pattern):
            following = pattern[at + 1]
            found.append(following if following in "(){}|+?" else "\\" + following)
            at += 2
        elif sign == "[":
            end = pattern.find("]", at + 2 if pattern[at + 1 : at + 2] != "^" else at + 3)
            while end >= 0 and pattern[:end].rfind("[:") > pattern[:end].rfind(":]"):
                end = pattern.find("]", pattern.find(":]", end - 1) + 2)
            end = len(pattern) - 1 if end < 0 else end
            found.append(extended_expression(pattern[at : end + 1]))
            at = end + 1
        elif sign in "(){}|+?":
            found.append("\\" + sign)
            at += 1
        elif sign == "*" and not found:
            found.append("\\*")
            at += 1
        else:
            found.append(sign)
            at += 1
    return "".join(found)


def compile_expression(pattern: str, is_extended: bool, flags: int = 0) -> re.Pattern[str]:
    """A POSIX regular expression, compiled. Raises re.error."""
    return re.compile(extended_expression(pattern) if is_extended else basic_expression(pattern), flags)


@tool("grep", "egrep", "fgrep")
def grep(call: Call) -> Outcome:
    options, operands = split_options(
        call.arguments, "emABCf", ("regexp", "max-count", "include", "exclude", "after-context")
    )
    if {"A", "B", "C", "f", "P"} & set(options) and "P" not in options:
        return call.cannot("with context lines or a pattern file")
    pattern = options.get("e", options.get("regexp"))
    if pattern is None:
        if not operands:
            return call.fail("a pattern is needed", 2)
        pattern, operands = operands[0], operands[1:]
    if "F" in options or call.name == "fgrep":
        expression = "|".join(re.escape(one) for one in pattern.split("\n"))
    else:
        is_extended = "E" in options or "P" in options or call.name == "egrep"
        expression = extended_expression(pattern) if is_extended else basic_expression(pattern)
    if "w" in options:
        expression = rf"\b(?:{expression})\b"
    if "x" in options:
        expression = f"^(?:{expression})$"
    try:
        compiled = re.compile(expression, re.IGNORECASE if "i" in options else 0)
    except re.error as error:
        return call.cannot(f"{pattern!r} ({error})")
    if {"r", "R", "recursive"} & set(options):
        operands = _files_below(call, operands or ["."])
    return _grep_lines(call, compiled, options, operands)


def _files_below(call: Call, roots: list[str]) -> list[str]:
    return [path for root in roots for path in call.files.walk(call.path(root)) if not call.is_folder(path)]


def _grep_lines(call: Call, compiled: re.Pattern[str], options: dict[str, str], names: list[str]) -> Outcome:
    state = call.state
    silent = bool({"q", "quiet", "silent"} & set(options))
    most = int(options.get("m") or options.get("max-count") or 1 << 60)

    def handle(line: str) -> bool:
        state["line"] = state.get("line", 0) + 1
        found = compiled.search(line.rstrip("\n"))
        if (found is None) != ("v" in options):
            return False
        state["count"] = state.get("count", 0) + 1
        if silent or "l" in options:
            return True
        if "c" not in options:
            prefix = f"{state['line']}:" if "n" in options else ""
            if "o" in options and found is not None:
                call.out("".join(f"{prefix}{one[0]}\n" for one in compiled.finditer(line) if one[0]))
            else:
                call.out(prefix + line.rstrip("\n") + "\n")
        return bool(state["count"] >= most)

    if len(names) > 1:
        return _grep_files(call, compiled, options, names)
    outcome = call.each_line(names, handle)
    if not isinstance(outcome, int):
        return outcome
    if "c" in options:
        call.out(f"{state.get('count', 0)}\n")
    if "l" in options and state.get("count"):
        call.out(f"{names[0] if names else '(standard input)'}\n")
    # A file that cannot be read counts as an error, unless a match was found quietly.
    return 0 if state.get("count") and (silent or not call.status) else 2 if call.status else 1


def _grep_files(call: Call, compiled: re.Pattern[str], options: dict[str, str], names: list[str]) -> Outcome:
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    is_found = False
    for name, text in texts:
        hits = [line for line in text.splitlines() if (compiled.search(line) is None) == ("v" in options)]
        is_found = is_found or bool(hits)
        if {"q", "quiet"} & set(options):
            continue
        if "l" in options:
            call.out(f"{name}\n" if hits else "")
        elif "c" in options:
            call.out(f"{name}:{len(hits)}\n")
        else:
            prefix = "" if "h" in options else f"{name}:"
            call.out("".join(f"{prefix}{line}\n" for line in hits))
    return 0 if is_found else 2 if call.status else 1


@tool("cut")
def cut(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "dfcb", ("delimiter", "fields", "characters"))
    delimiter = options.get("d", options.get("delimiter", "\t")) or "\t"
    listed = options.get("f", options.get("fields"))
    ranges = _ranges(listed or options.get("c") or options.get("b") or options.get("characters") or "")
    if ranges is None:
        return call.cannot("with that list")

    def handle(line: str) -> bool:
        text = line.rstrip("\n")
        if listed is None:
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
    options, names = split_options(call.arguments, "kto", ("key", "field-separator"))
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    lines = [line for _, text in texts for line in text.splitlines()]
    key = options.get("k", options.get("key", ""))
    letters = set(options) | set(re.sub(r"[\d,.]", "", key))
    place = int(re.match(r"\d+", key)[0]) if re.match(r"\d+", key) else 0  # type: ignore[index]
    separator = options.get("t", options.get("field-separator"))

    def key_of(line: str) -> tuple[float, str]:
        fields = line.split(separator) if separator else line.split()
        text = (fields[place - 1] if place <= len(fields) else "") if place else line
        if {"n", "g", "h"} & letters:
            number = re.match(r"\s*([-+]?\d*\.?\d+)", text)
            return (float(number[1]) if number else 0.0, line)
        return (0.0, text.lower() if "f" in letters else text)

    lines.sort(key=key_of, reverse="r" in letters)
    if "u" in letters:
        lines = [line for at, line in enumerate(lines) if at == 0 or key_of(line) != key_of(lines[at - 1])]
    call.out("".join(line + "\n" for line in lines))
    return call.status


@tool("uniq")
def uniq(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "fsw")
    texts = call.whole_inputs(names[:1])
    if isinstance(texts, Wait):
        return texts
    groups: list[tuple[str, int]] = []
    for line in (line for _, text in texts for line in text.splitlines()):
        if groups and groups[-1][0] == line:
            groups[-1] = (line, groups[-1][1] + 1)
        else:
            groups.append((line, 1))
    for line, count in groups:
        if ("d" in options and count == 1) or ("u" in options and count > 1):
            continue
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
    options, sets = split_options(call.arguments)
    if not sets:
        return call.fail("a set is needed")
    first = _characters(sets[0])
    second = _characters(sets[1]) if len(sets) > 1 else ""

    def inside(sign: str) -> bool:
        return (sign in first) != ("c" in options or "C" in options)

    def handle(line: str) -> bool:
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
    options, names = split_options(call.arguments, "s")
    if not names:
        return call.fail("missing operand")
    path = names[0].rstrip("/") or "/"
    folder, slash, name = path.rpartition("/")
    if call.name == "dirname":
        call.out(((folder or "/") if slash else ".") + "\n")
        return 0
    suffix = options.get("s") or (names[1] if len(names) > 1 else "")
    call.out((name.removesuffix(suffix) if name != suffix else name) + "\n")
    return 0


@tool("expr")
def expr(call: Call) -> Outcome:
    """Arithmetic, comparison, and `text : pattern` over separate words."""
    words = call.arguments
    try:
        value = _Expression(words).value()
    except (ValueError, IndexError, ZeroDivisionError):
        return call.fail("syntax error", 2)
    call.out(value + "\n")
    return int(value in ("", "0"))


class _Expression:
    _LEVELS = (("|",), ("&",), ("=", "==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%"), (":",))

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.at = 0

    def value(self) -> str:
        value = self.level(0)
        if self.at != len(self.words):
            raise ValueError(self.words)
        return value

    def level(self, number: int) -> str:
        if number == len(self._LEVELS):
            return self.primary()
        left = self.level(number + 1)
        while self.at < len(self.words) and self.words[self.at] in self._LEVELS[number]:
            operator = self.words[self.at]
            self.at += 1
            left = self.apply(operator, left, self.level(number + 1))
        return left

    def primary(self) -> str:
        word = self.words[self.at]
        self.at += 1
        if word == "(":
            value = self.level(0)
            self.at += 1
            return value
        if word == "length" and self.at < len(self.words):
            return str(len(self.primary()))
        if word == "substr" and self.at + 2 < len(self.words):
            text, start, count = self.primary(), int(self.primary()), int(self.primary())
            return text[start - 1 : start - 1 + count]
        return word

    def apply(self, operator: str, left: str, right: str) -> str:
        if operator == "|":
            return left if left not in ("", "0") else right
        if operator == "&":
            return left if left not in ("", "0") and right not in ("", "0") else "0"
        if operator == ":":
            found = re.match(basic_expression(right), left)
            if found is None:
                return "" if "\\(" in right else "0"
            return found[1] or "" if found.groups() else str(found.end())
        if operator in ("+", "-", "*", "/", "%"):
            first, second = int(left), int(right)
            if operator in "/%":
                quotient = abs(first) // abs(second) * (1 if (first < 0) == (second < 0) else -1)
                return str(quotient if operator == "/" else first - second * quotient)
            return str(
                first + second if operator == "+" else first - second if operator == "-" else first * second
            )
        return str(int(_compare(operator, left, right)))


def _compare(operator: str, left: str, right: str) -> bool:
    both_numbers = all(re.fullmatch(r"-?\d+", text) for text in (left, right))
    order = (
        (int(left) > int(right)) - (int(left) < int(right))
        if both_numbers
        else (left > right) - (left < right)
    )
    return {
        "=": order == 0,
        "==": order == 0,
        "!=": order != 0,
        "<": order < 0,
        "<=": order <= 0,
        ">": order > 0,
        ">=": order >= 0,
    }[operator]


@tool("rev", "tac", "nl")
def rearrange(call: Call) -> Outcome:
    texts = call.whole_inputs(split_options(call.arguments)[1])
    if isinstance(texts, Wait):
        return texts
    lines = [line for _, text in texts for line in text.splitlines()]
    if call.name == "tac":
        lines.reverse()
    elif call.name == "rev":
        lines = [line[::-1] for line in lines]
    else:
        lines = [f"{number:6}\t{line}" for number, line in enumerate(lines, 1)]
    call.out("".join(line + "\n" for line in lines))
    return call.status


@tool("base64")
def base64_text(call: Call) -> Outcome:
    options, names = split_options(call.arguments, "w", ("wrap",))
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    data = "".join(text for _, text in texts)
    if {"d", "D", "decode"} & set(options):
        try:
            call.out(base64.b64decode(data).decode(errors="replace"))
        except ValueError:
            return call.fail("invalid input")
        return 0
    coded = base64.b64encode(data.encode()).decode()
    width = int(options.get("w") or options.get("wrap") or 76)
    lines = [coded[at : at + width] for at in range(0, len(coded), width)] if width else [coded]
    call.out("\n".join(lines) + ("\n" if width else ""))
    return call.status


@tool("md5sum", "sha1sum", "sha256sum", "sha512sum")
def checksum(call: Call) -> Outcome:
    texts = call.whole_inputs(split_options(call.arguments)[1])
    if isinstance(texts, Wait):
        return texts
    for name, text in texts:
        digest = hashlib.new(call.name.removesuffix("sum"), text.encode(), usedforsecurity=False)
        call.out(f"{digest.hexdigest()}  {name}\n")
    return call.status


@tool("cmp", "diff")
def compare(call: Call) -> Outcome:
    options, names = split_options(call.arguments)
    texts = call.whole_inputs(names[:2])
    if isinstance(texts, Wait):
        return texts
    if len(texts) < 2:
        return 2
    is_same = texts[0][1] == texts[1][1]
    if not is_same and not {"q", "s"} & set(options):
        call.out(f"{names[0]} {names[1]} differ\n")
    return int(not is_same)


@tool("gzip", "gunzip", "bzip2", "xz", "zstd", "pigz", "iconv", "dos2unix")
def pass_through(call: Call) -> Outcome:
    """Compressed text is kept as it is: nobody here looks at the bytes."""
    options, names = split_options(call.arguments, "ft")
    if not names or {"c", "stdout"} & set(options):
        texts = call.whole_inputs(names)
        if isinstance(texts, Wait):
            return texts
        call.out("".join(text for _, text in texts))
        return call.status
    for name in names:
        text = call.read_file(name)
        if text is not None and call.name in ("gzip", "pigz"):
            call.files.write(call.path(name) + ".gz", text)
            call.files.remove(call.path(name))
        elif text is not None and name.endswith(".gz"):
            call.files.write(call.path(name.removesuffix(".gz")), text)
            call.files.remove(call.path(name))
    return call.status


@tool("envsubst")
def envsubst(call: Call) -> Outcome:
    read = call.whole_input()
    if isinstance(read, Wait):
        return read
    wanted = set(re.findall(r"\w+", call.arguments[0])) if call.arguments else None

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        return call.environment.get(name, "") if wanted is None or name in wanted else found[0]

    call.out(re.sub(r"\$(?:\{(\w+)\}|(\w+))", value, read))
    return 0
