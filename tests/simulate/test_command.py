"""`manage.py simulate` as a shell meets it: streams, flags, exit statuses."""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from lifecycle.engine.releases.known import DEFAULT_RELEASE
from lifecycle.simulation.command_line import main
from lifecycle.simulation.stories import find_story
from tests.seeds import each_once
from tests.simulate.running import MANIFESTS

TOP = Path(__file__).parents[2]
NGINX = str(MANIFESTS / "nginx-deployment.yaml")


class Answer:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        self.lines = out.splitlines()


@pytest.fixture
def simulate(monkeypatch):
    """Call the command in this process, with streams of its own."""

    def call(*arguments, given=b""):
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), "utf-8"))
        monkeypatch.setattr(sys, "stderr", err)
        try:
            status = main([*map(str, arguments)])
        except SystemExit as error:
            status = error.code or 0
        out.flush()
        return Answer(status, out.buffer.getvalue().decode(), err.getvalue())

    return call


def test_the_version_is_that_of_the_project_and_of_kubernetes(simulate):
    # The one place that what we build, too, has its version from.
    source = tomllib.loads((TOP / "pyproject.toml").read_text())["tool"]["hatch"]["version"]
    (version,) = re.findall(source["pattern"], (TOP / source["path"]).read_text())
    answer = simulate("--version")
    said = f"podline {version} (Kubernetes {DEFAULT_RELEASE.version})\n"
    assert (answer.status, answer.out, answer.err) == (0, said, "")


def test_ndjson_ends_with_the_hash_of_what_was_written(simulate):
    answer = simulate(NGINX)
    *rows, end = [json.loads(line) for line in answer.lines]
    body = "".join(f"{line}\n" for line in answer.lines[:-1]).encode()
    assert answer.status == 0
    assert end == {
        "type": "end",
        "seq": len(rows) + 1,
        "at_ms": end["at_ms"],
        "why": "idle",
        "hash": f"sha256:{hashlib.sha256(body).hexdigest()}",
    }
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert list(rows[0]) == [
        "type",
        "seq",
        "at_ms",
        "kind",
        "namespace",
        "name",
        "uid",
        "owner",
        "field",
        "old",
        "new",
        "reason",
        "message",
        "cause",
        "detail",
        "group",
    ]


def test_standard_input_and_folders(simulate, tmp_path):
    given = Path(NGINX).read_bytes()
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "web.yml").write_bytes(given)
    (tmp_path / "notes.txt").write_text("not a manifest")
    assert simulate("-", given=given).out == simulate(tmp_path).out == simulate(NGINX).out


@pytest.mark.parametrize(
    "until, why, at_ms",
    [
        (["10m"], "until", 600_000),
        (["idle"], "idle", None),
        (["deployment/nginx-deployment Available"], "condition", None),
    ],
)
def test_until(simulate, until, why, at_ms):
    answer = simulate(NGINX, *(part for text in until for part in ("--until", text)))
    end = json.loads(answer.lines[-1])
    assert (answer.status, end["why"]) == (0, why)
    assert at_ms is None or end["at_ms"] == at_ms


def test_several_ends_must_hold_together(simulate):
    answer = simulate(NGINX, "--until", "2m", "--until", "deployment/nginx-deployment Available")
    assert json.loads(answer.lines[-1])["at_ms"] == 120_000


def test_an_end_that_is_not_reached_is_status_3_at_the_limit(simulate):
    answer = simulate(NGINX, "--until", "deployment/nginx-deployment .status.readyReplicas == 7")
    end = json.loads(answer.lines[-1])
    assert (answer.status, end["why"], end["at_ms"]) == (3, "limit", 24 * 60 * 60 * 1000)
    assert "not reached: deployment/nginx-deployment .status.readyReplicas == 7" in answer.err


