"""Where `podline cluster` has its clusters: in the database of this machine, or in a Podline elsewhere."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from lifecycle.access import address_for
from lifecycle.limits import Exceeded
from lifecycle.management.finding import find_cluster, tell_problem
from lifecycle.models import Cluster
from lifecycle.runs import forks
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.runs.driving import clocks, new_clusters
from lifecycle.simulation.run import BAD_INPUT

Json = dict[str, Any]
ANSWER_SECONDS = 60.0


class Desk(Protocol):
    """What can be done with clusters, wherever they are. Each raises CommandError."""

    def create(self, asked: Json) -> str: ...
    def list(self) -> list[Json]: ...
    def fork(self, name: str, asked: Json) -> str: ...
    def delete(self, name: str) -> None: ...
    def change(self, name: str, wanted: Json) -> Json: ...
    def read_clock(self, name: str) -> Json: ...


class Here:
    """The clusters of this machine, as a user has them."""

    def __init__(self, user: Any) -> None:
        self._user = user

    def create(self, asked: Json) -> str:
        """Make a cluster; its name."""
        with _telling():
            return new_clusters.make(self._user, asked).name

    def list(self) -> list[Json]:
        """All there are."""
        found = Cluster.objects.filter(is_look=False).select_related("owner").order_by("name", "pk")
        return [{"name": address_for(self._user, one), **_tell_clock(one)} for one in found]

    def fork(self, name: str, asked: Json) -> str:
        """Fork a cluster as it was at an instant, under a release; the name of the fork."""
        parent, kubernetes = self._find(name), asked.get("kubernetes", "")
        with _telling():
            at_ms = clocks.read_at(parent, asked.get("at"))
            return forks.fork(parent, at_ms, self._user, asked["name"], kubernetes=kubernetes).name

    def delete(self, name: str) -> None:
        """Take a cluster away with its history."""
        self._find(name).delete()

    def change(self, name: str, wanted: Json) -> Json:
        """Turn a cluster's clock; how it stands then."""
        found = self._find(name)
        with _telling():
            clocks.change(found, self._user, wanted)
        return _tell_clock(found)

    def read_clock(self, name: str) -> Json:
        """How a cluster's clock stands."""
        return _tell_clock(self._find(name))

    def _find(self, name: str) -> Cluster:
        return find_cluster(name, self._user)


def _tell_clock(cluster: Cluster) -> Json:
    told = {"spec": clocks.read_spec(cluster), "status": clocks.read_status(cluster)}
    return told | {"failure": cluster.failure}


@contextmanager
def _telling() -> Iterator[None]:
    """Refusals become errors of the command."""
    try:
        yield
    except ValidationError as problem:
        raise CommandError(tell_problem(problem), returncode=BAD_INPUT) from None
    except (Exceeded, Unreadable, ValueError) as problem:
        raise CommandError(str(problem), returncode=BAD_INPUT) from None


class There:
    """The clusters of a Podline at an address, over REST with a user's token."""

    def __init__(self, server: str, token: str) -> None:
        self._base = f"{server.rstrip('/')}/api/clusters/"
        self._token = token

    def create(self, asked: Json) -> str:
        """Make a cluster; its name."""
        made: str = self._ask("POST", "", asked)["name"]
        return made

    def list(self) -> list[Json]:
        """All that the user may look at."""
        return [{"name": one["address"], **self.read_clock(one["address"])} for one in self._ask("GET", "")]

    def fork(self, name: str, asked: Json) -> str:
        """Fork a cluster as it was at an instant, under a release; the name of the fork."""
        made: str = self._ask("POST", f"{_quote(name)}/fork", asked)["name"]
        return made

    def delete(self, name: str) -> None:
        """Take a cluster away with its history."""
        self._ask("DELETE", f"{_quote(name)}/")

    def change(self, name: str, wanted: Json) -> Json:
        """Turn a cluster's clock; how it stands then."""
        told: Json = self._ask("POST", f"{_quote(name)}/control", wanted)
        return told

    def read_clock(self, name: str) -> Json:
        """How a cluster's clock stands."""
        told: Json = self._ask("GET", f"{_quote(name)}/control")
        return told

    def _ask(self, method: str, path: str, body: Json | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        try:
            request = Request(self._base + path, data, headers, method=method)
            with urlopen(request, timeout=ANSWER_SECONDS, context=ssl.create_default_context()) as answer:
                return json.loads(answer.read() or b"null")
        except HTTPError as refusal:
            said = "; ".join(_list_words(refusal.read()))
            raise CommandError(said or f"{refusal.code} {refusal.reason}", returncode=BAD_INPUT) from None
        except (URLError, ValueError, OSError) as problem:
            why = getattr(problem, "reason", problem)
            raise CommandError(f"{self._base} does not answer: {why}", returncode=BAD_INPUT) from None


def _quote(name: str) -> str:
    return quote(name, safe="@")


def _list_words(text: bytes) -> Iterator[str]:
    """What a refusal says, field by field."""
    try:
        told = json.loads(text)
    except ValueError:
        return
    for name, said in told.items() if isinstance(told, dict) else [("", told)]:
        words = " ".join(map(str, said)) if isinstance(said, list) else str(said)
        yield words if name in ("", "detail") else f"{name}: {words}"
