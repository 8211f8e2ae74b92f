"""The man page, made of what the command itself says: `python -m podline.manual > podline.1`."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentParser
from collections.abc import Iterator

from lifecycle.check.command_line import EXIT_STATUSES as STATUSES_OF_CHECK
from lifecycle.simulation.run import EXIT_STATUSES
from lifecycle.version import VERSION
from podline.command import COMMANDS
from podline.completion import OPTIONS


def make_page() -> str:
    """The page in troff, section 1."""
    return "".join(f"{line}\n" for line in _list_lines())


def _list_lines() -> Iterator[str]:
    yield f'.TH PODLINE 1 "" "podline {VERSION}" "User Commands"'
    yield from (".SH NAME", "podline \\- what will Kubernetes do with this manifest?")
    yield from (".SH SYNOPSIS", ".B podline", ".I COMMAND", "[\\fIOPTIONS\\fR] \\&...")
    yield ".SH COMMANDS"
    for name, command in COMMANDS.items():
        yield from (".TP", f".B {name}", _escape(command.text))
    for name, add_options in OPTIONS.items():
        yield f".SH OPTIONS OF {name.upper()}"
        parser = ArgumentParser(add_help=False)
        add_options(parser)
        for action in parser._actions:
            yield from (".TP", f".B {_escape(_name(action))}", _escape(action.help or ""))
    for name, statuses in {"simulate": EXIT_STATUSES, "check": STATUSES_OF_CHECK}.items():
        yield f".SH EXIT STATUS OF {name.upper()}"
        for status, text in statuses.items():
            yield from (".TP", f".B {status}", _escape(text))


def _name(action: Action) -> str:
    value = action.metavar or ("|".join(map(str, action.choices)) if action.choices else "")
    words = ", ".join(action.option_strings)
    return f"{words} {value}".strip() if action.nargs != 0 else words


def _escape(text: str) -> str:
    escaped = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.stdout.write(make_page())
