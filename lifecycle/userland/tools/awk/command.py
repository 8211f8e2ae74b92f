"""The command `awk`: options, files and standard input, record after record as they come."""

from __future__ import annotations

from ...file_system import FileProblem
from ...lines import lines_of
from ...matching.problem import PatternProblem
from ...shell.task import Wait
from ..call import Call, Outcome
from ..registry import tool
from ..system import format_date
from .library import split_fields
from .nodes import AwkProblem
from .parser import parse
from .runner import Runner
from .state import State
from .tokens import read_escapes
from .values import InputText

_ERRORS = ("/dev/stderr", "/dev/fd/2", "/proc/self/fd/2")
_OUTPUTS = ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-")


class _Container:
    """The container as an awk program sees it."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def draw(self, number: int) -> float:
        call = self.call
        call.machine.is_volatile = True
        return call.world.draw("awk-rand", call.world.pod.uid, call.task.pid, number)

    def unix_seconds(self) -> int:
        self.call.machine.is_volatile = True
        return (self.call.world.epoch_ms + self.call.now_ms) // 1000

    def format_time(self, form: str, seconds: int) -> str:
        return format_date(1000 * seconds, form)

    def line_of(self, file: str, number: int) -> str | None:
        try:
            lines = lines_of(self.call.files.read(self.call.path(file)))
        except FileProblem:
            return None
        return lines[number] if number < len(lines) else None

    def print(self, text: str) -> None:
        self.call.out(text)

    def print_to(self, file: str, text: str, is_append: bool) -> None:
        self.call.flush()
        if file in _ERRORS:
            self.call.machine.write(self.call.task, 2, text)
        elif file in _OUTPUTS:
            self.call.out(text)
        else:
            self.call.files.write(self.call.path(file), text, append=is_append)


@tool("awk", "gawk", "mawk", "nawk")
def awk(call: Call) -> Outcome:
    """Runs a program over files or, line by line, over what comes in; what is not modelled is named."""
    try:
        return _run(call)
    except (AwkProblem, PatternProblem) as problem:
        return call.cannot(str(problem))
    except RecursionError:
        return call.cannot("a program nested so deeply")


def _run(call: Call) -> Outcome:
    text, settings, operands = _arguments(call)
    if text is None:
        return call.cannot("without a program text")
    program = parse(text)
    is_new = "awk" not in call.state
    state = State() if is_new else State.load(call.state["awk"])
    runner = Runner(program, state, _Container(call))
    if is_new:
        _prepare(call, state, settings, operands)
        runner.begin()
    if (program.rules or program.end) and not runner.has_exited:
        outcome = _read(call, runner, operands)
        if not isinstance(outcome, int):
            call.state["awk"] = state.save()
            return outcome
    runner.steps = 0
    runner.end()
    return state.status if state.status is not None else 2 if call.state.get("failed") else 0


def _prepare(call: Call, state: State, settings: list[str], operands: list[str]) -> None:
    state.arrays["ENVIRON"] = {name: InputText(value) for name, value in call.environment.items()}
    words = [call.name, *operands]
    state.arrays["ARGV"] = {str(place): InputText(word) for place, word in enumerate(words)}
    state.variables["ARGC"] = float(len(words))
    for setting in settings:
        _set(state, setting)


def _set(state: State, setting: str) -> None:
    name, _, value = setting.partition("=")
    state.set_variable(name, InputText(read_escapes(value)))


def _is_setting(word: str) -> bool:
    name, equals, _ = word.partition("=")
    return bool(equals) and name.isidentifier()


def _arguments(call: Call) -> tuple[str | None, list[str], list[str]]:
    """The program's text, what -v and -F set, and the files."""
    words, settings, texts = list(call.arguments), [], []
    while words and words[0].startswith("-") and words[0] != "-":
        word = words.pop(0)
        if word == "--":
            break
        option = word[1:2]
        if option not in "Fvf" or word.startswith("--"):
            raise AwkProblem(f"with the option {word}")
        value = word[2:] or (words.pop(0) if words else "")
        if option == "f":
            texts.append(call.files.read(call.path(value)))
        else:
            settings.append("FS=" + ("\t" if value == "t" else value) if option == "F" else value)
    if not texts:
        return (words[0] if words else None), settings, words[1:]
    return "\n".join(texts), settings, words


def _read(call: Call, runner: Runner, operands: list[str]) -> Outcome:
    """All records of all inputs; a Wait while standard input may bring more."""
    state = runner.state
    files = call.through_fifo([word for word in operands if not _is_setting(word)])
    if isinstance(files, Wait):
        return files
    if not files:
        operands = [word for word in operands if _is_setting(word)]
    if not files and state.text("RS") == "\n":
        for word in operands if "awk" not in call.state else ():
            _set(state, word)
        return call.each_line((), lambda line: runner.record(line.removesuffix("\n")))
    read = call.whole_inputs(files)
    if isinstance(read, Wait):
        return read
    texts = dict(read)
    for word in operands if files else [*operands, "-"]:
        if _is_setting(word):
            _set(state, word)
            continue
        state.variables["FILENAME"], state.variables["FNR"] = InputText(word), 0.0
        if any(runner.record(record) for record in _records(texts.get(word, ""), state.text("RS"))):
            break
    return 0


def _records(text: str, separator: str) -> list[str]:
    if separator == "\n":
        return lines_of(text)
    if not separator:
        # Paragraphs: empty lines stand between records.
        return [record for record in split_fields(text.strip("\n"), "\n\n+") if record]
    pieces = split_fields(text, separator) if separator != " " else text.split(" ")
    if pieces[-1:] in ([""], ["\n"]):
        pieces.pop()
    return pieces
