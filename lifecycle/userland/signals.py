"""Signals of Linux: numbers, names, and what a process does that has made no arrangement for one."""

from __future__ import annotations

_IN_ORDER = (
    "HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP TTIN"
    " TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS"
)
SIGNALS = {name: number for number, name in enumerate(_IN_ORDER.split(), 1)}
_REAL_TIME_FIRST, _REAL_TIME_LAST = 34, 64
_NAMES = {number: name for name, number in SIGNALS.items()}
HARMLESS = frozenset(("CHLD", "CONT", "URG", "WINCH"))
"""Ignored unless a process asks for them."""
STOPPING = frozenset(("STOP", "TSTP", "TTIN", "TTOU"))


def signal_name(text: str) -> str | None:
    """`TERM` for `TERM`, `SIGTERM`, `sigterm` and `15`; None for what is no signal."""
    text = text.strip().upper()
    if text.isdigit():
        number = int(text)
        if _REAL_TIME_FIRST <= number <= _REAL_TIME_LAST:
            return f"RTMIN+{number - _REAL_TIME_FIRST}"
        return _NAMES.get(number)
    name = text.removeprefix("SIG")
    return name if name in SIGNALS or name.startswith(("RTMIN", "RTMAX")) else None


def signal_number(name: str) -> int:
    """15 for `TERM` and `SIGTERM`; real-time signals by their distance from the first or last one."""
    name = name.removeprefix("SIG")
    if name.startswith("RTMIN"):
        return _REAL_TIME_FIRST + int(name[6:] or 0)
    if name.startswith("RTMAX"):
        return _REAL_TIME_LAST - int(name[6:] or 0)
    return SIGNALS.get(name, SIGNALS["TERM"])
