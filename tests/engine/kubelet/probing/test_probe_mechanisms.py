"""How probes look: by which way, from where, how often, and at what of the app."""

from fractions import Fraction
from typing import Any

import pytest

from lifecycle.engine import Cluster
from lifecycle.engine.objects.pods.pod import Pod
from lifecycle.engine.rules.pods.probe_load import count_exec_checks, cpu_milli_of
from tests.engine.kubelet.world import EPOCH_MS, World

FOREVER = {"app": {"runs": [{"forever": True}]}}
SHELL = {"image": "busybox:1"}


def points(kind: str, *values: tuple[int, str]) -> dict[str, Any]:
    return {"app": {"probes": {kind: [{"at": f"{at}s", "result": result} for at, result in values]}}}


def service(world: World, name: str, port: int = 8080) -> None:
    spec = {"selector": {"app": name}, "ports": [{"port": port}]}
    meta = {"name": name, "namespace": "default"}
    assert world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}).ok


@pytest.mark.spec("PROBE-01")
@pytest.mark.parametrize(
    "handler", [{"exec": {"command": ["true"]}}, {"httpGet": {"port": 8080}}], ids=["code", "request"]
)
def test_a_container_is_checked_once_a_period(handler: dict[str, Any]) -> None:
    # What a check would see changes between any two of them, so that each leaves a mark.
    seen = points(
        "readiness", (0, "success"), (4, "failure"), (9, "success"), (12, "failure"), (20, "success")
    )
    world = World()
    world.pod({"name": "app", "readinessProbe": {**handler, "periodSeconds": 5}}, behavior=seen)
    world.to(60)
    marks = [(0, "Success"), (5, "Failure"), (10, "Success"), (15, "Failure"), (20, "Success")]
    assert world.lane("probe.app.readiness")[:5] == marks


@pytest.mark.spec("PROBE-03")
@pytest.mark.parametrize("status, result", [(0, "Success"), (1, "Failure"), (3, "Failure"), (137, "Failure")])
def test_a_command_succeeds_by_exit_status_zero_alone(status: int, result: str) -> None:
    check = {"exec": {"command": ["sh", "-c", f"exit {status}"]}}
    world = World()
    world.pod({"name": "app", **SHELL, "command": ["sleep", "3600"], "readinessProbe": check})
    assert world.to(5).lane("probe.app.readiness") == [(0, result)]


@pytest.mark.spec("PROBE-04")
def test_a_grpc_check_succeeds_while_the_answer_is_serving() -> None:
    # Serving from 8 s on, not serving from 22 s on; checked every 10 s.
    seen = points("readiness", (0, "failure"), (8, "success"), (22, "failure"))
    world = World()
    world.pod({"name": "app", "readinessProbe": {"grpc": {"port": 9000}}}, behavior=seen)
    world.to(60)
    assert world.lane("probe.app.readiness")[:3] == [(0, "Failure"), (10, "Success"), (30, "Failure")]
    told = [row["message"] for row in world.rows if row.get("reason") == "Unhealthy"]
    assert told[0] == 'Readiness probe failed: service unhealthy (responded with "NOT_SERVING")'


@pytest.mark.spec("PROBE-04")
@pytest.mark.parametrize("port, result", [(9000, "Success"), (9001, "Failure")])
def test_a_grpc_check_needs_a_server_on_its_port(port: int, result: str) -> None:
    app = {"name": "app", "image": "busybox:1", "command": ["nc", "-lk", "-p", "9000"]}
    world = World()
    world.pod({**app, "readinessProbe": {"grpc": {"port": port}}})
    assert world.to(5).lane("probe.app.readiness") == [(0, result)]


@pytest.mark.spec("PROBE-08")
@pytest.mark.parametrize(
    "handler, source",
    [
        pytest.param({"httpGet": {"port": 8080}}, "node", id="http"),
        pytest.param({"tcpSocket": {"port": 8080}}, "node", id="tcp"),
        pytest.param({"grpc": {"port": 8080}}, "node", id="grpc"),
        pytest.param({"exec": {"command": ["true"]}}, "container", id="exec"),
    ],
)
def test_requests_come_from_the_node_and_commands_run_in_the_container(
    handler: dict[str, Any], source: str
) -> None:
    world = World()
    world.pod({"name": "app", "readinessProbe": handler})
    rows = [row for row in world.to(5).rows if row.get("field") == "probe.app.readiness"]
    assert [row["detail"]["source"] for row in rows] == [source]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize(
    "given, is_ready",
    [
        pytest.param({}, False, id="of its own network"),
        pytest.param({"hostNetwork": True}, True, id="of the node's network"),
        pytest.param({"ports": [{"containerPort": 80, "hostPort": 80}]}, True, id="of a port of the node"),
    ],
)
def test_the_loopback_of_a_check_is_the_nodes(host: str, given: dict[str, Any], is_ready: bool) -> None:
    world, ports = World(), given.get("ports", [])
    checks = {"readinessProbe": {"tcpSocket": {"port": 80, "host": host}}, "ports": ports}
    world.pod({"name": "app", "image": "nginx:1.27", **checks}, hostNetwork=given.get("hostNetwork", False))
    world.to(30)
    assert world.lane("probe.app.readiness")[-1][1] == ("Success" if is_ready else "Failure")
    told = {row["message"] for row in world.rows if row.get("reason") == "Unhealthy"}
    refused = f"Readiness probe failed: dial tcp {host}:80: connect: connection refused"
    assert is_ready or refused in told


