"""What a probe sees of a container: declared points, or the program itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from lifecycle.userland.world import World

from ..heart.timing import UPKEEP_PROGRAM_MS
from ..objects.pods.container import Container
from ..objects.pods.probe import Probe
from . import shell
from .behavior import FAILURE, SUCCESS, UNKNOWN, Behavior
from .executables import find_file_problem, is_in_volume
from .guesses import CHECK
from .images.files import is_missing, missing_text
from .protocol import Served, Sight
from .references import expand_check

_DEFAULT_MESSAGES = {
    "http": "HTTP probe failed with statuscode: 503",
    "tcp": "dial tcp: connect: connection refused",
    "grpc": 'service unhealthy (responded with "NOT_SERVING")',
    "exec": "",
}
_LONGEST_MESSAGE = 1024
_NO_TLS = "http: server gave HTTP response to HTTPS client"
_FILE_LOOKS = frozenset(("ls", "cat", "stat", "test", "["))
_EXEC_PROBLEM = (
    "rpc error: code = Unknown desc = failed to exec in container: failed to start exec"
    ' "{}": OCI runtime exec failed: exec failed: {}'
)
"""What containerd says of a command it cannot start: the try's own identity, and why."""
_IDENTITY_PARTS = 8
Points: TypeAlias = list[tuple[int, str, str | None]]
"""What checks of one type see from an instant on: ms, result and message."""


class Checked(Protocol):
    """What a check may ask of a process."""

    behavior: Behavior
    container: Container
    ready_ms: int
    started_ms: int

    @property
    def folder(self) -> str:
        """The container's working directory."""

    def open_machine(self, now_ms: int, world: World) -> shell.Machine:
        """The container's processes, to run a command among them."""

    def listens_on(self, port: int, now_ms: int) -> bool:
        """Whether a connection to this port of the container is taken now."""

    def holds_port(self, port: int, now_ms: int) -> bool:
        """Whether it is known to listen on this port, and not only taken to answer on every one."""

    def find_served(self, port: int, path: str, now_ms: int, world: World) -> Served | None:
        """What is found in the folder that is served on a port; None where none is."""

    def http_status(self, path: str, now_ms: int) -> tuple[int, int | None]:
        """The status an HTTP request is answered with, and until when that is certain."""


def sight_of_points(points: Points, probe: Probe, now_ms: int) -> Sight:
    """What declared points say: the last one whose time has come."""
    result, message = points[0][1], points[0][2]
    until_ms = None
    for at_ms, next_result, next_message in points:
        if at_ms > now_ms:
            until_ms = at_ms
            break
        result, message = next_result, next_message
    if message is None:
        message = "" if result == SUCCESS else _DEFAULT_MESSAGES.get(probe.kind, "")
    return Sight(result, message, 0, until_ms)


def named_port(port: Any, container: Container) -> int | None:
    """A port number; a name is looked up among the container's ports, None when it is not there."""
    if isinstance(port, str) and not port.isdigit():
        named = (entry for entry in container.raw.get("ports") or () if entry.get("name") == port)
        return next((int(entry["containerPort"]) for entry in named), None)
    return int(port) if port is not None else None


def unknown_port_text(name: Any) -> str:
    """How the kubelet says that a container has no port of that name."""
    return f'strconv.Atoi: parsing "{name}": invalid syntax'


def refused_request_text(handler: Mapping[str, Any], host: str, port: int) -> str:
    """How an HTTP request (a probe's or hook's `httpGet`) says that nobody takes it."""
    return _failed_request(handler, host, port, _refused_dial(host, port))


def find_request_problem(process: Checked, action: Mapping[str, Any], now_ms: int, world: World) -> str:
    """Why a hook's request is not taken; "" when it is, whatever it is answered."""
    port = named_port(action.get("port"), process.container)
    if port is None:
        return unknown_port_text(action.get("port"))
    host = action.get("host")
    if host and _is_of_node(host, world):
        is_taken = world.connect(world.pod.node_ip, port, now_ms).is_connected
        return "" if is_taken else refused_request_text(action, host, port)
    if host or process.listens_on(port, now_ms):
        return ""
    # Another container of the pod may listen: the pod has one network.
    found = world.connect(world.pod.ip, port, now_ms) if world.pod.ip else None
    if found is not None and found.is_connected and not found.is_assumed:
        return ""
    return refused_request_text(action, world.pod.ip, port)


