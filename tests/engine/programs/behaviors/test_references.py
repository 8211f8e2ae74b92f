"""`$(NAME)` in command and args: replaced from the environment the container starts with."""

from typing import Any

import pytest

from lifecycle.engine.programs.references import expand_references
from tests.engine.kubelet.world import World
from tests.engine.programs.worlds import FakeWorld, exec_probe, pod_spec, start

CONFIG = {"data": {"color": "red", "odd": "$(A)"}}
SECRET = {"stringData": {"word": "sesame"}}


def printed(world: World, args: list[str], **container: Any) -> list[str]:
    assert world.pod({"name": "app", "image": "busybox:1.36", "args": args, **container}).ok
    assert world.to(5).rows
    return [line for *_, line in world.logs]


def made(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    meta = {"name": "source", "namespace": "default"}
    return {"apiVersion": "v1", "kind": kind, "metadata": meta, **data}


FIELD = {"fieldRef": {"fieldPath": "spec.nodeName"}}
RESOURCE = {"resourceFieldRef": {"resource": "limits.cpu"}}
KEY = {"configMapKeyRef": {"name": "source", "key": "color"}}
WORD = {"secretKeyRef": {"name": "source", "key": "word"}}
NO_KEY = {"configMapKeyRef": {"name": "source", "key": "gone", "optional": True}}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("env", "expected"),
    [
        pytest.param([{"name": "X", "value": "plain"}], "plain", id="value"),
        pytest.param([{"name": "X", "valueFrom": FIELD}], "node-1", id="fieldRef"),
        pytest.param([{"name": "X", "valueFrom": RESOURCE}], "2", id="resourceFieldRef"),
        pytest.param([{"name": "X", "valueFrom": KEY}], "red", id="configMapKeyRef"),
        pytest.param([{"name": "X", "valueFrom": WORD}], "sesame", id="secretKeyRef"),
        pytest.param([{"name": "X", "valueFrom": NO_KEY}], "$(X)", id="optional and absent"),
        pytest.param([], "$(X)", id="nobody's"),
        pytest.param(
            [{"name": "A", "value": "1"}, {"name": "X", "value": "$(A)$(B)"}, {"name": "B", "value": "2"}],
            "1$(B)",
            id="only what stands before it",
        ),
        pytest.param([{"name": "X", "value": "$(CFG_color)"}], "red", id="envFrom before env"),
    ],
)
def test_a_variable_is_known_wherever_it_comes_from(env: list[Any], expected: str) -> None:
    world = World()
    assert world.create(made("ConfigMap", CONFIG)).ok and world.create(made("Secret", SECRET)).ok
    sources = [{"prefix": "CFG_", "configMapRef": {"name": "source"}}]
    limits = {"limits": {"cpu": "2"}}
    lines = printed(world, ["echo", "$(X)"], env=env, envFrom=sources, resources=limits)
    assert set(lines) == {expected}


def test_sources_and_services_are_known_with_their_prefix() -> None:
    world = World()
    assert world.create(made("ConfigMap", CONFIG)).ok and world.create(made("Secret", SECRET)).ok
    service = {"spec": {"clusterIP": "10.96.3.4", "ports": [{"port": 80}]}}
    assert world.create(made("Service", service)).ok
    sources = [
        {"prefix": "CFG_", "configMapRef": {"name": "source"}},
        {"secretRef": {"name": "source"}},
    ]
    words = "$(CFG_color) $(CFG_odd) $(color) $(word) $(SOURCE_SERVICE_HOST) $(PATH) $(HOSTNAME)"
    assert set(printed(world, ["echo", words], envFrom=sources)) == {
        # What a value holds is not looked through, and what is the image's own is nobody's.
        "red $(A) $(color) sesame 10.96.3.4 $(PATH) $(HOSTNAME)"
    }


def test_a_shell_sees_the_value_and_not_a_command() -> None:
    world = World()
    env = [{"name": "WHERE", "valueFrom": FIELD}]
    assert printed(world, ["sh", "-c", 'echo "on $(WHERE)"; sleep 60'], env=env) == ["on node-1"]
    assert not world.events("UninterpretedBehavior")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$(A)", "1"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$1"),
        ("$$$$", "$$"),
        ("$A $x", "$A $x"),
        ("$(echo $(A))", "$(echo $(A))"),
        ("$((1+2))", "$((1+2))"),
        ("$(A", "$(A"),
        ("a$", "a$"),
        ("$()", "$()"),
    ],
)
def test_expansion_follows_the_rules_of_kubernetes(text: str, expected: str) -> None:
    assert expand_references(text, {"A": "1"}) == expected


def test_a_check_sees_only_texts_of_the_manifest() -> None:
    """The kubelet puts the fields `value` of `env` into an exec probe's command as they are."""
    env = [
        {"name": "A", "value": "a"},
        {"name": "B", "value": "$(A)b"},
        {"name": "NODE", "valueFrom": FIELD},
    ]
    world = FakeWorld(given_env={"NODE": "node-1", "OTHER": "other"})
    process = start(pod_spec({"command": ["sleep", "60"], "env": env}), world)
    check = exec_probe("echo", "-n", "$(A)", "$(B)", "[$(NODE)]", "$(OTHER)")
    assert process.probe("liveness", check, 0, world).message == "a $(A)b [] $(OTHER)"
