"""What stands in the columns of resources that nothing in the engine prints, by their names in upper case."""

from collections.abc import Callable, Mapping
from typing import Any

from lifecycle.engine.rules.columns.ages import UNKNOWN_AGE as UNKNOWN
from lifecycle.engine.rules.columns.ages import Ages, human_duration
from lifecycle.engine.rules.columns.storage import decide_class_columns
from lifecycle.engine.rules.columns.workloads import NONE, UNSET, labels_text, selector_text

Json = Mapping[str, Any]
Cells = dict[str, Any]
_MOST_HOSTS = 3
_ROLE, _OLD_ROLE = "node-role.kubernetes.io/", "kubernetes.io/role"


def _spec(data: Json) -> Json:
    return data.get("spec") or {}


def _node(data: Json, ages: Ages) -> Cells:
    status, labels = data.get("status") or {}, (data.get("metadata") or {}).get("labels") or {}
    ready = next((one for one in status.get("conditions") or () if one.get("type") == "Ready"), None)
    text = "Unknown" if ready is None else "Ready" if ready.get("status") == "True" else "NotReady"
    roles = {name.removeprefix(_ROLE) for name in labels if name.startswith(_ROLE) and name != _ROLE}
    roles |= {labels[_OLD_ROLE]} if labels.get(_OLD_ROLE) else set()
    info = status.get("nodeInfo") or {}
    addresses = {one.get("type"): one.get("address") for one in reversed(status.get("addresses") or ())}
    return {
        "STATUS": f"{text},SchedulingDisabled" if _spec(data).get("unschedulable") else text,
        "ROLES": ",".join(sorted(roles)) or NONE,
        "VERSION": info.get("kubeletVersion") or "",
        "INTERNAL-IP": addresses.get("InternalIP") or NONE,
        "EXTERNAL-IP": addresses.get("ExternalIP") or NONE,
        "OS-IMAGE": info.get("osImage") or UNKNOWN,
        "KERNEL-VERSION": info.get("kernelVersion") or UNKNOWN,
        "CONTAINER-RUNTIME": info.get("containerRuntimeVersion") or UNKNOWN,
    }


def _storage_class(data: Json, ages: Ages) -> Cells:
    shown = decide_class_columns(data)
    return {**shown, "ALLOWVOLUMEEXPANSION": bool(data.get("allowVolumeExpansion"))}


