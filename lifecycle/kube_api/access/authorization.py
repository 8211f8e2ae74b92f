"""Whether a caller may do what is asked for: first what Podline says of its user, then the cluster's roles.

The roles of a cluster are asked about service accounts and who is impersonated. A user of Podline who shows
a token of their own is what Podline says: who may change a cluster is its master, others only look.
"""

from collections.abc import Mapping

from lifecycle.engine.rules.access.attributes import Attributes, tell_forbidden
from lifecycle.engine.rules.access.policy import Decision
from lifecycle.kube_api.access.callers import Caller
from lifecycle.kube_api.access.policies import load_policy
from lifecycle.kube_api.asking import field_selectors
from lifecycle.kube_api.asking.requests import Address
from lifecycle.kube_api.status import Refusal, forbidden

# Whoever may look may ask what they may do.
FOR_ALL = ("authentication.k8s.io", "authorization.k8s.io")


def decide_access(caller: Caller, asked: Attributes) -> Decision:
    """Whether a caller may do something."""
    is_path_read = asked.path is not None and asked.verb in ("get", "head")
    is_for_all = is_path_read or (asked.group in FOR_ALL and asked.verb == "create")
    if not is_for_all and not caller.may(asked.verb):
        return Decision(False)
    if not caller.is_restricted:
        return Decision(True)
    return load_policy(caller.cluster, asked.namespace).decide(caller.info, asked)


def require_allowed(caller: Caller, asked: Attributes) -> None:
    """Raise Refusal (403) where a caller may not do something."""
    decision = decide_access(caller, asked)
    if not decision.is_allowed:
        raise refuse(caller, asked, decision.reason)


def refuse(caller: Caller, asked: Attributes, reason: str = "") -> Refusal:
    """The answer to what a caller may not do."""
    details = {"name": asked.name} if asked.name else {}
    details |= {"group": asked.group} if asked.group else {}
    details |= {"kind": asked.resource} if asked.resource else {}
    return forbidden(tell_forbidden(caller.info, asked, reason), details)


def read_attributes(address: Address, verb: str, options: Mapping[str, str]) -> Attributes:
    """What a request for a resource is as rules see it (request/requestinfo.go)."""
    namespace, name = address.namespace or "", address.name
    if address.resource == "namespaces" and not address.group and address.namespace is None:
        # A namespace lies in itself.
        namespace = name
    if not name and verb in ("list", "watch", "deletecollection"):
        name = field_selectors.find_name(options.get("fieldSelector", ""))
    return Attributes(verb, address.group, address.resource, address.subresource, namespace, name)
