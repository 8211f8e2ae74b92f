"""How much of what people write in manifests is interpreted, and that the rest is named."""

from collections import Counter
from functools import cache

import pytest

from lifecycle.engine.programs import ConnectResult, FileLayer, Mount, Process
from tests.engine.programs.corpus import CORPUS
from tests.engine.programs.worlds import FakeWorld, behavior_of, make_layer, pod_spec, run_until, start

pytestmark = pytest.mark.slow

LONG_ENOUGH_MS = 120_000
FULLY, FALLBACK, REFUSED = "interpreted fully", "with a named fallback", "refused"


def friendly_world() -> FakeWorld:
    """A cluster in which every name resolves, everything listens, and the usual folders are mounted."""

    class Everything(dict[str, str]):
        def get(self, host: str, default: str | None = None) -> str | None:  # type: ignore[override]
            return "10.2.0.1"

    class Answers(dict[tuple[str, int], ConnectResult]):
        def get(  # type: ignore[override]
            self, key: tuple[str, int], default: ConnectResult | None = None
        ) -> ConnectResult:
            return ConnectResult("connected", 2, 200, "ok\n")

    folders = (
        "/var/log",
        "/input",
        "/pod-data",
        "/work-dir",
        "/mnt/conf.d",
        "/data",
        "/backup",
        "/etc/nginx/conf.d",
    )
    config = make_layer({"primary.cnf": "", "replica.cnf": "", "init.sh": "echo configured\n"})
    files = {"default.conf.template": "server ${API_HOST};\n"}
    mounts = [Mount(folder, FileLayer()) for folder in folders]
    mounts += [Mount("/mnt/config-map", config), Mount("/redis-config", config)]
    mounts += [Mount("/etc/nginx/templates", make_layer(files)), Mount("/opt", FileLayer())]
    return FakeWorld(
        hosts=Everything(),
        answers=Answers(),
        volumes=mounts,
        env={"JOB_COMPLETION_INDEX": "2", "HOST": "db", "HOSTNAME": "mysql-1", "API_HOST": "api"},
    )


def run(image: str, command: tuple[str, ...]) -> Process:
    world = friendly_world()
    process = start(pod_spec({"image": image, "command": list(command)}), world)
    run_until(process, world, LONG_ENOUGH_MS)
    return process


@cache
def find_problems(image: str, command: tuple[str, ...]) -> tuple[str, ...]:
    """What a process says of what it does not interpret; each of the corpus is run once for all tests."""
    return tuple(run(image, command).take_problems())


def classify(image: str, command: tuple[str, ...]) -> str:
    behavior = behavior_of(pod_spec({"image": image, "command": list(command)}))
    if behavior.problems or behavior.script is None:
        return REFUSED
    return FALLBACK if find_problems(image, command) else FULLY


def test_most_of_the_corpus_is_interpreted_fully() -> None:
    found = Counter(classify(image, command) for _, image, command in CORPUS)
    assert len(CORPUS) >= 60
    assert found[FULLY] / len(CORPUS) >= 0.85, found
    assert found[REFUSED] == 0, found


@pytest.mark.parametrize(
    ("image", "command"), [(row[1], row[2]) for row in CORPUS], ids=[row[0] for row in CORPUS]
)
def test_what_is_not_interpreted_is_named(image: str, command: tuple[str, ...]) -> None:
    for problem in find_problems(image, command):
        assert problem.startswith(("cannot interpret ", "a loop that never waits"))
        assert any(said in problem for said in ("taken to", "count as", "is made"))
