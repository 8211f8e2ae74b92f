"""Guesses of what programs do lean to what real ones do, and never open a gate that nobody can read."""

from __future__ import annotations

import pytest
import yaml

from lifecycle.engine.programs import ConnectResult
from lifecycle.engine.programs.resolve import resolve_behavior
from lifecycle.engine.programs.told import list_unread
from tests.engine.programs.worlds import (
    FakeWorld,
    exec_probe,
    pod_spec,
    run_until,
    start,
    start_script,
)


@pytest.mark.parametrize(
    "script, output",
    [
        pytest.param("for ((i = 1; i <= 3; i += 1)); do echo $i; done", "1 2 3", id="blanks in a head"),
        pytest.param("for (( i=0, j=9; i<2; i++, j-- )); do echo $i$j; done", "09 18", id="commas"),
        pytest.param("for ((i = 3; i > 0; i = i - 1)); do echo $i; done", "3 2 1", id="an assignment"),
        pytest.param("n=2; for ((i=$n; i<=(n+1)*1; i++)); do echo $i; done", "2 3", id="an expansion"),
        pytest.param("for ((;;)); do echo once; break; done", "once", id="an empty head"),
        pytest.param("mapfile -t L < <(printf 'a\\nb\\n'); echo ${#L[@]} ${L[1]}", "2 b", id="mapfile"),
        pytest.param("printf 'a\\nb\\nc' > /f; readarray -t -s1 L < /f; echo ${L[*]}", "b c", id="readarray"),
        pytest.param("mapfile -t -d , L <<< 'a,b,c'; echo ${L[1]}", "b", id="mapfile with a delimiter"),
        pytest.param("mapfile -t -n 1 < <(printf 'a\\nb\\n'); echo ${#MAPFILE[@]}", "1", id="no name"),
        pytest.param("printf -v V %03d 7; echo $V", "007", id="printf into a variable"),
        pytest.param(
            "mkdir /t; touch /t/b /t/a; find /t -type f -print0 | sort -z | xargs -0 -n1 echo",
            "/t/a /t/b",
            id="names parted by zeros",
        ),
        pytest.param("shopt -s nullglob; for f in /no/*.c; do echo $f; done; echo end", "end", id="nullglob"),
        pytest.param("shopt -s nullglob; shopt -u nullglob; echo /no/*.c", "/no/*.c", id="nullglob off"),
        pytest.param("mkdir /c; echo x > /c/a.conf; read -r l < /c/*.conf; echo $l", "x", id="one file"),
        pytest.param("f() { local -r x=$1; echo $x; }; f a; f b", "a b", id="a local constant, twice"),
    ],
)
def test_bash_of_charts_is_read(script: str, output: str) -> None:
    world = FakeWorld()
    process = start_script(script, world, shell="bash")
    run_until(process, world)
    assert process.exit is not None and process.exit.code == 0
    assert " ".join(text for _, text in process.take_output()) == output


@pytest.mark.parametrize(
    "script, code",
    [
        pytest.param("set -u; . /opt/acme/env.sh; echo ${DB_PASSWORD}; exit 0", 0, id="it may have set it"),
        pytest.param(". /opt/acme/env.sh; set -u; echo ${DB_PASSWORD}; exit 0", 0, id="nounset afterwards"),
        pytest.param("set -u; echo ${DB_PASSWORD}; exit 0", 127, id="nothing was sourced"),
    ],
)
def test_what_an_unknown_file_sets_is_unknown(script: str, code: int) -> None:
    world = FakeWorld()
    process = start(pod_spec({"image": "ghcr.io/acme/a:1", "command": ["bash", "-c", script]}), world)
    run_until(process, world)
    assert process.exit is not None and process.exit.code == code


UNKNOWN = {"name": "c", "image": "ghcr.io/acme/server:1", "ports": [{"containerPort": 8983}]}
BY_SCRIPT = {**UNKNOWN, "command": ["bash", "-c", "exec /entrypoint.sh /run.sh"]}


@pytest.mark.parametrize(
    "container, command, result",
    [
        pytest.param(UNKNOWN, "curl -s http://localhost:8983/health | grep -q OK", "success", id="an answer"),
        pytest.param(UNKNOWN, '[ "$(curl -s localhost:8983)" = OK ]', "success", id="an answer that is kept"),
        pytest.param(UNKNOWN, "nodetool status | grep -E ^UN", "success", id="what a client tells"),
        pytest.param(UNKNOWN, "{ echo ruok; sleep 1; } | nc 127.0.0.1 80 | grep imok", "success", id="nc"),
        pytest.param(
            UNKNOWN,
            "OK=$(exec 3<>/dev/tcp/127.0.0.1/9181; printf ruok >&3; tee <&3); [[ $OK == imok ]]",
            "success",
            id="an answer of a connection",
        ),
        pytest.param(BY_SCRIPT, "pgrep -x mongod", "success", id="what an unknown program starts"),
        pytest.param(UNKNOWN, "psql -U u -h /opt/tmp -c 'SELECT 1' >/dev/null", "success", id="a socket"),
        pytest.param(UNKNOWN, "grpc_health_probe -addr=:8983", "success", id="one dash"),
        pytest.param(UNKNOWN, "consul members", "success", id="a server's name as a client"),
        pytest.param(UNKNOWN, "vault status", "success", id="another one"),
        pytest.param(UNKNOWN, "exit 3", "failure", id="what is certain"),
        pytest.param(UNKNOWN, "echo no | grep yes", "failure", id="an output that is known"),
    ],
)
def test_a_check_that_hangs_on_what_nobody_knows_passes(
    container: dict[str, object], command: str, result: str
) -> None:
    world = FakeWorld()
    process = start(pod_spec(container), world)
    run_until(process, world, 60_000)
    sight = process.probe("readiness", exec_probe("bash", "-c", command, timeout_seconds=5), 60_000, world)
    assert sight.result == result


