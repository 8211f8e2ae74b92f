"""The parts of pages in `docs/` that are made from the tables of the code, by name.

A page holds a part between two marks, and `manage.py generate_docs` writes it anew:

    <!-- generated: timing -->
    <!-- end of timing -->
"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings
from django.urls import URLPattern

from lifecycle.check.command_line import add_options as add_options_of_check
from lifecycle.check.holes.filling import LISTS
from lifecycle.check.ordeal_files import FIELDS, list_ordeals
from lifecycle.engine.api.context import COMPONENTS
from lifecycle.engine.api.patching.patches import PATCH_TYPES
from lifecycle.engine.api.payloads import PAYLOADS
from lifecycle.engine.heart.settings import DEFAULT_NODES, MANAGER_DEFAULTS
from lifecycle.engine.heart.timing import WHYS, Timing
from lifecycle.engine.heart.trace import EVENT_KEYS, TRANSITION_KEYS
from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.kubelet.faults import NODE_FAULTS, POD_FAULTS
from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.engine.rules.nodes.eviction import NODE_WORDS
from lifecycle.export import filters, urls
from lifecycle.frames import SUMMARY_COLUMNS, Frame
from lifecycle.input.scenario_steps import READERS
from lifecycle.management.commands.bench import BENCHES
from lifecycle.simulation.command_line import add_options
from lifecycle.simulation.run import EXIT_STATUSES

_MARKED = re.compile(
    r"(?P<begin><!-- generated: (?P<name>[a-z-]+) -->\n).*?(?P<end><!-- end of (?P=name) -->)", re.DOTALL
)


class UnknownSection(Exception):
    """A page asks for a part that nobody makes."""


def fill(page: str) -> str:
    """The page with every marked part as the code says it now. Raises UnknownSection."""

    def make(match: re.Match[str]) -> str:
        if match["name"] not in SECTIONS:
            raise UnknownSection(f"no part is called {match['name']}; there are {', '.join(SECTIONS)}")
        return f"{match['begin']}{SECTIONS[match['name']]()}{match['end']}"

    return _MARKED.sub(make, page)


def list_names(page: str) -> list[str]:
    """The parts that a page holds."""
    return [match["name"] for match in _MARKED.finditer(page)]


def make_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table of Markdown."""
    names = tuple(heads)
    lines = (names, ("---",) * len(names), *rows)
    return "".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |\n" for line in lines)


def _list_words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _make_line(words: Iterable[str]) -> str:
    return _list_words(words) + "\n"


def _timing() -> str:
    spreads = Timing("realistic").spreads
    rows = ((f"`{name}`", _tell_spread(*spreads[name]), why) for name, why in WHYS.items())
    return make_table(("name", "realistic, ms", "what takes so long"), rows)


def _tell_spread(low_ms: int, high_ms: int) -> str:
    return f"{low_ms:,}" if low_ms == high_ms else f"{low_ms:,} to {high_ms:,}"


def _tell_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _tell_defaults(defaults: Mapping[str, Any]) -> str:
    rows = ((f"`{name}`", f"`{_tell_value(value)}`") for name, value in defaults.items())
    return make_table(("name", "default"), rows)


def _commands() -> str:
    return make_table(("command", "field", "value"), _list_fields())


def _list_fields() -> Iterator[tuple[str, str, str]]:
    for command, fields in PAYLOADS.items():
        for name, field in fields.items():
            yield f"`{command}`", f"`{name}`{', required' if field.is_required else ''}", field.wanted


def _faults() -> str:
    lines = (
        ("a node", NODE_FAULTS),
        ("a pod", POD_FAULTS),
        ("`pressure`: the resource", NODE_WORDS),
        ("a `component` that is `down`", COMPONENTS),
    )
    return make_table(("of", "kinds"), ((what, _list_words(kinds)) for what, kinds in lines))


def _ordeal_fields() -> str:
    rows = (
        (f"`{name}`", f"{field.text}{f': {_list_words(field.choices)}' if field.choices else ''}")
        for name, field in FIELDS.items()
    )
    return make_table(("field", "what it says"), rows)