@pytest.mark.spec("PROBE-32")
def test_an_outage_of_a_backend_takes_its_clients_out_of_service_and_restarts_none() -> None:
    world = World()
    service(world, "backend")
    server = {"name": "app", "ports": [{"containerPort": 8080}]}
    backend = {"name": "backend", "labels": {"app": "backend"}}
    world.pod(server, meta=backend)
    needs = {"exec": {"command": ["nc", "-z", "-w", "1", "backend", "8080"]}, "failureThreshold": 1}
    lives = {"exec": {"command": ["true"]}, "failureThreshold": 1}
    app = {"name": "app", **SHELL, "command": ["sleep", "3600"], "readinessProbe": needs}
    world.to(5).pod({**app, "livenessProbe": lives})
    world.to(32).delete(0, force=True, name="backend")
    world.to(62).pod(server, meta=backend)
    world.to(100)
    # Checked at 5, 15, …: the backend is away from 32 s to 62 s.
    assert world.condition("Ready") == [(5, "False"), (5, "True"), (35, "False"), (65, "True")]
    assert (world.starts(), world.container()["restartCount"]) == ([5], 0)


LOADING = (0, "failure"), (60, "success")


@pytest.mark.spec("PROBE-39")
def test_a_startup_probe_covers_the_time_an_app_takes_to_load() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10}
    seen = {"app": {"probes": {kind: points(kind, *LOADING)["app"]["probes"][kind] for kind in KINDS}}}
    world = World()
    world.pod(
        {"name": "app", "startupProbe": {**probe, "failureThreshold": 7}, "livenessProbe": probe},
        behavior=seen,
    )
    world.to(120)
    # Who looks on cannot tell it from one that has failed to start.
    assert world.lane("container.app.started") == [(0, False), (60, True)]
    assert world.starts() == [0]


KINDS = ("startup", "liveness")


@pytest.mark.spec("PROBE-39")
def test_a_readiness_probe_shows_an_app_that_is_still_at_it_as_running() -> None:
    probe = {"exec": {"command": ["true"]}, "periodSeconds": 10}
    world = World()
    world.pod({"name": "app", "readinessProbe": probe}, behavior=points("readiness", *LOADING))
    world.to(120)
    assert world.lane("container.app.started") == [(0, False), (0, True)]
    assert world.lane("container.app.ready") == [(0, False), (60, True)]
    assert world.starts() == [0]


def test_a_check_sees_what_others_write_to_a_volume_mounted_read_only() -> None:
    write = ["sh", "-c", "sleep 12; touch /data/there; sleep 3600"]
    side = {
        "name": "side",
        **SHELL,
        "command": write,
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    mount = {"name": "data", "mountPath": "/data", "readOnly": True}
    check = {"exec": {"command": ["test", "-f", "/data/there"]}, "periodSeconds": 5, "failureThreshold": 9}
    app = {
        "name": "app",
        **SHELL,
        "command": ["sleep", "3600"],
        "volumeMounts": [mount],
        "readinessProbe": check,
    }
    world = World()
    assert world.pod(app, side, volumes=[{"name": "data", "emptyDir": {}}]).ok
    assert world.to(60).lane("probe.app.readiness")[:2] == [(0, "Failure"), (15, "Success")]


def test_a_check_sees_a_mounted_config_map_change() -> None:
    def config(mode: str) -> dict[str, Any]:
        meta = {"name": "config", "namespace": "default"}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"mode": mode}}

    world = World()
    world.create(config("off"))
    mount = {"name": "config", "mountPath": "/config"}
    check = {
        "exec": {"command": ["grep", "-q", "on", "/config/mode"]},
        "periodSeconds": 5,
        "failureThreshold": 9,
    }
    app = {
        "name": "app",
        **SHELL,
        "command": ["sleep", "3600"],
        "volumeMounts": [mount],
        "readinessProbe": check,
    }
    assert world.pod(app, volumes=[{"name": "config", "configMap": {"name": "config"}}]).ok
    assert world.to(12).submit("apply", object=config("on")).ok
    assert world.to(60).lane("probe.app.readiness")[:2] == [(0, "Failure"), (15, "Success")]


def probed(period: int, **probes: Any) -> dict[str, Any]:
    return {"name": "app", **{name: {**handler, "periodSeconds": period} for name, handler in probes.items()}}


EXEC, HTTP = {"exec": {"command": ["true"]}}, {"httpGet": {"port": 8080}}


