"""Facts of a release are what its API server answers, without texts."""

from __future__ import annotations

from tests.kube_api.facts.make_facts import METRICS, PLAIN, TABLE, Json, make_facts

POD = {"name": "pods", "kind": "Pod", "verbs": ["get", "list"]}
STATUS = {"name": "pods/status", "kind": "Pod", "verbs": ["get", "patch"]}
REVIEW = {"name": "tokenreviews", "kind": "TokenReview", "verbs": ["create"]}
COLUMN = {"name": "Name", "type": "string", "format": "name", "priority": 0}
ANSWERS: dict[tuple[str, str], Json] = {
    ("/apis", PLAIN): {
        "groups": [
            {"versions": [{"groupVersion": "x.io/v1"}, {"groupVersion": "x.io/v2"}]},
            {"versions": [{"groupVersion": METRICS}]},
        ]
    },
    ("/api/v1", PLAIN): {"resources": [POD, STATUS]},
    ("/apis/x.io/v1", PLAIN): {"resources": [REVIEW]},
    ("/apis/x.io/v2", PLAIN): {"resources": []},
    (f"/apis/{METRICS}", PLAIN): {"resources": [POD]},
    ("/api/v1/pods", TABLE): {"columnDefinitions": [{**COLUMN, "description": "What it is called."}]},
    ("/openapi/v2", PLAIN): {
        "definitions": {
            "x.Box": {
                "description": "A box.",
                "properties": {"description": {"type": "string", "description": "What is in it."}},
            }
        }
    },
}


def test_facts_are_what_a_server_answers_without_texts() -> None:
    assert make_facts(lambda path, accept: ANSWERS[path, accept]) == {
        "resources": {"v1": [POD, STATUS], "x.io/v1": [REVIEW], "x.io/v2": [], METRICS: [POD]},
        # Nobody lists a review, nor a part of a pod; metrics are printed by a server of their own.
        "columns": {"v1/pods": [COLUMN]},
        "definitions": {"x.Box": {"properties": {"description": {"type": "string"}}}},
    }
