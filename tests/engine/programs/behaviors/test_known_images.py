"""The table of well-known images, and what follows from it for a container without a command."""

from typing import Any

import pytest

from lifecycle.engine.objects.pods.pod import PodSpec
from lifecycle.engine.programs import resolve_behavior, start_process
from lifecycle.engine.programs.images.known import KNOWN_IMAGES
from lifecycle.engine.programs.images.sources import find_image, find_user, shell_flavour
from tests.engine.programs.worlds import FakeWorld, behavior_of, pod_spec, probe, run_until, start

NAMED_BY_THE_ISSUE = (
    "nginx httpd redis postgres mysql mongo rabbitmq kafka zookeeper cassandra elasticsearch busybox alpine"
    " debian python node perl pause agnhost php-apache fluentd prometheus grafana/grafana memcached"
    " envoyproxy/envoy haproxy traefik vault consul etcd minio/minio wordpress jenkins/jenkins nats curl"
    " kubectl"
).split()


@pytest.mark.parametrize("name", NAMED_BY_THE_ISSUE)
def test_image_is_in_the_table(name: str) -> None:
    assert name in KNOWN_IMAGES


def find_name(image: str) -> str | None:
    found = find_image(image)
    return found.name if found is not None else None


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("nginx", "nginx"),
        ("nginx:1.25", "nginx"),
        ("library/nginx", "nginx"),
        ("docker.io/nginx:1", "nginx"),
        ("docker.io/library/nginx:1.25@sha256:abc", "nginx"),
        ("index.docker.io/library/nginx", "nginx"),
        ("registry-1.docker.io/grafana/grafana:11.0.0", "grafana/grafana"),
        ("mirror.gcr.io/library/python:3.12", "python"),
        ("public.ecr.aws/docker/library/node:20", "node"),
        ("public.ecr.aws/nginx/nginx:1.27", "nginx"),
        ("public.ecr.aws/bitnami/redis:7", "bitnami/redis"),
        ("mcr.microsoft.com/mirror/docker/library/nginx:1.25", "nginx"),
        ("mcr.microsoft.com/oss/kubernetes/pause:3.6", "pause"),
        ("mcr.microsoft.com/oss/bitnami/redis:6.0.8", "bitnami/redis"),
        ("quay.io/libpod/alpine:latest", "alpine"),
        ("arm64v8/redis:7", "redis"),
        ("registry.k8s.io/pause:3.9", "pause"),
        ("registry.k8s.io/pause-amd64:3.2", "pause"),
        ("k8s.gcr.io/pause:3.6", "pause"),
        ("gcr.io/google_containers/pause:2.0", "pause"),
        ("gcr.io/google-containers/busybox", "busybox"),
        ("registry.aliyuncs.com/google_containers/pause:3.9", "pause"),
        ("registry.cn-hangzhou.aliyuncs.com/google_containers/coredns:v1.11.1", "coredns"),
        ("registry.k8s.io/e2e-test-images/agnhost:2.40", "agnhost"),
        ("registry.k8s.io/coredns/coredns:v1.12.0", "coredns"),
        ("registry.k8s.io/metrics-server/metrics-server:v0.8.0", "metrics-server"),
        ("registry.k8s.io/hpa-example", "hpa-example"),
        ("us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v5", "gb-frontend"),
        ("docker.elastic.co/elasticsearch/elasticsearch:8.1.0", "elasticsearch"),
        ("quay.io/prometheus/prometheus", "prometheus"),
        ("prom/prometheus:v3.0.0", "prometheus"),
        ("gcr.io/google_samples/gb-redisslave:v1", "redis"),
        ("quay.io/fedora/fedora:41", "fedora"),
        ("quay.io/coreos/etcd:v3.5.0", "etcd"),
        ("bitnamilegacy/postgresql:16", "bitnami/postgresql"),
        ("docker.io/bitnamisecure/kubectl:latest", "bitnami/kubectl"),
    ],
)
def test_image_is_known_by_its_official_names(image: str, name: str) -> None:
    found = find_image(image)
    assert found is not None and (found.name, found.is_guess) == (name, False)


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("harbor.example/library/nginx:1", "nginx"),
        ("registry.example:5000/proxy/library/redis", "redis"),
        ("1234.dkr.ecr.eu-west-1.amazonaws.com/docker-hub/library/node:20", "node"),
        ("harbor.example/hub/docker.io/grafana/grafana", "grafana/grafana"),
        ("m.daocloud.io/docker.io/library/python:3", "python"),
        ("harbor.example/hub/docker.io/bitnamilegacy/redis", "bitnami/redis"),
        ("harbor.example/registry.k8s.io/pause:3.9", "pause"),
        ("rancher/mirrored-pause:3.6", "pause"),
        ("rancher/mirrored-library-traefik:2.10", "traefik"),
    ],
)
def test_copy_that_says_what_it_is_a_copy_of_is_a_guess(image: str, name: str) -> None:
    found = find_image(image)
    assert found is not None and (found.name, found.is_guess) == (name, True)


