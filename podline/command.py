"""`podline COMMAND …`, and `kubectl podline COMMAND …`: finds the command, loads what it needs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import PurePath
from typing import NamedTuple, NoReturn

BAD_INPUT = 2
SERVER_NEEDS = ("django", "channels", "celery", "redis", "uvicorn")
INSTALL_SERVER = "pip install 'podline[server]'"
CLUSTER = "--cluster"
"""With it `check` is a command of the server."""


class Command(NamedTuple):
    """A command: what it does, in one line, and the module whose `main(arguments, program)` does it.

    Without a module it is one of the server's.
    """

    text: str
    module: str = ""


COMMANDS = {
    "simulate": Command(
        "run manifests in virtual time and write what happens", "lifecycle.simulation.command_line"
    ),
    "check": Command(
        "try every future that matters: rollouts, drains, lost nodes", "lifecycle.check.command_line"
    ),
    "calibrate": Command(
        "make ContainerProfiles with measured times of a real cluster's pods and events", "podline.calibrate"
    ),
    "mcp": Command("serve tools for agents by the Model Context Protocol", "podline.mcp.command"),
    "gym": Command("incidents for agents to find and mend, and to be scored at", "podline.gym.command"),
    "schema": Command("print the JSON Schema of a kind, for editors", "podline.schemas"),
    "completion": Command("print the completion of a shell: bash, zsh or fish", "podline.completion"),
    "version": Command("print which Podline this is, and of which Kubernetes", "podline.version_command"),
    "up": Command("start the dashboard on this machine"),
    "api": Command("serve Kubernetes APIs to a test: what the pytest fixture podline_api starts"),
    "signin": Command("print a new link that signs in, while the dashboard runs"),
    "cluster": Command("make clusters of the dashboard and drive their clocks: create, run, speed, fork"),
    "kubeconfig": Command("print a kubeconfig for a cluster of the dashboard"),
    "manage": Command("run any other command of the server: migrate, createsuperuser or ticker"),
    "export": Command("write the history of a cluster of the dashboard"),
    "import": Command("make a cluster of the dashboard from an exported scenario"),
}


def start() -> NoReturn:
    """Run this process's command line; where no server ran it ends at once: nothing is left to put away."""
    status = main()
    if "django" in sys.modules:
        sys.exit(status)
    # The reader may have seen enough (`| head`).
    with suppress(BrokenPipeError):
        sys.stdout.flush()
    os._exit(status)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; the exit status. 2 is bad input, with what would be right on stderr."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    program = find_program(sys.argv[0])
    name, rest = (words[0], words[1:]) if words else ("", [])
    if name in ("", "help", "--help", "-h"):
        print(describe(program), file=sys.stdout if name else sys.stderr)
        return 0 if name else BAD_INPUT
    if name == "--version":
        name = "version"
    command = COMMANDS.get(name)
    if command is None:
        sys.stderr.write(f"{program}: there is no command {name!r}; there are {', '.join(COMMANDS)}\n")
        return BAD_INPUT
    if not command.module:
        return run_of_server(program, name, rest)
    if name == "check" and any(word.partition("=")[0] == CLUSTER for word in rest):
        return run_of_server(program, "check_cluster", rest)
    return _load(command.module)(rest, f"{program} {name}")


def _load(module: str) -> Callable[[Sequence[str], str], int]:
    """Import a command. None of it is ever garbage: looking for some, then and later, costs only time."""
    gc.disable()
    run: Callable[[Sequence[str], str], int] = import_module(module).main
    gc.freeze()
    gc.enable()
    return run


def find_program(path: str) -> str:
    """What people type: kubectl finds `kubectl-podline` when they type `kubectl podline`."""
    return "kubectl podline" if PurePath(path).stem == "kubectl-podline" else "podline"


def describe(program: str) -> str:
    """The help of all commands."""
    lines = [
        f"usage: {program} COMMAND …",
        "",
        "What will Kubernetes do with this? A faithful model in virtual time.",
        "",
    ]
    lines += [f"  {name:<12}{command.text}" for name, command in COMMANDS.items() if command.module]
    lines += ["", f"of the server ({INSTALL_SERVER}):", ""]
    lines += [f"  {name:<12}{command.text}" for name, command in COMMANDS.items() if not command.module]
    return "\n".join([*lines, "", f"{program} COMMAND --help says more."])


def run_of_server(program: str, name: str, arguments: Sequence[str]) -> int:
    """Hand a command to Django, if the server is installed."""
    missing = [package for package in SERVER_NEEDS if find_spec(package) is None]
    if missing:
        sys.stderr.write(
            f"{program} {name}: this is a command of the server, which is not installed"
            f" ({', '.join(missing)} missing); run {INSTALL_SERVER}\n"
        )
        return BAD_INPUT
    # Django's commands, and its settings, read the command line themselves.
    sys.argv = [program, *arguments] if name == "manage" else [program, name, *arguments]
    from manage import main as run

    return run()
