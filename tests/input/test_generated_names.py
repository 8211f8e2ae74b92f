"""Objects whose name the API server makes are held to the rules of names as if they had one already.

registry/rest/create.go BeforeCreate: the name is made of `generateName` and five letters, at most 63 in all,
before the kind's own rules look at it.
"""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_manifest
from tests.engine.api.desk import Desk, said

Json = dict[str, Any]
ENDS = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "busybox"}]}
LASTS = {"containers": [{"name": "c", "image": "nginx"}]}
LABELS = {"app": "web"}
SELECTED = {
    "selector": {"matchLabels": LABELS},
    "template": {"metadata": {"labels": LABELS}, "spec": LASTS},
}
INDEXED = {"completionMode": "Indexed", "completions": 2, "template": {"spec": ENDS}}
CRON = {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": {"spec": ENDS}}}}


def generated(kind: str, version: str, spec: Json, stem: str = "sample-") -> Json:
    metadata = {"generateName": stem, "namespace": "default"}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}


TAKEN = [
    pytest.param(generated("Job", "batch/v1", {"template": {"spec": ENDS}}), id="Job"),
    pytest.param(generated("Job", "batch/v1", INDEXED), id="Indexed Job"),
    pytest.param(
        generated("Job", "batch/v1", {**INDEXED, "completions": 10}, "x" * 56),
        id="Indexed Job of full length",
    ),
    pytest.param(generated("CronJob", "batch/v1", CRON, "x" * 47), id="CronJob of full length"),
    pytest.param(generated("StatefulSet", "apps/v1", SELECTED), id="StatefulSet"),
    pytest.param(generated("DaemonSet", "apps/v1", SELECTED), id="DaemonSet"),
    pytest.param(generated("Deployment", "apps/v1", SELECTED, "x" * 200), id="Deployment of a long stem"),
    pytest.param(generated("ReplicaSet", "apps/v1", SELECTED), id="ReplicaSet"),
    pytest.param(generated("Pod", "v1", LASTS), id="Pod"),
    pytest.param(generated("Service", "v1", {"ports": [{"port": 80}]}), id="Service"),
]


@pytest.mark.slow
@pytest.mark.parametrize("data", TAKEN)
def test_an_object_with_a_name_to_be_made_is_taken(data: Json) -> None:
    assert validate_manifest(apply_defaults(data)) == []
    assert Desk().create(data).ok


REFUSED = [
    pytest.param(
        generated("Job", "batch/v1", {**INDEXED, "completions": 10}, "x" * 58),
        "will not able to create pod with invalid DNS label",
        id="Indexed Job whose pods' names are too long",
    ),
    pytest.param(
        generated("CronJob", "batch/v1", CRON, "x" * 48),
        "must be no more than 52 characters",
        id="CronJob whose Jobs' names are too long",
    ),
    pytest.param(generated("Job", "batch/v1", INDEXED, "Bad_"), "metadata.generateName", id="a bad stem"),
]


@pytest.mark.parametrize("data, why", REFUSED)
def test_a_name_that_would_be_refused_is_refused_before_it_is_made(data: Json, why: str) -> None:
    assert any(why in str(error) for error in validate_manifest(apply_defaults(data)))
    assert why in said(Desk().create(data))