@pytest.mark.parametrize(
    "image",
    [
        "registry.example/shop/web:1",
        "quay.io/acme/node:v3.30.0",
        "registry.example/shop/python:1.4",
        "acme/golang",
        "ghcr.io/acme/curl",
        "cgr.dev/chainguard/nginx:latest",
        "cgr.dev/chainguard/redis",
        "mirror.example/base/nginx:1",
        "localhost/nginx",
        "registry.example:5000/nginx",
        "registry.k8s.io/ingress-nginx/nginx",
        "acme/pause-tool:1",
        "acme/liveness",
        "bitnami/wordpress:6",
    ],
)
def test_last_word_of_a_name_says_nothing(image: str) -> None:
    assert find_image(image) is None


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("php:8.3", "php"),
        ("php:8.3-cli-alpine", "php"),
        ("php:8.3-apache", "php:apache"),
        ("php:8.3-apache-bookworm", "php:apache"),
        ("php:fpm-alpine", "php:fpm"),
        ("docker.io/library/php:8-fpm@sha256:abc", "php:fpm"),
        ("wordpress:6", "wordpress"),
        ("wordpress:6-php8.3-fpm", "wordpress:fpm"),
        ("wordpress:cli-2.10", None),
        ("docker:27-cli", "docker"),
        ("docker:27-dind", "docker:dind"),
        ("docker:dind-rootless", "docker:dind"),
        ("rabbitmq:3", "rabbitmq"),
        ("rabbitmq:3.13-management-alpine", "rabbitmq:management"),
        ("caddy:2-builder", None),
        ("influxdb:2.7", "influxdb"),
        ("influxdb:3-core", None),
        ("acme/php:8-fpm", None),
    ],
)
def test_word_of_a_tag_brings_another_program(image: str, name: str | None) -> None:
    assert find_name(image) == name


@pytest.mark.parametrize(
    ("image", "env", "port"),
    [
        ("docker:27-dind", (), 2376),
        ("php:8.3-apache", (), 80),
        ("php:8.3-fpm", (), 9000),
        ("wordpress:6-php8.3-fpm", (), 9000),
        ("rabbitmq:4-management", (), 15672),
        ("cgr.dev/chainguard/nginx", (), 8080),
        ("bitnami/mysql:8.4", ("ALLOW_EMPTY_PASSWORD",), 3306),
        ("bitnami/mariadb:11.4", ("ALLOW_EMPTY_PASSWORD",), 3306),
        ("bitnamilegacy/postgresql:16", ("POSTGRESQL_PASSWORD",), 5432),
    ],
)
def test_variant_serves_where_its_own_program_does(image: str, env: tuple[str, ...], port: int) -> None:
    entries = [{"name": name, "value": "x"} for name in env]
    process = start(pod_spec({"image": image, "env": entries}))
    run_until(process, FakeWorld(), 60_000)
    assert process.exit is None
    assert process.probe("readiness", probe("tcp", port=port), 60_000, FakeWorld()).result == "success"


@pytest.mark.parametrize(
    ("image", "user"),
    [
        ("nginx", 0),
        ("quay.io/acme/node:v3.30.0", None),
        ("quay.io/calico/node:v3.30.0", 0),
        ("ghcr.io/dexidp/dex:v2.45.0", None),
        ("grafana/loki:3.5.0", 10001),
        ("goharbor/harbor-core:v2.13.0", 1000),
        ("cgr.dev/chainguard/redis", None),
        ("docker:27-dind-rootless", None),
        ("docker.io/bitnamisecure/kubectl:latest", 1001),
        ("bitnamilegacy/redis:7.4", 1001),
        ("docker.io/bitnami/wordpress:6", 1001),
        ("public.ecr.aws/bitnami/thanos", 1001),
    ],
)
def test_only_who_an_image_is_known_to_run_as_is_held_against_it(image: str, user: int | None) -> None:
    found = find_user(image)
    assert (found[0] if found is not None else None) == user


