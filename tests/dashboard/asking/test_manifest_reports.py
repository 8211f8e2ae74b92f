"""A folder, an archive or a dump on a cluster's page: told first, applied with one click."""

from __future__ import annotations

import json
import re
from html import unescape
from io import BytesIO
from itertools import pairwise
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from lifecycle.models import Cluster, StoredObject
from lifecycle.runs import inbox
from tests.dashboard.conftest import make_cluster, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ADDRESS = "/clusters/shop/manifest/"
HOSTILE = "<script>alert(1)</script>"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}]}\n"
WEB = """apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: app, image: "ghcr.io/acme/web:1", envFrom: [{secretRef: {name: keys}}]}]
"""
BROKEN = """apiVersion: v1
kind: Pod
metadata: {name: torn}
spec: {containers: [{name: app, imagee: nginx}]}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: Upper
"""
NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: late}\n"
FOLDER = {
    "shop/.git/config": "x",
    "shop/.hidden.yaml": CONFIG_MAP.format(name="hidden"),
    "shop/README.md": "# hello",
    "shop/chart/Chart.yaml": "apiVersion: v2\nname: shop\n",
    "shop/chart/values.yaml": "a: 1\n",
    "shop/chart/templates/web.yaml": "apiVersion: v1\nkind: {{ .Values.kind }}\n",
    "shop/over/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n",
    "shop/values.yaml": "a: 1\n",
    "shop/a-broken.yaml": BROKEN,
    "shop/web.yaml": WEB + "---\n" + SERVICE,
    "shop/z-namespace.yaml": NAMESPACE,
}
RIGHT = ["Namespace late", "Deployment web", "Service web"]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The objects that were applied."""
    objects: list[dict[str, Any]] = []

    def append_all(cluster: Cluster, commands: list[tuple[str, dict[str, Any]]], user: Any) -> Any:
        objects.extend(payload["object"] for _kind, payload in commands)
        return commands

    monkeypatch.setattr(inbox, "append_all", append_all)
    result = {"code": 201, "object": {}, "status": None, "warnings": []}
    monkeypatch.setattr(inbox, "wait_for_results", lambda commands: [result for _ in commands])
    return objects


@pytest.fixture
def shop(client: Client) -> Cluster:
    ada = make_user()
    client.force_login(ada)
    return make_cluster(ada)


def bring(client: Client, files: dict[str, str | bytes], **more: Any) -> Any:
    """Send files by their paths, as the page does."""
    contents = [text.encode() if isinstance(text, str) else text for text in files.values()]
    uploads = [SimpleUploadedFile(str(number), content) for number, content in enumerate(contents)]
    return client.post(ADDRESS, {"file": uploads, "paths": json.dumps(list(files))} | more)


def seen(answer: Any) -> str:
    """What the report's button sends."""
    return re.search(r'name="seen" value="(\w+)"', answer.content.decode())[1]


