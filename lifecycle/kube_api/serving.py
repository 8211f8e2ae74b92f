"""Which part of the API server a request is for."""

from typing import Any

from django.http import HttpRequest

from lifecycle.engine.kinds.plain import CONTAINER_PROFILE
from lifecycle.engine.kinds.served import ON_PART
from lifecycle.engine.rules.access.attributes import Attributes
from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.kube_api import clocks, content, subresources, writes
from lifecycle.kube_api.access import reviews
from lifecycle.kube_api.access.authorization import read_attributes, require_allowed
from lifecycle.kube_api.access.callers import READING, Caller
from lifecycle.kube_api.asking.asked import Answer, Asked, Stream, Text
from lifecycle.kube_api.asking.requests import PROXY, Address, Options, read_address, read_verb
from lifecycle.kube_api.containers.streams import ACTIONS
from lifecycle.kube_api.describing import discovery, resources
from lifecycle.kube_api.describing.built_in import CLOCKS, USAGE, VERDICTS
from lifecycle.kube_api.describing.resource import Resource
from lifecycle.kube_api.reading import long_lists, reads, usage, verdicts, watches
from lifecycle.kube_api.status import NoSuchPath, method_not_allowed, no_such_resource, not_found
from lifecycle.kube_api.warnings import note
from lifecycle.models import Cluster

Json = dict[str, Any]
Outcome = Answer | Text | Stream
_CONNECTED = (PROXY, *ACTIONS)
"""Parts whose answers are a program's, in whatever form it likes: their routes produce anything."""


def respond(request: HttpRequest, caller: Caller, path: str) -> tuple[Asked | None, Outcome]:
    """What is answered to a request, and for which resource. Raises Refusal, NoSuchPath."""
    options, cluster = Options(request.GET), caller.cluster
    address, method = read_address(path), request.method or ""
    if address is None:
        require_allowed(caller, Attributes(method.lower(), path=f"/{path}"))
        return None, discovery.answer(request, cluster, path, options)
    verb = read_verb(method, address, options)
    attributes = read_attributes(address, verb, options)
    if caller.is_restricted:
        # Whether there is such a resource at all is for who may ask for it.
        require_allowed(caller, attributes)
    resource = find_resource(cluster, address)
    note(request, [resource.warning])
    if resource.verbs == ("create",) and address.name:
        raise no_such_resource()
    part = resource.parts.get(address.subresource) if address.subresource else None
    if verb not in (part.verbs if part is not None else resource.verbs):
        raise method_not_allowed()
    _require_place(address, resource, verb)
    asked = Asked(request, caller, options, address, resource, verb)
    if not caller.is_restricted:
        require_allowed(caller, attributes)
    if address.subresource not in _CONNECTED:
        asked.form = _negotiate(asked)
    outcome = _carry_out(asked)
    note(request, [_tell_if_time_stands(asked)])
    return asked, outcome


def _negotiate(asked: Asked) -> content.Form:
    """The form of the answer. Raises Refusal (406)."""
    accept = asked.request.headers.get("Accept", "")
    if not asked.resource.custom:
        # The route of a log has text too, which is then asked for in vain (LogREST.ProducesMIMETypes).
        content.require_route(accept, ("text/plain",) if asked.address.subresource == "log" else ())
    return content.negotiate(accept, is_watch=asked.verb == "watch")


def _tell_if_time_stands(asked: Asked) -> str:
    """What a write is warned of that nothing follows from yet; at `auto` time has passed by the answer."""
    cluster, resource = asked.cluster, asked.resource
    is_stored = asked.verb not in READING and len(resource.verbs) > 1 and resource.name != CLOCKS
    if not (is_stored and cluster.paused) or cluster.is_auto:
        return ""
    at = tell_instant(cluster.instant_ms)
    return (
        f"the clock of this cluster stands at {at}: nothing moves until it runs (kubectl get clock cluster)"
    )


def find_resource(cluster: Cluster, address: Address) -> Resource:
    """The resource of an address. Raises Refusal (404), NoSuchPath where nobody serves such paths.

    Of a group that only definitions give none but the paths of their resources are.
    """
    found = resources.find(cluster, address.group, address.version, address.resource)
    if found is None:
        if not resources.is_built_in_group(cluster, address.group):
            raise NoSuchPath
        raise no_such_resource()
    if address.subresource and address.subresource not in found.parts:
        raise not_found(found, address.name) if found.custom else no_such_resource()
    return found


def _require_place(address: Address, resource: Resource, verb: str) -> None:
    """What lies in namespaces is one's of a namespace; over all of them it is only listed."""
    if address.namespace is not None and not resource.namespaced:
        raise NoSuchPath if resource.custom else no_such_resource()
    if not resource.namespaced or address.namespace is not None:
        return
    if address.name:
        raise no_such_resource()
    if verb not in ("list", "watch"):
        raise method_not_allowed()


def _carry_out(asked: Asked) -> Outcome:
    address, resource = asked.address, asked.resource
    if resource.group == USAGE:
        return usage.answer(asked)
    if resource.name == CLOCKS and resource.group == CONTAINER_PROFILE.group:
        return clocks.answer(asked)
    if resource.name == VERDICTS and resource.group == CONTAINER_PROFILE.group:
        return verdicts.answer(asked)
    if resource.name == "componentstatuses":
        return discovery.list_components(asked)
    if resource.verbs == ("create",):
        return subresources.bind(asked) if resource.name == "bindings" else reviews.answer(asked)
    handler = subresources.HANDLERS.get((address.subresource, asked.verb))
    if handler is not None:
        outcome: Outcome = handler(asked)
        return outcome
    if address.subresource and asked.verb not in ON_PART:
        raise method_not_allowed()
    match asked.verb:
        case "get":
            version = asked.options.get("resourceVersion", "")
            return Answer(reads.get(asked.cluster, resource, address.namespace, address.name, version))
        case "list":
            return long_lists.answer(asked, resource.warning)
        case "watch":
            return watches.start(asked)
        case "create":
            return writes.create(asked)
        case "update":
            return writes.update(asked)
        case "patch":
            return writes.patch(asked)
        case "delete":
            return writes.delete(asked)
        case "deletecollection":
            return writes.delete_collection(asked)
    raise method_not_allowed()