FORBIDDEN = b"""
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      securityContext: {sysctls: [{name: net.core.somaxconn, value: "1024"}]}
      containers: [{name: web, image: nginx}]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "timing, until", each_once(["realistic", "instant"], ["idle", "deployment/web Available"])
)
def test_pods_that_are_rejected_without_end_do_not_keep_a_run_for_a_day(simulate, timing, until):
    answer = simulate("-", "--timing", timing, "--until", until, given=FORBIDDEN)
    assert (answer.status, json.loads(answer.lines[-1])["why"]) == (3, "limit")
    assert re.search(
        r"^ReplicaSet default/web-\w+: 1,000 of its pods were rejected and replaced, and nothing ends that"
        r' \(SysctlForbidden, forbidden sysctl: "net.core.somaxconn" not allowlisted\); the run ends here',
        answer.err,
        re.M,
    )
    assert f"not reached: {until}" in answer.err


@pytest.mark.slow
def test_pods_that_are_rejected_are_watched_for_as_long_as_was_asked(simulate):
    mended = "{steps: [{at: 25s, scale: {deployment: web, replicas: 0}}]}"
    answer = simulate("-", given=FORBIDDEN + scenario(mended))
    assert (answer.status, json.loads(answer.lines[-1])["why"]) == (0, "idle")
    assert "rejected" not in answer.err
    answer = simulate("-", "--until", "25s", given=FORBIDDEN)
    end = json.loads(answer.lines[-1])
    assert (answer.status, end["why"], end["at_ms"]) == (0, "until", 25_000)


def scenario(spec):
    head = "---\napiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: s}\n"
    return f"{head}spec: {spec}\n".encode()


def test_a_claim_that_fails_is_status_1_and_beats_3(simulate):
    claims = (
        '{expect: [{always: "deployment/nginx-deployment .status.replicas == 0"}], until: "pod/none exists"}'
    )
    answer = simulate("-", given=Path(NGINX).read_bytes() + scenario(claims))
    assert answer.status == 1
    assert 'always "deployment/nginx-deployment .status.replicas == 0" failed at ' in answer.err
    assert ": 3" in answer.err
    assert "not reached: pod/none exists" in answer.err


def test_a_step_that_is_refused_is_status_1(simulate):
    answer = simulate("-", given=scenario("{steps: [{at: 1s, scale: {deployment: web, replicas: 1}}]}"))
    assert answer.status == 1
    assert 'step 1, scale at 1s was refused: deployments.apps "web" not found' in answer.err


@pytest.mark.parametrize(
    "given, said",
    [
        pytest.param("a: b: c", "standard input, document 1, line 1: not valid YAML", id="malformed"),
        pytest.param(
            "{apiVersion: v1, kind: Pod, spec: {nodename: a}}",
            'Pod: spec.nodename: unknown field "nodename"; did you mean "nodeName"?',
            id="unknown field",
        ),
        pytest.param(
            "{apiVersion: v1, kind: Pod, spec: {priority: high}}",
            "Pod: spec.priority: must be a whole number",
            id="wrong type",
        ),
        pytest.param(
            "{apiVersion: v1, kind: Pod, metadata: {name: <script>},"
            " spec: {containers: [{name: a, image: b}]}}",
            'Pod <script>: metadata.name: Invalid value: "<script>": a lowercase RFC 1123 subdomain',
            id="markup",
        ),
        pytest.param(
            " " * (32 * 1024 * 1024 + 1), "33,554,433 bytes are more than the limit of 32 MiB", id="too large"
        ),
        pytest.param(
            "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
            + "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)),
            "aliases expand to more than 50,000 values",
            id="bomb",
        ),
    ],
)
def test_bad_input_is_status_2_and_nothing_is_run(simulate, given, said):
    answer = simulate("-", given=given.encode())
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err
    assert "Traceback" not in answer.err


@pytest.mark.parametrize(
    "change, said",
    [
        (
            ("      app: nginx\n  template", "      app: web\n  template"),
            "line 14: Deployment nginx-deployment: spec.template.metadata.labels: Invalid value: "
            '{"app":"nginx"}: `selector` does not match template `labels`',
        ),
        (
            ("  replicas: 3", "  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}"),
            "line 8: Deployment nginx-deployment: spec.strategy.rollingUpdate.maxUnavailable: "
            "Invalid value: 0: "
            "may not be 0 when `maxSurge` is 0",
        ),
    ],
)
def test_what_the_api_server_refuses_is_refused_before_the_run(simulate, change, said):
    answer = simulate("-", given=Path(NGINX).read_text().replace(*change).encode())
    assert (answer.status, answer.out) == (2, "")
    assert said in answer.err


@pytest.mark.parametrize(
    "arguments, said",
    [
        ([NGINX, "--until", "whenever"], '"whenever" is neither a duration'),
        ([NGINX, "--epoch", "noon"], "noon is no time"),
        ([NGINX, "--nodes", "0"], "0 is no number of nodes"),
        (["missing.yaml"], "missing.yaml: cannot be read: No such file or directory"),
    ],
)
def test_bad_flags_and_files_are_status_2(simulate, arguments, said):
    answer = simulate(*arguments)
    assert answer.status == 2
    assert said in answer.err


def test_missing_namespaces_are_made_and_said(simulate):
    answer = simulate(
        "-", "--until", "1s", given=b"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}"
    )
    assert answer.status == 0
    assert "Namespace shop is named but not given: it is created first" in answer.err
    made = [
        row
        for row in map(json.loads, answer.lines)
        if row.get("new") == "created" and row["kind"] == "Namespace"
    ]
    assert "shop" in [row["name"] for row in made]


def test_kinds_nothing_acts_on_are_said(simulate):
    answer = simulate(
        "-",
        given=b"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web},"
        b" spec: {podSelector: {}}}",
    )
    assert answer.err == "NetworkPolicy (1): stored, but nothing in the model acts on them\n"


def test_the_table_is_for_people(simulate):
    answer = simulate(NGINX, "--output", "table")
    assert "        0.000s  Deployment default/nginx-deployment  exists: - -> created" in answer.lines
    assert answer.lines[-1].endswith("end: idle")


def test_the_summary_names_what_is_missing_first(simulate):
    text = (MANIFESTS / "pod-configmap-volume.yaml").read_text().split("---\napiVersion")[0]
    answer = simulate("-", "--output", "summary", "--until", "1m", given=text.encode())
    assert answer.lines[1:3] == [
        "Missing",
        "  ConfigMap default/special-config, wanted by Pod dapi-test-pod (spec.volumes[0].configMap)",
    ]
    assert "Pod default/dapi-test-pod" in answer.lines


UNKNOWN = """
apiVersion: v1
kind: Pod
metadata: {name: own}
spec:
  containers:
  - {name: web, image: "shop.example/web:1"}
  - {name: agent, image: "shop.example/agent:2"}
  - {name: cache, image: "redis:7"}
