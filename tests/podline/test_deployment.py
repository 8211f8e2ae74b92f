"""What runs Podline for a team: the images, compose.yaml and the Helm chart, without a container."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import Any

import pytest
import yaml
from django.core.management import get_commands

from lifecycle.version import VERSION
from podline import simulate
from podline.command import COMMANDS
from tests.podline.conftest import TOP

CHART = TOP / "deploy" / "chart" / "podline"
NEEDS = {"databaseUrl": "postgres://u:p@db/podline", "redisUrl": "redis://redis:6379/0"}
COMPOSE: dict[str, Any] = yaml.safe_load((TOP / "compose.yaml").read_text())["services"]
OURS = {name: one for name, one in COMPOSE.items() if one["image"] == "podline-server"}
RECIPE = (TOP / "Containerfile").read_text()
SETTINGS = (TOP / "dashboard" / "settings.py").read_text().partition('"""\n\n')[0]


def list_settings(names) -> set[str]:
    """Names of variables that no setting reads."""
    return {name for name in names if not re.search(rf"^\| {name} ", SETTINGS, re.MULTILINE)}


def check_command(entrypoint: list[str], arguments: list[str]) -> None:
    """Each command is one that there is."""
    words = [*entrypoint, *arguments]
    if words[0] == "podline":
        assert words[1] in COMMANDS
        assert words[1] != "manage" or words[2] in get_commands()
    else:
        # As in the wheel, everything stands below one package.
        module = next(word for word in words if word.startswith("podline.")).removeprefix("podline.")
        path = TOP / module.partition(":")[0].replace(".", "/")
        assert path.is_dir() or path.with_suffix(".py").exists(), module


def test_both_images_run_podline_without_root():
    stages = {}
    for stage in RECIPE.split("\nFROM ")[1:]:
        head, _, rest = stage.partition("\n")
        stages[head.split()[-1]] = (head.split()[0], rest)
    assert {"server", "command"} <= stages.keys()
    assert 'ENTRYPOINT ["podline"]' in stages["base"][1]
    for name in ("server", "command"):
        parent, text = stages[name]
        assert parent == "base"
        assert "USER 10001:10001" in text
    # The one that is built where none is named.
    assert list(stages)[-1] == "command"


def test_the_recipe_copies_what_there_is_and_nothing_else_gets_in():
    copied = [
        name
        for line in re.findall(r"^COPY (?!--from)(.*)$", RECIPE, re.MULTILINE)
        for name in line.split()[:-1]
    ]
    assert all((TOP / name).exists() for name in copied)
    allowed = {line[2:] for line in (TOP / ".containerignore").read_text().split() if line.startswith("!/")}
    assert allowed == {*copied}
    assert (TOP / ".dockerignore").read_text() == (TOP / ".containerignore").read_text()


@pytest.mark.parametrize("name", OURS)
def test_each_process_of_compose_has_no_root_and_runs_a_command_that_there_is(name):
    service = OURS[name]
    assert (service["read_only"], service["user"], service["cap_drop"]) == (True, "10001:10001", ["ALL"])
    check_command(service.get("entrypoint", ["podline"]), service.get("command", []))
    assert not list_settings({*service["environment"]})


def test_compose_has_all_that_serves_a_team():
    assert {*COMPOSE} == {*"database redis migrations engine1 engine2 checks1 ticker web".split()}
    names = [OURS[one]["command"] for one in ("engine1", "engine2")]
    assert names == [["-n", "engine1@podline"], ["-n", "engine2@podline"]]
    # Celery's own question is no use: workers take no remote control. The web server's answer counts them.
    for name in ("database", "redis", "web"):
        assert COMPOSE[name]["healthcheck"]["test"], name
    assert "/readyz" in str(COMPOSE["web"]["healthcheck"]["test"])
    # Nobody starts before the tables are there.
    for name in ("engine1", "engine2", "checks1", "ticker", "web"):
        assert OURS[name]["depends_on"]["migrations"] == {"condition": "service_completed_successfully"}


def test_the_chart_is_of_this_version():
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (VERSION, VERSION)


@pytest.fixture
def helm():
    found = shutil.which("helm") or pytest.skip("helm is not installed")

    def call(**values: Any) -> tuple[int, str]:
        words = [word for name, value in values.items() for word in ("--set", f"{name}={value}")]
        command = [found, "template", "shop", str(CHART), "--namespace", "team", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    return call


def list_pods(text: str) -> list[dict[str, Any]]:
    objects = [one for one in yaml.safe_load_all(text) if one]
    return [one["spec"]["template"]["spec"] for one in objects if "template" in one.get("spec", {})]


def test_no_process_of_the_chart_has_root_and_each_runs_a_command_that_there_is(helm):
    pods = list_pods(helm(**NEEDS)[1])
    assert len(pods) == 5
    for pod in pods:
        assert pod["securityContext"]["runAsNonRoot"] is True
        (container,) = pod["containers"]
        assert container["securityContext"]["readOnlyRootFilesystem"] is True
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
        check_command(container.get("command", ["podline"]), container.get("args", []))
        assert not list_settings(one["name"] for one in container["env"])


@pytest.mark.parametrize(
    "values, status, said",
    [
        pytest.param({}, 1, "say where PostgreSQL is, or name an existingSecret", id="no database"),
        pytest.param(
            NEEDS, 0, 'ALLOWED_HOSTS\n          value: "localhost,shop,shop.team,shop.team.svc"', id="hosts"
        ),
        pytest.param({"existingSecret": "mine"}, 0, "{name: mine, key: SECRET_KEY}", id="a Secret of theirs"),
        pytest.param(NEEDS | {"ingress.enabled": "true"}, 1, "under which name is it served?", id="no host"),
        pytest.param(
            NEEDS | {"ingress.enabled": "true", "ingress.host": "a.example"},
            0,
            'host: "a.example"',
            id="ingress",
        ),
        pytest.param(NEEDS | {"origin": "https://a.example"}, 0, "SECURE_COOKIES", id="behind TLS"),
        pytest.param(
            NEEDS | {"environment.MAX_PODS": "9"}, 0, 'MAX_PODS\n          value: "9"', id="variables"
        ),
    ],
)
def test_values_say_what_is_served_where(helm, values, status, said):
    code, text = helm(**values)
    assert (code, said in re.sub(r"\n +value", "\n          value", text)) == (status, True), text
    assert ("kind: Secret\n" in text) == (status == 0 and "existingSecret" not in values)


@pytest.mark.parametrize(
    "more", [{}, {"web.replicas": 1, "ingress.enabled": "true", "ingress.host": "a.example"}]
)
def test_all_of_the_chart_comes_up(helm, tmp_path, more):
    path = tmp_path / "chart.yaml"
    path.write_text(helm(**NEEDS, **more)[1])
    done = simulate(path, until="ready", namespace="team")
    assert done.ok, done.problems
    assert not [note for note in done.notes if note.startswith("missing") and "Ingress" not in note]
    assert done.cluster.get("job", "shop-migrations") is None
    assert "Successfully rolled out" in done.cluster.why("deployment/shop-web -n team")
