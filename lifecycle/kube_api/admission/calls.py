"""One call of a webhook: over HTTPS, to an address that the operator allowed, bounded in time and size.

No credentials are sent and no redirect is followed.
"""

import base64
import binascii
import http.client
import json
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from lifecycle.engine.rules.limits.json_bounds import read_json

Json = dict[str, Any]
MOST_BYTES, MOST_CALLS = 3 * 1024 * 1024, 8
_HTTPS, _SECONDS = 443, 10
_calls = threading.BoundedSemaphore(MOST_CALLS)


class CallFailed(Exception):
    """A webhook that could not be asked, or whose answer cannot be read."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a webhook is. `name`: on its certificate; `key`: as WEBHOOKS has it; `url`: for messages."""

    name: str
    key: str
    path: str
    url: str
    bundle: bytes

    @property
    def address(self) -> tuple[str, int] | None:
        """Where it is reached; None where the operator has not allowed it."""
        found = settings.WEBHOOKS.get(self.key)
        if found is None:
            return None
        host, _, port = found.rpartition(":")
        return host.strip("[]"), int(port)


def read_endpoint(config: Json) -> Endpoint:
    """The endpoint of a `clientConfig`. Raises CallFailed for one that names none."""
    try:
        bundle = base64.b64decode(config.get("caBundle") or "", validate=True)
    except (binascii.Error, ValueError):
        raise CallFailed("unable to load root certificates: caBundle is no base64") from None
    if service := config.get("service"):
        space, name, port = (
            service.get("namespace") or "",
            service.get("name") or "",
            service.get("port") or _HTTPS,
        )
        host = f"{name}.{space}.svc"
        path = "/" + str(service.get("path") or "").lstrip("/")
        return Endpoint(host, f"{space}/{name}:{port}", path, f"https://{host}:{port}{path}", bundle)
    try:
        parts = urlsplit(str(config.get("url") or ""))
        host, port = parts.hostname or "", parts.port or _HTTPS
    except ValueError as problem:
        raise CallFailed(f"Unparsable URL: {problem}") from None
    if parts.scheme != "https" or not host:
        raise CallFailed("webhook configuration must have either service or URL")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    shown = f"[{host}]" if ":" in host else host
    return Endpoint(host, f"{shown}:{port}", path, parts.geturl(), bundle)


def call(endpoint: Endpoint, review: Json, seconds: float) -> Any:
    """What a webhook answers to a review, as JSON. Raises CallFailed in the API server's words."""
    address = endpoint.address
    if address is None:
        raise CallFailed("its address is not allowed")
    end = time.monotonic() + seconds
    if not _calls.acquire(timeout=seconds):
        raise CallFailed(f"{MOST_CALLS} webhooks are being called")
    try:
        return _post(endpoint, address, review, max(end - time.monotonic(), 0.001))
    except (OSError, http.client.HTTPException, ValueError) as problem:
        posted = f'Post "{endpoint.url}?timeout={seconds:g}s"'
        raise CallFailed(f"failed to call webhook: {posted}: {_tell(problem)}") from None
    finally:
        _calls.release()


def _post(endpoint: Endpoint, address: tuple[str, int], review: Json, seconds: float) -> Any:
    body = json.dumps(review).encode()
    context = _make_context(endpoint)
    with socket.create_connection(address, timeout=seconds) as raw:
        secure = context.wrap_socket(raw, server_hostname=endpoint.name, do_handshake_on_connect=False)
    # A server that sends a byte now and then lets no read time out: at the end of the time it is cut off.
    is_late = threading.Event()
    timer = threading.Timer(seconds, _cut, (secure, is_late))
    timer.daemon = True
    timer.start()
    try:
        with secure:
            secure.do_handshake()
            connection = http.client.HTTPConnection(endpoint.name)
            connection.sock = secure
            separator = "&" if "?" in endpoint.path else "?"
            target = f"{endpoint.path}{separator}timeout={seconds:g}s"
            headers = {
                "Content-Type": "application/json",
                "Accept": "application/json",
                "Connection": "close",
            }
            connection.request("POST", target, body, headers)
            with connection.getresponse() as answer:
                status, text = answer.status, answer.read(MOST_BYTES + 1)
    except (OSError, http.client.HTTPException) as problem:
        raise (TimeoutError() if is_late.is_set() else problem) from None
    finally:
        timer.cancel()
    if is_late.is_set():
        raise TimeoutError
    return _read(status, text)


def _cut(secure: ssl.SSLSocket, is_late: threading.Event) -> None:
    """End a connection that another thread waits for: as a plain one, without a word in TLS."""
    is_late.set()
    try:
        socket.socket.shutdown(secure, socket.SHUT_RDWR)
    except OSError:
        return


def _make_context(endpoint: Endpoint) -> ssl.SSLContext:
    if not endpoint.bundle:
        return ssl.create_default_context()
    return ssl.create_default_context(cadata=endpoint.bundle.decode("ascii"))


def _read(status: int, text: bytes) -> Any:
    """Raises ValueError for what is no answer to a review."""
    if len(text) > MOST_BYTES:
        raise ValueError(f"the answer is larger than {MOST_BYTES:,} bytes")
    if not 200 <= status < 300:
        raise ValueError(
            f"an error on the server ({_show(text)}) has prevented the request from succeeding ({status})"
        )
    try:
        return read_json(text.decode())
    except ValueError:
        raise ValueError("the answer is no JSON") from None


def _show(text: bytes) -> str:
    shown = text[:200].decode(errors="replace")
    return "".join(letter if letter.isprintable() else " " for letter in shown).strip()


def _tell(problem: Exception) -> str:
    if isinstance(problem, TimeoutError):
        return "context deadline exceeded"
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: {problem.verify_message}"
    if isinstance(problem, ConnectionRefusedError):
        return "connect: connection refused"
    return str(problem)[:300] or type(problem).__name__