---
apiVersion: v1
kind: Pod
metadata: {name: nowhere}
spec: {nodeSelector: {disk: none}, containers: [{name: web, image: "shop.example/never:1"}]}
"""
ASSUMED = (
    "assumed to start and answer: shop.example/agent:2, shop.example/web:1 (no profile);"
    " the other way: --unknown-images fail"
)


@pytest.mark.parametrize(("output", "channel"), [("summary", "lines"), ("table", "err"), ("ndjson", "err")])
def test_images_that_nobody_knows_are_named_in_one_line(simulate, output, channel):
    answer = simulate("-", "--output", output, "--until", "1m", given=UNKNOWN.encode())
    said = answer.lines if channel == "lines" else answer.err.splitlines()
    assert [line for line in said if "assumed to start" in line] == [ASSUMED]


COPIES = """
apiVersion: v1
kind: Pod
metadata: {name: copies}
spec:
  containers:
  - {name: own, image: "harbor.example/shop/node:20"}
  - {name: copy, image: "harbor.example/library/node:20"}
  - {name: official, image: "node:20", command: [sleep, infinity]}
---
apiVersion: v1
kind: Pod
metadata: {name: refused}
spec:
  securityContext: {runAsNonRoot: true}
  containers: [{name: cache, image: "harbor.example/hub/docker.io/redis:7"}]
