"""Which part of the API server a request is for."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from lifecycle.access import Verb, may
from lifecycle.kube_api import content, reads, resources
from lifecycle.kube_api.requests import Address, Options, read_address, read_verb
from lifecycle.kube_api.resources import Resource
from lifecycle.kube_api.status import (
    NoSuchPath,
    about,
    forbidden,
    method_not_allowed,
    no_such_resource,
)
from lifecycle.models import Cluster

Json = dict[str, Any]
READING = {"get", "list", "watch"}


@dataclass(slots=True)
class Asked:
    """One request of somebody who may look at the cluster. `address` and `resource`: of a resource's path."""

    request: HttpRequest
    cluster: Cluster
    user: Any
    path: str
    options: Options
    address: Address | None = None
    resource: Resource | None = None
    verb: str = ""


@dataclass(slots=True)
class Answer:
    """What goes out: a value in a form, or text as it is."""

    value: Any
    code: int = 200
    form: content.Form = content.PLAIN
    warnings: Sequence[str] = ()
    headers: dict[str, str] = field(default_factory=dict)

    def respond(self) -> HttpResponse:
        """The response; each warning is a header of its own."""
        return HttpResponse(
            content.encode(self.value, self.form),
            status=self.code,
            content_type=self.form.media_type,
            headers=self.headers,
        )


@dataclass(slots=True)
class Stream:
    """An answer that is made on the event loop: a watch, a log that is followed."""

    respond: Callable[[], Awaitable[HttpResponseBase]]


def answer(asked: Asked) -> Answer | Stream:
    """The answer to a request. Raises Refusal, NoSuchPath."""
    address = read_address(asked.path)
    if address is None:
        raise NoSuchPath
    resource = resources.built_in().get((address.group, address.version, address.resource))
    if resource is None:
        raise no_such_resource()
    asked.address, asked.resource = address, resource
    asked.verb = read_verb(asked.request.method or "", address, asked.options)
    if not asked.verb:
        raise method_not_allowed()
    _require_right(asked, address, resource)
    form = content.negotiate(asked.request.headers.get("Accept", ""))
    if asked.verb == "get":
        value = reads.get(asked.cluster, resource, address.namespace, address.name)
        return Answer(value, form=form)
    raise method_not_allowed()


def _require_right(asked: Asked, address: Address, resource: Resource) -> None:
    wanted = Verb.VIEW if asked.verb in READING else Verb.CHANGE
    if may(asked.user, asked.cluster, wanted):
        return
    where = f' in the namespace "{address.namespace}"' if address.namespace else " at the cluster scope"
    raise forbidden(
        f'{resource.qualified} is forbidden: User "{asked.user}" cannot {asked.verb} resource'
        f' "{resource.name}" in API group "{resource.group}"{where}',
        about(resource, address.name),
    )
