"""What a rule of `restartPolicyRules` may say: one condition, `exitCodes`, and one action."""

import pytest

from lifecycle.engine.heart.settings import FEATURE_DEFAULTS
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.kinds.validation import validate_create
from lifecycle.input.problems import ManifestError
from tests.texts import read_manifests

POD = """
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec:
  containers:
  - {{name: app, image: "nginx:1", restartPolicy: Never, restartPolicyRules: [{rule}]}}
"""
CODES = "exitCodes: {operator: In, values: [42]}"
PLACE = "spec.containers[0].restartPolicyRules[0]"


def refuse(rule: str) -> list[str]:
    """What is wrong with a rule, by its structure or by its values."""
    try:
        (document,) = read_manifests(POD.format(rule=rule))
    except ManifestError as error:
        return [str(problem) for problem in error.problems]
    data = apply_defaults(document.data, FEATURE_DEFAULTS)
    return [str(error) for error in validate_create(data, FEATURE_DEFAULTS)]


@pytest.mark.spec("CRULE-04")
@pytest.mark.parametrize(
    "rule, said",
    [
        pytest.param(f"{{action: Restart, {CODES}}}", None, id="an action on exit codes"),
        pytest.param(f"{{{CODES}}}", f'{PLACE}.action: Unsupported value: ""', id="no action"),
        pytest.param("{action: Restart}", f"{PLACE}.exitCodes: Required value", id="no condition"),
        pytest.param(f"{{action: [Restart], {CODES}}}", f"{PLACE}.action: must be text", id="two actions"),
        pytest.param(
            f"{{action: Stop, {CODES}}}", f'{PLACE}.action: Unsupported value: "Stop"', id="another"
        ),
        pytest.param(
            f"{{action: Restart, {CODES}, signals: [9]}}",
            f'{PLACE}.signals: unknown field "signals"',
            id="another condition",
        ),
    ],
)
def test_a_rule_is_an_action_on_exit_codes(rule: str, said: str | None) -> None:
    problems = refuse(rule)
    if said is None:
        assert problems == []
    else:
        assert len(problems) == 1 and said in problems[0], problems