"""
GUESSES = [
    "taken to be node, which ends at once: harbor.example/library/node:20",
    "taken to be redis, which runs as root: harbor.example/hub/docker.io/redis:7",
]


@pytest.mark.slow
@pytest.mark.parametrize(("output", "channel"), [("summary", "lines"), ("table", "err"), ("ndjson", "err")])
def test_what_images_are_taken_to_be_by_their_names_alone_is_told(simulate, output, channel):
    answer = simulate("-", "--output", output, "--until", "1m", given=COPIES.encode())
    said = answer.lines if channel == "lines" else answer.err.splitlines()
    assert [line for line in said if line.startswith("taken to be")] == GUESSES
    told = "assumed to start and answer: harbor.example/shop/node:20 (no profile)"
    assert f"{told}; the other way: --unknown-images fail" in said


WRITES = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: hello}
spec:
  selector: {matchLabels: {app: hello}}
  template:
    metadata: {labels: {app: hello}}
    spec:
      containers:
      - name: web
        image: nginx:1.27
        command: [sh, -c, "echo hello > /usr/share/nginx/html/index.html && nginx -g 'daemon off;'"]
        readinessProbe: {httpGet: {port: 80}}
---
apiVersion: v1
kind: Pod
metadata: {name: hook}
spec:
  containers:
  - name: web
    image: nginx:1.27
    readinessProbe: {httpGet: {port: 80}}
    lifecycle:
      postStart: {exec: {command: [sh, -c, "echo $HOSTNAME > /usr/share/nginx/html/index.html"]}}
---
apiVersion: v1
kind: Pod
metadata: {name: init}
spec:
  initContainers:
  - {name: page, image: "nginx:1.27", command: [sh, -ec, "cp /etc/nginx/nginx.conf /usr/share/nginx/html"]}
  - {name: own, image: "ghcr.io/acme/tool:1", command: [sh, -ec, "date > /opt/tool/run/stamp"]}
  containers:
  - name: web
    image: ghcr.io/acme/web:1
    command: [sh, -c, "echo ok > /app/logs/status && exec bin/web"]
    lifecycle: {postStart: {exec: {command: [sh, -c, "cp /etc/hosts /srv/www/hosts"]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: pauses}
spec:
  containers: [{name: a, image: "registry.k8s.io/pause:3.10"}, {name: b, image: "registry.k8s.io/pause:3.10"}]
"""


def test_pods_that_write_into_folders_of_their_images_come_up(simulate):
    answer = simulate("-", "--output", "table", "--until", "2m", given=WRITES.encode())
    assert "Deployment default/hello  availableReplicas: 0 -> 1" in answer.out
    for name in ("hook", "init", "pauses"):
        assert f"Pod default/{name}  condition.Ready: False -> True" in answer.out
    assert "BackOff" not in answer.out
    for folder in ("/opt/tool/run", "/app/logs", "/srv/www"):
        assert answer.out.count(f"nothing is known of the folder {folder}: taken to be there") == 1


def test_where_every_program_is_known_nothing_is_assumed(simulate):
    answer = simulate(NGINX, "--output", "table")
    assert "assumed" not in answer.err


def test_the_summary_has_a_line_for_each_workload_and_pod_that_is_well(simulate):
    answer = simulate(NGINX, "--output", "summary")
    assert answer.lines[0] == "1 workload: it is well"
    assert "Deployment default/nginx-deployment: Successfully rolled out" in answer.lines
    pods = [line for line in answer.lines if line.startswith("Pod default/nginx-deployment-")]
    assert len(pods) == 3 and all(": Running, ready 1/1, restarts 0; node node-" in line for line in pods)
    assert not any(line.startswith(" ") for line in answer.lines)


def test_the_summary_tells_first_and_whole_what_is_not_well(simulate):
    given = (
        Path(NGINX).read_bytes()
        + b"""
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {nodeSelector: {disk: none}, containers: [{name: c, image: nginx}]}
"""
    )
    answer = simulate("-", "--output", "summary", given=given)
    assert answer.lines[0] == "2 workloads: 1 is well; not: StatefulSet default/db"
    heads = [line.partition(":")[0] for line in answer.lines if line[:1].isupper() and "default/" in line]
    assert heads[:2] == ["StatefulSet default/db", "Deployment default/nginx-deployment"]
    assert "  replicas  wanted 1, replicas 1, updatedReplicas 1, availableReplicas 0" in answer.lines
    assert next(head for head in heads if head.startswith("Pod")) == "Pod default/db-0"


