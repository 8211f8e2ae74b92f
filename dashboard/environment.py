"""Readers for environment variables that fail loudly: what is wrong, and what would be right."""

import os
from collections.abc import Iterable
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

TRUE_WORDS = {"1", "true", "True", "TRUE"}
FALSE_WORDS = {"0", "false", "False", "FALSE", ""}


def text(name: str, default: str = "") -> str:
    """The variable as it is, or the default when it is absent or empty."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """True or False; anything else is an error."""
    value = os.environ.get(name)
    if value is None:
        return default
    if value in TRUE_WORDS:
        return True
    if value in FALSE_WORDS:
        return False
    raise ImproperlyConfigured(f"{name}={value}: use True or False")


def whole(name: str, default: int, low: int = 0, high: int = 2**31) -> int:
    """A whole number within bounds."""
    value = text(name, str(default))
    if not value.isdecimal() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name}={value}: use a whole number from {low} to {high}")
    return int(value)


def words(name: str, default: Iterable[str] = ()) -> list[str]:
    """A comma-separated list without empty entries."""
    value = os.environ.get(name)
    if value is None:
        return list(default)
    return [word.strip() for word in value.split(",") if word.strip()]


def chosen(name: str, choices: tuple[str, ...]) -> list[str]:
    """A comma-separated list of some of the choices; none by default."""
    found = words(name)
    if strange := [word for word in found if word not in choices]:
        raise ImproperlyConfigured(f"{name}={','.join(strange)}: use some of {','.join(choices)}")
    return found


def address(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """A URL with one of the given schemes."""
    value = text(name, default)
    if not value.startswith(tuple(f"{scheme}:" for scheme in schemes)):
        shapes = " or ".join(f"{scheme}://…" for scheme in schemes)
        raise ImproperlyConfigured(f"{name}={value}: use {shapes}")
    return value


def folder(name: str, default: str, create: bool) -> Path:
    """A folder that can be written to; made when `create` is set."""
    path = Path(text(name, default)).expanduser().absolute()
    if not create:
        return path
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Tokens, password digests and Secrets are in there: nobody else's to read.
        if path.stat().st_uid == os.geteuid():
            path.chmod(0o700)
    except OSError as problem:
        raise ImproperlyConfigured(_unwritable(name, path, problem.strerror)) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise ImproperlyConfigured(_unwritable(name, path, "no permission"))
    return path


def _unwritable(name: str, path: Path, why: str | None) -> str:
    return f"{name}={path}: cannot write there ({why}); name a folder you own, e.g. {name}=$HOME/podline"


def secret_key(data: Path) -> str:
    """SECRET_KEY, or one made once and kept in the data folder, readable by its owner only."""
    given = text("SECRET_KEY")
    if given:
        return given
    path = data / "secret_key"
    try:
        # O_EXCL: of several processes starting together one writes, the others read.
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return _kept_key(path)
    with os.fdopen(handle, "w") as file:
        file.write(get_random_secret_key())
    return _kept_key(path)


def _kept_key(path: Path) -> str:
    key = path.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{path} is empty: delete it, and a new key is made")
    return key


def endpoints(name: str) -> dict[str, str]:
    """A comma-separated list of addresses: HOST:PORT as it stands in a URL, or a Service's and where it is.

    `{"shop/gate:443": "127.0.0.1:9443"}` of `shop/gate:443=127.0.0.1:9443`.
    """
    found = {}
    for word in words(name):
        key, equals, target = word.partition("=")
        key, target = key.strip(), (target if equals else key).strip()
        if equals and "/" in key and ":" not in key:
            key += ":443"
        host, _, port = target.rpartition(":")
        is_port = port.isascii() and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536
        if not host or "/" in target or not is_port or ("/" in key) != bool(equals):
            raise ImproperlyConfigured(f"{name}={word}: use HOST:PORT or NAMESPACE/SERVICE:PORT=HOST:PORT")
        found[key.lower()] = target
    return found