def _ingress(data: Json, ages: Ages) -> Cells:
    spec = _spec(data)
    rules = spec.get("rules") or []
    hosts = [(place, rule["host"]) for place, rule in enumerate(rules, 1) if rule.get("host")][:_MOST_HOSTS]
    text = ",".join(host for _, host in hosts) or "*"
    # Of the rest all rules count, with a host or without.
    if len(hosts) == _MOST_HOSTS and len(rules) > hosts[-1][0]:
        text += f" + {len(rules) - _MOST_HOSTS} more..."
    given = ((data.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ()
    addresses = sorted({str(one.get("ip") or one.get("hostname") or "") for one in given} - {""})
    name = spec.get("ingressClassName")
    return {
        "CLASS": NONE if name is None else name,
        "HOSTS": text,
        "ADDRESS": ",".join(addresses),
        "PORTS": "80, 443" if spec.get("tls") else "80",
    }


def _ingress_class(data: Json, ages: Ages) -> Cells:
    given = _spec(data).get("parameters")
    text = NONE
    if given:
        group = given.get("apiGroup")
        text = f"{given.get('kind', '')}{'' if group is None else f'.{group}'}/{given.get('name', '')}"
    return {"CONTROLLER": _spec(data).get("controller", ""), "PARAMETERS": text}


def _binding(data: Json, ages: Ages) -> Cells:
    role, subjects = data.get("roleRef") or {}, data.get("subjects") or ()
    named: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for one in subjects:
        kind, name = one.get("kind", ""), one.get("name", "")
        space = one.get("namespace", "")
        if kind in named:
            named[kind].append(f"{space}/{name}" if kind == "ServiceAccount" and space else name)
    return {
        "ROLE": f"{role.get('kind', '')}/{role.get('name', '')}",
        "USERS": ", ".join(named["User"]),
        "GROUPS": ", ".join(named["Group"]),
        "SERVICEACCOUNTS": ", ".join(named["ServiceAccount"]),
    }


def _pod_template(data: Json, ages: Ages) -> Cells:
    template = data.get("template") or {}
    containers = _spec(template).get("containers") or ()
    labels = (template.get("metadata") or {}).get("labels")
    return {
        "CONTAINERS": ",".join(one.get("name", "") for one in containers),
        "IMAGES": ",".join(one.get("image", "") for one in containers),
        "POD LABELS": labels_text(labels) or NONE,
    }


def _secret(data: Json, ages: Ages) -> Cells:
    return {"TYPE": data.get("type", ""), "DATA": len(data.get("data") or ())}


def _config_map(data: Json, ages: Ages) -> Cells:
    return {"DATA": len(data.get("data") or ()) + len(data.get("binaryData") or ())}


def _controller_revision(data: Json, ages: Ages) -> Cells:
    owners = (data.get("metadata") or {}).get("ownerReferences") or ()
    owner = next((one for one in owners if one.get("controller")), None)
    text = NONE
    if owner is not None:
        group = str(owner.get("apiVersion", "")).rpartition("/")[0]
        kind = f"{owner.get('kind', '')}{f'.{group}' if group else ''}".lower()
        text = f"{kind}/{owner.get('name', '')}"
    return {"CONTROLLER": text, "REVISION": data.get("revision") or 0}


def _quota(data: Json, ages: Ages) -> Cells:
    status = data.get("status") or {}
    hard, used = status.get("hard") or {}, status.get("used") or {}
    texts: dict[bool, list[str]] = {False: [], True: []}
    for name in sorted(hard):
        texts[name.startswith("limits.")].append(f"{name}: {used.get(name, '0')}/{hard[name]}")
    return {"REQUEST": ", ".join(texts[False]), "LIMIT": ", ".join(texts[True])}


def _network_policy(data: Json, ages: Ages) -> Cells:
    return {"POD-SELECTOR": selector_text(_spec(data).get("podSelector") or {}) or NONE}


def _priority_class(data: Json, ages: Ages) -> Cells:
    return {
        "VALUE": data.get("value") or 0,
        "GLOBAL-DEFAULT": bool(data.get("globalDefault")),
        "PREEMPTIONPOLICY": data.get("preemptionPolicy") or "",
    }


def _driver(data: Json, ages: Ages) -> Cells:
    spec = _spec(data)
    requests = spec.get("tokenRequests")
    attached = spec.get("attachRequired")
    return {
        "ATTACHREQUIRED": True if attached is None else attached,
        "PODINFOONMOUNT": bool(spec.get("podInfoOnMount")),
        "STORAGECAPACITY": bool(spec.get("storageCapacity")),
        "TOKENREQUESTS": UNSET if requests is None else ",".join(one.get("audience", "") for one in requests),
        "REQUIRESREPUBLISH": bool(spec.get("requiresRepublish")),
        "MODES": ",".join(spec.get("volumeLifecycleModes") or ()) or NONE,
    }


def _attachment(data: Json, ages: Ages) -> Cells:
    spec = _spec(data)
    return {
        "ATTACHER": spec.get("attacher", ""),
        "PV": (spec.get("source") or {}).get("persistentVolumeName") or "",
        "NODE": spec.get("nodeName", ""),
        "ATTACHED": bool((data.get("status") or {}).get("attached")),
    }


def _signing_request(data: Json, ages: Ages) -> Cells:
    spec, status = _spec(data), data.get("status") or {}
    types = {one.get("type") for one in status.get("conditions") or ()}
    text = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    text += ",Failed" * ("Failed" in types) + ",Issued" * bool(status.get("certificate"))
    seconds = spec.get("expirationSeconds")
    return {
        "SIGNERNAME": spec.get("signerName") or NONE,
        "REQUESTOR": spec.get("username", ""),
        "REQUESTEDDURATION": NONE if seconds is None else human_duration(seconds * 1000),
        "CONDITION": text,
    }


def _webhooks(data: Json, ages: Ages) -> Cells:
    return {"WEBHOOKS": len(data.get("webhooks") or ())}


def _policy(data: Json, ages: Ages) -> Cells:
    kind = _spec(data).get("paramKind")
    text = UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"
    return {"VALIDATIONS": len(_spec(data).get("validations") or ()), "PARAMKIND": text}


def _policy_binding(data: Json, ages: Ages) -> Cells:
    spec, text = _spec(data), UNSET
    given = spec.get("paramRef")
    if given and given.get("name"):
        text = f"{given.get('namespace') or '*'}/{given['name']}"
    return {"POLICYNAME": spec.get("policyName", ""), "PARAMREF": text}


def _api_service(data: Json, ages: Ages) -> Cells:
    given = _spec(data).get("service")
    text = "Local" if not given else f"{given.get('namespace', '')}/{given.get('name', '')}"
    conditions = (data.get("status") or {}).get("conditions") or ()
    found = next((one for one in conditions if one.get("type") == "Available"), None)
    status = "Unknown" if found is None else found.get("status", "")
    if found is not None and status != "True" and found.get("reason"):
        status = f"{status} ({found['reason']})"
    return {"SERVICE": text, "AVAILABLE": status}


def _address(data: Json, ages: Ages) -> Cells:
    given = _spec(data).get("parentRef")
    if not given:
        return {"PARENTREF": NONE}
    group = given.get("group")
    resource = f"{given.get('resource', '')}{f'.{group}' if group else ''}".lower()
    parts = [resource, given.get("namespace"), given.get("name")]
    return {"PARENTREF": "/".join(part for part in parts if part)}


def _component(data: Json, ages: Ages) -> Cells:
    found = next((one for one in data.get("conditions") or () if one.get("type") == "Healthy"), None)
    if found is None:
        return {"STATUS": "Unknown", "MESSAGE": "", "ERROR": ""}
    status = "Healthy" if found.get("status") == "True" else "Unhealthy"
    return {"STATUS": status, "MESSAGE": found.get("message", ""), "ERROR": found.get("error", "")}


def _event(data: Json, ages: Ages) -> Cells:
    """An Event of the core group."""
    about, source = data.get("involvedObject") or {}, data.get("source") or {}
    first = ages.age_of(data.get("firstTimestamp") or data.get("eventTime")) or UNKNOWN
    last = ages.age_of(data["lastTimestamp"]) if data.get("lastTimestamp") else first
    count, series = data.get("count") or 1, data.get("series")
    if series:
        last, count = ages.age_of(series.get("lastObservedTime")) or UNKNOWN, series.get("count") or 0
    kind, name = str(about.get("kind") or "").lower(), about.get("name")
    teller = source.get("component") or data.get("reportingComponent") or ""
    place = source.get("host") or data.get("reportingInstance") or ""
    return {
        "LAST SEEN": last,
        "TYPE": data.get("type") or "",
        "REASON": data.get("reason") or "",
        "OBJECT": f"{kind}/{name}" if name else kind,
        "SUBOBJECT": about.get("fieldPath") or "",
        "SOURCE": f"{teller}, {place}" if place else teller,
        "MESSAGE": str(data.get("message") or "").strip(),
        "FIRST SEEN": first,
        "COUNT": count,
    }


def _flow_schema(data: Json, ages: Ages) -> Cells:
    spec, conditions = _spec(data), (data.get("status") or {}).get("conditions") or ()
    return {
        "PRIORITYLEVEL": (spec.get("priorityLevelConfiguration") or {}).get("name") or "",
        "MATCHINGPRECEDENCE": spec.get("matchingPrecedence") or 0,
        "DISTINGUISHERMETHOD": (spec.get("distinguisherMethod") or {}).get("type") or NONE,
        "MISSINGPL": next((one.get("status") for one in conditions if one.get("type") == "Dangling"), "?"),
    }


def _priority_level(data: Json, ages: Ages) -> Cells:
    spec = _spec(data)
    limited = spec.get("limited") or {}
    queues = (limited.get("limitResponse") or {}).get("queuing") or {}
    shares = (limited or spec.get("exempt") or {}).get("nominalConcurrencyShares")
    return {
        "TYPE": spec.get("type") or "",
        "NOMINALCONCURRENCYSHARES": NONE if shares is None else shares,
        "QUEUES": queues.get("queues", NONE),
        "HANDSIZE": queues.get("handSize", NONE),
        "QUEUELENGTHLIMIT": queues.get("queueLengthLimit", NONE),
    }


def _claim(data: Json, ages: Ages) -> Cells:
    status, is_going = data.get("status") or {}, bool((data.get("metadata") or {}).get("deletionTimestamp"))
    states = ["deleted"] if is_going else []
    if status.get("allocation"):
        states += ["allocated", *(["reserved"] if status.get("reservedFor") else [])]
    elif not is_going:
        states.append("pending")
    return {"STATE": ",".join(states)}


Make = Callable[[Json, Ages], Cells]
CELLS: dict[tuple[str, str], Make] = {
    ("autoscaling", "scales"): lambda data, ages: {
        "DESIRED": _spec(data).get("replicas") or 0,
        "AVAILABLE": (data.get("status") or {}).get("replicas") or 0,
    },
    ("flowcontrol.apiserver.k8s.io", "flowschemas"): _flow_schema,
    ("flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations"): _priority_level,
    ("resource.k8s.io", "resourceclaims"): _claim,
    ("resource.k8s.io", "resourceslices"): lambda data, ages: {
        "NODE": _spec(data).get("nodeName") or "",
        "DRIVER": _spec(data).get("driver") or "",
        "POOL": (_spec(data).get("pool") or {}).get("name") or "",
    },
    ("networking.k8s.io", "ingresses"): _ingress,
    ("networking.k8s.io", "ingressclasses"): _ingress_class,
    ("networking.k8s.io", "networkpolicies"): _network_policy,
    ("networking.k8s.io", "ipaddresses"): _address,
    ("networking.k8s.io", "servicecidrs"): lambda data, ages: {
        "CIDRS": ",".join(_spec(data).get("cidrs") or ())
    },
    ("rbac.authorization.k8s.io", "rolebindings"): _binding,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _binding,
    ("", "nodes"): _node,
    ("", "namespaces"): lambda data, ages: {"STATUS": (data.get("status") or {}).get("phase") or ""},
    ("storage.k8s.io", "storageclasses"): _storage_class,
    ("", "podtemplates"): _pod_template,
    ("", "secrets"): _secret,
    ("", "configmaps"): _config_map,
    ("", "resourcequotas"): _quota,
    ("", "componentstatuses"): _component,
    ("", "events"): _event,
    ("apps", "controllerrevisions"): _controller_revision,
    ("scheduling.k8s.io", "priorityclasses"): _priority_class,
    ("node.k8s.io", "runtimeclasses"): lambda data, ages: {"HANDLER": data.get("handler", "")},
    ("storage.k8s.io", "csidrivers"): _driver,
    ("storage.k8s.io", "csinodes"): lambda data, ages: {"DRIVERS": len(_spec(data).get("drivers") or ())},
    ("storage.k8s.io", "volumeattachments"): _attachment,
    ("storage.k8s.io", "volumeattributesclasses"): lambda data, ages: {
        "DRIVERNAME": data.get("driverName", "")
    },
    ("coordination.k8s.io", "leases"): lambda data, ages: {"HOLDER": _spec(data).get("holderIdentity") or ""},
    ("certificates.k8s.io", "certificatesigningrequests"): _signing_request,
    ("admissionregistration.k8s.io", "mutatingwebhookconfigurations"): _webhooks,
    ("admissionregistration.k8s.io", "validatingwebhookconfigurations"): _webhooks,
    ("admissionregistration.k8s.io", "validatingadmissionpolicies"): _policy,
    ("admissionregistration.k8s.io", "validatingadmissionpolicybindings"): _policy_binding,
    ("apiregistration.k8s.io", "apiservices"): _api_service,
}
