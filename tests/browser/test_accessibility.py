"""axe-core finds nothing on any page of ours, in both themes, on a desk and on a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

pytestmark = [pytest.mark.browser, pytest.mark.deep, pytest.mark.up]

LOOKS = [(width, scheme) for width in (1440, 390) for scheme in ("light", "dark")]
POD = "{containers: [{name: app, image: 'nginx:1.27', resources: {requests: {cpu: 100m}}}]}"
ENDING = "{restartPolicy: Never, containers: [{name: app, image: 'busybox:1.36', command: ['true']}]}"
LABELLED = (
    "selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: " + POD + "}"
)
MANIFEST = f"""
{{apiVersion: apps/v1, kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 2, {LABELLED}}}}}
---
{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: web}}, spec: {{serviceName: web, {LABELLED}}}}}
---
{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: web}}, spec: {{{LABELLED}}}}}
---
{{apiVersion: apps/v1, kind: ReplicaSet, metadata: {{name: web}}, spec: {{{LABELLED}}}}}
---
{{apiVersion: batch/v1, kind: Job, metadata: {{name: web}}, spec: {{template: {{spec: {ENDING}}}}}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {{name: web}}
spec: {{schedule: '* * * * *', jobTemplate: {{spec: {{template: {{spec: {ENDING}}}}}}}}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {{name: web}}
spec: {{maxReplicas: 3, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, name: web}}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: web}}
spec: {{minAvailable: 1, selector: {{matchLabels: {{app: web}}}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: web}}
spec: {{selector: {{app: web}}, ports: [{{port: 80}}]}}
---
apiVersion: v1
kind: ReplicationController
metadata: {{name: web}}
spec: {{selector: {{rc: web}}, template: {{metadata: {{labels: {{rc: web}}}}, spec: {POD}}}}}
---
{{apiVersion: v1, kind: Pod, metadata: {{name: lone}}, spec: {POD}}}
---
apiVersion: v1
kind: Pod
metadata: {{name: crashing}}
spec: {{containers: [{{name: app, image: 'busybox:1.36', command: ['false']}}]}}
---
{{apiVersion: v1, kind: ConfigMap, metadata: {{name: remarked-on, namespace: nobody-gave-it}}}}
"""
# What the pages need that the deep tests do not leave to others: the more there is, the more each page draws.
_KINDS_OF_FEW = ("Deployment", "CronJob", "Pod")
FEW = "---".join(one for one in MANIFEST.split("---") if re.findall(r"kind: (\w+)", one)[0] in _KINDS_OF_FEW)
BELOW = (
    "",
    "deployments/default/web/",
    "statefulsets/default/web/",
    "daemonsets/default/web/",
    "replicasets/default/web/",
    "replicationcontrollers/default/web/",
    "jobs/default/web/",
    "cronjobs/default/web/",
    "horizontalpodautoscalers/default/web/",
    "nodes/node-1/",
    "poddisruptionbudgets/default/web/",
    "services/default/web/",
    "pods/default/lone/",
    "pods/default/crashing/",
    "?at=5s",
    "pods/default/crashing/?at=5s",
    "deployments/default/web/?at=5s",
    "nodes/node-1/?at=5s",
    "deployments/default/web/?from=1000&to=6000&q=web",
    "?q=nothing-like-it",
)
OPENED = (
    # What opens on a page, and what to press for it.
    ("pods/default/lone/", "Why this node, and not another", "[data-nodes] table"),
    ("pods/default/lone/", "YAML", "[data-yaml] pre"),
    ("", "Tokens in use", "#tokens p"),
)
STORY = "/gallery/slow-pre-stop/"
ADMIN = ("/admin/", "/admin/lifecycle/cluster/", "/admin/lifecycle/storedobject/")
# Django's admin fades from theme to theme.
FADED = """() => Promise.allSettled(document.getAnimations()
  .filter((one) => one instanceof CSSTransition).map((one) => one.finished))"""
ABOVE = "[data-why-panel]:not([hidden])"


def find_violations(page: Page) -> list[str]:
    """What axe-core says of the page as it stands, in each look."""
    found = []
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.evaluate(FADED)
        for violation in Axe().run(page).response["violations"]:
            nodes = [_brief(node) for node in violation["nodes"]]
            found.append(f"{page.url} {width} {scheme}: {violation['id']}: {nodes}")
    return found


def _brief(node: dict[str, Any]) -> str:
    return f"{node['html'][:160]} ({node['failureSummary'][:160]})"


def find_violations_without_connection(page: Page, cluster: str) -> list[str]:
    """While the server does not answer, and what is shown is of earlier."""
    sockets: list[WebSocketRoute] = []

    def join(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        if len(sockets) > 1:
            socket.close()
        else:
            socket.connect_to_server()

    page.route_web_socket("**/ws/**", join)
    page.goto(f"/clusters/{cluster}/")
    expect(page.locator("[data-skeleton]")).to_have_count(0)
    sockets[0].close()
    expect(page.locator("[data-lost]")).to_be_visible()
    return find_violations(page)


def find_violations_of_a_preview(page: Page, cluster: str) -> list[str]:
    """With the images that somebody is asked about, and what would come of it."""
    page.goto(f"/clusters/{cluster}/")
    page.get_by_label("Kubernetes YAML or JSON").fill(MANIFEST.replace("nginx:1.27", "example.test/app:1"))
    page.get_by_role("button", name="Preview", exact=True).click()
    expect(page.get_by_label("example.test/app:1")).to_be_visible()
    return find_violations(page)


def test_nobody_is_kept_from_signing_in(browser: Browser, entry_of_up: str):
    context = browser.new_context(base_url=entry_of_up.split("/enter/")[0])
    page = context.new_page()
    page.goto("/sign-in/")
    assert find_violations(page) == []
    context.close()


@pytest.mark.parametrize("path", ["/", "/gallery/", STORY, "/releases/", "/nowhere/", "/api/docs/", *ADMIN])
def test_the_ways_in_are_for_everybody(page: Page, path: str):
    page.goto(path)
    assert find_violations(page) == []


def test_the_pages_of_a_cluster_are_for_everybody(page: Page, cluster: str):
    page.get_by_label("Kubernetes YAML or JSON").fill(MANIFEST)
    page.get_by_role("button", name="Apply", exact=True).click()
    expect(page.locator(".workloads")).to_contain_text("CronJob")
    page.wait_for_function(
        "() => parseFloat(document.querySelector('[data-clock]').textContent.slice(6)) > 8"
    )
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("[data-speed]")).to_have_text("paused")
    found = []
    for path in BELOW:
        answer = page.goto(f"/clusters/{cluster}/{path}")
        assert answer is not None and answer.ok, path
        expect(page.locator("[data-skeleton]")).to_have_count(0)
        found += find_violations(page)
    for path, summary, inside in OPENED:
        page.goto(f"/clusters/{cluster}/{path}")
        page.locator("summary", has_text=summary).click()
        expect(page.locator(inside).first).to_be_visible()
        found += find_violations(page)
    page.goto(f"/clusters/{cluster}/pods/default/crashing/")
    page.locator(".events > li > .reason").first.click()
    expect(page.locator(ABOVE)).to_be_visible()
    found += find_violations(page)
    found += find_violations_of_a_preview(page, cluster)
    page.locator("h1").click()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    found += find_violations(page)
    # Of another history: so there is something of everything.
    page.goto(f"/clusters/{cluster}/compare/demo/")
    expect(page.locator(".beside").first).to_be_visible()
    found += find_violations(page)
    found += find_violations_without_connection(page, cluster)
    assert found == [], "\n".join(found)
