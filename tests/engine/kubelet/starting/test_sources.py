"""What containers are told of ConfigMaps, Secrets, Services and their own pod (S35)."""

from itertools import pairwise
from typing import Any

import pytest

from lifecycle.engine import Cluster
from tests.engine.kubelet.world import World

FIELD, RESOURCE = "fieldRef", "resourceFieldRef"


def config(world: World, kind: str = "ConfigMap", name: str = "config", **fields: Any) -> None:
    meta = {"name": name, "namespace": "default"}
    answer = world.submit("apply", object={"apiVersion": "v1", "kind": kind, "metadata": meta, **fields})
    assert answer.ok, answer.status


def service(world: World, name: str, **spec: Any) -> None:
    meta = {"name": name, "namespace": "default"}
    assert world.create({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}).ok


def shell(script: str, **fields: Any) -> dict[str, Any]:
    return {"name": "app", "image": "busybox:1", "command": ["sh", "-c", script], **fields}


def pod_of(volume: dict[str, Any]) -> dict[str, Any]:
    spec = {"nodeName": "node-1", "containers": [shell("sleep 100")], "volumes": [volume]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "other"}, "spec": spec}


def told(world: World) -> list[str]:
    """Lines since the last time."""
    assert world.rows
    lines = [text for _, _, _, _, text in world.logs]
    world.logs = []
    return lines


def say(script: str, world: World | None = None, meta: Any = None, app: Any = None, **spec: Any) -> list[str]:
    """The lines of a script that runs once."""
    world = world or World()
    assert world.pod(shell(script, **(app or {})), meta=meta, restartPolicy="Never", **spec).ok
    return told(world.to(200))


def origin(variable: str, kind: str, /, **reference: Any) -> dict[str, Any]:
    return {"name": variable, "valueFrom": {kind: reference}}


@pytest.mark.spec("DOWN-01", "DOWN-02", "DOWN-14", "DOWN-15", "DOWN-24", "DOWN-25")
def test_s35_a_pod_is_told_of_itself() -> None:
    env = [
        origin("POD", FIELD, fieldPath="metadata.name"),
        origin("NODE", FIELD, fieldPath="spec.nodeName"),
        origin("IP", FIELD, fieldPath="status.podIP"),
        origin("TIER", FIELD, fieldPath="metadata.labels['tier']"),
        origin("CPU_REQ", RESOURCE, resource="requests.cpu", divisor="1m"),
        origin("MEM_LIM", RESOURCE, resource="limits.memory"),
        origin("OTHER", RESOURCE, resource="limits.cpu", divisor="1m", containerName="side"),
    ]
    items = [{"path": one, FIELD: {"fieldPath": f"metadata.{one}"}} for one in ("labels", "annotations")]
    show = "echo $TIER; cat /info/labels; echo; cat /info/annotations; echo"
    app = shell(
        f"echo $POD $NODE $IP $CPU_REQ $MEM_LIM $OTHER; {show}; sleep 100; {show}; sleep 1000",
        env=env,
        resources={"requests": {"cpu": "250m", "memory": "64Mi"}},
        volumeMounts=[{"name": "info", "mountPath": "/info"}],
    )
    side = {"name": "side", "resources": {"limits": {"cpu": "1500m", "memory": "1Gi"}}}
    world = World()
    meta = {"name": "down", "labels": {"tier": "gold"}, "annotations": {"note": 'say "hi"'}}
    volumes = [{"name": "info", "downwardAPI": {"items": items}}]
    assert world.pod(app, side, meta=meta, volumes=volumes).ok
    found = told(world)
    address = world.status("down")["podIP"]
    assert found == [
        f"down node-1 {address} 250 {8 << 30} 1500",
        "gold",
        'tier="gold"',
        'note="say \\"hi\\""',
    ]
    world.to(50).patch({"metadata": {"labels": {"tier": "silver"}}}, name="down")
    assert told(world.to(120))[:2] == ["gold", 'tier="silver"']


@pytest.mark.spec("DOWN-25", "POD-OBJ-19")
@pytest.mark.parametrize("is_saved", [False, True])
def test_a_command_beside_the_main_one_has_the_environment_of_the_start(is_saved: bool) -> None:
    world = World()
    config(world, data={"mode": "on"})
    check = 'test -f /data/there && test "$TIER$MODE" = goldon'
    probe = {"exec": {"command": ["sh", "-c", check]}, "periodSeconds": 5, "failureThreshold": 99}
    data = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    env = [
        origin("TIER", FIELD, fieldPath="metadata.labels['tier']"),
        origin("MODE", "configMapKeyRef", name="config", key="mode"),
    ]
    side = {**shell("sleep 22; touch /data/there; sleep 1h", **data), "name": "side"}
    app = shell("sleep 1h", env=env, readinessProbe=probe, **data)
    meta = {"labels": {"tier": "gold"}}
    assert world.pod(app, side, meta=meta, volumes=[{"name": "data", "emptyDir": {}}]).ok
    assert world.to(10).patch({"metadata": {"labels": {"tier": "silver"}}}).ok
    assert world.submit("delete", kind="ConfigMap", namespace="default", name="config").ok
    if is_saved:
        assert world.rows
        world.cluster = Cluster.load(world.cluster.save())
    assert world.to(60).lane("probe.app.readiness")[-1] == (25, "Success")


