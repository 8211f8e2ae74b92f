"""How a Job knows its pods: by a label with its uid, unless its author sees to that (JOB-SEL-01 to -04)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...objects.job import CONTROLLER_UID, JOB_NAME

_LEGACY_NAME, _LEGACY_UID = "job-name", "controller-uid"


def identify_job(data: Mapping[str, Any], uid: str) -> dict[str, Any]:
    """A new Job with its uid and what is made of that."""
    metadata = {**data["metadata"], "uid": uid}
    if data.get("spec") is None:
        return {**data, "metadata": metadata}
    spec = complete_job_spec(data["spec"], metadata.get("name") or "", uid)
    return {**data, "metadata": metadata, "spec": spec}


def name_labels(name: str, uid: str) -> dict[str, str]:
    """The labels by which the pods of a Job are known, the old ones without a prefix first (JOB-LABEL-01, -02)."""
    return {_LEGACY_UID: uid, _LEGACY_NAME: name, CONTROLLER_UID: uid, JOB_NAME: name}


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
    metadata["labels"] = {**name_labels(name, uid), **(metadata.get("labels") or {})}
    selector = dict(found.get("selector") or {})
    selector["matchLabels"] = {CONTROLLER_UID: uid, **(selector.get("matchLabels") or {})}
    return {**found, "selector": selector, "template": {**template, "metadata": metadata}}
