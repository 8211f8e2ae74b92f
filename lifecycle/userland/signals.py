"""Signals of Linux: numbers, names, and what a process does that has made no arrangement for one."""

from __future__ import annotations

SIGNALS = {
    "HUP": 1,
    "INT": 2,
    "QUIT": 3,
    "ILL": 4,
    "TRAP": 5,
    "ABRT": 6,
    "BUS": 7,
    "FPE": 8,
    "KILL": 9,
    "USR1": 10,
    "SEGV": 11,
    "USR2": 12,
    "PIPE": 13,
    "ALRM": 14,
    "TERM": 15,
    "STKFLT": 16,
    "CHLD": 17,
    "CONT": 18,
    "STOP": 19,
    "TSTP": 20,
    "TTIN": 21,
    "TTOU": 22,
    "URG": 23,
    "XCPU": 24,
    "XFSZ": 25,
    "VTALRM": 26,
    "PROF": 27,
    "WINCH": 28,
    "IO": 29,
    "PWR": 30,
    "SYS": 31,
}
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
