"""What `echo` and `printf` make of their arguments."""

from __future__ import annotations

import re
from collections import deque

from ...errors import CannotInterpret

_SIMPLE = dict(zip("ntrabfv\\e", "\n\t\r\a\b\f\v\\\x1b", strict=True))
# In `echo` octal numbers begin with a 0, in the form of `printf` they need not.
_WITH_ZERO = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|0([0-7]{0,3})|(.))", re.DOTALL)
_WITHOUT_ZERO = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_LONGEST = 4 << 20
_DIRECTIVE = re.compile(r"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?([a-zA-Z%])")


def unescape(text: str, with_leading_zero: bool = True, quotes: str = "") -> tuple[str, bool]:
    """Backslash sequences replaced, and whether `\\c` ended the output."""

    def replace(found: re.Match[str]) -> str:
        if found[1] is not None:
            return chr(int(found[1], 16))
        if found[2] is not None:
            return chr(int(found[2] or "0", 8))
        return _SIMPLE.get(found[3]) or (found[3] if found[3] in quotes else found[0])

    sequence = _WITH_ZERO if with_leading_zero else _WITHOUT_ZERO
    stop = next((found for found in sequence.finditer(text) if found[3] == "c"), None)
    return sequence.sub(replace, text if stop is None else text[: stop.start()]), stop is not None


def format_echo(words: list[str], flavour: str) -> str:
    """`dash` always reads escapes and knows only -n; the others read them with -e."""
    newline, escapes = "\n", flavour == "dash"
    while words:
        option = words[0]
        letters = option[1:]
        if not option.startswith("-") or not letters:
            break
        if flavour == "dash" and option != "-n":
            break
        if not set(letters) <= set("neE"):
            break
        for letter in letters:
            if letter == "n":
                newline = ""
            else:
                escapes = letter == "e"
        words = words[1:]
    text = " ".join(words)
    if not escapes:
        return text + newline
    text, is_stopped = unescape(text)
    return text if is_stopped else text + newline


def format_printf(words: list[str]) -> tuple[str, int]:
    """The output and the status. The format is used again as long as arguments are left."""
    form = words[0] if words else ""
    arguments = deque(words[1:])
    found: list[str] = []
    status, signs = 0, 0
    while True:
        before = len(arguments)
        text, is_stopped, is_bad = _format_once(form, arguments)
        found.append(text)
        status = status or int(is_bad)
        signs += len(text)
        if signs > _LONGEST:
            raise ValueError(f"an output of more than {_LONGEST} signs")
        if is_stopped or not arguments or len(arguments) == before:
            return "".join(found), status


def _format_once(form: str, arguments: deque[str]) -> tuple[str, bool, bool]:
    """The format used once, which takes arguments away; whether that was all, and whether one was bad."""
    found: list[str] = []
    at, is_bad = 0, False
    for match in _DIRECTIVE.finditer(form):
        text, is_stopped = unescape(form[at : match.start()], with_leading_zero=False, quotes="\"'")
        found.append(text)
        if is_stopped:
            return "".join(found), True, is_bad
        at = match.end()
        if match[4] == "%":
            found.append("%")
            continue
        flags, width, precision = match[1], match[2], match[3]
        if width == "*":
            width = arguments.popleft() if arguments else "0"
        if precision == "*":
            precision = arguments.popleft() if arguments else "0"
        if len(width or "") > 5 or len(precision or "") > 5:
            raise ValueError(f"a width of {width}")
        has_point = "." in match[0]
        argument = arguments.popleft() if arguments else None
        spec = f"{flags}{width or ''}{'.' + (precision or '0') if has_point else ''}"
        text, is_stopped, bad = _directive(match[4], spec, argument)
        is_bad = is_bad or bad
        found.append(text)
        if is_stopped:
            return "".join(found), True, is_bad
    text, is_stopped = unescape(form[at:], with_leading_zero=False, quotes="\"'")
    return "".join([*found, text]), is_stopped, is_bad


def _directive(kind: str, spec: str, argument: str | None) -> tuple[str, bool, bool]:
    if kind in "diuxXo":
        number, is_bad = _integer(argument)
        return f"%{spec}{'d' if kind in 'iu' else kind}" % number, False, is_bad
    if kind in "feEgG":
        try:
            return f"%{spec}{kind}" % float(argument or 0), False, False
        except ValueError:
            return f"%{spec}{kind}" % 0.0, False, True
    text = argument or ""
    if kind == "b":
        text, is_stopped = unescape(text)
        return f"%{spec}s" % text, is_stopped, False
    if kind == "c":
        return f"%{spec}s" % text[:1], False, False
    if kind == "q":
        raise CannotInterpret("printf %q")
    return f"%{spec}s" % text, False, kind != "s"


def _integer(argument: str | None) -> tuple[int, bool]:
    text = (argument or "0").strip()
    if text[:1] in ("'", '"') and len(text) > 1:
        return ord(text[1]), False
    match = re.match(r"[-+]?(0[xX][0-9a-fA-F]+|\d+)", text)
    if match is None:
        return 0, True
    digits = match[0]
    sign = -1 if digits.startswith("-") else 1
    digits = digits.lstrip("+-")
    is_octal = len(digits) > 1 and digits[0] == "0" and digits[1] not in "xX"
    try:
        value = int(digits, 16 if digits[:2] in ("0x", "0X") else 8 if is_octal else 10)
    except ValueError:
        return 0, True
    return sign * value, match.end() < len(text)