def _ordeal_lists() -> str:
    return make_table(("list", "holds"), ((f"`{name}`", text) for name, text in LISTS.items()))


def _ordeals() -> str:
    return make_table(
        ("name", "what happens", "source"), ((one.name, one.text, one.source) for one in list_ordeals())
    )


def _benches() -> str:
    rows = (
        (f"`{name}`", ", ".join(f"`--{option} {value}`" for option, value in options.items()))
        for name, options in sorted(BENCHES.items())
    )
    return make_table(("name", "options with their defaults"), rows)


def _settings() -> str:
    """The table at the top of the settings."""
    text = import_module(settings.SETTINGS_MODULE).__doc__ or ""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in (lines[0], *lines[2:]))
    heads, *rows = cells
    return make_table(heads, ((f"`{name}`", *rest) for name, *rest in rows))


def _paths() -> str:
    found = (str(one.pattern) for one in urls.urlpatterns if isinstance(one, URLPattern))
    return _make_line("/api/" + re.sub(r"<\w+:(\w+)>", r"<\1>", path) for path in found)


def _filters() -> str:
    found = {
        "transitions": filters.TRANSITION_FILTERS,
        "events": filters.EVENT_FILTERS,
        "objects": filters.OBJECT_FILTERS,
        "logs": filters.LOG_FILTERS,
    }
    return make_table(
        ("rows", "filters"), ((f"`{rows}`", _list_words(names)) for rows, names in found.items())
    )


def _status_rows() -> str:
    rows = (
        (entry.kind.name, _list_words(entry.status_rows)) for entry in list_entries() if entry.status_rows
    )
    return make_table(("kind", "fields of its status that are told"), rows)


def _nodes() -> str:
    return _tell_defaults(DEFAULT_NODES)


def _exit_statuses() -> str:
    return make_table(("status", "what"), ((str(status), what) for status, what in EXIT_STATUSES.items()))


def _podline_commands() -> str:
    # Named, not imported: the command line stands above.
    commands: Mapping[str, Any] = import_module("podline.command").COMMANDS
    rows = ((f"`{name}`", one.text, "" if one.module else "`[server]`") for name, one in commands.items())
    return make_table(("command", "what it does", "needs"), rows)


def _tell_options(add: Callable[[ArgumentParser], None]) -> str:
    parser = ArgumentParser(add_help=False)
    add(parser)
    rows = (
        (
            _list_words(action.option_strings) or str(action.metavar).replace("|", ", "),
            _list_words(map(str, action.choices or ())),
            " ".join((action.help or "").split()),
        )
        for action in parser._actions
    )
    return make_table(("option", "one of", "what"), rows)


SECTIONS: Mapping[str, Callable[[], str]] = {
    "benches": _benches,
    "check-options": lambda: _tell_options(add_options_of_check),
    "commands": _commands,
    "environment": _settings,
    "event-keys": lambda: _make_line(("type", *EVENT_KEYS)),
    "exit-statuses": _exit_statuses,
    "faults": _faults,
    "ordeal-fields": _ordeal_fields,
    "ordeal-lists": _ordeal_lists,
    "ordeals": _ordeals,
    "feature-gates": lambda: _tell_defaults(
        {name: gate.default for name, gate in DEFAULT_RELEASE.gates.items()}
    ),
    "filters": _filters,
    "frame-keys": lambda: _make_line(Frame.__annotations__),
    "manager-settings": lambda: _tell_defaults(MANAGER_DEFAULTS),
    "nodes": _nodes,
    "patch-types": lambda: _make_line(PATCH_TYPES),
    "paths": _paths,
    "podline-commands": _podline_commands,
    "simulate-options": lambda: _tell_options(add_options),
    "status-rows": _status_rows,
    "steps": lambda: _make_line(READERS),
    "summary-columns": lambda: _make_line(SUMMARY_COLUMNS),
    "timing": _timing,
    "transition-keys": lambda: _make_line(("type", *TRANSITION_KEYS)),
}
"""Name -> what makes the part."""
