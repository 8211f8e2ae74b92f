"""What kubectl prints of who may do what, and of what the API server asks before it takes an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .ages import human_duration
from .column import AGE, NONE, UNSET, Column, Fill, Row, count_of, wide

# --- roles ------------------------------------------------------------------------------------------------


def _role(row: Row) -> str:
    role = row.data.get("roleRef") or {}
    return f"{role.get('kind', '')}/{role.get('name', '')}"


def _subjects(kind: str) -> Fill:
    """The names of the subjects of a kind; of a ServiceAccount with its namespace."""

    def fill(row: Row) -> str:
        found = [one for one in row.data.get("subjects") or () if one.get("kind") == kind]
        return ", ".join(_name_subject(one, is_account=kind == "ServiceAccount") for one in found)

    return fill


def _name_subject(subject: Mapping[str, Any], is_account: bool) -> str:
    space, name = subject.get("namespace", ""), subject.get("name", "")
    return f"{space}/{name}" if is_account and space else name


BINDING_COLUMNS = (
    Column("Role", _role),
    AGE,
    wide("Users", _subjects("User")),
    wide("Groups", _subjects("Group")),
    wide("ServiceAccounts", _subjects("ServiceAccount")),
)


def _request_state(row: Row) -> str:
    types = {one.get("type") for one in row.status.get("conditions") or ()}
    text = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    return text + ",Failed" * ("Failed" in types) + ",Issued" * bool(row.status.get("certificate"))


def _requested_duration(row: Row) -> str:
    seconds = row.spec.get("expirationSeconds")
    return NONE if seconds is None else human_duration(seconds * 1000)


SIGNING_REQUEST_COLUMNS = (
    AGE,
    Column("SignerName", lambda row: row.spec.get("signerName") or NONE),
    Column("Requestor", lambda row: row.spec.get("username", "")),
    Column("RequestedDuration", _requested_duration),
    Column("Condition", _request_state),
)

# --- limits -----------------------------------------------------------------------------------------------


def _amounts(of_limits: bool) -> Fill:
    """What is used of each amount of a quota, of limits or of all others."""

    def fill(row: Row) -> str:
        hard, used = row.status.get("hard") or {}, row.status.get("used") or {}
        names = [name for name in sorted(hard) if name.startswith("limits.") == of_limits]
        return ", ".join(f"{name}: {used.get(name, '0')}/{hard[name]}" for name in names)

    return fill


QUOTA_COLUMNS = (
    Column("Request", _amounts(of_limits=False)),
    Column("Limit", _amounts(of_limits=True)),
    AGE,
)
PRIORITY_CLASS_COLUMNS = (
    Column("Value", lambda row: count_of(row.data, "value"), "integer"),
    Column("Global-Default", lambda row: bool(row.data.get("globalDefault")), "boolean"),
    AGE,
    Column("PreemptionPolicy", lambda row: row.data.get("preemptionPolicy") or ""),
)
RUNTIME_CLASS_COLUMNS = (Column("Handler", lambda row: row.data.get("handler", "")), AGE)


def _dangling(row: Row) -> str:
    conditions = row.status.get("conditions") or ()
    return next((one.get("status") for one in conditions if one.get("type") == "Dangling"), "?")


def _name_of(part: str, field: str, missing: str) -> Fill:
    return lambda row: (row.spec.get(part) or {}).get(field) or missing


FLOW_SCHEMA_COLUMNS = (
    Column("PriorityLevel", _name_of("priorityLevelConfiguration", "name", "")),
    Column("MatchingPrecedence", lambda row: count_of(row.spec, "matchingPrecedence")),
    Column("DistinguisherMethod", _name_of("distinguisherMethod", "type", NONE)),
    AGE,
    Column("MissingPL", _dangling),
)


def _shares(row: Row) -> Any:
    shares = (row.spec.get("limited") or row.spec.get("exempt") or {}).get("nominalConcurrencyShares")
    return NONE if shares is None else shares


def _of_queues(name: str) -> Fill:
    def fill(row: Row) -> Any:
        response = (row.spec.get("limited") or {}).get("limitResponse") or {}
        return (response.get("queuing") or {}).get(name, NONE)

    return fill


PRIORITY_LEVEL_COLUMNS = (
    Column("Type", lambda row: row.spec.get("type") or ""),
    Column("NominalConcurrencyShares", _shares),
    Column("Queues", _of_queues("queues")),
    Column("HandSize", _of_queues("handSize")),
    Column("QueueLengthLimit", _of_queues("queueLengthLimit")),
    AGE,
)

# --- admission and aggregation ----------------------------------------------------------------------------


def _parameter_kind(row: Row) -> str:
    kind = row.spec.get("paramKind")
    return UNSET if kind is None else f"{kind.get('apiVersion', '')}/{kind.get('kind', '')}"


def _parameters(row: Row) -> str:
    given = row.spec.get("paramRef") or {}
    return f"{given.get('namespace') or '*'}/{given['name']}" if given.get("name") else UNSET


WEBHOOK_COLUMNS = (Column("Webhooks", lambda row: len(row.data.get("webhooks") or ()), "integer"), AGE)
POLICY_COLUMNS = (
    Column("Validations", lambda row: len(row.spec.get("validations") or ()), "integer"),
    Column("ParamKind", _parameter_kind),
    AGE,
)
MUTATING_POLICY_COLUMNS = (
    Column("Mutations", lambda row: len(row.spec.get("mutations") or ()), "integer"),
    Column("ParamKind", _parameter_kind),
    AGE,
)
POLICY_BINDING_COLUMNS = (
    Column("PolicyName", lambda row: row.spec.get("policyName", "")),
    Column("ParamRef", _parameters),
    AGE,
)


def _service(row: Row) -> str:
    given = row.spec.get("service")
    return "Local" if not given else f"{given.get('namespace', '')}/{given.get('name', '')}"


def _is_available(row: Row) -> str:
    conditions = row.status.get("conditions") or ()
    found = next((one for one in conditions if one.get("type") == "Available"), None)
    if found is None:
        return "Unknown"
    status = str(found.get("status", ""))
    return f"{status} ({found['reason']})" if status != "True" and found.get("reason") else status


API_SERVICE_COLUMNS = (Column("Service", _service), Column("Available", _is_available), AGE)
