"""How containers ended becomes `runs` or `onTerm` only where all that was seen agrees."""

import pytest

from lifecycle.calibration.ends import BY_PROBE, BY_SIGNAL, CODES, DIFFERENT, HOOK, IS_SCRIPT, ONCE
from lifecycle.calibration.profiles import list_parts, list_remarks
from tests.calibration.dumping import (
    make_container,
    make_end,
    make_event,
    make_pod,
    make_status,
    measure_image,
)

PROBE = {"httpGet": {"path": "/", "port": 80}}


def parts_of(*objects):
    """What is written by its key, and the reasons why something is not, without their counts."""
    found = measure_image(*objects)
    remarks = [remark.removeprefix("not taken: ") for remark in list_remarks(found)]
    reasons = [remark.rpartition(" (")[0] for remark in remarks]
    written = {part.key: part.value for part in list_parts(found) if part.key in ("runs", "onTerm")}
    return written, [reason for reason in reasons if not reason.startswith(("ready", "start"))]


def crashing(name="api-0", code=1, restarts=3, ran="02:09", reason="Error", **container):
    """Its last run began at 02:00, and it waits to be started again."""
    last = make_end(code, "02:00", ran, reason)
    status = make_status(started=None, restartCount=restarts, lastState=last)
    return make_pod(name, containers=[make_container(**container)], statuses=[status])


def ended(name, code, ran, restarts=0, reason="Completed", **container):
    status = make_status(started=None, restartCount=restarts, state=make_end(code, "02:00", ran, reason))
    spec = {"restartPolicy": "Never"}
    return make_pod(name, containers=[make_container(**container)], statuses=[status], spec=spec)


def running(name="api-1", since="00:05", **status):
    return make_pod(name, statuses=[make_status(started=since, **status)])


LATER = make_event("Pulling", "59:00", pod="other")


@pytest.mark.parametrize(
    "objects, runs, reasons",
    [
        # From 02:00.000–02:00.999 to 02:09.000–02:09.999.
        pytest.param([crashing()], [{"for": "8001ms..9999ms", "exit": 1}], [], id="the same again and again"),
        pytest.param(
            [crashing(), crashing("api-1", ran="02:12")],
            [{"for": "8001ms..12999ms", "exit": 1}],
            [],
            id="two that crash alike",
        ),
        pytest.param(
            [crashing(code=137, reason="OOMKilled")],
            [{"for": "8001ms..9999ms", "exit": 137, "reason": "OOMKilled"}],
            [],
            id="out of memory",
        ),
        pytest.param(
            [crashing(code=139)], [{"for": "8001ms..9999ms", "exit": 139}], [], id="SIGSEGV is its own doing"
        ),
        pytest.param(
            [ended("job-0", 0, "02:30")],
            [{"for": "29001ms..30999ms", "exit": 0}],
            [],
            id="a Job that is done",
        ),
        pytest.param(
            [ended("job-0", 0, "02:30"), ended("job-1", 0, "02:30")],
            [{"for": "29001ms..30999ms", "exit": 0}],
            [],
            id="two that are done",
        ),
        pytest.param([crashing(), running(), LATER], None, [DIFFERENT], id="another goes on running"),
        pytest.param([crashing(), crashing("api-1", code=2)], None, [DIFFERENT], id="different codes"),
        pytest.param(
            [crashing(), crashing("api-1", code=143)],
            None,
            [BY_SIGNAL, DIFFERENT],
            id="another was ended by a signal",
        ),
        pytest.param(
            [crashing(), make_pod("api-1", containers=[make_container(command=["sleep", "1d"])])],
            None,
            [DIFFERENT],
            id="another runs something else",
        ),
        pytest.param([crashing(restarts=0)], None, [ONCE], id="failed once"),
        pytest.param([crashing(restarts=0, code=0)], None, [ONCE], id="a server that ended once with 0"),
        pytest.param(
            [crashing(code=0)], [{"for": "8001ms..9999ms", "exit": 0}], [], id="again and again with 0"
        ),
        pytest.param([crashing(code=143)], None, [BY_SIGNAL], id="ended by SIGTERM"),
        pytest.param([crashing(code=137)], None, [BY_SIGNAL], id="ended by SIGKILL"),
        pytest.param([crashing(code=255, reason="ContainerStatusUnknown")], None, [BY_SIGNAL], id="lost"),
        pytest.param(
            [crashing(code=0, reason="Completed", livenessProbe=PROBE)],
            None,
            [BY_PROBE],
            id="a server that ends with 0, and has a liveness probe",
        ),
        pytest.param(
            [crashing(livenessProbe=PROBE)],
            [{"for": "8001ms..9999ms", "exit": 1}],
            [],
            id="its own code, though it has a liveness probe",
        ),
        pytest.param(
            [
                crashing(livenessProbe=PROBE),
                make_event("Killing", "02:08", "Container app failed liveness probe, will be restarted"),
            ],
            None,
            [BY_PROBE],
            id="its liveness probe is told to have ended it",
        ),
        pytest.param(
            [crashing(command=["sh", "-c", "sleep 4; exit 1"])],
            None,
            [IS_SCRIPT],
            id="its script is run as it is",
        ),
        pytest.param([running()], None, [], id="it runs"),
        pytest.param(
            [running(restartCount=1, lastState=make_end(1, "00:01", "00:04")), LATER],
            None,
            [DIFFERENT],
            id="failed at first, and runs since",
        ),
    ],
)
def test_runs_are_written_where_all_ended_alike(objects, runs, reasons):
    written, told = parts_of(*objects)
    assert (written.get("runs"), told) == (runs, reasons)


KILLING = make_event("Killing", "02:05", "Container app failed liveness probe, will be restarted")


@pytest.mark.parametrize(
    "pods, stop, reasons",
    [
        pytest.param(
            [crashing(code=0, livenessProbe=PROBE)],
            {"takes": "3001ms..4999ms", "exit": 0},
            [],
            id="it needs 4 s",
        ),
        pytest.param(
            [crashing(code=143, livenessProbe=PROBE)],
            {"takes": "3001ms..4999ms", "exit": 143},
            [],
            id="by the signal itself",
        ),
        pytest.param(
            [crashing(code=137, ran="02:35", livenessProbe=PROBE)],
            {"ignore": True},
            [],
            id="SIGKILL after its grace period",
        ),
        pytest.param(
            [crashing(code=0, ran="04:00", livenessProbe=PROBE)],
            None,
            [],
            id="long after its grace period: of something else",
        ),
        pytest.param(
            [crashing(code=0, livenessProbe=PROBE, lifecycle={"preStop": {"sleep": {"seconds": 2}}})],
            None,
            [HOOK],
            id="a preStop hook takes some of it",
        ),
        pytest.param([crashing(code=0, command=["sh", "-c", "sleep 4"])], None, [], id="its script is run"),
    ],
)
def test_what_follows_the_stop_signal_is_measured(pods, stop, reasons):
    written, told = parts_of(*pods, KILLING)
    told = [reason for reason in told if not reason.startswith("runs")]
    assert (written.get("onTerm"), told) == (stop, reasons)


def test_different_ends_on_the_stop_signal_are_said():
    killing = make_event("Killing", "02:05", KILLING["message"], pod="api-1")
    pods = [crashing(code=0, livenessProbe=PROBE), crashing("api-1", code=137, livenessProbe=PROBE)]
    written, told = parts_of(*pods, KILLING, killing)
    assert "onTerm" not in written
    assert CODES in told