@pytest.mark.slow
def test_the_summary_counts_the_nodes_of_a_daemon_set(simulate):
    answer = simulate(find_story("sc-ds-06-taints"), "--output", "summary", "--until", "39s")
    (counts,) = (line for line in answer.lines if line.startswith("DaemonSet "))
    assert "desiredNumberScheduled 1" in counts
    assert "numberMisscheduled 1" in counts
    assert not any(line.startswith("  replicas ") for line in answer.lines)


def test_the_summary_says_which_nodes_a_daemon_set_is_not_for(simulate):
    text = """
        {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {
        selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {
        nodeSelector: {gpu: "yes"}, containers: [{name: c, image: nginx}]}}}}
    """
    answer = simulate("-", "--output", "summary", "--nodes", "5", given=text.encode())
    (line,) = (line for line in answer.lines if line.startswith("DaemonSet "))
    assert line.startswith("DaemonSet default/agent: No node is for it; ")
    named = ", ".join(f"node-{number} (node selector gpu=yes)" for number in (1, 2, 3))
    assert line.endswith(f"; not on {named} and 2 more")


def test_a_run_until_idle_says_that_it_does_not_wait_for_schedules(simulate):
    said = "  schedules are not waited for: see runs of CronJobs with --until 1h"
    assert said in simulate(find_story("cron-forbid"), "--output", "summary", "--until", "idle").lines
    assert said not in simulate(find_story("cron-forbid"), "--output", "summary", "--until", "2m").lines
    assert said not in simulate(NGINX, "--output", "summary").lines


def test_the_summary_says_when_a_cron_job_runs_next(simulate):
    answer = simulate(find_story("cron-forbid"), "--output", "summary")
    assert (
        "CronJob default/hello: 1 run active; next run due at 00:04:00, in 10s, and not begun before the"
        " active one has ended; runs * * * * *: next 2024-01-01T00:04:00Z, 1 missed"
    ) in answer.lines


@pytest.mark.spec("PROBE-09")
def test_the_summary_tells_what_exec_probes_cost_the_nodes(simulate):
    answer = simulate(find_story("sidecar-data-sync"), "--output", "summary")
    # Of the sidecar, started once its page was there, none is left; the app is checked every ten seconds.
    at = answer.lines.index("Node node-1")
    assert answer.lines[at + 1] == "  checks    6 exec probes a minute, about 1m of CPU"


def test_logs_are_written_by_container_run(simulate, tmp_path):
    simulate(find_story("crash-loop"), "--until", "1m", "--logs", tmp_path)
    (first,) = tmp_path.glob("default/crasher-*/app-0.log")
    assert [line.partition(" ")[2] for line in first.read_text().splitlines()] == [
        "starting",
        "no configuration",
    ]


def test_flags_beat_the_scenario(simulate):
    pod = b"{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: nginx}]}}\n"
    given = pod + scenario("{timing: instant, nodes: {count: 1}, until: 5s}")
    assert json.loads(simulate("-", given=given).lines[-1])["at_ms"] == 5000
    answer = simulate("-", "--until", "7s", "--nodes", "2", given=given)
    assert json.loads(answer.lines[-1])["at_ms"] == 7000
    assert {row["name"] for row in map(json.loads, answer.lines) if row.get("kind") == "Node"} >= {
        "node-1",
        "node-2",
    }


def test_a_folder_is_run_without_what_is_no_manifest(simulate, tmp_path):
    (tmp_path / "web.yaml").write_bytes(Path(NGINX).read_bytes())
    (tmp_path / "kustomization.yaml").write_text("resources: [web.yaml]")
    (tmp_path / "package.json").write_text("{}")
    answer = simulate(tmp_path, "--until", "deployment/nginx-deployment Available", "--output", "summary")
    skipped, advice = answer.err.splitlines()
    assert answer.status == 0
    assert skipped.startswith("skipped, no manifests: ")
    assert f"{tmp_path}/package.json (without apiVersion and kind)" in skipped
    assert advice.endswith(f"run `kubectl kustomize {tmp_path}` and give the result")


