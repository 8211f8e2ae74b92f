"""A check that would see the same again is not run again, and nobody can tell."""

import pytest

from lifecycle.engine.programs import ConnectResult, Mount, Process
from lifecycle.userland.shell import checks
from tests.engine.programs.worlds import (
    FakeWorld,
    exec_probe,
    make_layer,
    refresh_layer,
    reload,
    run_until,
    start_script,
)

MAIN = "touch /tmp/beat; sleep 12; touch /tmp/late; sleep 600"
SCRIPT = 'host=$1; reply=$(nc -z $host 80 && echo up); [ "$reply" = up ]\n'
TIMES_MS = range(1_000, 31_000, 5_000)


def make_world() -> FakeWorld:
    """A ConfigMap with a script and a word, a claim, and a peer that answers."""
    volumes = [
        Mount("/health", make_layer({"check.sh": SCRIPT, "word": "well"}, 0o755), is_read_only=True),
        Mount("/data", make_layer({"old": "1"})),
    ]
    answers = {("peer", 80): ConnectResult("connected", 2)}
    return FakeWorld(volumes=volumes, hosts={"peer": "10.1.0.2"}, answers=answers)


def change(world: FakeWorld, at_ms: int) -> None:
    """After 16 s the ConfigMap says something else, and after 21 s the peer is away."""
    if at_ms == 16_000:
        refresh_layer(world.volumes[0].layer, {"check.sh": SCRIPT, "word": "ill"}, at_ms, {"check.sh": 0o755})
    if at_ms == 21_000:
        world.answers.clear()


def look(command: str, is_forgetful: bool) -> tuple[list[object], dict[str, object]]:
    """What checks see, with a change of the world between them, and how the process is afterwards."""
    world, sights = make_world(), list[object]()
    process = start_script(MAIN, world)
    for at_ms in TIMES_MS:
        run_until(process, world, at_ms)
        change(world, at_ms)
        if is_forgetful:
            process = reload(process)
        sights.append(process.probe("liveness", exec_probe("sh", "-c", command), at_ms, world))
    return sights, process.save()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("true", id="it sees nothing"),
        pytest.param("grep -q well /health/word", id="it reads a volume"),
        pytest.param("sh /health/check.sh peer", id="it runs a script of a volume"),
        pytest.param("nc -z peer 80", id="it asks the network"),
        pytest.param("nslookup peer && nslookup nobody", id="it asks for names"),
        pytest.param("[ -f /tmp/late ]", id="it sees what the main process writes"),
        pytest.param("cat /health/word | (read word; echo $word) | grep well", id="it pipes"),
        pytest.param("sleep 0.3; cat /health/word", id="it takes a while"),
        pytest.param("cat /health/word; sleep 5", id="it takes too long"),
        pytest.param("sleep 30 & cat /health/word", id="it leaves somebody behind"),
        pytest.param("(sleep 30 & ) ; cat /health/word", id="it leaves an orphan behind"),
        pytest.param("date +%s > /data/seen", id="it writes to a volume"),
        pytest.param("echo $$ > /tmp/pid", id="it writes its process id"),
        pytest.param("cat /health/word > /proc/1/fd/1", id="it writes to the log"),
        pytest.param("kill -0 1 && cat /health/word", id="it looks at a process"),
        pytest.param("kill -HUP -1; cat /health/word", id="it signals everybody"),
        pytest.param("find /data /tmp -mmin -1", id="it looks how old files are"),
        pytest.param("redis-cli -h peer ping; mysqladmin -h peer ping", id="it asks servers"),
        pytest.param("head -c 4 /dev/urandom; cat /health/word", id="it asks for chance"),
        pytest.param("cat /proc/self/status /health/word; hostname", id="it asks the kernel"),
    ],
)
def test_a_check_done_again_sees_and_leaves_what_it_would_if_it_were_run(command):
    assert look(command, is_forgetful=False) == look(command, is_forgetful=True)


@pytest.mark.parametrize(
    "command, runs",
    [
        pytest.param("cat /health/word", 2, id="until the volume changes"),
        pytest.param("sh /health/check.sh peer", 3, id="or an answer of the network"),
        pytest.param("[ -f /tmp/late ]", 2, id="or the files of the container"),
        pytest.param("date +%s", 6, id="never where it asks the time"),
        pytest.param("echo well > /data/word", 6, id="nor where it writes"),
    ],
)
def test_what_would_see_the_same_is_not_run_again(command, runs, monkeypatch):
    counted = list[object]()
    start = checks.start_task
    monkeypatch.setattr(checks, "start_task", lambda *given: counted.append(given) or start(*given))
    look(command, is_forgetful=False)
    assert len(counted) == runs


def test_a_beat_that_stops_is_noticed():
    world = FakeWorld()
    process: Process = start_script("touch /tmp/beat; sleep 600", world)
    check = exec_probe("sh", "-c", "find /tmp/beat -mmin -1 | grep beat")
    found = [process.probe("liveness", check, at_ms, world) for at_ms in (10_000, 130_000)]
    assert [(one.result, one.until_ms) for one in found] == [("success", 10_000), ("failure", 130_000)]
