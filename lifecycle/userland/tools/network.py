"""Tools that reach over the network: they see the cluster's names and Services through the world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from urllib.parse import urlsplit

from ..file_layers import FileProblem
from ..guesses import REPLY
from ..shell.neighbours import answers_on
from ..shell.reading.options import split_options
from ..shell.task import Wait
from ..world import ConnectResult, is_address, is_own_host
from .call import Call, Outcome
from .file_server import HOME, find_served
from .quantities import sleep_milliseconds
from .registry import tool

_LONGEST_CONNECT_MS = 127_000
_LONGEST_PAUSE_MS = 600_000
_PORTS = {"http": 80, "https": 443, "ftp": 21}


def reach(call: Call, host: str, port: int, limit_ms: int | None, path: str = "/") -> ConnectResult | Wait:
    """Connect once and wait as long as that takes; an attempt without answer lasts until the limit."""
    state = call.state
    if "outcome" not in state:
        if is_own_host(call.world, host) and answers_on(call.machine, port):
            # What it meets hangs on this container alone, whose changes are known.
            return _answer_here(call, port, path)
        if call.world.resolve(host) is None and not is_address(host):
            return ConnectResult("unknown host")
        found = call.world.connect(host, port, call.now_ms)
        limit = _LONGEST_CONNECT_MS if limit_ms is None else limit_ms
        takes_ms = limit if found.outcome == "timeout" else min(found.takes_ms, limit)
        outcome = "timeout" if found.takes_ms > limit else found.outcome
        state["outcome"] = [outcome, takes_ms, found.status, found.body]
        if takes_ms > 0:
            return Wait(Wait.TIME, call.now_ms + takes_ms)
    outcome, takes_ms, status, body = state.pop("outcome")
    return ConnectResult(outcome, takes_ms, status, body)


def _answer_here(call: Call, port: int, path: str) -> ConnectResult:
    """What this container's own server answers: with a file of the folder it serves, if it does that."""
    tasks = call.machine.tasks.values()
    home = next((one.state[HOME] for one in tasks if port in one.ports and HOME in one.state), None)
    if home is None:
        return ConnectResult("connected")
    found = find_served(call.files, home, path)
    return (
        ConnectResult("connected", 0, 404) if found is None else ConnectResult("connected", body=found.text)
    )


def _limit_ms(text: str | None) -> int | None:
    return None if not text else sleep_milliseconds(text)


def _split_url(text: str) -> tuple[str, int, str]:
    parts = urlsplit(text if "://" in text else f"http://{text}")
    try:
        port = parts.port
    except ValueError:
        port = None
    return parts.hostname or "", port or _PORTS.get(parts.scheme, 80), parts.path or "/"


@tool("wget")
def wget(call: Call) -> Outcome:
    """`wget`: ask for a URL."""
    options, urls = split_options(
        call.arguments,
        "OoPTtU",
        ("timeout", "tries", "output-document", "header", "post-data", "directory-prefix"),
    )
    # Busybox and GNU write short options of several letters, as in -qO-.
    if not urls:
        return call.fail("missing URL")
    host, port, path = _split_url(urls[0])
    limit_ms = _limit_ms(options.get("T", options.get("timeout")))
    found = reach(call, host, port, limit_ms, path)
    if isinstance(found, Wait):
        return found
    if found.outcome == "unknown host":
        return call.fail(f"bad address '{host}'")
    if not found.is_connected:
        what = "Connection refused" if found.outcome == "refused" else "download timed out"
        return call.fail(f"can't connect to remote host ({host}): {what}")
    status_line = _status_line(found.status)
    if "S" in options or "server-response" in options:
        # It asks the server to close the connection, and says what comes before the body as it comes.
        _note_answer(call, found.status)
        call.machine.write(call.task, 2, f"  {status_line}\n  Connection: close\n")
    if found.status >= 400:
        call.err(f"server returned error: {status_line}")
        return 8 if call.state.get("flavour") == "dash" else 1
    if "spider" not in options:
        name = path.rpartition("/")[2] or "index.html"
        folder = options.get("P", options.get("directory-prefix"))
        target = options.get("O", options.get("output-document")) or (f"{folder}/{name}" if folder else name)
        return 0 if _deliver(call, target, found) else 1
    return 0


def _status_line(status: int) -> str:
    known = status in HTTPStatus.__members__.values()
    return f"HTTP/1.1 {status} {HTTPStatus(status).phrase}" if known else f"HTTP/1.1 {status}"


def _tell_head(call: Call, status: int) -> None:
    """The head of a response, as far as it is known: the server's own fields are not."""
    _note_answer(call, status)
    call.out(f"{_status_line(status)}\n\n")


def _note_answer(call: Call, status: int) -> None:
    """What a server answers is mostly not known; one that refuses says nothing that opens a gate."""
    if status < HTTPStatus.BAD_REQUEST:
        call.feed_answer()


