"""Probes and lifecycle hooks: one mechanism each, and numbers that make sense (PROBE-*, STOPSIG-*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .field_error import (
    FieldError,
    check_choice,
    check_not_negative,
    check_range,
    each_invalid,
    forbidden,
    invalid,
    not_supported,
    required,
)
from .names import check_http_header, check_port_name

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


def validate_probes(container: Mapping[str, Any], path: str) -> list[FieldError]:
    """The three probes of a container that may have them."""
    errors = []
    for name in PROBES:
        probe = container.get(name)
        if probe is not None:
            errors += _validate_probe(probe, name, f"{path}.{name}")
    return errors


def _validate_probe(probe: Mapping[str, Any], name: str, path: str) -> list[FieldError]:
    errors = _validate_handler(probe, PROBE_HANDLERS, path)
    for number in _NUMBERS:
        errors += check_not_negative(f"{path}.{number}", probe.get(number))
    success = probe.get("successThreshold")
    # Only readiness may need several successes (PROBE-24).
    if name != "readinessProbe" and success not in (None, 0, 1):
        errors.append(invalid(f"{path}.successThreshold", success, "must be 1"))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and name == "readinessProbe":
        # A failing readiness probe ends nothing (PROBE-35).
        grace_path = f"{path}.terminationGracePeriodSeconds"
        errors.append(invalid(grace_path, grace, "must not be set for readinessProbes"))
    elif grace is not None and grace <= 0:
        errors.append(invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0"))
    return errors


def validate_lifecycle(
    lifecycle: Mapping[str, Any], path: str, grace_seconds: int | None, os_name: str | None
) -> list[FieldError]:
    """The hooks and the stop signal of a container."""
    errors = []
    for name in ("postStart", "preStop"):
        hook = lifecycle.get(name)
        if hook is not None:
            errors += _validate_handler(hook, HOOK_HANDLERS, f"{path}.{name}")
            errors += _validate_sleep(hook.get("sleep"), f"{path}.{name}.sleep", grace_seconds)
    signal = lifecycle.get("stopSignal")
    if signal is not None:
        errors += _validate_stop_signal(signal, f"{path}.stopSignal", os_name)
    return errors


def _validate_sleep(
    sleep: Mapping[str, Any] | None, path: str, grace_seconds: int | None
) -> list[FieldError]:
    if sleep is None or grace_seconds is None:
        return []
    seconds = sleep.get("seconds") or 0
    if 0 <= seconds <= grace_seconds:
        return []
    detail = f"must be non-negative and less than terminationGracePeriodSeconds ({grace_seconds})"
    return [invalid(f"{path}.seconds", seconds, detail)]


def _validate_stop_signal(signal: str, path: str, os_name: str | None) -> list[FieldError]:
    """A signal needs an operating system that has it (STOPSIG-04, STOPSIG-05, VALID-09)."""
    if not os_name:
        return [forbidden(path, "may not be set for containers with empty `spec.os.name`")]
    supported = WINDOWS_SIGNALS if os_name == "windows" else LINUX_SIGNALS
    return [] if signal in supported else [not_supported(path, signal, sorted(supported))]


def _validate_handler(holder: Mapping[str, Any], names: tuple[str, ...], path: str) -> list[FieldError]:
    """Exactly one mechanism (PROBE-02, VALID-16)."""
    given = [name for name in names if holder.get(name) is not None]
    if not given:
        return [required(path, "must specify a handler type")]
    errors = [forbidden(f"{path}.{name}", "may not specify more than 1 handler type") for name in given[1:]]
    handler, place = holder[given[0]], f"{path}.{given[0]}"
    match given[0]:
        case "exec":
            if not handler.get("command"):
                errors.append(required(f"{place}.command"))
        case "httpGet":
            errors += _validate_http(handler, place)
        case "tcpSocket":
            errors += validate_port(handler.get("port"), f"{place}.port")
        case "grpc":
            errors += check_range(f"{place}.port", handler.get("port") or 0, 1, 65535)
    return errors


def _validate_http(handler: Mapping[str, Any], path: str) -> list[FieldError]:
    errors = validate_port(handler.get("port"), f"{path}.port")
    errors += check_choice(f"{path}.scheme", handler.get("scheme"), ("HTTP", "HTTPS"))
    for index, header in enumerate(handler.get("httpHeaders") or ()):
        name = header.get("name") or ""
        errors += each_invalid(f"{path}.httpHeaders[{index}].name", name, check_http_header(name))
    return errors


def validate_port(port: Any, path: str) -> list[FieldError]:
    """A port by number or by a container port's name."""
    if isinstance(port, str) and not port.isdigit():
        return each_invalid(path, port, check_port_name(port))
    return check_range(path, int(port or 0), 1, 65535)
