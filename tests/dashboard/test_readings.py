"""What pages say of stored objects is what the engine's rules say of them."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.readings import rollout_words
from lifecycle.engine.controllers.deployment.decide.rollout_status import decide_rollout_status
from tests.engine.controllers.test_progress import make


@pytest.mark.parametrize(
    "status, spec, words",
    [
        ({"updatedReplicas": 2}, {}, "2 out of 3 new replicas have been updated"),
        ({"updatedReplicas": 2}, {"paused": True}, "paused, 2 out of 3 new replicas have been updated"),
        ({"updatedReplicas": 3, "replicas": 4}, {}, "1 old replicas are pending termination"),
        ({"updatedReplicas": 3, "replicas": 3, "availableReplicas": 3}, {}, "successfully rolled out"),
    ],
)
def test_pages_say_what_kubectl_says_without_the_name(
    status: dict[str, Any], spec: dict[str, Any], words: str
):
    deployment = make(status, **spec)
    assert rollout_words(deployment.to_json()) == words
    assert words.removeprefix("paused, ") in decide_rollout_status(deployment).text