def _deliver(call: Call, target: str, found: ConnectResult) -> bool:
    """Put a body where it belongs; False, after a message, where that cannot be."""
    body = found.body
    if target in ("-", "/dev/stdout"):
        if not body:
            _note_answer(call, found.status)
        call.out(body)
    elif call.path(target) not in ("/dev/null",):
        try:
            call.files.write(call.path(target), body)
        except FileProblem as problem:
            call.err(f"can't open '{target}': {problem}")
            return False
    return True


_CURL_VALUES = "dHXomuAbcFeKrTUwxYyzECDPQt"
_CURL_LONG = (
    "data data-raw data-binary header request output max-time user user-agent write-out connect-timeout retry"
    " retry-delay retry-max-time cacert cert key resolve proxy form cookie url interface unix-socket"
    " data-urlencode"
).split()


@tool("curl")
def curl(call: Call) -> Outcome:
    """`curl`: ask for a URL."""
    options, urls = split_options(call.arguments, _CURL_VALUES, _CURL_LONG)
    urls = urls or ([options["url"]] if "url" in options else [])
    if not urls:
        return call.fail("no URL specified", 2)
    host, port, path = _split_url(urls[0])
    limit_ms = _limit_ms(options.get("m", options.get("max-time", options.get("connect-timeout"))))
    found = reach(call, host, port, limit_ms, path)
    if isinstance(found, Wait):
        return found
    tries = int(options.get("retry") or 0)
    if not found.is_connected and call.state.get("tries", 0) < tries:
        call.state["tries"] = call.state.get("tries", 0) + 1
        # The pause doubles, up to ten minutes.
        doubled_ms = min(1000 << min(call.state["tries"] - 1, 10), _LONGEST_PAUSE_MS)
        pause_ms = _limit_ms(options.get("retry-delay")) or doubled_ms
        return call.sleep_until(call.now_ms + pause_ms)
    return _finish_curl(call, options, found, urls[0])


def _finish_curl(call: Call, options: dict[str, str], found: ConnectResult, url: str) -> int:
    host, port, path = _split_url(url)
    is_silent = "s" in options or "silent" in options
    status, message = 0, ""
    if found.outcome == "unknown host":
        status, message = 6, f"(6) Could not resolve host: {host}"
    elif found.outcome == "timeout":
        status, message = 28, "(28) Operation timed out"
    elif not found.is_connected:
        status, message = 7, f"(7) Failed to connect to {host} port {port}: Connection refused"
    elif found.status >= 400 and ("f" in options or "fail" in options):
        status, message = 22, f"(22) The requested URL returned error: {found.status}"
    else:
        target = options.get("o", options.get("output"))
        if "O" in options or "remote-name" in options:
            target = path.rpartition("/")[2]
        has_body = not {"I", "head"} & set(options)
        if not has_body or {"i", "include"} & set(options):
            _tell_head(call, found.status)
        if has_body and not _deliver(call, target or "-", found):
            status, message = 23, "(23) Failure writing output to destination"
    if message and (not is_silent or "S" in options):
        call.err(message)
    form = options.get("w", options.get("write-out"))
    if form is not None:
        code = found.status if found.is_connected else 0
        call.out(form.replace("%{http_code}", f"{code:03d}").replace("\\n", "\n"))
    return status


@tool("nc", "ncat", "netcat", "telnet")
def nc(call: Call) -> Outcome:
    """`nc`: connect to a port, or listen on one."""
    # Only ncat's -c is followed by a command.
    options, operands = split_options(call.arguments, "wpeqisXx" + ("c" if call.name == "ncat" else ""))
    if "l" in options or "listen" in options:
        return _listen(call, options, operands)
    if len(operands) < 2 or not operands[-1].isdigit() or len(operands[-1]) > 5:
        return call.fail("a host and a port are needed")
    limit_ms = _limit_ms(options.get("w"))
    found = reach(call, operands[-2], int(operands[-1]), limit_ms)
    if isinstance(found, Wait):
        return found
    if "v" in options or ("z" in options and found.is_connected):
        state = "open" if found.is_connected else "closed"
        call.machine.write(call.task, 2, f"{operands[-2]} ({operands[-2]}:{operands[-1]}) {state}\n")
    if not found.is_connected:
        return 1
    if "z" not in options:
        if not found.body:
            call.feed_answer()
        call.out(found.body)
    return 0


def _listen(call: Call, options: dict[str, str], operands: list[str]) -> Outcome:
    port = options.get("p") or (operands[-1] if operands else "")
    if not port.isdigit() or len(port) > 5:
        return call.fail("a port is needed")
    if not call.task.ports:
        call.task.ports = [int(port)]
        call.machine.changes += 1
    # Who connects is not told to the listener: it goes on listening.
    return Wait(Wait.SIGNAL)


@tool("nslookup", "getent", "host", "dig", "ping")
def look_up(call: Call) -> Outcome:
    """`nslookup` and its kin: ask for the address of a name."""
    options, operands = split_options(call.arguments, "cWwtitp", ())
    if call.name == "getent":
        if not operands or operands[0] not in ("hosts", "ahosts", "ahostsv4"):
            return 0 if operands and operands[0] in ("passwd", "group") else 2
        operands = operands[1:]
    wants_services = any(word.lower().rpartition("=")[2].lstrip("-") == "srv" for word in call.arguments)
    names = [word for word in operands if not word.startswith(("+", "@")) and word.lower() != "srv"]
    if not names:
        return 1
    host = names[0].rstrip(".")
    if wants_services:
        return _answer_services(call, host)
    addresses = call.world.resolve_all(names[0]) or ([host] if is_address(host) else [])
    if call.name == "ping":
        return _ping(call, host, addresses[0] if addresses else None, options)
    return _answer(call, host, addresses)


