"""Probes and lifecycle hooks: one mechanism each, and numbers that make sense (PROBE-*, STOPSIG-*)."""

from __future__ import annotations

from typing import Any

from ..words.field_error import FieldError, check_range, each_invalid
from ..words.names import check_http_header, check_port_name
from ..words.part import Part

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
HOOK_HANDLERS = ("exec", "httpGet", "tcpSocket", "sleep")
_NUMBERS = ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold")
WINDOWS_SIGNALS = ("SIGKILL", "SIGTERM")
_PLAIN_SIGNALS = (
    "SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE "
    "SIGPOLL SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU "
    "SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ SIGRTMIN SIGRTMAX"
).split()  # fmt: skip
LINUX_SIGNALS = (
    *_PLAIN_SIGNALS,
    *(f"SIGRTMIN+{number}" for number in range(1, 16)),
    *(f"SIGRTMAX-{number}" for number in range(1, 15)),
)


def validate_probes(container: Part) -> None:
    """The three probes of a container that may have them."""
    for name in container.list_given(PROBES):
        _validate_probe(container.part(name), name)


def _validate_probe(probe: Part, name: str) -> None:
    _validate_handler(probe, PROBE_HANDLERS)
    probe.counts(*_NUMBERS)
    # Only readiness may need several successes (PROBE-24).
    if name != "readinessProbe" and probe["successThreshold"] not in (None, 0, 1):
        probe.refuse("successThreshold", "must be 1")
    grace = probe["terminationGracePeriodSeconds"]
    if grace is not None and name == "readinessProbe":
        # A failing readiness probe ends nothing (PROBE-35).
        probe.refuse("terminationGracePeriodSeconds", "must not be set for readinessProbes")
    elif grace is not None and grace <= 0:
        probe.refuse("terminationGracePeriodSeconds", "must be greater than 0")


def validate_lifecycle(lifecycle: Part, grace_seconds: int | None, os_name: str | None) -> None:
    """The hooks and the stop signal of a container."""
    for name in lifecycle.list_given(("postStart", "preStop")):
        _validate_handler(lifecycle.part(name), HOOK_HANDLERS, grace_seconds)
    if lifecycle["stopSignal"] is not None:
        _validate_stop_signal(lifecycle, os_name)


def _validate_sleep(hook: Part, grace_seconds: int) -> None:
    seconds = hook.part("sleep")["seconds"] or 0
    if not 0 <= seconds <= grace_seconds:
        detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_seconds})"
        hook.refuse("sleep", detail, seconds)


def _validate_stop_signal(lifecycle: Part, os_name: str | None) -> None:
    """A signal needs an operating system that has it (STOPSIG-04, STOPSIG-05, VALID-09)."""
    if not os_name:
        lifecycle.forbid("stopSignal", "may not be set for containers with empty `spec.os.name`")
        return
    lifecycle.support("stopSignal", sorted(WINDOWS_SIGNALS if os_name == "windows" else LINUX_SIGNALS))


def _validate_handler(holder: Part, names: tuple[str, ...], grace_seconds: int | None = None) -> None:
    """Exactly one mechanism (PROBE-02, VALID-16): the first is looked at, the others are too many."""
    given = holder.list_given(names)
    if not given:
        holder.require("", "must specify a handler type")
        return
    _validate_mechanism(holder, given[0], grace_seconds)
    for name in given[1:]:
        holder.forbid(name, "may not specify more than 1 handler type")


def _validate_mechanism(holder: Part, name: str, grace_seconds: int | None) -> None:
    handler = holder.part(name)
    match name:
        case "sleep" if grace_seconds is not None:
            _validate_sleep(holder, grace_seconds)
        case "exec":
            handler.need("command")
        case "httpGet":
            _validate_http(handler)
        case "tcpSocket":
            handler.apply("port", validate_port)
        case "grpc":
            handler.within("port", 1, 65535, handler["port"] or 0)


def _validate_http(handler: Part) -> None:
    handler.apply("port", validate_port)
    handler.choice("scheme", ("HTTP", "HTTPS"))
    for header in handler.parts("httpHeaders"):
        name = header["name"] or ""
        # Which of them is wrong the API server does not say.
        handler.complain("httpHeaders", check_http_header(name), name)


def validate_port(port: Any, path: str) -> list[FieldError]:
    """A port by number or by a container port's name."""
    if isinstance(port, str) and not port.isdigit():
        return each_invalid(path, port, check_port_name(port))
    return check_range(path, int(port or 0), 1, 65535)
