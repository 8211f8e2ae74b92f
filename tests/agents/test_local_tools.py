"""`podline mcp`: every tool by the SDK's own client over standard input and output; hostile arguments."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from lifecycle.agents.telling import MOST_LETTERS, MOST_LINES, bound
from lifecycle.agents.tools import TOOLS, call
from podline.mcp.desk import LocalDesk
from tests.agents.test_kubectl_words import CRASHING, WEB
from tests.podline.conftest import TOP, clean_environment


@pytest.fixture
def desk():
    made = LocalDesk()
    call(made, "create_cluster", {"name": "shop", "manifests": WEB})
    return made


@pytest.mark.slow
async def test_the_sdks_client_makes_a_cluster_and_asks_of_it_over_stdio():
    from mcp import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    server = StdioServerParameters(
        command=sys.executable, args=["-m", "podline", "mcp"], cwd=TOP, env=clean_environment()
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        assert (await session.initialize()).server_info.name == "podline"
        tools = {one.name: one for one in (await session.list_tools()).tools}
        assert tools.keys() == TOOLS.keys()
        hints = {name: one.annotations for name, one in tools.items()}
        assert {name for name, one in hints.items() if one.read_only_hint} == {
            "list_clusters", "look", "verdict", "why", "try_change", "compare"
        }  # fmt: skip
        assert {name for name, one in hints.items() if one.destructive_hint} == {
            "apply", "change", "undo", "delete_cluster"
        }  # fmt: skip
        made = await session.call_tool("create_cluster", {"name": "shop", "manifests": WEB})
        assert not made.is_error
        assert "Deployment default/web: Successfully rolled out." in made.content[0].text
        refused = await session.call_tool("look", {"cluster": "nosuch", "command": "get pods"})
        assert (refused.is_error, refused.content[0].text) == (
            True,
            "there is no cluster 'nosuch'; there are shop",
        )


def test_a_change_is_tried_made_looked_into_and_undone(desk):
    told = call(desk, "try_change", {"cluster": "shop", "command": "set image deployment/web app=nginx:1.28"})
    assert told.startswith("deployment.apps/web image updated\nTried in a copy that is gone now")
    assert "nginx:1.27" in call(desk, "look", {"cluster": "shop", "command": "get deploy web -o yaml"})
    tried = call(desk, "try_change", {"cluster": "shop", "manifests": CRASHING, "span": "5m"})
    assert "Pod default/crasher is crashing (Error)" in tried
    call(desk, "apply", {"cluster": "shop", "manifests": CRASHING})
    ran = call(desk, "run_until", {"cluster": "shop", "until": "pod/crasher gone", "limit": "3m"})
    assert "not reached: pod/crasher gone" in ran
    why = call(desk, "why", {"cluster": "shop", "object": "pod/crasher"})
    assert "exit code 3" in why
    assert "What led to what happened last:" in why
    assert call(desk, "undo", {"cluster": "shop"}) == "Undone: apply -f -. It is 00:00:05 again."
    with pytest.raises(LookupError, match="there is no pod/crasher"):
        call(desk, "why", {"cluster": "shop", "object": "pod/crasher"})


def test_what_was_made_before_a_refusal_is_undone_alone(desk):
    call(desk, "change", {"cluster": "shop", "command": "scale deployment/web --replicas=3"})
    made = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: made}\n"
    spec = "{serviceAccountName: nobody, containers: [{name: a, image: b}]}"
    refused = f"apiVersion: v1\nkind: Pod\nmetadata: {{name: refused}}\nspec: {spec}\n"
    with pytest.raises(ValueError, match="nobody"):
        call(desk, "apply", {"cluster": "shop", "manifests": f"{made}---\n{refused}"})
    assert call(desk, "undo", {"cluster": "shop"}).startswith("Undone: apply -f -.")
    left = call(desk, "look", {"cluster": "shop", "command": "get deployment,configmap"})
    assert "2/3" in left and "made" not in left


@pytest.mark.slow
def test_forks_are_compared_and_a_cluster_is_checked(desk):
    call(desk, "fork", {"cluster": "shop", "name": "shop-2"})
    call(desk, "change", {"cluster": "shop-2", "command": "scale deployment/web --replicas=5"})
    call(desk, "run_until", {"cluster": "shop-2"})
    compared = call(desk, "compare", {"cluster": "shop", "other": "shop-2"})
    assert compared.splitlines()[:2] == ["shop | shop-2", "Deployment default/web spec.replicas: 2 | 5"]
    checked = call(desk, "check", {"cluster": "shop", "ordeals": ["rollout-crashing"]})
    assert checked.startswith("1 ordeals tried, ")
    assert "Deployment/default/web rollout-keeps-its-budget in rollout-crashing" in checked
    assert call(desk, "list_clusters", {}).splitlines()[1].startswith("shop-2: ")


HOSTILE: list[tuple[str, Any]] = [
    ("nosuch", {}),
    ("look", None),
    ("look", []),
    ("look", {"cluster": "shop"}),
    ("look", {"cluster": 5, "command": "get pods"}),
    ("look", {"cluster": "shop", "command": "get pods", "more": 1}),
    ("look", {"cluster": "shop", "command": "delete pod a"}),
    ("look", {"cluster": "shop", "command": "get pods\0"}),
    ("look", {"cluster": "\ud800", "command": "get pods"}),
    ("look", {"cluster": "shop", "command": "get pods", "offset": -1}),
    ("look", {"cluster": "shop", "command": "get pods", "offset": True}),
    ("change", {"cluster": "shop", "command": "get pods"}),
    ("apply", {"cluster": "shop", "manifests": "[" * 100_000}),
    ("apply", {"cluster": "shop", "manifests": "a: &a [*a]"}),
    ("apply", {"cluster": "shop", "manifests": "x" * (3 * 1024 * 1024)}),
    ("apply", {"cluster": "shop", "manifests": "kind: Scenario\napiVersion: podline.dev/v1alpha1"}),
    ("try_change", {"cluster": "shop"}),
    ("try_change", {"cluster": "shop", "command": "scale deploy/web --replicas=1", "span": "soon"}),
    ("try_change", {"cluster": "shop", "command": "scale deploy/web --replicas=1", "span": "9999999h"}),
    ("run_until", {"cluster": "shop", "until": "whenever"}),
    ("run_until", {"cluster": "shop", "until": "deployment/web Available && rm"}),
    ("run_until", {"cluster": "shop", "until": "²h"}),
    ("why", {"cluster": "shop", "object": "web"}),
    ("fork", {"cluster": "shop", "name": "../shop"}),
    ("fork", {"cluster": "shop", "name": "shop"}),
    ("check", {"cluster": "shop", "ordeals": ["nosuch"]}),
    ("check", {"cluster": "shop", "ordeals": [5]}),
    ("check", {"cluster": "shop", "seeds": 10**9}),
    ("create_cluster", {"name": "²"}),
    ("create_cluster", {"name": "a", "nodes": 10**9}),
    ("create_cluster", {"name": "a", "kubernetes": "v9"}),
    ("undo", {"cluster": "shop"}),
    ("delete_cluster", {"cluster": "shop/../.."}),
]


def test_hostile_arguments_are_refused_in_words_and_nothing_is_lost(desk):
    wrong = []
    for name, arguments in HOSTILE:
        try:
            wrong.append((name, arguments, call(desk, name, arguments)))
        except (ValueError, LookupError) as problem:
            if not str(problem).strip() or "Traceback" in str(problem):
                wrong.append((name, arguments, problem))
    assert not wrong
    assert call(desk, "list_clusters", {}).startswith("shop: ")


def test_a_long_answer_is_read_in_parts_and_says_so():
    lines = [f"line {number}" for number in range(1000)]
    first = bound("\n".join(lines)).splitlines()
    assert first[:MOST_LINES] == lines[:MOST_LINES]
    assert first[MOST_LINES].startswith("(600 more lines were left out: ask again with offset 400")
    rest = bound("\n".join(lines), 700).splitlines()
    assert (rest[0], rest[1], rest[-1]) == ("(700 lines before these were left out)", "line 700", "line 999")
    assert len(bound("x" * 10**6)) < MOST_LETTERS
    assert bound("a", 50) == "(1 lines before these were left out)"
