"""The command `awk`: options, files and standard input, record after record as they come."""

from __future__ import annotations

from ...lines import lines_of
from ...matching.problem import PatternProblem
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool
from .parser import Program, Step, parse, read_escapes
from .run import Left, Run
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
    if "run" in call.state:
        run.load(call.state["run"])
    before = run.steps
    try:
        return _go_on(call, program, run, settings, files)
    finally:
        call.work((run.steps - before) >> 1)


def _go_on(call: Call, program: Program, run: Run, settings: dict[str, str], files: list[str]) -> Outcome:
    if "run" not in call.state:
        for name, value in settings.items():
            run.set_variable(name, InputText(read_escapes(value)))
        _run_apart(run, program.begin)
    if (program.rules or program.end) and run.status is None:
        outcome = _read(call, program, run, files)
        if not isinstance(outcome, int):
            call.state["run"] = run.save()
            return outcome
    _run_apart(run, program.end)
    return run.status if run.status is not None else 2 * call.status


def _run_apart(run: Run, statements: list[Step]) -> None:
    """BEGIN and END; END is run after `exit` too, and an `exit` in it is the last word."""
    try:
        for step in statements:
            step(run)
    except Left:
        if run.status is None:
            raise AwkProblem("next where there is no record") from None


def _run_record(program: Program, run: Run, text: str) -> bool:
    """The rules for one record; True when the program has exited."""
    run.next_record(text)
    try:
        for pattern, statements in program.rules:
            for step in statements if is_true(pattern(run)) else ():
                step(run)
    except Left:
        pass
    return run.status is not None


def _arguments(call: Call) -> tuple[str, dict[str, str], list[str]]:
    """The program's text, what -v and -F set, and the files."""
    words, settings = list(call.arguments), {}
    while words and words[0][:2] in ("-F", "-v"):
        word = words.pop(0)
        value = word[2:] or (words.pop(0) if words else "")
        name, _, setting = value.partition("=") if word[1] == "v" else ("FS", "", value)
        settings[name] = "\t" if (name, setting) == ("FS", "t") else setting
    words = words[1:] if words[:1] == ["--"] else words
    if not words or words[0].startswith("-"):
        raise AwkProblem(f"with the option {words[0]}" if words else "without a program text")
    if any("=" in word and word.partition("=")[0].isidentifier() for word in words[1:]):
        raise AwkProblem("a variable among its files")
    return words[0], settings, words[1:]


def _read(call: Call, program: Program, run: Run, names: list[str]) -> Outcome:
    """All records of all inputs; a Wait while standard input may bring more."""
    if not names:
        return call.each_line((), lambda line: _run_record(program, run, line.removesuffix("\n")))
    texts = call.whole_inputs(names)
    if isinstance(texts, Wait):
        return texts
    for name, text in texts:
        run.variables.update(FILENAME=InputText(name), FNR=0.0)
        if any(_run_record(program, run, line) for line in lines_of(text)):
            break
    return 0
