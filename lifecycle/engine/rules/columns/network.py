"""What kubectl prints of Ingresses, policies and addresses of the network."""

from __future__ import annotations

from .column import AGE, NONE, Column, Row
from .workloads import selector_text

_MOST_HOSTS = 3
_IS_DEFAULT = "ingressclass.kubernetes.io/is-default-class"


def _hosts(row: Row) -> str:
    rules = row.spec.get("rules") or []
    hosts = [(place, rule["host"]) for place, rule in enumerate(rules, 1) if rule.get("host")][:_MOST_HOSTS]
    text = ",".join(host for _, host in hosts) or "*"
    # Of the rest all rules count, with a host or without.
    if len(hosts) == _MOST_HOSTS and len(rules) > hosts[-1][0]:
        text += f" + {len(rules) - _MOST_HOSTS} more..."
    return text


def _given_addresses(row: Row) -> str:
    given = (row.status.get("loadBalancer") or {}).get("ingress") or ()
    return ",".join(sorted({str(one.get("ip") or one.get("hostname") or "") for one in given} - {""}))


def _class(row: Row) -> str:
    name = row.spec.get("ingressClassName")
    return NONE if name is None else name


INGRESS_COLUMNS = (
    Column("Class", _class),
    Column("Hosts", _hosts),
    Column("Address", _given_addresses),
    Column("Ports", lambda row: "80, 443" if row.spec.get("tls") else "80"),
    AGE,
)


def _parameters(row: Row) -> str:
    given = row.spec.get("parameters")
    if not given:
        return NONE
    group = given.get("apiGroup")
    return f"{given.get('kind', '')}{'' if group is None else f'.{group}'}/{given.get('name', '')}"


def _ingress_class_name(row: Row) -> str:
    """With whether it is the default, since v1.36 (kubernetes/kubernetes#134422)."""
    is_default = (row.meta.get("annotations") or {}).get(_IS_DEFAULT) == "true"
    return f"{row.meta.get('name', '')}{' (default)' if is_default else ''}"


INGRESS_CLASS_COLUMNS = (
    Column("Controller", lambda row: row.spec.get("controller", "")),
    Column("Parameters", _parameters),
    AGE,
)
LATER_INGRESS_CLASS_COLUMNS = (Column("Name", _ingress_class_name, format="name"), *INGRESS_CLASS_COLUMNS)
NETWORK_POLICY_COLUMNS = (
    Column("Pod-Selector", lambda row: selector_text(row.spec.get("podSelector") or {}) or NONE),
    AGE,
)


def _parent(row: Row) -> str:
    given = row.spec.get("parentRef")
    if not given:
        return NONE
    group = given.get("group")
    resource = f"{given.get('resource', '')}{f'.{group}' if group else ''}".lower()
    parts = [resource, given.get("namespace"), given.get("name")]
    return "/".join(part for part in parts if part)


# The API server prints the age of an address, and has no heading for it.
ADDRESS_COLUMNS = (Column("ParentRef", _parent), Column("Age", AGE.fill, is_headed=False))
ADDRESS_RANGE_COLUMNS = (Column("CIDRs", lambda row: ",".join(row.spec.get("cidrs") or ())), AGE)
