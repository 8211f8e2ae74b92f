"""What a request asks for: group, version, namespace, resource, name and subresource; verb and options."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from lifecycle.kube_api.status import bad_request

PROXY = "proxy"
FALSE = {"0", "f", "F", "FALSE", "false", "False"}
_ON_ONE = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_ON_ALL = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}


@dataclass(frozen=True, slots=True)
class Address:
    """A path of the API. `group` is "" for the core group; None of what is not given."""

    group: str
    version: str
    namespace: str | None = None
    resource: str = ""
    name: str = ""
    subresource: str = ""
    is_watch: bool = False
    """Whether it is one of the old paths below /watch/."""
    path: str = ""
    """Of a proxy what is asked for behind it, with its slash; "" where not even that is given."""


def read_address(path: str) -> Address | None:
    """The address of a resource; None for any other path, such as /version or a group's own page.

    `path` has no leading slash. A path too long for any resource has a `subresource` with slashes.
    """
    words = path.split("/")
    if words[0] == "api" and len(words) > 2:
        group, version, rest = "", words[1], words[2:]
    elif words[0] == "apis" and len(words) > 3:
        group, version, rest = words[1], words[2], words[3:]
    else:
        return None
    while rest and rest[-1] == "":
        rest.pop()
    is_watch = rest[:1] == ["watch"]
    if is_watch:
        rest = rest[1:]
    if not rest:
        return None
    namespace = None
    # /namespaces/x is the object, /namespaces/x/status a part of it, all else lies in it.
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in ("status", "finalize"):
        namespace, rest = rest[1], rest[2:]
    resource, name, *parts = [*rest, ""][: max(len(rest), 2)]
    if parts[:1] == [PROXY]:
        # Slashes at its end are the program's to judge.
        behind = "/".join(parts[1:]) + path[len(path.rstrip("/")) :]
        has_path = len(parts) > 1 or path.endswith("/")
        shown = f"/{behind.lstrip('/') if len(parts) == 1 else behind}" if has_path else ""
        return Address(group, version, namespace, resource, name, PROXY, is_watch, shown)
    return Address(group, version, namespace, resource, name, "/".join(parts), is_watch)


def read_verb(method: str, address: Address, query: Mapping[str, str]) -> str:
    """What is asked for, as rules name it; "" when no such method is known here."""
    if address.subresource:
        return {**_ON_ONE, "POST": "create"}.get(method, "")
    # One object is only watched by the old path: `?watch` beside its name is not looked at.
    if method == "GET" and (address.is_watch or (not address.name and is_true(query, "watch"))):
        return "watch"
    return (_ON_ONE if address.name else _ON_ALL).get(method, "")


class Options(dict[str, str]):
    """The options of a query: of a repeated one the first value counts, where not all do."""

    def __init__(self, query: QueryDict) -> None:
        self._lists = {name: [str(value) for value in values] for name, values in query.lists() if values}
        super().__init__({name: values[0] for name, values in self._lists.items()})

    def every(self, name: str) -> list[str]:
        """All values of an option that is a list."""
        return self._lists.get(name, [])

    def flag(self, name: str) -> bool:
        """A switch: given and not said to be false."""
        return is_true(self, name)

    def whole(self, name: str) -> int | None:
        """A whole number of 64 bits, None when left out. Raises Refusal in Go's words."""
        text = self.get(name)
        if not text:
            return None
        digits = text[1:] if text[0] in "+-" else text
        if not (digits.isascii() and digits.isdigit()):
            raise bad_request(f'strconv.ParseInt: parsing "{text}": invalid syntax')
        if len(digits) > 19 or not -(2**63) <= int(text) < 2**63:
            raise bad_request(f'strconv.ParseInt: parsing "{text}": value out of range')
        return int(text)


def is_true(query: Mapping[str, str], name: str) -> bool:
    """As the API server reads a switch: whatever is given and no word for false is true."""
    return name in query and query[name] not in {*FALSE}


def first_word(value: Any) -> str:
    """A header's media type without its parameters, in lower case."""
    return str(value or "").partition(";")[0].strip().lower()
