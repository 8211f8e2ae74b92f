"""How a Job knows its pods: by a label with its uid, unless its author sees to that (JOB-SEL-01 to -04)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.job import CONTROLLER_UID, JOB_NAME

_LEGACY_NAME, _LEGACY_UID = "job-name", "controller-uid"


def complete_job_spec(spec: Mapping[str, Any], name: str, uid: str) -> dict[str, Any]:
    """The spec of a new Job with its selector, and its name and uid as labels of its template.

    What its author has set already stays, right or wrong: validation tells. With `manualSelector` all is its
    author's.
    """
    found = dict(spec)
    if found.get("manualSelector") or found.get("template") is None:
        return found
    template = dict(found.get("template") or {})
    metadata = dict(template.get("metadata") or {})
    own = {JOB_NAME: name, _LEGACY_NAME: name, CONTROLLER_UID: uid, _LEGACY_UID: uid}
    metadata["labels"] = {**own, **(metadata.get("labels") or {})}
    selector = dict(found.get("selector") or {})
    selector["matchLabels"] = {CONTROLLER_UID: uid, **(selector.get("matchLabels") or {})}
    return {**found, "selector": selector, "template": {**template, "metadata": metadata}}