@pytest.mark.slow
@pytest.mark.spec("PROBE-09")
@pytest.mark.parametrize(
    "apps, minutely, cpu_milli",
    [
        pytest.param([probed(10, livenessProbe=EXEC)], 6, 1, id="one"),
        pytest.param([probed(1, livenessProbe=EXEC)], 60, 10, id="ten times as often"),
        pytest.param([probed(1, livenessProbe=EXEC, readinessProbe=EXEC)] * 30, 3600, 600, id="many pods"),
        pytest.param(
            [probed(1, livenessProbe=HTTP, readinessProbe=EXEC)], 60, 10, id="requests fork nothing"
        ),
        pytest.param([probed(1, livenessProbe=HTTP)], 0, 0, id="requests alone"),
    ],
)
def test_exec_probes_cost_their_node_by_how_often_they_run(
    apps: list[dict[str, Any]], minutely: int, cpu_milli: int
) -> None:
    world = World()
    for number, app in enumerate(apps):
        assert world.pod(app, meta={"name": f"web-{number}"}).ok
    pods = [Pod.from_json(one, EPOCH_MS) for one in world.to(5).cluster.list("Pod")]
    rate = count_exec_checks(pods).get("node-1", Fraction(0))
    assert (rate * 60, cpu_milli_of(rate)) == (minutely, cpu_milli)


@pytest.mark.spec("PROBE-09")
def test_a_container_that_has_not_started_runs_its_startup_probe_alone() -> None:
    seen = points("startup", (0, "failure"), (20, "success"))
    app = {
        **probed(1, livenessProbe=EXEC),
        "startupProbe": {**EXEC, "periodSeconds": 4, "failureThreshold": 30},
    }
    world = World()
    world.pod(app, behavior=seen)
    rates = []
    for at in (10, 30):
        pods = [Pod.from_json(one, EPOCH_MS) for one in world.to(at).cluster.list("Pod")]
        rates.append(count_exec_checks(pods))
    assert rates == [{"node-1": Fraction(1, 4)}, {"node-1": 1}]


def slow(seconds: int, **fields: int) -> dict[str, Any]:
    return {"exec": {"command": ["sleep", str(seconds)]}, **fields}


def sleeper(command: str = "sleep 3600", **probes: Any) -> dict[str, Any]:
    return {"name": "app", **SHELL, "command": ["sh", "-c", command], **probes}


@pytest.mark.parametrize(
    "probe, told",
    [
        # Recorded with v1.35.6: begun at 5.4 s, failed at 7.4 s by its timeout of 2 s.
        pytest.param(slow(30, timeoutSeconds=2, periodSeconds=5), [(2, "Failure")], id="at its timeout"),
        pytest.param(slow(1, timeoutSeconds=2, periodSeconds=5), [(1, "Success")], id="at its end"),
        pytest.param(slow(0, timeoutSeconds=2, periodSeconds=5), [(0, "Success")], id="at once"),
    ],
)
def test_what_a_check_finds_is_known_at_its_end(probe: dict[str, Any], told: list[tuple[float, str]]) -> None:
    world = World()
    world.pod(sleeper(readinessProbe=probe))
    assert world.to(30).lane("probe.app.readiness") == told
    ready = [at for at, status in world.condition("Ready") if status == "True"]
    assert ready == [at for at, outcome in told if outcome == "Success"]


@pytest.mark.parametrize(
    "period, killed",
    [
        pytest.param(5, 17, id="begun at 5, 10 and 15 s"),
        pytest.param(1, 7, id="begun at 1, 3 and 5 s: one after the other"),
    ],
)
def test_a_threshold_of_slow_checks(period: int, killed: int) -> None:
    world = World()
    probe = slow(30, timeoutSeconds=2, periodSeconds=period, failureThreshold=3)
    world.pod(sleeper("trap 'exit 0' TERM; sleep 3600 & wait", livenessProbe=probe), restartPolicy="Never")
    assert [at for at, _ in world.to(30).events("Killing")] == [killed]


def test_a_check_that_its_container_does_not_outlive_finds_nothing() -> None:
    world = World()
    world.pod(sleeper("sleep 1", readinessProbe=slow(30, timeoutSeconds=2)), restartPolicy="Never")
    assert world.to(30).lane("probe.app.readiness") == [] and world.events("Unhealthy") == []


def test_a_check_under_way_goes_on_after_loading() -> None:
    world = World()
    world.pod(sleeper(readinessProbe=slow(30, timeoutSeconds=5)))
    assert world.to(3).rows
    world.cluster = Cluster.load(world.cluster.save())
    assert world.to(30).lane("probe.app.readiness") == [(5, "Failure")]


def test_a_check_that_follows_what_its_program_did_meanwhile_is_made() -> None:
    """Begun at 0 s and passed at 2 s; the file goes at 1 s, so that the check of 10 s fails at once."""
    world = World()
    check = {
        "exec": {"command": ["sh", "-c", "cat /tmp/ok && sleep 2"]},
        "timeoutSeconds": 5,
        "failureThreshold": 1,
    }
    world.pod(sleeper("touch /tmp/ok; sleep 1; rm /tmp/ok; sleep 3600", readinessProbe=check))
    assert world.to(60).lane("probe.app.readiness") == [(2, "Success"), (10, "Failure")]
