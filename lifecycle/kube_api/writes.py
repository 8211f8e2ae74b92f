"""Changes: each is a command in the cluster's inbox, and its answer what the engine says."""

from typing import Any

from lifecycle.kube_api.status import Refusal
from lifecycle.models import Cluster
from lifecycle.runs import inbox

Json = dict[str, Any]
WAIT_SECONDS = 30.0


def carry_out(cluster: Cluster, user: Any, kind: str, payload: Json) -> Json:
    """The result of a command: `{code, object, status, warnings}`. Raises Refusal for what nobody takes."""
    try:
        command = inbox.append(cluster, kind, payload, user)
    except inbox.Refused as problem:
        raise Refusal(503, str(problem), "ServiceUnavailable", {}) from None
    result = inbox.wait_for_result(command, WAIT_SECONDS)
    if result is None:
        message = (
            f"the cluster {cluster.name} has not answered within {WAIT_SECONDS:g} seconds: the request was"
            " taken and will be carried out when its worker is back"
        )
        raise Refusal(504, message, "Timeout", {})
    return result
