"""One-liners of other languages that examples use: Perl's digits of pi, small Python programs."""

from __future__ import annotations

import re

from ..shell.task import Wait
from .call import Call, Outcome
from .python import PythonProblem, run_python
from .registry import TOOLS, UNKNOWN, tool
from .servers import ServerFacts, serve

_PI = re.compile(r"print\s+bpi\s*\(?\s*(\d+)\s*\)?")
_MS_PER_DIGIT = 5
_PYTHON_SERVER_PORT = 8000


def digits_of_pi(count: int) -> str:
    """Pi with so many significant digits, rounded as Math::BigFloat does."""
    guard = 10
    unity: int = 10 ** (count + guard)

    def arctangent_of_inverse(number: int) -> int:
        term = unity // number
        total = term
        square, divisor, sign = number * number, 3, -1
        while term:
            term //= square
            total += sign * (term // divisor)
            sign, divisor = -sign, divisor + 2
        return total

    # Machin: pi = 16 arctan(1/5) - 4 arctan(1/239).
    value = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))
    digits = str((value + 5 * 10**guard) // 10 ** (guard + 1))
    return f"{digits[0]}.{digits[1:]}" if count > 1 else digits


@tool("perl")
def perl(call: Call) -> Outcome:
    """`perl -Mbignum=bpi -wle 'print bpi(2000)'` computes for a while and prints one line."""
    found = _PI.search(" ".join(call.arguments))
    if found is None:
        return TOOLS[UNKNOWN](call)
    count = int(found[1])
    if count > 20_000:
        return call.cannot(f"with {count} digits")
    if "until" not in call.state:
        call.state["until"] = call.now_ms + count * _MS_PER_DIGIT
        call.task.cpu_milli = 1_000
        return call.sleep_until(call.state["until"])
    call.out(digits_of_pi(count) + "\n")
    return 0


@tool("python", "python3", "python2")
def python(call: Call) -> Outcome:
    """`-m http.server`, and `-c` with a small program; all else is a program nothing is known of."""
    words = [word for word in call.arguments if word not in ("-u", "-B", "-I", "-s", "-E")]
    if words[:2] in (["-m", "http.server"], ["-m", "SimpleHTTPServer"]):
        port = next((int(word) for word in words[2:] if word.isdigit()), _PYTHON_SERVER_PORT)
        # Its only handler is for the keyboard: as process 1 it ignores TERM.
        return serve(call, ServerFacts((port,), 200, ("INT",)))
    if words[:1] == ["-c"] and len(words) > 1 and "catches" not in call.state:
        try:
            return _run_small_program(call, words[1])
        except PythonProblem as problem:
            call.machine.note(f"cannot interpret the Python program: {problem}")
    if words[:1] in (["--version"], ["-V"]):
        call.out("Python 3\n")
        return 0
    return TOOLS[UNKNOWN](call)


def _run_small_program(call: Call, text: str) -> Outcome:
    """Run it whole, then let the time it slept pass, writing each line when its time has come."""
    if "output" not in call.state:
        lines, status = run_python(text, call.environment, call.arguments)
        call.state["output"] = [[call.now_ms + at_ms, line] for at_ms, line in lines]
        call.state["status"] = status[1]
        call.state["until"] = call.now_ms + status[0]
    while call.state["output"] and call.state["output"][0][0] <= call.now_ms:
        call.out(call.state["output"].pop(0)[1])
    if call.now_ms >= call.state["until"]:
        return int(call.state["status"])
    due = [call.state["until"], *(entry[0] for entry in call.state["output"][:1])]
    return Wait(Wait.TIME, min(due))