def test_objects_without_a_namespace_go_where_the_flag_says(simulate):
    until = ("--until", "deployment/nginx-deployment Available")
    answer = simulate(NGINX, "-n", "shop", *until, "--output", "summary")
    assert (answer.status, answer.err) == (
        0,
        "Namespace shop is named but not given: it is created first\n",
    )
    assert "Deployment shop/nginx-deployment: Successfully rolled out" in answer.lines
    other = simulate(
        "-", "--namespace=bank", given=b"{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: b}}"
    )
    assert (other.status, other.err) == (0, "Namespace b is named but not given: it is created first\n")
    assert simulate(NGINX, "--namespace", "No").status == 2


@pytest.mark.parametrize("output", ["ndjson", "table"])
def test_what_is_missing_is_said_beside_every_output(simulate, output):
    text = (MANIFESTS / "pod-configmap-volume.yaml").read_text().split("---\napiVersion")[0]
    answer = simulate("-", "--output", output, "--until", "1m", given=text.encode())
    (line,) = answer.err.splitlines()
    assert line.startswith("missing: ConfigMap default/special-config, wanted by Pod dapi-test-pod")


def test_a_folder_with_something_wrong_runs_the_rest_and_ends_with_status_1(simulate, tmp_path):
    (tmp_path / "web.yaml").write_bytes(Path(NGINX).read_bytes())
    (tmp_path / "wrong.yaml").write_text("{apiVersion: v1, kind: Podd, metadata: {name: a}}")
    answer = simulate(tmp_path, "--output", "summary")
    assert (answer.status, answer.lines[0]) == (1, "1 workload: it is well")
    assert f"{tmp_path}/wrong.yaml, document 1, line 1: Podd a: kind:" in answer.err
    assert "1 object or file is refused; the run goes on without, or not at all with --strict" in answer.err
    assert (simulate(tmp_path, "--strict").status, simulate(tmp_path, "--strict").out) == (2, "")


def test_an_upgrade_is_told_and_has_no_scenario_of_its_own(simulate, tmp_path):
    old = Path(NGINX).read_bytes()
    (tmp_path / "new.yaml").write_bytes(re.sub(rb"image: nginx\S*", b"image: nginx:1.29", old))
    answer = simulate(NGINX, "--then", tmp_path / "new.yaml", "--until", "ready", "--output", "summary")
    assert (answer.status, answer.lines[0]) == (0, "1 workload: it is well")
    assert answer.lines[1].endswith(": 1 changed")
    assert answer.lines[2] == "  changed   Deployment nginx-deployment"
    (tmp_path / "new.yaml").write_bytes(old + scenario("{until: 5m}"))
    answer = simulate(NGINX, "--then", tmp_path / "new.yaml")
    assert (answer.status, "a Scenario in what is upgraded to" in answer.err) == (2, True)


def test_addresses_and_empty_files_are_refused_in_words(simulate, tmp_path):
    answer = simulate("https://example.com/web.yaml")
    assert (answer.status, "download it first" in answer.err) == (2, True)
    (tmp_path / "a.yaml").write_text("# nothing\n")
    for given in (tmp_path / "a.yaml", tmp_path):
        answer = simulate(given)
        assert answer.status == 2
        assert "no objects passed to apply" in answer.err


def test_a_deleted_pod_is_not_terminating_for_ever(simulate):
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {containers: [{name: a, image: nginx}]}}"
    step = "{at: 10s, delete: {kind: Pod, name: a}}"
    head = "apiVersion: podline.dev/v1alpha1, kind: Scenario, metadata: {name: s}"
    scenario = f"{{{head}, spec: {{steps: [{step}]}}}}"
    answer = simulate("-", "--output", "summary", given=f"{pod}\n---\n{scenario}".encode())
    assert "  status    deleted, ready 0/1, restarts 0" in answer.lines


