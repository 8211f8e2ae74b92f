"""What v1.35's API server says of an object that it cannot read.

The texts of the fields marked so stand in recordings; the others follow its JSON reader.
"""

from __future__ import annotations

from typing import Any

import pytest

from lifecycle.engine.schema.go_errors import find_decode_error

CANNOT = "json: cannot unmarshal"
FIELD = "into Go struct field"


def pod(**spec: Any) -> dict[str, Any]:
    container = {"name": "app", "image": "x", **spec.pop("container", {})}
    meta = {"name": "p", **spec.pop("metadata", {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container], **spec}}


@pytest.mark.parametrize(
    "data, said",
    [
        pytest.param(pod(), "", id="sound"),
        pytest.param(
            pod(terminationGracePeriodSeconds="soon"),
            f"{CANNOT} string {FIELD} PodSpec.spec.terminationGracePeriodSeconds of type int64",
            id="recorded: a text for a number",
        ),
        pytest.param(
            pod(restartPolice="Never", container={"imagePull": "Always"}),
            'strict decoding error: unknown field "spec.containers[0].imagePull",'
            ' unknown field "spec.restartPolice"',
            id="recorded: unknown fields",
        ),
        pytest.param(
            pod(activeDeadlineSeconds=1.5),
            f"{CANNOT} number 1.5 {FIELD} PodSpec.spec.activeDeadlineSeconds of type int64",
            id="a fraction",
        ),
        pytest.param(
            pod(container={"env": [{"name": "A", "value": 1}]}),
            f"{CANNOT} number {FIELD} EnvVar.spec.containers.env.value of type string",
            id="within lists",
        ),
        pytest.param(
            pod(metadata={"labels": {"a": True}}),
            f"{CANNOT} bool {FIELD} ObjectMeta.metadata.labels of type string",
            id="of a map",
        ),
        pytest.param(
            pod(metadata={"uid": 5}),
            f"{CANNOT} number {FIELD} ObjectMeta.metadata.uid of type types.UID",
            id="a text of another package's type",
        ),
        pytest.param(
            pod(container={"imagePullPolicy": 1}),
            f"{CANNOT} number {FIELD} Container.spec.containers.imagePullPolicy of type v1.PullPolicy",
            id="a text of its package's type",
        ),
        pytest.param(
            pod(container={"ports": {}}),
            f"{CANNOT} object {FIELD} Container.spec.containers.ports of type []v1.ContainerPort",
            id="a list of structs",
        ),
        pytest.param(
            {**pod(), "spec": "hello"}, f"{CANNOT} string {FIELD} Pod.spec of type v1.PodSpec", id="a struct"
        ),
        pytest.param(
            pod(restartPolicy=3),
            f"{CANNOT} number {FIELD} PodSpec.spec.restartPolicy of type v1.RestartPolicy",
            id="a text with a type of its own",
        ),
        pytest.param(
            pod(container={"resources": {"requests": {"cpu": "much"}}}),
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
            id="a quantity",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_as_a_go_program_does(data: dict[str, Any], said: str):
    assert find_decode_error(data) == said