def _is_of_node(host: str, world: World) -> bool:
    """Whether this is the kubelet's own loopback, which a pod in the node's network alone shares."""
    pod = world.pod
    is_loopback = host in ("localhost", "::1") or host.startswith("127.")
    return is_loopback and pod.node_ip not in ("", pod.ip)


def _failed_request(handler: Mapping[str, Any], host: str, port: int, why: str) -> str:
    scheme = str(handler.get("scheme") or "HTTP").lower()
    path = "/" + str(handler.get("path") or "/").lstrip("/")
    return f'Get "{scheme}://{host}:{port}{path}": {why}'


def _refused_dial(host: str, port: int) -> str:
    return f"dial tcp {host}:{port}: connect: connection refused"


def sight_of_program(
    process: Checked, probe: Probe, now_ms: int, world: World, others: Sequence[Checked] = ()
) -> Sight:
    """What the program itself shows to a check, or one of the `others` in its pod, which has one network."""
    if probe.kind == "exec":
        return _sight_of_command(process, probe, now_ms, world)
    port = named_port(probe.handler.get("port"), process.container)
    if port is None:
        # A name that no port of the container has is read as a number, and is none: the check cannot be made.
        name = probe.handler.get("port")
        return Sight(UNKNOWN, unknown_port_text(name))
    host = probe.handler.get("host")
    if host and (_is_of_node(host, world) or host not in (world.pod.ip, "localhost", "127.0.0.1")):
        return _sight_of_host(probe, str(host), port, now_ms, world)
    if not process.listens_on(port, now_ms):
        # A port that is not open yet may open when the program is ready; later only a change opens it.
        until_ms = process.ready_ms if now_ms < process.ready_ms else None
        holder = next((one for one in others if one.holds_port(port, now_ms)), None)
        if holder is not None:
            # What the other one does is not followed from here: this is certain for now only.
            return _sight_of_port(holder, probe, port, now_ms, world)._replace(until_ms=now_ms)
        if any(now_ms - one.started_ms <= UPKEEP_PROGRAM_MS for one in others):
            until_ms = now_ms
        return Sight(FAILURE, _refused(probe, port, str(host or world.pod.ip)), 0, until_ms)
    return _sight_of_port(process, probe, port, now_ms, world)


def find_refusal(
    probe: Probe, container: Container, address: str, others: Sequence[Checked], now_ms: int
) -> str:
    """What a check of a container that runs no more says; "" where somebody else answers, or may."""
    port = named_port(probe.handler.get("port"), container)
    if port is None or probe.handler.get("host") or any(one.listens_on(port, now_ms) for one in others):
        return ""
    return _refused(probe, port, address)


def _sight_of_port(process: Checked, probe: Probe, port: int, now_ms: int, world: World) -> Sight:
    """What a program that listens on a port answers there."""
    host = probe.handler.get("host")
    if probe.kind == "grpc" and not process.behavior.speaks_grpc:
        return Sight(FAILURE, _refused(probe, port, str(host or world.pod.ip)))
    if probe.kind != "http":
        return Sight(SUCCESS)
    path = str(probe.handler.get("path") or "/")
    served = process.find_served(port, path, now_ms, world)
    wants_tls = str(probe.handler.get("scheme") or "").upper() == "HTTPS"
    if wants_tls and (served is not None or port in process.behavior.plain_http):
        return Sight(FAILURE, _failed_request(probe.handler, str(host or world.pod.ip), port, _NO_TLS))
    if served is not None:
        sees_volumes = served.reads_volumes
        return _sight_of_status(served.status, now_ms if sees_volumes else None, sees_volumes)
    return _sight_of_status(*process.http_status(path, now_ms))


def _sight_of_status(status: int, until_ms: int | None, sees_volumes: bool = False) -> Sight:
    # The kubelet takes every status from 200 up to, not including, 400 as healthy.
    if 200 <= status < 400:
        return Sight(SUCCESS, "", 0, until_ms, sees_volumes)
    return Sight(FAILURE, f"HTTP probe failed with statuscode: {status}", 0, until_ms, sees_volumes)


