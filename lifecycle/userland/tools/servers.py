"""Programs that serve until they are stopped, and programs of which nothing is known."""

from __future__ import annotations

from lifecycle.lean_dataclasses import dataclass

from ..guesses import LAST_PROGRAM_ENDS, LAST_PROGRAM_SERVES, PORTS, PROGRAM
from ..shell.task import Wait
from .call import Call, Outcome
from .registry import UNKNOWN, is_absent, tool

ANY_PORT = 0
_TOKENS = "/var/run/secrets/"
_PORT_OPTIONS = frozenset("-p --port -port --http-port -l --listen -b --bind --server.port".split())
_HANDLED = ["TERM", "INT", "HUP", "QUIT", "USR1", "WINCH"]


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """A server program: where it listens, how soon, which signals end it, how long that takes, with what."""

    ports: tuple[int, ...]
    ready_ms: int = 0
    stops_on: tuple[str, ...] = ("TERM", "INT", "QUIT")
    stop_ms: int = 0
    status: int = 0


SERVERS: dict[str, ServerFacts] = {
    "nginx": ServerFacts((80,), 100),
    "nginx-debug": ServerFacts((80,), 100),
    "httpd-foreground": ServerFacts((80,), 100, ("TERM", "WINCH", "INT")),
    "apache2-foreground": ServerFacts((80,), 100, ("TERM", "WINCH", "INT")),
    "php-fpm": ServerFacts((9000,), 100),
    "caddy": ServerFacts((80,), 200),
    "haproxy": ServerFacts((ANY_PORT,), 100, ("TERM", "USR1", "INT")),
    "envoy": ServerFacts((ANY_PORT,), 300),
    "traefik": ServerFacts((80, 8080), 500, stop_ms=100),
    "redis-server": ServerFacts((6379,), 50, stop_ms=10),
    "redis-sentinel": ServerFacts((26379,), 50, stop_ms=10),
    "memcached": ServerFacts((11211,), 20),
    "postgres": ServerFacts((5432,), 3000, stop_ms=300),
    "mysqld": ServerFacts((3306,), 15_000, stop_ms=1500),
    "mariadbd": ServerFacts((3306,), 8000, stop_ms=1000),
    "mongod": ServerFacts((27017,), 2000, stop_ms=500),
    "mongos": ServerFacts((27017,), 2000, stop_ms=500),
    "rabbitmq-server": ServerFacts((5672,), 10_000, stop_ms=3000),
    "etcd": ServerFacts((2379, 2380), 500, stop_ms=100),
    "consul": ServerFacts((8300, 8301, 8500), 2000, stop_ms=500),
    "vault": ServerFacts((8200,), 1000, stop_ms=100),
    "nats-server": ServerFacts((4222, 8222), 50),
    "prometheus": ServerFacts((9090,), 1000, stop_ms=200),
    "grafana-server": ServerFacts((3000,), 5000, stop_ms=300),
    "minio": ServerFacts((9000,), 500, stop_ms=100),
    "fluentd": ServerFacts((24224,), 2000, stop_ms=500),
    "fluent-bit": ServerFacts((2020,), 300, stop_ms=5000),
    "java": ServerFacts((ANY_PORT,), 5000, ("TERM", "INT", "HUP"), 500, 143),
    "sshd": ServerFacts((22,), 100),
    "crond": ServerFacts(()),
    "cron": ServerFacts(()),
    "supervisord": ServerFacts((ANY_PORT,), 500, stop_ms=500),
    "gunicorn": ServerFacts((8000,), 1000, stop_ms=200),
    "uvicorn": ServerFacts((8000,), 1000, stop_ms=200),
    "dockerd": ServerFacts((2375,), 2000, stop_ms=500),
}


_SERVING_WORDS = {
    "caddy": frozenset("run start file-server reverse-proxy respond".split()),
    "consul": frozenset(("agent", "connect")),
    "minio": frozenset(("server", "gateway")),
    "vault": frozenset("server agent proxy".split()),
}
"""Programs that serve where their first word says so; with another one they ask their server and end."""
_ENDING_WORDS = frozenset(
    "--version -version -v -V -t --help -help --dry-run --check-config --validate-config --initialize"
    " --initialize-insecure".split()
)
_ENDING_FIRST_WORDS = frozenset(("version", "help"))
_OWN_ENDING_WORDS = {
    "envoy": frozenset(("validate",)),
    "haproxy": frozenset(("-c", "-vv")),
    "postgres": frozenset(("-C", "--describe-config")),
    "sshd": frozenset(("-T",)),
}
"""What makes a server look at its configuration, or tell of itself, and end."""


def _serve(call: Call) -> Outcome:
    if is_client(call):
        return unknown(call)
    return serve(call, SERVERS[call.name])


def is_client(call: Call) -> bool:
    """Whether a server's program is called to ask, or to do something once."""
    if call.name == "java":
        # What Java runs is not known: where programs are there to end, so does it.
        return call.task.root != call.machine.main_pid or call.machine.tail_runs == "ends"
    serving = _SERVING_WORDS.get(call.name)
    first = next((word for word in call.arguments if not word.startswith("-")), None)
    return serving is not None and first is not None and first not in {*serving, *_ENDING_FIRST_WORDS}


