"""Images that nobody knows: a verdict holds if they start, and one flag tries the other way."""

# ruff: noqa: E501 - a line of a manifest is a line
import pytest

from lifecycle.input.scenario import read_until
from lifecycle.simulation import Overrides, make_plan
from lifecycle.simulation.run import run
from tests.simulate.causes.test_causes import scenario
from tests.simulate.running import summarize
from tests.texts import read_manifests

POD = "{kind: Pod, apiVersion: v1, metadata: {name: one}, spec: {%s}}\n"
DEPLOYMENT = (
    "{kind: Deployment, apiVersion: apps/v1, metadata: {name: one}, spec: {selector: {matchLabels: {a: b}},"
    " template: {metadata: {labels: {a: b}}, spec: {%s}}}}\n"
)
CRON_JOB = (
    "{kind: CronJob, apiVersion: batch/v1, metadata: {name: one}, spec: {schedule: '* * * * *', jobTemplate: {spec:"
    " {template: {spec: {restartPolicy: Never, %s}}}}}}\n"
)
TYPO, OWN, KNOWN = (
    f"containers: [{{name: app, image: '{one}'}}]" for one in ("ngnix:1", "shop/own:3", "nginx:1")
)
INIT = "initContainers: [{name: init, image: ngnix:1, command: ['true']}], containers: [{name: app, image: 'nginx:1'}]"
PULL = "ErrImagePull"
SET_IMAGE = "{at: 30s, setImage: {deployment: one, container: app, image: 'ngnix:1'}}"
APPLY = "{at: 30s, apply: %s}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text, way, note, reason",
    [
        pytest.param(POD % TYPO, "fail", "cannot be pulled: ngnix:1", PULL, id="a pod"),
        pytest.param(DEPLOYMENT % OWN, "fail", "cannot be pulled: shop/own:3", PULL, id="a Deployment"),
        pytest.param(CRON_JOB % OWN, "fail", "cannot be pulled: shop/own:3", PULL, id="a CronJob"),
        pytest.param(POD % INIT, "fail", "cannot be pulled: ngnix:1", PULL, id="an init container"),
        pytest.param(POD % TYPO, "meant", "nginx:1 instead of ngnix:1", "", id="a pod that means another"),
        pytest.param(DEPLOYMENT % INIT, "meant", "nginx:1 instead of ngnix:1", "", id="an init container that does"),
        pytest.param(
            POD % OWN, "meant", "no unknown image here has nearly the name of a known one", "", id="nothing is meant"
        ),
        pytest.param(POD % KNOWN, "fail", "no image here is unknown", "", id="all are known"),
        pytest.param(
            f"{DEPLOYMENT % KNOWN}{scenario('2m', SET_IMAGE)}", "fail", "cannot be pulled: ngnix:1", PULL,
            id="an image that a step sets",
        ),
        pytest.param(
            f"{DEPLOYMENT % KNOWN}{scenario('2m', SET_IMAGE)}", "meant", "nginx:1 instead of ngnix:1", "",
            id="one that a step sets and that means another",
        ),
        pytest.param(
            f"{DEPLOYMENT % KNOWN}{scenario('2m', APPLY % (POD % TYPO).strip())}", "fail", "cannot be pulled: ngnix:1",
            PULL, id="an image of an object that a step applies",
        ),
    ],
)  # fmt: skip
def test_a_flag_tries_the_other_way(text, way, note, reason):
    plan = make_plan(read_manifests(text), Overrides(unknown_images=way, untils=(read_until("2m"),)))
    assert [one for one in plan.notes if one.startswith(f"--unknown-images {way}: {note}")]
    lived = Lived()
    run(plan, lived)
    assert (PULL in lived.reasons) == bool(reason)
    assert not any("ngnix" in image for image in lived.images)


class Lived:
    """A sink that keeps the reasons of all rows, and the images that ran."""

    def __init__(self):
        self.reasons, self.images = set(), set()

    def take(self, changes):
        self.reasons |= {row.reason for row in changes.rows}
        pods = [version.new for version in changes.versions if version.new.kind.name == "Pod"]
        for one in (one for pod in pods for one in pod.status.containers):
            if one.state is not None and one.state.type == "Running":
                self.images.add(one.image)


def test_a_profile_of_an_image_says_how_it_is_whatever_the_flag():
    profile = (
        "---\n{apiVersion: podline.dev/v1alpha1, kind: ContainerProfile, metadata: {name: own}, spec: {match: {image:"
        " 'ngnix:*'}, behavior: {start: {takes: 1s}}}}\n"
    )
    plan = make_plan(read_manifests(POD % TYPO + profile), Overrides(unknown_images="fail"))
    assert [one for one in plan.notes if "no image here is unknown" in one]


@pytest.mark.parametrize("text", [POD % TYPO, DEPLOYMENT % TYPO], ids=["a pod alone", "a Deployment"])
def test_a_verdict_says_on_what_it_hangs_and_the_summary_how_to_try_the_other_way(text):
    told = summarize(text)
    assert "if ngnix:1 can be pulled and starts (did you mean nginx:1?)" in told.partition("Run ended")[2]
    assert "nobody knows ngnix:1: did you mean nginx:1? Try it: --unknown-images meant" in told
    assert "ngnix:1 (no profile); the other way: --unknown-images fail" in told
