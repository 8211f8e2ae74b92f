"""The resources that are served: what the registry of kinds says, and what only a surface knows of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from lifecycle.engine.kinds.registry import list_entries
from lifecycle.engine.objects.kinds import kind_id

ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
ON_PART = ("get", "patch", "update")


@dataclass(frozen=True, slots=True)
class Part:
    """A subresource: its verbs, and the kind it speaks (that of its object when left out)."""

    verbs: tuple[str, ...] = ON_PART
    kind: str = ""
    group: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource of one group version. `name` is its plural; `kind_id` names its kind in the engine."""

    group: str
    version: str
    name: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ALL_VERBS
    parts: Mapping[str, Part] = field(default_factory=dict)
    singular: str = ""
    list_kind: str = ""
    custom: bool = False
    storage_version: str = ""
    """The apiVersion that is stored, where it is not this one."""

    @property
    def api_version(self) -> str:
        """`apps/v1`, or `v1` of the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As messages name it: `deployments.apps`, `pods`."""
        return f"{self.name}.{self.group}" if self.group else self.name

    @property
    def kind_id(self) -> str:
        """The id of its kind, as the engine and the tables name it."""
        return kind_id(self.stored_group, self.kind)

    @property
    def stored_group(self) -> str:
        """The group under which its objects are stored."""
        return (self.storage_version or self.api_version).rpartition("/")[0]

    @property
    def kind_of_list(self) -> str:
        """The kind of a list of them."""
        return self.list_kind or f"{self.kind}List"


_CREATE = Part(("create",))
_STATUS = Part()
_SCALE = Part(kind="Scale", group="autoscaling", version="v1")
_STREAM = ("create", "get")
_PROXY = ("create", "delete", "get", "patch", "update")
_PARTS: dict[str, dict[str, Part]] = {
    "namespaces": {"finalize": Part(("update",)), "status": _STATUS},
    "nodes": {"proxy": Part(_PROXY, "NodeProxyOptions"), "status": _STATUS},
    "pods": {
        "attach": Part(_STREAM, "PodAttachOptions"),
        "binding": Part(("create",), "Binding"),
        "ephemeralcontainers": Part(),
        "eviction": Part(("create",), "Eviction", "policy", "v1"),
        "exec": Part(_STREAM, "PodExecOptions"),
        "log": Part(("get",)),
        "portforward": Part(_STREAM, "PodPortForwardOptions"),
        "proxy": Part(_PROXY, "PodProxyOptions"),
        "resize": Part(),
        "status": _STATUS,
    },
    "serviceaccounts": {"token": Part(("create",), "TokenRequest", "authentication.k8s.io", "v1")},
    "services": {"proxy": Part(_PROXY, "ServiceProxyOptions"), "status": _STATUS},
    "certificatesigningrequests": {"approval": Part(), "status": _STATUS},
    **{
        name: {"scale": _SCALE, "status": _STATUS}
        for name in ("deployments", "replicasets", "replicationcontrollers", "statefulsets")
    },
    **{
        name: {"status": _STATUS}
        for name in (
            "apiservices",
            "cronjobs",
            "customresourcedefinitions",
            "daemonsets",
            "horizontalpodautoscalers",
            "ingresses",
            "jobs",
            "persistentvolumeclaims",
            "persistentvolumes",
            "poddisruptionbudgets",
            "resourcequotas",
            "servicecidrs",
            "validatingadmissionpolicies",
            "volumeattachments",
        )
    },
}
_IN_ALL = frozenset(
    "pods replicationcontrollers services daemonsets deployments replicasets statefulsets cronjobs jobs"
    " horizontalpodautoscalers".split()
)
_CATEGORIES = {
    **dict.fromkeys(_IN_ALL, ("all",)),
    "customresourcedefinitions": ("api-extensions",),
    **dict.fromkeys(
        (
            "apiservices",
            "mutatingwebhookconfigurations",
            "validatingadmissionpolicies",
            "validatingadmissionpolicybindings",
            "validatingwebhookconfigurations",
        ),
        ("api-extensions",),
    ),
}
# Never sent to an API server: a node reads it from a file.
_OF_FILES = {"KubeletConfiguration"}
# Answered at once and not stored, or only read.
_ON_DEMAND = (
    Resource("", "v1", "bindings", "Binding", True, verbs=("create",)),
    Resource("", "v1", "componentstatuses", "ComponentStatus", False, ("cs",), verbs=("get", "list")),
    *(
        Resource("authorization.k8s.io", "v1", f"{kind.lower()}s", kind, is_namespaced, verbs=("create",))
        for kind, is_namespaced in (
            ("LocalSubjectAccessReview", True),
            ("SelfSubjectAccessReview", False),
            ("SelfSubjectRulesReview", False),
            ("SubjectAccessReview", False),
        )
    ),
    *(
        Resource("authentication.k8s.io", "v1", f"{kind.lower()}s", kind, False, verbs=("create",))
        for kind in ("SelfSubjectReview", "TokenReview")
    ),
)
# Further versions in which a stored kind is served: (group, version) by plural.
_ALSO = {"horizontalpodautoscalers": ("autoscaling", "v1"), "events": ("events.k8s.io", "v1")}

Key = tuple[str, str, str]


@cache
def built_in() -> Mapping[Key, Resource]:
    """Resources of Kubernetes' own kinds by (group, version, plural)."""
    found = [*_ON_DEMAND]
    for entry in list_entries():
        kind = entry.kind
        if kind.name in _OF_FILES:
            continue
        version = kind.api_version.rpartition("/")[2]
        names = [(kind.group, version), *(_ALSO[one] for one in (kind.plural,) if one in _ALSO)]
        verbs = tuple(verb for verb in ALL_VERBS if (kind.plural, verb) != ("namespaces", "deletecollection"))
        found += [
            Resource(
                group,
                served,
                kind.plural,
                kind.name,
                kind.namespaced,
                kind.short_names,
                _CATEGORIES.get(kind.plural, ()),
                verbs,
                _PARTS.get(kind.plural, {}),
                kind.name.lower(),
                storage_version=kind.api_version,
            )
            for group, served in names
        ]
    return {(one.group, one.version, one.name): one for one in found}
