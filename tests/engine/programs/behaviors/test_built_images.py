"""What build files say of images: the table is well-formed, and each of its columns is acted on."""

from __future__ import annotations

import re
from typing import Any

import pytest

from lifecycle.engine.programs import Identity
from lifecycle.engine.programs.images.built import BuiltImage, has_shell, list_lines, read_built, read_row
from lifecycle.engine.programs.images.files import is_missing
from lifecycle.engine.programs.images.folders import find_working_folder
from lifecycle.engine.programs.images.known import KNOWN_IMAGES
from lifecycle.engine.programs.images.sources import find_image, find_user
from tests.engine.programs.worlds import FakeWorld, behavior_of, pod_spec, probe, run_until, start

ROWS = read_built()
PATH = re.compile(r"(/[\w.@-]+)+|/")
SOURCE = re.compile(r"[\w.-]+/[\w.-]+ [\w./,-]+(@[\w-]+)?")


NO_PASSWORD = "[ERROR] [Entrypoint]: Database is uninitialized and password option is not specified"


def list_faults(row: BuiltImage) -> list[str]:
    """What is wrong with a row."""
    checks = {
        "a source": SOURCE.fullmatch(row.source),
        "names": row.names and all(find_image(name) is not None for name in row.names),
        "a user": row.user is None or 0 <= row.user < 100_000,
        "a working folder": PATH.fullmatch(row.folder),
        "volumes": all(map(PATH.fullmatch, row.volumes)),
        "ports": all(0 < port < 65_536 for port in row.ports) and list(row.ports) == sorted(set(row.ports)),
        "a stop signal": row.stop_signal is None or re.fullmatch(r"SIG[A-Z0-9]+", row.stop_signal),
        "a complaint where something is needed": bool(row.needs_env) == bool(row.complaint),
    }
    return [f"{row.names[0]}: {what}" for what, is_right in checks.items() if not is_right]


def test_each_row_is_complete() -> None:
    assert [fault for row in ROWS for fault in list_faults(row)] == []


def test_each_name_has_one_row() -> None:
    names = [name for row in ROWS for name in row.names]
    assert len(names) == len(set(names)) >= 150
    assert all(KNOWN_IMAGES[name].built is not None for name in names)


@pytest.mark.parametrize(
    "line, expected",
    [
        pytest.param(
            "a/b | | o/r Dockerfile | 70 web | /srv | 80 443 | SIGQUIT | none | /data | /web --on",
            BuiltImage(
                ("a/b",), "o/r Dockerfile", 70, "web", "/srv", (80, 443), "SIGQUIT", False, ("/data",),
                ("/web", "--on"),
            ),
            id="all that a build file says",
        ),
        pytest.param("a b | | o/r Dockerfile", BuiltImage(("a", "b"), "o/r Dockerfile"), id="a new row"),
        pytest.param(
            "a | | o/r Dockerfile | ? | ?", BuiltImage(("a",), "o/r Dockerfile", None), id="not known"
        ),
        pytest.param(
            "a | | o/r Dockerfile | web", BuiltImage(("a",), "o/r Dockerfile", 1000, "web"), id="a name alone"
        ),
        pytest.param(
            "a | KEY KEY_FILE = no key: stop | o/r Dockerfile",
            BuiltImage(("a",), "o/r Dockerfile", needs_env=("KEY", "KEY_FILE"), complaint="no key: stop"),
            id="what it needs",
        ),
    ],
)  # fmt: skip
def test_a_row_is_read(line: str, expected: BuiltImage) -> None:
    assert read_row(line) == expected


def test_comments_and_blank_lines_are_no_rows() -> None:
    assert list(list_lines("# a | b\n\nc | | d/e f\n")) == ["c | | d/e f"]


@pytest.mark.parametrize(
    "image, user",
    [
        ("quay.io/prometheus/node-exporter:v1.9.1", (65_534, "nobody")),
        ("prom/alertmanager:v0.28.0", (65_534, "nobody")),
        ("grafana/tempo:2.8.0", (10_001, "")),
        ("oliver006/redis_exporter:v1.7", (59_000, "")),
        ("registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.0", (65_532, "")),
        ("registry.k8s.io/sig-storage/csi-attacher:v4.9.0", (0, "")),
        ("phpmyadmin:5", (0, "")),
        ("mirror.gcr.io/library/odoo:18", (1000, "odoo")),
    ],
)
def test_user_is_that_of_the_build_file(image: str, user: tuple[int, str]) -> None:
    assert find_user(image) == user


@pytest.mark.parametrize(
    "container, port, result",
    [
        pytest.param({"image": "hashicorp/http-echo:1.0"}, 5678, "success", id="its port"),
        pytest.param({"image": "hashicorp/http-echo:1.0"}, 80, "failure", id="another port"),
        pytest.param({"image": "ollama/ollama"}, 80, "failure", id="another port of another"),
        pytest.param({"image": "hashicorp/http-echo:1.0", "args": ["-listen=:80"]}, 80, "success", id="told"),
        pytest.param(
            {"image": "ollama/ollama", "env": [{"name": "OLLAMA_HOST", "value": ":80"}]}, 80, "success",
            id="told by a variable",
        ),
        pytest.param({"image": "ghcr.io/dexidp/dex:v2"}, 5556, "success", id="one that names no port"),
        pytest.param({"image": "kubernetesui/dashboard-api:1.12"}, 9000, "success", id="not known"),
    ],
)  # fmt: skip
def test_image_that_nobody_configures_listens_where_its_build_file_says(
    container: dict[str, Any], port: int, result: str
) -> None:
    process, world = start(pod_spec(container)), FakeWorld()
    run_until(process, world, 60_000)
    assert process.probe("readiness", probe("tcp", port=port), 60_000, world).result == result