def test_objects_too_large_for_plain_apply_are_taken_with_one_note(simulate):
    config = (
        '{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "{}"}}, "data": {{"k": "{}"}}}}'
    )
    text = "\n".join(config.format(name, "x" * 300_000) for name in ("a", "b"))
    answer = simulate("-", given=text.encode())
    assert answer.status == 0
    (note,) = answer.err.splitlines()
    assert note.startswith("ConfigMap a, ConfigMap b: too large for plain `kubectl apply`")


def test_objects_larger_than_an_api_server_takes_are_refused_with_their_size(simulate):
    given = '{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "a"}}, "data": {{"k": "{}"}}}}'
    for letters, said in (
        (3_200_000, "an API server takes, 3,145,728"),
        (1_600_000, "etcd stores, 1,572,864"),
    ):
        answer = simulate("-", given=given.format("x" * letters).encode())
        assert answer.status == 2
        assert f"bytes as JSON are more than {said}" in answer.err


LOADED = """
import runpy, sys
try:
    runpy.run_path("manage.py", run_name="__main__")
finally:
    print(sorted({name.partition(".")[0] for name in sys.modules} & {"celery", "redis", "dashboard"}))
    print("django.db.models" in sys.modules)
"""


@pytest.mark.slow
def test_a_run_loads_nothing_that_is_there_for_servers_and_databases():
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    command = [sys.executable, "-c", LOADED, "simulate", NGINX, "--output", "summary"]
    done = subprocess.run(command, cwd=TOP, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["[]", "False"]


# --- the release ------------------------------------------------------------------------------------------

OF_1_23_1 = (
    "Kubernetes v1.23.1: not recorded: only how long pods get to stop is as in that release; all else is as"
    " in v1.35"
)
POD = """
apiVersion: v1
kind: Pod
metadata: {name: hooked, annotations: {podline.dev/behavior: "app: {onTerm: {ignore: true}}"}}
spec:
  terminationGracePeriodSeconds: 30
  containers: [{name: app, image: "sim/server:1", lifecycle: {preStop: {sleep: {seconds: 10}}}}]
---
apiVersion: podline.dev/v1alpha1
kind: Scenario
metadata: {name: hooked}
spec:
  timing: instant
  steps: [{at: 60s, delete: {kind: Pod, name: hooked}}]
"""


@pytest.mark.spec("PRESTOP-08")
@pytest.mark.parametrize(
    "flags, gone_ms, is_said",
    [
        # The hook has used 10 of the pod's 30 seconds.
        pytest.param((), 90_000, False, id="by default"),
        pytest.param(("--kubernetes", "1.35"), 90_000, False, id="v1.35"),
        # What is left after the hook is the pod's 30 seconds again.
        pytest.param(("--kubernetes", "v1.23.1"), 100_000, True, id="v1.23.1"),
    ],
)
def test_a_run_is_of_the_release_that_is_asked_for(simulate, flags, gone_ms, is_said):
    answer = simulate("-", *flags, given=POD.encode())
    rows = [json.loads(line) for line in answer.lines]
    assert [row["at_ms"] for row in rows if row.get("field") == "exists" and row["new"] == "deleted"] == [
        gone_ms
    ]
    assert (OF_1_23_1 in answer.err) is is_said


@pytest.mark.parametrize("release", ["1.99", "v1.33", "1.35,1.99", "newest", ""])
def test_an_unknown_release_is_bad_input(simulate, release):
    answer = simulate(NGINX, "--kubernetes", release)
    assert (answer.status, answer.out) == (2, "")
    unknown = release.rpartition(",")[2]
    there_are = (
        "there are v1.37 (v1.37.0, not recorded), v1.36 (v1.36.3), v1.35 (v1.35.6), v1.34 (v1.34.9),"
        " v1.23.1 (not recorded)"
    )
    expected = f"Kubernetes {unknown!r} is not modelled; {there_are}"
    assert expected in answer.err


def test_the_flag_beats_the_release_of_the_scenario(simulate):
    given = POD.replace("  timing: instant", "  timing: instant\n  compatibility: v1.23.1").encode()
    assert OF_1_23_1 in simulate("-", given=given).err
    assert OF_1_23_1 not in simulate("-", "--kubernetes", "1.35", given=given).err