@pytest.mark.parametrize(
    "command, code",
    [
        pytest.param("if ! echo ls | acmectl shell | grep -q main; then exit 1; fi", 0, id="unknown output"),
        pytest.param("cat /opt/acme/state | grep ready", 0, id="a file of the image"),
        pytest.param("echo no | grep yes", 1, id="an output that is known"),
        pytest.param("exit 3", 3, id="what is certain"),
    ],
)
def test_a_hook_that_fails_by_a_guess_alone_succeeds(command: str, code: int) -> None:
    world = FakeWorld()
    process = start(pod_spec(UNKNOWN), world)
    run_until(process, world, 1_000)
    hook = process.hook("postStart", {"exec": {"command": ["sh", "-c", command]}}, 1_000, world)
    assert (hook.finished_ms, hook.exit_code) == (1_000, code)


@pytest.mark.parametrize(
    "command, is_ended",
    [
        ("mongod -version", True),
        ("haproxy -c -f /etc/haproxy.cfg", True),
        ("envoy --mode validate -c /etc/envoy.yaml", True),
        ("mysqld --initialize-insecure", True),
        ("consul version", True),
        ("consul agent -dev", False),
        ("vault server -dev", False),
        ("haproxy -f /etc/haproxy.cfg", False),
        ("mongod --port 27017", False),
        ("java -jar /app.jar", False),
    ],
)
def test_a_server_that_only_looks_or_tells_ends(command: str, is_ended: bool) -> None:
    world = FakeWorld()
    process = start(
        pod_spec({"name": "c", "image": "debian:12", "command": ["bash", "-c", f"{command}; :"]}), world
    )
    run_until(process, world, 60_000)
    assert (process.exit is not None) is is_ended


def test_java_in_an_init_container_ends() -> None:
    first = {"name": "i", "image": "acme/m:1", "command": ["java", "-jar", "/m.jar"]}
    spec = pod_spec({"name": "c", "image": "acme/a:1"}, initContainers=[first])
    behavior = resolve_behavior(spec, spec.init_containers[0], {}, [], {})
    assert behavior.script is not None and behavior.script.tail_runs == "ends"


GATE = """
apiVersion: v1
kind: Pod
metadata: {name: gate}
spec:
  initContainers: [{name: wait, image: "debian:12", command: [bash, -c, "%s"]}]
  containers: [{name: c, image: "acme/a:1"}]
"""


@pytest.mark.parametrize(
    "script, expected",
    [
        pytest.param("coproc x; until nc -z db 80; do sleep 1; done", "taken to wait", id="a gate"),
        pytest.param(
            "coproc x; for i in 1; do curl db; done",
            "taken to wait",
            id="a look",
        ),
        pytest.param("coproc x; for f in a b; do cp $f /x; done", "taken to succeed", id="a loop over files"),
        pytest.param("coproc x; sleep 5", "taken to succeed", id="no loop"),
        pytest.param("until nc -z db 80; do sleep 1; done", "", id="one that is read"),
    ],
)
def test_a_script_that_is_not_read_is_named_with_what_it_is_taken_to_do(script: str, expected: str) -> None:
    told = list_unread([yaml.safe_load(GATE % script)], [])
    assert told == (
        [f"not interpreted, {expected}: init container wait of Pod gate (line 1)"] if expected else []
    )


@pytest.mark.parametrize(
    "script, answer, code",
    [
        pytest.param("curl -s http://db:80/x | grep -q etcd", ConnectResult("connected"), 0, id="unknown"),
        pytest.param("curl -s http://db:80/x | grep -q etcd", ConnectResult("refused"), 1, id="nobody there"),
        pytest.param(
            "curl -s http://db:80/x | grep -q etcd", ConnectResult("connected", body="no"), 1, id="known"
        ),
        pytest.param("curl -s http://db:80/x | grep -vq e", ConnectResult("connected"), 1, id="not the word"),
        *[
            pytest.param(
                f"{asked} db:80 | grep 'Server: \\(Acme\\|Other\\)'", answer, code, id=f"{asked} {said}"
            )
            for asked in ("curl -Ik --silent", "curl --head", "curl -si", "curl --include", "wget -S 2>&1")
            for answer, code, said in (
                (ConnectResult("connected"), 0, "is answered"),
                (ConnectResult("connected", status=503), 1, "is refused by the server"),
                (ConnectResult("refused"), 1, "meets nobody"),
            )
        ],
        pytest.param("curl -sI db:80 | grep '200 OK'", ConnectResult("connected"), 0, id="a status"),
        pytest.param(
            "curl -s db:80 | grep ready", ConnectResult("connected", status=503), 1, id="a refusal's body"
        ),
    ],
)
def test_a_gate_that_looks_for_a_word_opens_once_the_server_answers(
    script: str, answer: ConnectResult, code: int
) -> None:
    world = FakeWorld(hosts={"db": "10.96.0.9"}, answers={("db", 80): answer})
    process = start_script(f"{script}; exit $?", world, shell="bash")
    run_until(process, world)
    assert process.exit is not None and process.exit.code == code
