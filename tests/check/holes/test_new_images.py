"""A new image acts as the present one, but for what an ordeal says of it."""

import pytest
import yaml

from lifecycle.check.holes.new_images import make_new_image, make_old_image, name_next
from lifecycle.check.settled import Workload
from lifecycle.engine.objects.names import BEHAVIOR

LATER = {"listens": {"later": "20s"}}
NEVER = {"listens": "never"}
NOT_READY = {"ready": "never"}
FAILS = [{"at": "0s", "result": "failure"}]
NO_TIME = {"listens": {"after": "10000h"}}
PROBE = {"readinessProbe": {"tcpSocket": {"port": 80}}}


def make_workload(told=None, image="shop/web:1", kind="Deployment", **container):
    annotations = {BEHAVIOR: yaml.safe_dump({"app": told})} if told else {}
    pod_spec = {"containers": [{"name": "app", "image": image, **container}]}
    template = {"metadata": {"labels": {"app": "web"}, "annotations": annotations}, "spec": pod_spec}
    spec = {"jobTemplate": {"spec": {"template": template}}} if kind == "CronJob" else {"template": template}
    version = "batch/v1" if kind == "CronJob" else "apps/v1"
    data = {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": spec,
    }
    return Workload(kind, "shop", "web", data)


def make_profile(name, image, behavior, **match):
    spec = {"match": {"image": image, **match}, "behavior": behavior}
    return {
        "apiVersion": "podline.dev/v1alpha1",
        "kind": "ContainerProfile",
        "metadata": {"name": name},
        "spec": spec,
    }


def read_told(patch):
    return yaml.safe_load(patch["spec"]["template"]["metadata"]["annotations"][BEHAVIOR])["app"]


@pytest.mark.parametrize(
    "image, expected",
    [
        ("shop/web:1.2", "shop/web:1.2-next"),
        ("shop/web", "shop/web:next"),
        ("localhost:5000/web", "localhost:5000/web:next"),
        ("localhost:5000/web:1", "localhost:5000/web:1-next"),
        ("shop/web:1@sha256:0123", "shop/web:1-next"),
        ("shop/web@sha256:0123", "shop/web:next"),
    ],
)
def test_a_new_image_is_of_the_same_repository(image, expected):
    assert name_next(image) == expected


@pytest.mark.parametrize(
    "told, container, acts, expected",
    [
        pytest.param(
            None, {}, LATER, {"listens": {"after": "20000ms"}}, id="nothing known: at once, and 20 s later"
        ),
        pytest.param(
            {"listens": {"after": "8s"}}, {}, LATER, {"listens": {"after": "28000ms"}}, id="later than it was"
        ),
        pytest.param(
            {"listens": {"after": "2s..6s"}},
            {},
            LATER,
            {"listens": {"after": "22000ms..26000ms"}},
            id="a range",
        ),
        pytest.param(
            {"listens": {"after": {"normal": ["3s", "500ms"]}}},
            {},
            LATER,
            {"listens": {"after": {"normal": ["23000ms", "500ms"]}}},
            id="a bell",
        ),
        pytest.param(
            {"probes": {"readiness": [{"at": "5s", "result": "success"}]}},
            PROBE,
            LATER,
            {
                "listens": {"after": "20000ms"},
                "probes": {"readiness": [*FAILS, {"at": "25000ms", "result": "success"}]},
            },
            id="told results of probes come later, too",
        ),
        pytest.param(None, {}, NEVER, NO_TIME, id="it never listens"),
        pytest.param(
            {"probes": {"liveness": [{"at": "0s", "result": "success"}]}},
            {},
            NEVER,
            {**NO_TIME, "probes": {"liveness": FAILS}},
            id="told results are those of one that never listens",
        ),
        pytest.param(
            {"probes": {"liveness": [{"at": "0s", "result": "success"}]}},
            PROBE,
            NOT_READY,
            {"probes": {"liveness": [{"at": "0s", "result": "success"}], "readiness": FAILS}},
            id="never ready, and alive",
        ),
        pytest.param(None, {}, NOT_READY, NO_TIME, id="never ready without a probe is not listening"),
        pytest.param(
            {"runs": [{"forever": True}], "onTerm": {"takes": "4s", "exit": 0}},
            {},
            {"runs": [{"for": "3s", "exit": 1}]},
            {"runs": [{"for": "3s", "exit": 1}], "onTerm": {"takes": "4s", "exit": 0}},
            id="one part is another's",
        ),
    ],
)
def test_a_new_image_acts_as_told(told, container, acts, expected):
    new = make_new_image(make_workload(told, **container), acts, [])
    assert read_told(new.patch) == expected


@pytest.mark.parametrize("told", ["app: [", "app: {listens: 3}", "app: {probes: []}", "- app"])
def test_what_is_wrong_with_a_behaviour_keeps_no_image_from_being_made(told):
    workload = make_workload()
    workload.data["spec"]["template"]["metadata"]["annotations"] = {BEHAVIOR: told}
    assert read_told(make_new_image(workload, LATER, []).patch) == {"listens": {"after": "20000ms"}}


def test_known_images_listen_later_than_they_do():
    # Postgres is known to need a second or two, which is more than nothing.
    new = make_new_image(
        make_workload(image="postgres:16", env=[{"name": "POSTGRES_PASSWORD", "value": "a"}]), LATER, []
    )
    assert int(read_told(new.patch)["listens"]["after"].removesuffix("ms")) > 20_000


EXACT = make_profile("exact", "shop/web:1", {"start": {"takes": "9s"}})
BROAD = make_profile("broad", "shop/*", {"start": {"takes": "1s"}})
ONE_TAG = make_profile(
    "tag", "*web:?", {"listens": {"after": "4s"}}, podSelector={"matchLabels": {"app": "web"}}
)


@pytest.mark.parametrize(
    "profiles, copied",
    [
        pytest.param([], [], id="none"),
        pytest.param([BROAD], [], id="one that holds for both"),
        pytest.param([EXACT], [EXACT], id="one of this very image"),
        pytest.param([EXACT, BROAD], [EXACT], id="the one of this very image, although another would hold"),
        pytest.param([ONE_TAG], [ONE_TAG], id="a pattern that the new name does not fit"),
        pytest.param([make_profile("other", "shop/db:1", {})], [], id="one of something else"),
    ],
)
def test_profiles_of_the_present_image_hold_for_the_new_one(profiles, copied):
    found = make_new_image(make_workload(), {}, profiles).profiles
    wanted = [
        ({**one["spec"]["match"], "image": "shop/web:1-next"}, one["spec"]["behavior"]) for one in copied
    ]
    assert [(one["spec"]["match"], one["spec"]["behavior"]) for one in found] == wanted


def test_what_a_profile_says_is_kept_where_an_ordeal_says_something_else():
    new = make_new_image(make_workload(), LATER, [ONE_TAG])
    assert read_told(new.patch)["listens"] == {"after": "24000ms"}


def test_the_template_of_a_cron_job_is_below_that_of_its_jobs():
    workload = make_workload({"listens": {"after": "1s"}}, kind="CronJob")
    new, old = make_new_image(workload, NEVER, []).patch, make_old_image(workload)
    told = [one["spec"]["jobTemplate"]["spec"]["template"]["spec"]["containers"][0] for one in (new, old)]
    assert told == [{"name": "app", "image": "shop/web:1-next"}, {"name": "app", "image": "shop/web:1"}]
