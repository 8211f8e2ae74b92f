"""One request, as it was asked and by whom, and what may be answered."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from lifecycle.engine.releases.release import Release
from lifecycle.kube_api.access.callers import Caller
from lifecycle.kube_api.asking.requests import Address, Options
from lifecycle.kube_api.asking.write_options import request_of
from lifecycle.kube_api.content import PLAIN, Form
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.models import Cluster
from lifecycle.reads import read_release

Json = dict[str, Any]


@dataclass(slots=True)
class Asked:
    """A request of somebody who may look at the cluster, for a resource of it."""

    request: HttpRequest
    caller: Caller
    options: Options
    address: Address
    resource: Resource
    verb: str
    form: Form = PLAIN

    @property
    def cluster(self) -> Cluster:
        """Which cluster is asked."""
        return self.caller.cluster

    @property
    def user(self) -> Any:
        """The user of Podline who asks, as whomever."""
        return self.caller.user

    @property
    def release(self) -> Release:
        """What the cluster is of."""
        return read_release(self.cluster)

    def told(self, problems: Sequence[str] = ()) -> Json:
        """What a command is told of the request beside its object."""
        told = request_of(self.options, self.request.headers.get("User-Agent", ""), problems)
        return {**told, "apiVersion": self.resource.api_version}


@dataclass(slots=True)
class Answer:
    """What goes out: a value (an object, a `lists.Page`, a Status)."""

    value: Any
    code: int = 200
    form: Form | None = None
    """Where it is not the one that was negotiated."""


@dataclass(slots=True)
class Text:
    """What goes out as it is."""

    text: bytes
    content_type: str = "text/plain; charset=utf-8"
    code: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, weakref_slot=True)
class Stream:
    """An answer that is made on the event loop: a watch, a log that is followed.

    Of the places its user has it takes one, until `leave` is called or it is gone.
    """

    respond: Callable[[], Awaitable[HttpResponseBase]]
    size_bytes: int = 0
    """Of a long answer what it is counted for; 0 for what stays open."""
    leave: Callable[[], object] = lambda: None