def test_services_are_told_with_all_their_ports() -> None:
    world = World()
    service(world, "my-web", clusterIP="10.96.0.99", ports=[{"name": "http", "port": 80}])
    script = "echo $MY_WEB_SERVICE_HOST $MY_WEB_SERVICE_PORT_HTTP $MY_WEB_PORT $MY_WEB_PORT_80_TCP_ADDR"
    assert say(script, world) == ["10.96.0.99 80 tcp://10.96.0.99:80 10.96.0.99"]
    without = say("echo [$MY_WEB_SERVICE_HOST]", world, {"name": "other"}, enableServiceLinks=False)
    assert without == ["[]"]


def test_a_secret_may_be_written_as_text() -> None:
    world = World()
    config(world, "Secret", stringData={"word": "sesame"}, data={"other": "b3Blbg=="})
    stored = world.get("config", "Secret")
    assert stored is not None and "stringData" not in stored
    assert stored["data"] == {"word": "c2VzYW1l", "other": "b3Blbg=="}
    assert say("echo $word $other", world, app={"envFrom": [{"secretRef": {"name": "config"}}]}) == [
        "sesame open"
    ]


@pytest.mark.parametrize(
    "part, message",
    [
        ({"env": [origin("A", "configMapKeyRef", name="config", key="a")]}, 'configmap "config" not found'),
        ({"env": [origin("A", "secretKeyRef", name="keys", key="a")]}, 'secret "keys" not found'),
        ({"envFrom": [{"configMapRef": {"name": "config"}}]}, 'configmap "config" not found'),
        ({"envFrom": [{"configMapRef": {"name": "config", "optional": True}}]}, None),
    ],
)
def test_a_container_waits_for_what_its_environment_is_made_of(part: Any, message: str | None) -> None:
    world = World()
    assert world.pod({"name": "app", **part}).ok
    state = world.to(5).container()["state"]
    if message is None:
        assert "running" in state
        return
    assert state["waiting"] == {"reason": "CreateContainerConfigError", "message": message}
    config(world, data={"a": "x"})
    config(world, "Secret", "keys", data={"a": "eA=="})
    assert "running" in world.to(300).container()["state"]


@pytest.mark.parametrize(
    "expression, message",
    [
        ("$(HERE)/$(THERE)/$(NOWHERE)", "missing value for NOWHERE, THERE"),
        ("$(HERE)/$(UP)", "unable to provision SubPath `a/..`: must not contain '..'"),
        ("$(ROOT)", "error SubPath `/a` must not be an absolute path"),
        ("$(HERE)", None),
    ],
)
def test_a_container_waits_for_what_names_the_folders_of_its_mounts(
    expression: str, message: str | None
) -> None:
    values = {"HERE": "a", "THERE": "", "ROOT": "/a", "UP": ".."}
    world = World()
    app = {
        "name": "app",
        "env": [{"name": name, "value": value} for name, value in values.items()],
        "volumeMounts": [{"name": "data", "mountPath": "/data", "subPathExpr": expression}],
    }
    assert world.pod(app, volumes=[{"name": "data", "emptyDir": {}}]).ok
    state = world.to(5).container()["state"]
    told = {"reason": "CreateContainerConfigError", "message": message}
    assert state.get("waiting") == (told if message else None)


def test_a_container_waits_for_one_whose_resources_it_is_told_of() -> None:
    world = World()
    limit = origin("CPU", "resourceFieldRef", containerName="other", resource="limits.cpu")
    assert world.pod({"name": "app", "env": [limit]}).ok
    told = {"reason": "CreateContainerConfigError", "message": "container other not found"}
    assert world.to(5).container()["state"] == {"waiting": told}


def test_a_missing_source_is_looked_for_every_ten_seconds() -> None:
    """Recorded with v1.35.6 (config-missing-configmap-key): no growing back-off, and each try is told."""
    world = World()
    assert world.pod({"name": "app", "env": [origin("A", "configMapKeyRef", name="config", key="a")]}).ok
    world.to(35)
    config(world, data={"a": "x"})
    world.to(45)
    tries = [at for at, _ in world.events("Failed")]
    # The look for the new sandbox, which the first one has made, is the second one.
    assert tries == [0, 0, 10, 20, 30] and world.starts() == [40]