def _tells_and_ends(call: Call) -> bool:
    own = _OWN_ENDING_WORDS.get(call.name, frozenset())
    is_first = not _ENDING_FIRST_WORDS.isdisjoint(call.arguments[:1])
    return is_first or not (_ENDING_WORDS | own).isdisjoint(call.arguments)


for _name in SERVERS:
    tool(_name)(_serve)


def serve(call: Call, facts: ServerFacts) -> Outcome:
    """Listen once ready and wait for a signal that stops it."""
    state = call.state
    if "started" not in state:
        if _tells_and_ends(call):
            call.out(f"{call.name} version 1\n")
            return 0
        if call.name == "nginx" and call.arguments[:1] == ["-s"]:
            return _signal_running(call, call.arguments[1:])
        state["started"] = True
        state["catches"] = list(facts.stops_on)
        state["ready_at"] = call.now_ms + facts.ready_ms
        state["ports"] = _given_ports(call) or _usual_ports(call, facts)
        return call.sleep_until(state["ready_at"])
    if "ends_at" in state:
        return facts.status if call.now_ms >= state["ends_at"] else call.sleep_until(state["ends_at"])
    if call.task.pending:
        call.task.pending.clear()
        state["ends_at"] = call.now_ms + facts.stop_ms
        return facts.status if not facts.stop_ms else call.sleep_until(state["ends_at"])
    if call.now_ms < state["ready_at"]:
        return call.sleep_until(state["ready_at"])
    taken = next((port for port in state["ports"] if not call.task.ports and is_taken(call, port)), None)
    if taken is not None:
        return call.fail(f"bind() to 0.0.0.0:{taken} failed (98: Address already in use)")
    if not call.task.ports and state["ports"]:
        call.task.ports = state["ports"]
        call.machine.changes += 1
    return Wait(Wait.SIGNAL)


def _usual_ports(call: Call, facts: ServerFacts) -> list[int]:
    """Its own ones; what is mounted to configure it may say others."""
    is_mounted = any(
        mount.group is not None and not mount.path.startswith(_TOKENS) for mount in call.world.volumes
    )
    if not is_mounted or not facts.ports or ANY_PORT in facts.ports:
        return list(facts.ports)
    call.machine.note(f"cannot interpret the configuration of {call.name}: {PORTS.taken}")
    return [*facts.ports, ANY_PORT]


def is_taken(call: Call, port: int) -> bool:
    """Whether something in this container, or in another one of the pod, listens on the port already."""
    if port == ANY_PORT:
        return False
    is_own = any(port in task.ports for task in call.machine.tasks.values())
    return is_own or call.world.connect("localhost", port, call.now_ms).is_held


def _signal_running(call: Call, words: list[str]) -> int:
    """`nginx -s quit`: tells the running server, found by its name, or the container's own program."""
    names = {"quit": "QUIT", "stop": "TERM", "reload": "HUP", "reopen": "USR1"}
    name = names.get("".join(words[:1]), "QUIT")
    if name in ("HUP", "USR1"):
        return 0
    servers = [
        task for task in call.machine.tasks.values() if task.tool == "nginx" and task.pid != call.task.pid
    ]
    first = call.machine.main
    if not servers and first is not None and "opaque" in first.state:
        servers = [first]
    for server in servers:
        call.machine.signal(server, name)
    return 0 if servers else 1


def _given_ports(call: Call) -> list[int]:
    """Ports named by the arguments: `--port 8080`, `-p=8080`, `:8080`."""
    found: list[int] = []
    words = call.arguments
    for place, word in enumerate(words):
        name, _, value = word.partition("=")
        if name in _PORT_OPTIONS:
            value = value or (words[place + 1] if place + 1 < len(words) else "")
            digits = value.rpartition(":")[2]
            if digits.isascii() and digits.isdigit() and len(digits) <= 5:
                found.append(int(digits))
    return found


@tool(UNKNOWN)
def unknown(call: Call) -> Outcome:
    """A program nothing is known of. Where the main script ends with it, it is the container's program."""
    state, machine = call.state, call.machine
    if "until" in state:
        return 0
    if "catches" in state:
        # Stopped: the same assumption as for an image of which nothing is known.
        return 0
    command = call.task.arguments[0]
    if not command.strip() or " " in command or is_absent(machine, call.task, command):
        return call.refuse("command not found" if state.get("flavour") == "bash" else "not found", 127)
    what = " ".join(call.task.arguments)[:60]
    machine.met_unknown = True
    if call.is_asked:
        return call.refuse_asked()
    if not state.get("is_tail") or call.task.root != machine.main_pid:
        call.feed_unknown()
        call.write_outputs()
        machine.note(f"cannot interpret the command {what!r}: {PROGRAM.taken}")
        return 0
    if machine.tail_runs == "ends":
        machine.note(f"cannot interpret the command {what!r}: {LAST_PROGRAM_ENDS.taken}")
        state["until"] = call.now_ms + 10_000
        return call.sleep_until(state["until"])
    machine.note(f"cannot interpret the command {what!r}: {LAST_PROGRAM_SERVES.taken}")
    state["catches"] = _HANDLED
    call.task.ports = [ANY_PORT]
    machine.changes += 1
    return Wait(Wait.SIGNAL)