@pytest.mark.parametrize(
    "image, signal",
    [
        ("phpmyadmin:5", "SIGWINCH"),
        ("adminer:5", "SIGINT"),
        ("kong:3.9", "SIGQUIT"),
        ("drupal:11", "SIGWINCH"),
        ("neo4j:5", None),
    ],
)
def test_image_is_stopped_by_its_own_signal(image: str, signal: str | None) -> None:
    assert start(pod_spec({"image": image})).behavior.stop_signal == signal


@pytest.mark.parametrize(
    "image, env, said",
    [
        ("postgres:17", {}, "Error: Database is uninitialized and superuser password is not specified."),
        ("mysql:8", {}, NO_PASSWORD),
        ("mariadb:11", {"MARIADB_USER": "a"}, NO_PASSWORD),
        ("postgres:17", {"POSTGRES_PASSWORD": "a"}, None),
        ("mysql:8", {"MYSQL_ROOT_PASSWORD_FILE": "/a"}, None),
    ],
)  # fmt: skip
def test_image_ends_with_its_complaint_where_it_lacks_a_variable(
    image: str, env: dict[str, str], said: str | None
) -> None:
    entries = [{"name": name, "value": value} for name, value in env.items()]
    process = start(pod_spec({"image": image, "env": entries}))
    run_until(process, FakeWorld(), 60_000)
    assert (process.exit is not None and process.exit.code == 1) is (said is not None)
    assert [line for _, line in process.take_output()] == ([said] if said else [])


@pytest.mark.parametrize(
    "image, command, expected",
    [
        ("quay.io/argoproj/workflow-controller:v3.7.0", "sh", True),
        ("quay.io/argoproj/workflow-controller:v3.7.0", "/bin/bash", True),
        ("quay.io/argoproj/workflow-controller:v3.7.0", "cat", True),
        ("quay.io/argoproj/workflow-controller:v3.7.0", "/bin/workflow-controller", False),
        ("grafana/loki:2.9.13", "sh", False),
        ("nats:2.12", "sh", True),
        ("nats:2.12-alpine", "sh", False),
        ("fluent/fluent-bit:4.0.1", "/bin/sh", True),
        ("fluent/fluent-bit:4.0.1-debug", "/bin/sh", False),
        ("quay.io/prometheus/node-exporter:v1.9.1", "sh", False),
        ("goharbor/harbor-core:v2.13.0", "sh", False),
    ],
)
def test_image_without_a_shell_has_none(image: str, command: str, expected: bool) -> None:
    assert is_missing(image, command) is expected


def test_a_word_of_the_tag_tells_of_a_shell() -> None:
    bare = BuiltImage(("a",), "o/r Dockerfile", has_shell=False)
    tags = ("1.0", "1.0-debug", "alpine3.20", "1.0-alpine", "busybox", "1-bookworm")
    assert [tag for tag in tags if has_shell(bare, tag)] == [
        "1.0-debug",
        "1.0-alpine",
        "busybox",
        "1-bookworm",
    ]


@pytest.mark.parametrize(
    "image, folder",
    [
        ("couchdb:3", "/"),
        ("ghost:6", "/var/lib/ghost"),
        ("phpmyadmin:5", "/var/www/html"),
        ("prom/pushgateway:v1.11", "/pushgateway"),
        ("goharbor/harbor-portal:v2.13.0", "/"),
    ],
)
def test_processes_start_in_the_folder_of_the_build_file(image: str, folder: str) -> None:
    assert find_working_folder({"image": image}) == folder


@pytest.mark.parametrize(
    "script, code",
    [
        pytest.param("touch /x", 1, id="the root"),
        pytest.param("mkdir /etc/x", 1, id="etc"),
        pytest.param("echo a > /usr/share/x", 2, id="usr"),
        pytest.param("echo a > /var/lib/x", 2, id="var"),
        pytest.param("touch /tmp/x; echo b > /tmp/x", 0, id="tmp"),
        pytest.param("touch /data/x", 0, id="its volume"),
        pytest.param("touch x", 0, id="its working folder"),
        pytest.param("echo a > /opt/app/conf/x", 0, id="a folder that may be there"),
        pytest.param("echo a > /dev/termination-log", 0, id="its last words"),
    ],
)
@pytest.mark.parametrize("image, user, root_may", [("redis:7", 999, False), ("redis:7", 0, True)])
def test_files_of_a_built_image_have_owners(
    image: str, user: int, root_may: bool, script: str, code: int
) -> None:
    world = FakeWorld(identity=Identity(user))
    process = start(pod_spec({"image": image, "command": ["sh", "-ec", script]}), world)
    run_until(process, world, 60_000)
    assert process.exit is not None and process.exit.code == (0 if root_may else code)


@pytest.mark.parametrize("script", ["touch /x", "mkdir /etc/x", "echo a > /usr/share/x"])
def test_nothing_is_known_of_the_owners_in_an_unknown_image(script: str) -> None:
    world = FakeWorld(identity=Identity(999))
    process = start(pod_spec({"image": "ghcr.io/acme/a:1", "command": ["sh", "-ec", script]}), world)
    run_until(process, world, 60_000)
    assert process.exit is not None and process.exit.code == 0


@pytest.mark.parametrize("labels, ends", [({"job-name": "a"}, True), ({}, False)], ids=["a job's", "another"])
def test_program_of_which_the_build_file_alone_is_known_ends_in_a_job(
    labels: dict[str, str], ends: bool
) -> None:
    spec = pod_spec({"image": "registry.k8s.io/ingress-nginx/kube-webhook-certgen:v1.6.0"})
    behavior = behavior_of(spec, None, **labels)
    assert (behavior.runs[0].for_ is not None, behavior.is_assumed) == (ends, not ends)