def test_the_wait_between_two_looks_is_that_of_a_kubelet() -> None:
    """Recorded with v1.35.6: 14.5, 14.0, 15.0 and 14.0 s; drawn from 10 to 15, and to the next second."""
    world = World(timing="realistic")
    assert world.pod({"name": "app", "env": [origin("A", "configMapKeyRef", name="config", key="a")]}).ok
    tries = [at for at, _ in world.to(200).events("Failed")]
    # The second is soon: it is for the sandbox that the kubelet finds.
    waits = [later - sooner for sooner, later in pairwise(tries[1:])]
    assert len(waits) >= 12 and all(10 <= wait <= 16.1 for wait in waits), waits


MOUNT = {"volumeMounts": [{"name": "config", "mountPath": "/config"}]}
VOLUME = {"name": "config", "configMap": {"name": "config"}}


def test_mounted_files_outlive_the_object_they_were_made_of() -> None:
    world = World()
    config(world, data={"mode": "on"})
    script = "cat /config/mode; echo; sleep 20; cat /config/mode"
    assert world.pod(shell(script, **MOUNT), volumes=[VOLUME], restartPolicy="Never").ok
    assert world.to(10).submit("delete", kind="ConfigMap", namespace="default", name="config").ok
    assert told(world.to(30)) == ["on", "on"]


def test_a_pod_waits_for_a_key_that_it_mounts() -> None:
    world = World()
    config(world, data={"mode": "on"})
    volume = {"name": "config", "configMap": {"name": "config", "items": [{"key": "late", "path": "late"}]}}
    assert world.pod(shell("cat /config/late", **MOUNT), volumes=[volume], restartPolicy="Never").ok
    config(world.to(10), data={"mode": "on", "late": "here"})
    assert told(world.to(60)) == ["here"]
    told_of = [row["message"] for row in world.rows if row.get("reason") == "FailedMount"]
    problem = "configmap references non-existent config key: late"
    # Recorded with v1.35.6 (volume-configmap-item-missing): each try tells, after 0.5, 1, 2, 4 and 8 s.
    assert told_of == [f'MountVolume.SetUp failed for volume "config" : {problem}'] * 5
    assert [at for at, _ in world.events("FailedMount")] == [0, 0.5, 1.5, 3.5, 7.5]
    assert world.starts() == [15.5]


def test_a_volume_that_no_container_mounts_is_not_missed() -> None:
    """kubelet, volume manager: what no container of the pod mounts is not set up, and not waited for."""
    world = World()
    claimed = {"name": "data", "persistentVolumeClaim": {"claimName": "none"}}
    assert world.pod(shell("sleep 100"), volumes=[VOLUME], nodeName="node-1").ok
    assert world.submit("create", object=pod_of(claimed)).ok
    assert world.to(10).starts() == [0] and world.events("FailedMount") == []
    other = world.cluster.get("Pod", "default", "other")
    assert other is not None and other["status"]["phase"] == "Running"


def test_all_that_a_projected_volume_lacks_is_told_at_once() -> None:
    """Recorded with v1.35.6: the volume's sources are all looked at."""
    world = World()
    sources = [{"configMap": {"name": "c"}}, {"secret": {"name": "s"}}, {"secret": {"name": "s"}}]
    volume = {"name": "config", "projected": {"sources": sources}}
    assert world.pod(shell("sleep 100", **MOUNT), volumes=[volume]).ok
    told_of = [row["message"] for row in world.to(0).rows if row.get("reason") == "FailedMount"]
    problem = '[configmap "c" not found, secret "s" not found]'
    assert told_of == [f'MountVolume.SetUp failed for volume "config" : {problem}']


def test_each_volume_that_cannot_be_mounted_is_told() -> None:
    volumes = [VOLUME, {"name": "keys", "secret": {"secretName": "keys"}}]
    world = World()
    mounts = [{"name": name, "mountPath": f"/{name}"} for name in ("config", "keys")]
    assert world.pod(shell("sleep 100", volumeMounts=mounts), volumes=volumes).ok
    config(world.to(1), data={})
    world.to(2)
    told_of = [row["message"].split('"')[1] for row in world.rows if row.get("reason") == "FailedMount"]
    assert told_of == ["config", "keys", "config", "keys", "keys"]


def test_what_is_mounted_while_no_worker_waits_is_found_when_it_is_back() -> None:
    """kubelet, WaitForAttachAndMount: it gives up after 123 s, and looks again 10 s later."""
    world = World()
    assert world.pod(shell("sleep 1000", **MOUNT), volumes=[VOLUME]).ok
    config(world.to(100), data={})
    world.to(200)
    # The tries are at 63.5 and 127.5 s.
    assert world.starts() == [133]