@pytest.mark.parametrize(
    "image", ["registry.k8s.io/pause:3.10", "registry.k8s.io/e2e-test-images/agnhost:2.40"]
)
def test_containers_that_open_no_port_stand_beside_each_other(image: str) -> None:
    args = {"args": ["pause"]} if "agnhost" in image else {}
    both = [{"name": name, "image": image, **args} for name in ("a", "b")]
    spec = PodSpec.from_json({"containers": both})
    world = FakeWorld()
    behaviors = [resolve_behavior(spec, one, {}, (), {}) for one in spec.containers]
    for behavior, container in zip(behaviors, spec.containers, strict=True):
        process = start_process(behavior, container, 0, 0, world)
        run_until(process, world, 60_000)
        assert process.exit is None
        assert process.probe("readiness", probe("tcp", port=65_535), 60_000, world).result == "failure"
        assert process.probe("readiness", probe("http", port=80), 60_000, world).result == "failure"
    assert [behavior.binds for behavior in behaviors] == [(), ()]


@pytest.mark.parametrize(
    ("image", "env", "expected"),
    [
        pytest.param("busybox", (), (0, 0), id="a shell without input ends at once"),
        pytest.param("python:3.12", (), (0, 0), id="an interpreter without input ends at once"),
        pytest.param("postgres:16", (), (1_000, 1), id="postgres refuses to start without a password"),
        pytest.param("postgres:16", ("POSTGRES_PASSWORD",), None, id="postgres with a password"),
        pytest.param("mysql:8", ("MYSQL_ALLOW_EMPTY_PASSWORD",), None, id="mysql with an empty password"),
        pytest.param("nginx", (), None, id="a server runs on"),
    ],
)
def test_image_without_command(image: str, env: tuple[str, ...], expected: tuple[int, int] | None) -> None:
    entries = [{"name": name, "value": "x"} for name in env]
    process = start(pod_spec({"image": image, "env": entries}))
    run_until(process, FakeWorld())
    assert (process.exit and (process.exit.at_ms, process.exit.code)) == expected


def test_shell_with_open_input_waits_for_it() -> None:
    assert start(pod_spec({"image": "busybox", "stdin": True})).exit is None


@pytest.mark.spec("STOPSIG-06")
@pytest.mark.parametrize(
    ("image", "stop_signal", "exit_code"),
    [
        ("nginx", "SIGQUIT", 0),
        ("httpd", "SIGWINCH", 0),
        ("postgres", "SIGINT", 0),
        ("redis", None, 0),
        ("tomcat", None, 143),
        ("sim/healthz:1", None, 2),
        ("own/image:1", None, 0),
    ],
)
def test_stop_signal_of_the_image_ends_its_process(
    image: str, stop_signal: str | None, exit_code: int
) -> None:
    env = [{"name": "POSTGRES_PASSWORD", "value": "x"}]
    spec = pod_spec({"image": image, "env": env})
    world = FakeWorld()
    assert behavior_of(spec).stop_signal == stop_signal
    process = start(spec, world)
    process.signal(60_000, stop_signal or "SIGTERM", world)
    run_until(process, world)
    assert process.exit is not None and process.exit.code == exit_code


@pytest.mark.parametrize(
    ("container", "port", "path", "expected"),
    [
        pytest.param({}, 80, "/", "success", id="its page"),
        pytest.param({}, 80, "/50x.html", "success", id="its page for errors"),
        pytest.param({}, 80, "/healthz", "failure", id="a page it does not have"),
        pytest.param(
            {"lifecycle": {"postStart": {"exec": {}}}}, 80, "/healthz", "success", id="a hook's page"
        ),
        pytest.param(
            {"lifecycle": {"preStop": {"exec": {}}}}, 80, "/healthz", "failure", id="no hook's page"
        ),
        pytest.param({}, 8080, "/", "failure", id="a port it does not listen on"),
        pytest.param({"volumeMounts": [{}]}, 80, "/healthz", "success", id="own configuration, any page"),
        pytest.param(
            {"volumeMounts": [{}], "ports": [{"containerPort": 8080}]}, 8080, "/", "success", id="own port"
        ),
    ],
)
def test_nginx_answers_where_it_listens(
    container: dict[str, Any], port: int, path: str, expected: str
) -> None:
    process = start(pod_spec({"image": "nginx:1.25", **container}))
    sight = process.probe("readiness", probe("http", port=port, path=path), 1_000, FakeWorld())
    assert sight.result == expected


def test_time_to_get_ready_counts_only_outside_of_instant_timing() -> None:
    def ready_ms(image: str, instant: bool) -> int | None:
        spec = pod_spec({"image": image})
        found = resolve_behavior(spec, spec.containers[0], {}, (), {}, instant=instant).ready_after
        return found.low_ms if found else None

    assert ready_ms("rabbitmq:3", False) == 10_000
    assert ready_ms("rabbitmq:3", True) is None
    # What a simulated image is defined to do is no latency.
    assert ready_ms("sim/slow:1", True) == 95_000


