"""No script touches the real machine: every door out of the process is guarded while scripts run."""

import builtins
import io
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType
from typing import Any

import pytest

from lifecycle.lean_dataclasses import CONSTRUCTOR
from tests.engine.programs.corpus import CORPUS
from tests.engine.programs.scripts.test_corpus import run
from tests.engine.programs.test_differential import SCRIPTS
from tests.engine.programs.worlds import run_script

pytestmark = pytest.mark.slow

GUARDED = [
    (builtins, ("open", "eval", "exec", "input")),
    (io, ("open", "FileIO")),
    (socket, ("socket", "create_connection", "getaddrinfo")),
    (subprocess, ("Popen", "run", "call", "check_output")),
    (
        os,
        (
            "open", "listdir", "scandir", "mkdir", "remove", "rename", "rmdir", "unlink", "kill", "system",
            "popen", "fork", "execv", "execve", "posix_spawn", "chmod", "chdir", "getcwd", "stat", "symlink",
        ),
    ),
]  # fmt: skip
NEVER = (
    "open", "os.", "socket.", "subprocess.", "shutil.", "ctypes.", "pty.", "exec", "signal.", "tempfile.",
)  # fmt: skip


class Guard:
    """Refuses what is called while it is up; the interpreter's own audit events are watched as well."""

    def __init__(self) -> None:
        self.is_up = False
        self.seen: list[str] = []

    def audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.is_up and event.startswith(NEVER) and not is_constructor(arguments):
            self.seen.append(f"{event} {arguments!r}"[:120])


def is_constructor(arguments: tuple[object, ...]) -> bool:
    """Whether the constructor of a dataclass is made: that is compiled with the first object of its class."""
    return isinstance(arguments[0], CodeType) and arguments[0].co_filename == CONSTRUCTOR


GUARD = Guard()
sys.addaudithook(GUARD.audit)


@contextmanager
def closed_doors() -> Iterator[None]:
    """Every door is shut for the length of the block; what was tried fails there or is listed."""

    def make_refusal(name: str, real: Callable[..., None]) -> Callable[..., None]:
        def refuse(*arguments: Any, **options: Any) -> None:
            if arguments and is_constructor(arguments):
                return real(*arguments, **options)
            raise AssertionError(f"{name} was called with {arguments!r}")

        return refuse

    GUARD.seen.clear()
    with pytest.MonkeyPatch.context() as patch:
        for module, names in GUARDED:
            for name in names:
                patch.setattr(module, name, make_refusal(name, getattr(module, name)))
        GUARD.is_up = True
        try:
            yield
        finally:
            GUARD.is_up = False
    assert GUARD.seen == []


DANGEROUS = [
    "rm -rf / 2>/dev/null; echo gone > /etc/passwd; cat /etc/shadow",
    "curl -s http://169.254.169.254/latest/meta-data/ || wget -qO- http://example.com || nc -z 10.0.0.1 22",
    "kill -9 -1; kill -9 1; killall python; pkill -f pytest",
    "python3 -c \"import os, sys; print('x'); sys.exit(2)\"; python3 -c \"__import__('os').system('id')\"",
    "perl -e 'system(\"id\")'; awk 'BEGIN{system(\"id\")}'; find / -exec rm {} +; sed -i 's/a/b/' /etc/hosts",
    "eval \"$(echo 'cat /proc/self/environ')\"; bash -c 'exec 3<>/dev/tcp/127.0.0.1/22'",
    "dd if=/dev/zero of=/dev/sda count=1; mount /dev/sda /mnt; chroot / sh -c id; nsenter -t 1 sh",
    "bomb() { bomb | bomb & }; bomb; sleep 1; echo alive",
]


@pytest.mark.parametrize("script", DANGEROUS)
def test_script_that_means_harm_does_none(script: str) -> None:
    run_script(script, until_ms=1_000)
    with closed_doors():
        run_script(script, until_ms=5_000)


def test_scripts_leave_the_machine_alone() -> None:
    with closed_doors():
        for script in SCRIPTS:
            run_script(script, until_ms=5_000)


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.deep)])
def test_command_lines_of_public_manifests_leave_the_machine_alone(step: int) -> None:
    # What scripts need is read before the doors close.
    run_script("true")
    with closed_doors():
        for _, image, command in CORPUS[::step]:
            run(image, command)


def test_guard_would_notice() -> None:
    with pytest.raises(AssertionError, match="listdir was called"), closed_doors():
        os.listdir("/")
