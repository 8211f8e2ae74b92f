"""`grep`, and regular expressions as POSIX writes them."""

import re

from lifecycle.engine.programs.shell.conditions import extended_expression
from lifecycle.engine.programs.shell.options import split_options
from lifecycle.engine.programs.shell.task import Wait
from lifecycle.engine.programs.tools.call import Call, Outcome
from lifecycle.engine.programs.tools.registry import tool


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
    options, operands = split_options(call.arguments, "emABCf", ("regexp", "max-count", "include", "exclude"))
    if "f" in options:
        return call.cannot("with a pattern file")
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


class _Context:
    """Lines around those that match (-A, -B, -C); what it remembers between lines is the call's state."""

    def __init__(self, call: Call, options: dict[str, str]) -> None:
        self.call = call
        both = options.get("C") or "0"
        is_shown = not {"q", "c", "l", "o"} & set(options)
        self.before = int(options.get("B") or both) if is_shown else 0
        self.after = int(options.get("A") or both) if is_shown else 0
        self.has_numbers = "n" in options

    def hit(self) -> None:
        """The lines before one that matches, behind `--` where lines were left out."""
        state = self.call.state
        waiting: list[list[str]] = state.pop("waiting", [])
        if (self.before or self.after) and state.pop("gap", False) and state.get("shown"):
            self.call.out("--\n")
        self.call.out("".join(f"{number}{line}\n" for number, line in waiting))
        state["shown"], state["left"] = True, self.after

    def miss(self, line: str) -> None:
        """A line that does not match: shown behind one that does, else kept for one to come."""
        state = self.call.state
        if not (self.before or self.after):
            return
        text = line.rstrip("\n")
        number = f"{state['line']}-" if self.has_numbers else ""
        if state.get("left", 0) > 0:
            state["left"] -= 1
            self.call.out(f"{number}{text}\n")
            return
        waiting = [*state.get("waiting", []), [number, text]]
        state["gap"] = state.get("gap", False) or len(waiting) > self.before
        state["waiting"] = waiting[-self.before :] if self.before else []


def _grep_lines(call: Call, compiled: re.Pattern[str], options: dict[str, str], names: list[str]) -> Outcome:
    state = call.state
    silent = bool({"q", "quiet", "silent"} & set(options))
    most = int(options.get("m") or options.get("max-count") or 1 << 60)

    context = _Context(call, options)

    def handle(line: str) -> bool:
        state["line"] = state.get("line", 0) + 1
        found = compiled.search(line.rstrip("\n"))
        if (found is None) != ("v" in options):
            context.miss(line)
            return False
        state["count"] = state.get("count", 0) + 1
        if silent or "l" in options:
            return True
        if "c" not in options:
            prefix = f"{state['line']}:" if "n" in options else ""
            context.hit()
            if "o" in options and found is not None:
                call.out("".join(f"{prefix}{one[0]}\n" for one in compiled.finditer(line) if one[0]))
            else:
                call.out(prefix + line.rstrip("\n") + "\n")
        return bool(state["count"] >= most)

    if len(names) > 1:
        if context.before or context.after:
            return call.cannot("with context lines of several files")
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