def _sight_of_host(probe: Probe, host: str, port: int, now_ms: int, world: World) -> Sight:
    """A check of another host: whatever the network answers now, certain for this instant only."""
    found = world.connect(world.pod.node_ip if _is_of_node(host, world) else host, port, now_ms)
    if found.is_connected and probe.kind == "http":
        return _sight_of_status(found.status, now_ms)
    if found.is_connected:
        return Sight(SUCCESS, "", found.takes_ms, now_ms)
    return Sight(FAILURE, _refused(probe, port, host), found.takes_ms, now_ms)


def _refused(probe: Probe, port: int, host: str) -> str:
    if probe.kind == "http":
        return refused_request_text(probe.handler, host, port)
    if probe.kind == "grpc":
        service = f'failed to connect service "{host}:{port}"'
        return f"timeout: {service} within {probe.timeout_seconds}s: context deadline exceeded"
    return _refused_dial(host, port)


def _sight_of_command(process: Checked, probe: Probe, now_ms: int, world: World) -> Sight:
    words = [str(word) for word in probe.handler.get("command") or ()]
    arguments = expand_check(words, process.container.raw)
    if not arguments:
        return Sight(FAILURE, "no command given")
    machine = process.open_machine(now_ms, world)
    problem = find_exec_problem(process, arguments[0], now_ms, world)
    if problem:
        # A file of that name may be written, or mounted, by the next check.
        until_ms = now_ms if "/" in arguments[0] else None
        text = tell_exec_problem(problem, world, process.container.name, now_ms)
        return Sight(UNKNOWN, text, 0, until_ms, is_singular=True)
    limit_ms = 1000 * probe.timeout_seconds
    told = len(machine.problems)
    result = shell.run_check(machine, arguments, process.folder, now_ms, limit_ms, world)
    is_guess = result.feeds_unknown and result.status != 0
    if is_guess or (result.met_unknown and machine.has_unknown_program):
        # What was said of the check's commands on the way does not hold: its verdict is not theirs.
        del machine.problems[told:]
        shown = " ".join(arguments)[:60]
        looks_at_files = shell.plain_name(arguments[0]) in _FILE_LOOKS
        since = "" if looks_at_files else " once the program is ready"
        machine.note(f"cannot interpret the check {shown!r}: {CHECK.taken}{since}")
        # Files of an image or a volume are there before its program is ready.
        return Sight(SUCCESS) if looks_at_files else _sight_of_health(process, now_ms)
    until_ms = _certain_until(process, result, now_ms)
    takes_ms, sees = result.takes_ms, result.reads_volumes
    output = result.output[:_LONGEST_MESSAGE]
    if result.status is None:
        message = f'command timed out: "{" ".join(arguments)}" timed out after {probe.timeout_seconds}s'
        return Sight(FAILURE, message, limit_ms + 1, until_ms, sees)
    return Sight(SUCCESS if result.status == 0 else FAILURE, output, takes_ms, until_ms, sees)


def tell_exec_problem(why: str, world: World, *key: object) -> str:
    """What containerd says of a command it cannot start. `key`: which of the pod's tries."""
    parts = (world.draw("exec", world.pod_uid, *key, part) for part in range(_IDENTITY_PARTS))
    return _EXEC_PROBLEM.format("".join(f"{int(part * 2**32):08x}" for part in parts), why)


def find_exec_problem(process: Checked, command: str, now_ms: int, world: World) -> str:
    """Why a command can surely not be started in a container, in the runtime's words; "" if it may."""
    is_absent = is_missing(process.container.image, command)
    if not is_absent and not is_in_volume(command, process.container.raw):
        return ""
    if "/" not in command:
        return missing_text(command)
    machine = process.open_machine(now_ms, world)
    machine.enter(now_ms, world)
    problem = find_file_problem(machine.file_system, process.folder, command, is_absent)
    machine.leave()
    return problem


def _certain_until(process: Checked, result: shell.CheckResult, now_ms: int) -> int | None:
    # What a volume holds may be changed from outside the container at any time.
    if result.is_volatile or result.reads_volumes:
        return now_ms
    return process.ready_ms if now_ms < process.ready_ms else None


def _sight_of_health(process: Checked, now_ms: int) -> Sight:
    """A check that asks for what only the image knows is taken to see what the program's health is."""
    if now_ms < process.ready_ms:
        return Sight(FAILURE, "", 0, process.ready_ms)
    return Sight(SUCCESS)
