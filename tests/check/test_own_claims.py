"""What a Scenario beside the manifests expects always holds in every ordeal."""

from __future__ import annotations

import pytest

from lifecycle.check.checking import check
from lifecycle.check.ordeal_files import list_ordeals
from lifecycle.check.settled import settle
from lifecycle.input.manifests import read_documents
from lifecycle.simulation.plan import make_plan
from tests.check.conftest import WEB

pytestmark = pytest.mark.slow

DRAIN = [one for one in list_ordeals() if one.name == "drain-each"]


@pytest.mark.parametrize(
    "expect, is_found",
    [
        pytest.param('{always: "deployment/web -n shop .status.availableReplicas >= 2"}', True, id="broken"),
        pytest.param('{always: "deployment/web -n shop .status.availableReplicas >= 1"}', False, id="kept"),
        pytest.param(
            '{always: "deployment/web -n shop .status.availableReplicas >= 2", from: 1h}',
            False,
            id="instants",
        ),
        pytest.param('{eventually: "deployment/gone Available"}', False, id="of its own run"),
    ],
)
def test_an_expectation_is_a_claim_about_every_future(expect, is_found):
    scenario = (
        "\n---\napiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: own}\n"
        f"spec: {{expect: [{expect}]}}\n"
    )
    settled = settle(make_plan(read_documents(WEB + scenario, "web.yaml")))
    found = [one for one in check(settled, DRAIN, (1,)).findings if "availableReplicas" in one.claim]
    assert [(one.object, one.severity) for one in found] == (
        [("Deployment/shop/web", "serious")] if is_found else []
    )