@pytest.mark.parametrize(
    ("labels", "is_init", "end_ms"),
    [({}, False, None), ({"job-name": "j"}, False, 10_000), ({}, True, 1_000)],
    ids=["a server", "a Job's pod", "an init container"],
)
def test_unknown_image_is_assumed_to_do_its_duty(
    labels: dict[str, str], is_init: bool, end_ms: int | None
) -> None:
    entry = {"name": "app", "image": "own/thing:1"}
    spec = PodSpec.from_json({"containers": [entry], "initContainers": [{**entry, "name": "init"}]})
    container = spec.init_containers[0] if is_init else spec.containers[0]
    behavior = resolve_behavior(spec, container, {}, (), labels)
    length = behavior.runs[0].for_
    assert (length.low_ms if length else None) == end_ms
    assert "assumed to" in behavior.assumptions[0]


@pytest.mark.parametrize(
    ("image", "flavour"),
    [
        ("busybox", "ash"),
        ("python:3.12", "dash"),
        ("python:3.12-alpine", "ash"),
        ("bash:5", "bash"),
        ("rockylinux:9", "bash"),
        ("own/image", "ash"),
    ],
)
def test_sh_is_the_shell_of_the_image(image: str, flavour: str) -> None:
    assert shell_flavour(image) == flavour


READ_ONLY = {"securityContext": {"readOnlyRootFilesystem": True}}
NOBODY = {"securityContext": {"runAsUser": 1000}}
NO_CHOWN = {"securityContext": {"capabilities": {"drop": ["ALL"], "add": ["NET_BIND_SERVICE"]}}}
CACHE, PID = "/var/cache/nginx", "/var/run"
MKDIR = 'nginx: [emerg] mkdir() "/var/cache/nginx/client_temp" failed'
OPEN = 'nginx: [emerg] open() "/run/nginx.pid" failed'


@pytest.mark.parametrize(
    ("container", "mounts", "said"),
    [
        pytest.param({}, (), None, id="plain"),
        pytest.param(READ_ONLY, (), f"{MKDIR} (30: Read-only file system)", id="read-only root"),
        pytest.param(READ_ONLY, (CACHE,), f"{OPEN} (30: Read-only file system)", id="cache only"),
        pytest.param(READ_ONLY, (CACHE, PID), None, id="both"),
        pytest.param(READ_ONLY, ("/var/cache", "/run"), None, id="above them"),
        pytest.param(NOBODY, (), f"{MKDIR} (13: Permission denied)", id="another user"),
        pytest.param(NOBODY, (CACHE, "/run"), None, id="another user, both"),
        pytest.param(
            NO_CHOWN,
            (),
            'nginx: [emerg] chown("/var/cache/nginx/client_temp", 101) failed (1: Operation not permitted)',
            id="root who may nothing",
        ),
        pytest.param(READ_ONLY, ("/etc/nginx",), None, id="a configuration of its own"),
        pytest.param({**READ_ONLY, "image": "shop/nginx:1"}, (), None, id="somebody's image"),
        pytest.param(
            {**READ_ONLY, "image": "mirror.gcr.io/library/nginx"}, (), f"{MKDIR} (30: R", id="mirror"
        ),
        pytest.param(
            {**READ_ONLY, "image": "docker.io/library/nginx:1"}, (), f"{MKDIR} (30: R", id="full name"
        ),
    ],
)
def test_nginx_ends_where_it_cannot_write(container: Any, mounts: tuple[str, ...], said: str | None) -> None:
    volume = {"name": "v", "emptyDir": {}}
    given = [{"name": "v", "mountPath": path} for path in mounts]
    spec = pod_spec({"image": "nginx:1.27", **container, "volumeMounts": given}, volumes=[volume])
    world = FakeWorld()
    process = start(spec, world)
    run_until(process, world, 60_000)
    lines = [line for _, line in process.take_output()]
    assert (process.exit is None, lines == []) == (said is None, said is None)
    if process.exit is not None:
        assert process.exit.code == 1 and lines[0].startswith(said or "?")


def test_options_alone_are_given_to_the_images_own_server() -> None:
    """`args: [--save, "", --appendonly, "no"]`, as Argo CD runs its Redis."""
    behavior = behavior_of(pod_spec({"image": "redis:8-alpine", "args": ["--appendonly", "no"]}))
    assert (behavior.is_assumed, behavior.ready_after is not None) == (False, True)
    missing = behavior_of(pod_spec({"image": "postgres:17", "args": ["-c", "shared_buffers=1MB"]}))
    assert missing.runs[0].exit == 1
    assert behavior_of(pod_spec({"image": "redis:8-alpine", "args": ["/opt/own"]})).is_assumed