def words(answer: Any) -> str:
    """The text of a part, without its markup."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def names(objects: list[dict[str, Any]]) -> list[str]:
    return [f"{one['kind']} {one['metadata']['name']}" for one in objects]


def pack(files: dict[str, str]) -> bytes:
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def test_a_folder_is_told_of_before_anything_is_applied(client, shop, sent):
    told = words(bring(client, FOLDER))
    assert not sent
    assert "3 objects from 2 files are right 2 refused 6 skipped" in told
    assert "Apply the 3 objects that are right" in told
    for path, why in (
        ("shop/.git", "hidden"),
        ("shop/.hidden.yaml", "hidden"),
        ("shop/chart", "a Helm chart"),
        ("shop/over/kustomization.yaml", "a kustomization"),
    ):
        assert f"{path} : {why}" in told
    assert "shop/README.md" in told and "shop/values.yaml" in told
    assert "shop/a-broken.yaml Pod torn spec.containers[0].imagee" in told
    assert "(document 1, line 4)" in told
    assert "ConfigMap Upper metadata.name" in told
    assert "(document 2, line 9)" in told
    assert "Secret shop/keys, wanted by Deployment shop/web" in told
    assert "Namespace shop is named but neither given nor there: it is created first" in told
    assert "Images assumed to start and to answer ghcr.io/acme/web:1" in told


def test_what_images_are_taken_to_be_by_their_names_alone_stands_among_what_is_assumed(client, shop, sent):
    image = "harbor.example/library/node:20"
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "copy"}}
    spec = {"containers": [{"name": "app", "image": image}]}
    told = words(bring(client, {"pod.json": json.dumps(pod | {"spec": spec})}))
    assert f"Assumed taken to be node, which ends at once: {image}" in told
    assert "Images assumed to start and to answer" not in told


def test_of_an_image_nobody_knows_is_asked_how_it_behaves(client, shop, sent):
    image = "ghcr.io/acme/web:1"
    answer = bring(client, FOLDER)
    assert 'name="image" value="ghcr.io/acme/web:1"' in answer.content.decode()
    chosen = {"seen": seen(answer), "image": image, "behavior": "crashes"}
    told = bring(client, FOLDER, **chosen)
    assert told.status_code == 200
    profile = sent[0]
    assert (profile["kind"], profile["spec"]["match"]) == ("ContainerProfile", {"image": image})
    assert profile["spec"]["behavior"] == {"runs": [{"for": "5s", "exit": 1}]}
    refused = bring(client, FOLDER, **chosen | {"behavior": "explodes"})
    assert refused.status_code == 422 and "explodes is no behaviour: choose" in words(refused)


def test_one_click_applies_what_is_right_and_what_it_needs(client, shop, sent):
    answer = bring(client, FOLDER, seen=seen(bring(client, FOLDER)))
    assert answer.status_code == 200
    assert names(sent) == ["Namespace shop", *RIGHT]
    assert "4 created" in words(answer)
    assert "Secret shop/keys" in words(answer)


def test_files_that_changed_since_they_were_told_of_are_told_of_again(client, shop, sent):
    old = seen(bring(client, FOLDER))
    answer = bring(client, FOLDER | {"shop/web.yaml": SERVICE}, seen=old)
    assert not sent
    assert "has changed since it was read" in words(answer)
    assert seen(answer) != old


def test_what_the_cluster_has_is_neither_missing_nor_created(client, shop, sent):
    for kind, namespace, name in (("Namespace", None, "shop"), ("Secret", "shop", "keys")):
        StoredObject.objects.create(
            cluster=shop, uid=name, kind=kind, namespace=namespace, name=name, rv=1, data={}
        )
    told = words(bring(client, FOLDER))
    assert "Secret shop/keys" not in told
    assert "created first" not in told


def test_an_archive_is_told_of_like_the_folder_in_it(client, shop, sent):
    files = {"shop.zip": pack(FOLDER | {"shop/more.zip": "x"})}
    report = bring(client, files)
    assert "3 objects from 2 files are right 2 refused 7 skipped" in words(report)
    assert "shop.zip/shop/a-broken.yaml" in words(report)
    bring(client, files, seen=seen(report))
    assert names(sent) == ["Namespace shop", *RIGHT]


def test_files_that_were_left_at_home_are_told_of_by_name(client, shop, sent):
    told = words(bring(client, {"a/x.yaml": SERVICE}, named=json.dumps(["a/b.png", "a/.git"])))
    assert "1 object from 1 file is right 2 skipped" in told
    assert "a/b.png" in told
    only = client.post(ADDRESS, {"named": json.dumps(["a/b.png", "a/.git"])})
    assert "Nothing to apply" in words(only)


def test_a_single_file_must_be_a_manifest_and_of_several_others_are_skipped(client, shop, sent):
    assert "1 object from 1 file is right 1 skipped" in words(
        bring(client, {"web.yaml": SERVICE, "values.yaml": "a: 1"})
    )
    single = bring(client, {"values.yaml": "a: 1"})
    assert single.status_code == 422
    assert "apiVersion" in words(single)


def exported(kind: str, name: str, owner: tuple[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """An object as `kubectl get -o yaml` writes it."""
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "default",
        "uid": f"0b5ff7b5-{name}",
        "resourceVersion": "123",
        "generation": 4,
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {}}}],
    }
    if owner:
        kind_, name_ = owner
        metadata["ownerReferences"] = [
            {
                "apiVersion": "apps/v1",
                "kind": kind_,
                "name": name_,
                "uid": f"0b5ff7b5-{name_}",
                "controller": True,
            }
        ]
    return {"apiVersion": "v1" if kind == "Pod" else "apps/v1", "kind": kind, "metadata": metadata} | more


def test_a_dump_is_applied_without_what_its_server_and_its_controllers_wrote(client, shop, sent):
    labels = {"app": "web"}
    containers = [{"name": "app", "image": "nginx:1.27"}]
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    pod_spec = {"nodeName": "kind-worker", "containers": containers}
    items = [
        exported("Deployment", "web", spec=spec, status={"replicas": 1, "readyReplicas": 1}),
        exported("ReplicaSet", "web-1", ("Deployment", "web"), spec=spec, status={"replicas": 1}),
        exported("Pod", "web-1-x", ("ReplicaSet", "web-1"), spec=pod_spec, status={"phase": "Running"}),
    ]
    dump = {"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}
    files = {"dump.yaml": json.dumps(dump)}
    report = bring(client, files)
    assert "1 object from 1 file is right" in words(report)
    assert "ReplicaSet default/web-1: its owner Deployment web is given" in words(report)
    assert "Pod default/web-1-x: its owner ReplicaSet web-1 is given" in words(report)
    bring(client, files, seen=seen(report))
    assert [one["metadata"] for one in sent] == [{"name": "web", "namespace": "default"}]
    assert "status" not in sent[0]


def test_a_text_that_is_right_takes_one_click_and_of_another_the_rest_is_offered(client, shop, sent):
    good = client.post(ADDRESS, {"manifest": SERVICE})
    assert (good.status_code, names(sent)) == (200, ["Service web"])
    sent.clear()
    text = f"{BROKEN}---\n{SERVICE}"
    report = client.post(ADDRESS, {"manifest": text})
    assert (report.status_code, sent) == (422, [])
    assert "Apply the 1 object that is right" in words(report)
    client.post(ADDRESS, {"manifest": text, "seen": seen(report)})
    assert names(sent) == ["Service web"]


def test_what_is_for_a_run_without_a_server_is_skipped(client, shop, sent):
    scenario = "apiVersion: podline.dev/v1alpha1\nkind: Scenario\nmetadata: {name: slow}\nspec: {}\n"
    kubelet = "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmetadata: {name: k}\n"
    told = words(bring(client, {"a/x.yaml": f"{scenario}---\n{kubelet}---\n{SERVICE}"}))
    assert "1 object from 1 file is right 2 skipped" in told
    assert "Scenario slow : a Scenario is played by `manage.py simulate`" in told


def test_hostile_names_and_texts_stay_text(client, shop, sent):
    files = {
        f"{HOSTILE}/{HOSTILE}.yaml": BROKEN.replace("torn", HOSTILE),
        f"{HOSTILE}/b.yaml": SERVICE,
        f"{HOSTILE}/../x.yaml": SERVICE,
    }
    answer = bring(client, files, named=json.dumps([f"{HOSTILE}/{HOSTILE}.png", "\ud800/a.png", "a\0b"]))
    page = answer.content.decode()
    assert HOSTILE not in page
    assert HOSTILE in unescape(page)
    assert "its path leads out of the folder" in page


ALIAS_BOMB = "apiVersion: v1\nkind: ConfigMap\na: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{f'*{before}, ' * 9}]\n" for before, name in pairwise("abcdefg")
)


@pytest.mark.parametrize(
    "files, said",
    [
        pytest.param({"a.zip": pack({"a.yaml": "a" * 2**26})}, "unpack to more than 8 MiB", id="zip bomb"),
        pytest.param({"a.zip": b"PK\x03\x04 and so on"}, "no zip archive that can be read", id="no zip"),
        pytest.param({"a/bomb.yaml": ALIAS_BOMB}, "aliases expand to more than", id="alias bomb"),
        pytest.param(
            {"a/a.yaml": CONFIG_MAP.format(name="a"), "a/b.yaml": f"{CONFIG_MAP}a: [{'1,' * 250_000}]"},
            "more than 250,000 values are too many to be read at once",
            id="dense",
        ),
        pytest.param({"a/x.yaml": b"\xff\xfekind apiVersion"}, "is not valid", id="another encoding"),
    ],
)
def test_bombs_are_refused(client, shop, sent, files, said):
    answer = bring(client, files)
    assert answer.status_code == 422
    assert said in words(answer)
    assert not sent


def test_very_many_objects_are_refused(client, shop, sent):
    text = "".join(f"---\n{CONFIG_MAP.format(name=f'c{number}')}" for number in range(5001))
    answer = client.post(ADDRESS, {"manifest": text})
    assert answer.status_code == 422
    assert "5,001 objects are more than the 5,000 that are applied at once; give them in parts" in words(
        answer
    )


def test_of_very_many_refusals_the_first_ones_are_written_out(client, shop, sent, monkeypatch):
    text = "".join(f"---\n{CONFIG_MAP.format(name=f'C{number}')}" for number in range(250))
    told = words(client.post(ADDRESS, {"manifest": text}))
    assert "250 refused" in told and "and 50 more of the kind" in told
    monkeypatch.setattr(inbox, "wait_for_results", lambda commands: [None for _ in commands])
    told = words(client.post(ADDRESS, {"manifest": text.replace("name: C", "name: c")}))
    assert told.count("No answer within 10 seconds") == 200 and "and 50 more of the kind" in told


def test_archives_share_what_is_unpacked_and_are_few(client, shop, sent):
    half = pack({"a.yaml": "#" + "a" * 5 * 2**20})
    told = words(bring(client, {"a.zip": half, "b.zip": half, "web.yaml": SERVICE}))
    assert "b.zip its manifests unpack to more than 3 MiB" in told
    assert "1 object from 1 file is right" in told
    assert "More than 10 archives are too many" in words(
        bring(client, {f"{number}.zip": half for number in range(11)})
    )


def test_a_request_that_is_too_large_is_refused_with_its_size(client, shop, sent):
    answer = bring(client, {"a/x.yaml": "#" + "x" * 10 * 1024 * 1024})
    assert answer.status_code == 422
    assert "10.0 MiB are more than the 8 MiB that are read at once" in words(answer)
    text = client.post(ADDRESS, {"manifest": "x" * 10 * 1024 * 1024}, headers={"HX-Request": "true"})
    assert text.status_code == 422
    assert "more than is read at once" in words(text)


@pytest.mark.parametrize("paths", ["[", "{}", "[1]", '["a", "b"]', "[" * 5000, "null"])
def test_paths_that_do_not_fit_the_files_are_refused(client, shop, sent, paths):
    upload = SimpleUploadedFile("a.yaml", SERVICE.encode())
    answer = client.post(ADDRESS, {"file": upload, "paths": paths})
    assert answer.status_code == 422
    assert not sent


def test_whoever_may_only_look_may_not_apply(client, shop, sent):
    client.force_login(make_user("eve"))
    assert bring(client, FOLDER).status_code == 404
    assert not sent


CHART = {
    "web/Chart.yaml": "{apiVersion: v2, name: web, version: 1.0.0}",
    "web/templates/_names.tpl": "{{/* names */}}",
    "web/templates/a.yaml": "kind: {{ .Values.kind }}",
}


@pytest.fixture
def helm(tmp_path, monkeypatch):
    """A program of that name, which makes up something new at each call, as charts make passwords."""
    program = tmp_path / "helm"
    made = 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: made}\\ndata: {a: "%s"}\\n'
    program.write_text(f"#!/bin/sh\n[ $1 = version ] && echo v9.8.7 || printf '{made}' $$\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("files", [CHART, {"web.zip": pack(CHART)}], ids=["a folder", "an archive"])
def test_a_chart_is_rendered_by_the_server_and_applied_with_one_click(
    client, shop, sent, settings, helm, files
):
    settings.RENDER_CHARTS = True
    told = bring(client, files)
    assert "is rendered by helm v9.8.7" in words(told)
    bring(client, files, seen=seen(told))
    assert names(sent) == ["ConfigMap made"]


@pytest.mark.parametrize("files", [CHART, {"web.zip": pack(CHART)}], ids=["a folder", "an archive"])
def test_where_the_server_may_not_render_it_is_said_what_to_run(client, shop, settings, helm, files):
    settings.RENDER_CHARTS = False
    assert "run `helm template" in words(bring(client, files))