def test_a_sandbox_made_again_keeps_what_is_mounted() -> None:
    world = World()
    config(world, data={"mode": "on"})
    script = shell("cat /config/mode; echo; sleep 100", **MOUNT)
    assert world.pod(script, volumes=[VOLUME], terminationGracePeriodSeconds=1).ok
    assert world.to(5).submit("delete", kind="ConfigMap", namespace="default", name="config").ok
    assert world.submit("fault", pod="web", kind="sandbox").ok
    assert told(world.to(60)) == ["on", "on"] and world.events("FailedMount") == []


MODE = "cat /etc/app/mode; echo"
SHOWS = f"for n in $(seq 12); do {MODE}; sleep 10; done; sleep 1h"
SOURCES: dict[str, tuple[str, dict[str, Any]]] = {
    "ConfigMap": ("data", {"configMap": {"name": "config"}}),
    "Secret": ("stringData", {"secret": {"secretName": "config"}}),
}
AT_40 = {"preset": "instant", "mounted_source": "40s"}


def reads(world: World, script: str = SHOWS, kind: str = "ConfigMap", **mount: Any) -> World:
    """A pod that shows a file of a source every 10 s; what the file holds is changed after 25 s."""
    data, source = SOURCES[kind]
    config(world, kind, **{data: {"mode": "old"}})
    app = shell(script, volumeMounts=[{"name": "conf", "mountPath": "/etc/app", **mount}])
    assert world.pod(app, volumes=[{"name": "conf", **source}]).ok
    world.to(25)
    config(world, kind, **{data: {"mode": "new"}})
    return world


@pytest.mark.parametrize("kind", ["ConfigMap", "Secret"])
@pytest.mark.parametrize("is_saved", [False, True])
def test_files_of_a_changed_source_follow_with_a_look_at_the_pod(kind: str, is_saved: bool) -> None:
    """Within the kubelet's period of syncs: 25 + 40 s."""
    world = reads(World(timing=AT_40), kind=kind)
    before = told(world)
    if is_saved:
        world.cluster = Cluster.load(world.cluster.save())
    assert before + told(world.to(130)) == ["old"] * 7 + ["new"] * 5


def test_files_follow_when_the_pod_is_looked_at_for_something_else() -> None:
    """A container that has ended is begun anew by a look at the pod, which mounts anew, too."""
    script = f"{MODE}; sleep 30; {MODE}; exit 1"
    assert told(reads(World(timing=AT_40), script).to(45))[:3] == ["old", "old", "new"]


def test_what_is_mounted_as_a_part_does_not_follow() -> None:
    world = reads(World(timing=AT_40), mountPath="/etc/app/mode", subPath="mode")
    assert told(world.to(130)) == ["old"] * 12


def test_without_latencies_files_follow_at_once() -> None:
    assert told(reads(World()).to(130)) == ["old"] * 3 + ["new"] * 9


def test_a_source_that_is_written_without_a_change_is_no_news() -> None:
    """Else what is changed after that would follow 40 s after it, and not 40 s after the change."""
    world = World(timing=AT_40)
    config(world, data={"mode": "old"})
    app = shell(SHOWS, volumeMounts=[{"name": "conf", "mountPath": "/etc/app"}])
    assert world.pod(app, volumes=[{"name": "conf", "configMap": {"name": "config"}}]).ok
    world.to(25)
    where = {"kind": "ConfigMap", "namespace": "default", "name": "config"}
    labels = {"metadata": {"labels": {"a": "b"}}}
    assert world.submit("patch", type="merge", patch=labels, **where).ok
    world.to(45)
    config(world, data={"mode": "new"})
    assert told(world.to(130)) == ["old"] * 9 + ["new"] * 3


@pytest.mark.parametrize("fault", ["partition", "kubeletRestart"])
@pytest.mark.parametrize("begins", [20, 30])
def test_a_kubelet_that_hears_nothing_mounts_anew_when_it_is_back(fault: str, begins: int) -> None:
    """Whether it was away when the source changed, or went away before it looked at the pod."""
    world = World(timing=AT_40)
    config(world, data={"mode": "old"})
    app = shell(SHOWS, volumeMounts=[{"name": "conf", "mountPath": "/etc/app"}])
    assert world.pod(app, volumes=[{"name": "conf", "configMap": {"name": "config"}}]).ok
    for second in sorted((begins, 25)):
        world.to(second)
        if second == 25:
            config(world, data={"mode": "new"})
        else:
            assert world.submit("fault", node="node-1", kind=fault, **{"for": "70s"}).ok
    found = told(world.to(begins + 69))
    assert set(found) == {"old"}
    assert told(world.to(150))[-1:] == ["new"]