_FORMS = {
    "dig": "{address}",
    "getent": "{address}      {host}",
    "host": "{host} has address {address}",
    "nslookup": "Name:      {host}\nAddress:   {address}",
}


def _answer(call: Call, host: str, addresses: Sequence[str]) -> int:
    lines = [_FORMS[call.name].format(address=one, host=host) for one in addresses]
    if call.name == "nslookup":
        call.out("Server:    10.96.0.10\nAddress:   10.96.0.10:53\n\n")
    elif call.name == "getent" and call.arguments[0] == "hosts":
        del lines[1:]
    if addresses:
        call.out("".join(f"{line}\n" for line in lines))
        return 0
    if call.name == "nslookup":
        call.machine.write(call.task, 2, f"nslookup: can't resolve '{host}'\n")
    elif call.name == "host":
        call.out(f"Host {host} not found: 3(NXDOMAIN)\n")
    return {"getent": 2, "dig": 0}.get(call.name, 1)


def _answer_services(call: Call, name: str) -> int:
    """What `dig SRV` and its kin say: priority, weight, port and host of each."""
    found = call.world.find_services(name)
    between = {"nslookup": f"{name}\tservice = ", "host": f"{name} has SRV record "}.get(call.name, "")
    weight = 100 // len(found) if found else 0
    call.out("".join(f"{between}0 {weight} {port} {host}.\n" for host, port in found))
    return 0 if found or call.name == "dig" else 1


def _ping(call: Call, host: str, address: str | None, options: dict[str, str]) -> Outcome:
    if address is None:
        return call.fail(f"bad address '{host}'")
    count = options.get("c")
    sent = call.state.get("sent", 0)
    if count is not None and count.isdigit() and sent >= int(count):
        return 0
    call.state["sent"] = sent + 1
    call.out(f"64 bytes from {address}: seq={sent} ttl=64 time=0.1 ms\n")
    if count is not None and count.isdigit() and sent + 1 >= int(count):
        return 0
    return call.sleep_until(call.now_ms + 1000)


_CLIENTS = {
    name: port
    for port, names in {
        2181: "zkServer.sh zookeeper-ready",
        2379: "etcdctl",
        3306: "mysql mysqladmin mariadb mariadb-admin mysqldump",
        5432: "pg_isready psql createdb pg_dump",
        5672: "rabbitmqctl rabbitmq-diagnostics",
        6379: "redis-cli",
        7000: "nodetool",
        8080: "grpc_health_probe grpc-health-probe",
        9042: "cqlsh",
        15672: "rabbitmqadmin",
        27017: "mongo mongosh",
    }.items()
    for name in names.split()
}
_ONE_DASH = re.compile(r"-[a-z]")
_ANSWERS = {"redis-cli": "PONG\n", "pg_isready": "accepting connections\n", "mysqladmin": "mysqld is alive\n"}


@tool(*_CLIENTS)
def client(call: Call) -> Outcome:
    """A database's client: succeeds when the server it names, or the one in here, can be reached."""
    words = call.arguments
    if call.name.startswith("grpc"):
        # A program in Go: long options begin with one dash or two.
        words = [f"-{word}" if _ONE_DASH.match(word) else word for word in words]
    options, operands = split_options(words, "hpUudPantDbse", ("host", "port", "addr", "username"))
    host, port = _server_of(call, options)
    found = reach(call, host, port, 5_000)
    if isinstance(found, Wait):
        return found
    if not found.is_connected:
        call.err("could not connect to server")
        return 2 if call.name == "pg_isready" else 1
    if call.name == "redis-cli" and operands and operands[-1].lower() != "ping":
        call.machine.note(f"cannot interpret redis-cli {' '.join(operands)[:30]}: {REPLY.taken}")
        call.feed_answer()
        call.out("OK\n")
        return 0
    if call.name not in _ANSWERS:
        call.feed_answer()
    call.out(_ANSWERS.get(call.name, ""))
    return 0


def _server_of(call: Call, options: dict[str, str]) -> tuple[str, int]:
    host = options.get("h") or options.get("host") or ""
    glued = options.get("addr", "")
    if ":" in glued:
        host, port_text = glued.rsplit(":", 1)
    else:
        has_capital = call.name.startswith(("mysql", "mariadb"))
        port_text = options.get("P" if has_capital else "p", "") or options.get("port", "")
    if call.name.startswith(("mongo",)):
        host = options.get("host", "")
    port = int(port_text) if port_text.isdigit() else _CLIENTS[call.name]
    if host.startswith("/"):
        # The folder of a socket.
        host = ""
    return host or "localhost", port
