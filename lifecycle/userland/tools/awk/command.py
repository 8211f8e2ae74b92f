"""The command `awk`: options, files and standard input, record after record as they come."""

from __future__ import annotations

from ...lines import lines_of
from ...matching.problem import PatternProblem
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool
from .parser import parse
from .run import Run
from .statements import Left, Program, Statement
from .tokens import read_escapes
from .values import AwkProblem, InputText, is_true


@tool("awk", "gawk", "mawk", "nawk")
def awk(call: Call) -> Outcome:
    """Run a program over files or, line by line, over what comes in; what is not modelled is named."""
    try:
        return _run(call)
    except (AwkProblem, PatternProblem) as problem:
        return call.cannot(str(problem))
    except RecursionError:
        return call.cannot("a program nested so deeply")


def _run(call: Call) -> Outcome:
    text, settings, files = _arguments(call)
    program, run = parse(text), Run(call.out)
    if "awk" in call.state:
        run.load(call.state["awk"])
    else:
        run.arrays["ENVIRON"] = {name: InputText(value) for name, value in call.environment.items()}
        for name, value in settings:
            run.set_variable(name, InputText(read_escapes(value)))
        _run_apart(run, program.begin)
    if (program.rules or program.end) and run.status is None:
        outcome = _read(call, program, run, files)
        if not isinstance(outcome, int):
            call.state["awk"] = run.save()
            return outcome
    _run_apart(run, program.end)
    return run.status if run.status is not None else 2 * call.status


def _run_apart(run: Run, statements: list[Statement]) -> None:
    """BEGIN and END; END is run after `exit` too, and an `exit` in it is the last word."""
    try:
        for statement in statements:
            statement(run)
    except Left:
        if run.status is None:
            raise AwkProblem("next where there is no record") from None


def _run_record(program: Program, run: Run, text: str) -> bool:
    """The rules for one record; True when the program has exited."""
    run.next_record(text)
    try:
        for rule in program.rules:
            if is_true(rule.pattern(run)):
                rule.body(run)
    except Left:
        pass
    return run.status is not None


def _arguments(call: Call) -> tuple[str, list[tuple[str, str]], list[str]]:
    """The program's text, what -v and -F set, and the files."""
    words, settings = list(call.arguments), []
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        value = word[2:] or (words.pop(0) if words else "")
        if word[1:2] == "F":
            settings.append(("FS", "\t" if value == "t" else value))
        elif word[1:2] == "v":
            name, _, setting = value.partition("=")
            settings.append((name, setting))
        else:
            raise AwkProblem(f"with the option {word}")
    if not words:
        raise AwkProblem("without a program text")
    if any("=" in word and word.partition("=")[0].isidentifier() for word in words[1:]):
        raise AwkProblem("a variable among its files")
    return words[0], settings, words[1:]


def _read(call: Call, program: Program, run: Run, names: list[str]) -> Outcome:
    """All records of all inputs; a Wait while standard input may bring more."""
    files = call.through_fifo(names)
    if isinstance(files, Wait):
        return files
    if not files:
        return call.each_line((), lambda line: _run_record(program, run, line.removesuffix("\n")))
    texts = call.whole_inputs(files)
    if isinstance(texts, Wait):
        return texts
    for name, text in texts:
        run.variables.update(FILENAME=InputText(name), FNR=0.0)
        if any(_run_record(program, run, line) for line in lines_of(text)):
            break
    return 0
