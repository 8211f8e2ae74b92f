"""What the kubelet tells a process, and what the process hands back: containers, probes, sights, hooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lifecycle.userland.saved import Saved


class ProbeSpec(Protocol):
    """The part of a probe that a program needs to answer it."""

    @property
    def kind(self) -> str:
        """`exec`, `http`, `tcp` or `grpc`."""

    @property
    def handler(self) -> Mapping[str, Any]:
        """The action as written in the manifest."""

    @property
    def timeout_seconds(self) -> int:
        """How long one check may take."""


class ContainerSpec(Protocol):
    """The part of a container that decides what it does."""

    @property
    def name(self) -> str:
        """The container's name in its pod."""

    @property
    def image(self) -> str:
        """The image as written."""

    @property
    def command(self) -> Sequence[str] | None:
        """What is run instead of the image's entrypoint."""

    @property
    def args(self) -> Sequence[str] | None:
        """What is run instead of the image's command."""

    @property
    def raw(self) -> Mapping[str, Any]:
        """The container as written in the manifest."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What one check would see now.

    `takes_ms` is how long the check runs (the kubelet compares it with the probe's timeout). `until_ms` is
    the instant until which the answer surely stays the same; None is for ever, unless the process' `version`
    changes. An answer that rests on a volume others may write to (`sees_volumes`) is certain for now only.
    """

    result: str
    message: str = ""
    takes_ms: int = 0
    until_ms: int | None = None
    sees_volumes: bool = False


@dataclass(slots=True)
class HookRun(Saved):
    """A lifecycle hook under way. `finished_ms` None: not known yet; ask again after the process has run."""

    kind: str
    finished_ms: int | None
    exit_code: int = 0
    message: str = ""
    task: int | None = None
    """The process inside the container that runs it, while it runs."""
