"""Which row of the table of known images an image is: by its whole name, never by the last word of it.

`acme/node` is not Node.js, and `quay.io/calico/node` least of all. Known are the official names, and copies
whose name says of what they are copies: those of public mirrors, and `library/x` or `docker.io/x` below any
other host, which is a guess and is told as one. A word of the tag may bring another program: `php:8-fpm`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lifecycle.lean_tuples import NamedTuple

from ...rules.pods.image_names import full_name
from ..guesses import IMAGE_NAME
from .known import KNOWN_IMAGES, ImageFacts

_ROOT = 0
_BITNAMI_USER = 1001

_OFFICIAL = "docker.io/library/"
_ALIASES = (
    # Docker Hub, by its hosts, and its mirrors of Google, Amazon and Microsoft.
    (r"(?:(?:index\.|registry-1\.)?docker\.io|registry\.hub\.docker\.com|mirror\.gcr\.io)/", ""),
    (r"public\.ecr\.aws/docker/library/", ""),
    (r"public\.ecr\.aws/(bitnami|hashicorp)/", r"\1/"),
    (r"public\.ecr\.aws/(nginx|amazonlinux|ubuntu|debian)/\1$", r"\1"),
    (r"mcr\.microsoft\.com/mirror/docker/library/", ""),
    (r"mcr\.microsoft\.com/oss/(bitnami|envoyproxy)/", r"\1/"),
    (r"mcr\.microsoft\.com/oss/kubernetes/", "registry.k8s.io/"),
    (r"quay\.io/libpod/(alpine|busybox)$", r"\1"),
    (r"library/", ""),
    # The official images of one architecture alone.
    (r"(?:amd64|arm32v[567]|arm64v8|i386|mips64le|ppc64le|riscv64|s390x)/([^/]+)$", r"\1"),
    # What was Kubernetes' registry before, and its mirrors.
    (r"k8s\.gcr\.io/", "registry.k8s.io/"),
    (r"(?:eu\.|us\.|asia\.)?gcr\.io/(?:google_containers|google-containers)/", "registry.k8s.io/"),
    (r"registry\.(?:cn-\w+\.)?aliyuncs\.com/google_containers/", "registry.k8s.io/"),
    (r"(registry\.k8s\.io/.+)-(?:amd64|arm|arm64|ppc64le|s390x)$", r"\1"),
    (r"us-docker\.pkg\.dev/google-samples/containers/gke/", "gcr.io/google-samples/"),
    (r"gcr\.io/google_samples/", "gcr.io/google-samples/"),
    # One publisher under three names.
    (r"(?:bitnamilegacy|bitnamisecure)/", "bitnami/"),
)
"""Beginnings of other names for the same image, and what stands for them."""

_COPIES = (
    (r".+/docker\.io/(?:library/)?(.+)", r"\1"),
    (r".+/registry\.k8s\.io/(.+)", r"registry.k8s.io/\1"),
    (r".+/library/([^/]+)", r"\1"),
    (r"rancher/mirrored-library-([^/]+)", r"\1"),
    (r"rancher/mirrored-(pause)", r"registry.k8s.io/\1"),
)
"""Names that say of what they are copies."""

_ROWS_OF_KUBERNETES = {
    "pause": "pause",
    "e2e-test-images/agnhost": "agnhost",
    "e2e-test-images/busybox": "busybox",
    "e2e-test-images/nginx": "nginx",
    "e2e-test-images/httpd": "httpd",
    "e2e-test-images/echoserver": "echoserver",
    "busybox": "busybox",
    "nginx": "nginx",
    "redis": "redis",
    "kubectl": "kubectl",
    "etcd": "etcd",
    "coredns": "coredns",
    "coredns/coredns": "coredns",
    "metrics-server": "metrics-server",
    "metrics-server/metrics-server": "metrics-server",
    "hpa-example": "hpa-example",
    "liveness": "sim/healthz",
    "serve_hostname": "serve_hostname",
    "serve-hostname": "serve-hostname",
    "echoserver": "echoserver",
    "guestbook": "guestbook",
    "fluentd-elasticsearch": "fluentd-elasticsearch",
    "kubernetes-zookeeper": "zookeeper",
}

_SAME_AS = {
    **{f"registry.k8s.io/{name}": row for name, row in _ROWS_OF_KUBERNETES.items()},
    "gcr.io/kubernetes-e2e-test-images/agnhost": "agnhost",
    "gcr.io/google-samples/hello-app": "hello-app",
    "gcr.io/google-samples/gb-frontend": "gb-frontend",
    "corelab/gb-frontend": "gb-frontend",
    "gcr.io/google-samples/gb-redis-follower": "redis",
    "gcr.io/google-samples/gb-redisslave": "redis",
    "gcr.io/google-samples/cassandra": "cassandra",
    "quay.io/fluentd_elasticsearch/fluentd": "fluentd-elasticsearch",
    "fluent/fluentd": "fluentd",
    "docker.elastic.co/elasticsearch/elasticsearch": "elasticsearch",
    "elastic/elasticsearch": "elasticsearch",
    "apache/kafka": "kafka",
    "confluentinc/cp-kafka": "kafka",
    "confluentinc/cp-zookeeper": "zookeeper",
    "coredns/coredns": "coredns",
    "hashicorp/vault": "vault",
    "hashicorp/consul": "consul",
    "quay.io/coreos/etcd": "etcd",
    "gcr.io/etcd-development/etcd": "etcd",
    "prom/prometheus": "prometheus",
    "quay.io/prometheus/prometheus": "prometheus",
    "grafana/grafana-oss": "grafana/grafana",
    "grafana/grafana-enterprise": "grafana/grafana",
    "quay.io/minio/minio": "minio/minio",
    "quay.io/curl/curl": "curlimages/curl",
    "quay.io/centos/centos": "centos",
    "quay.io/fedora/fedora": "fedora",
    "registry.fedoraproject.org/fedora": "fedora",
    "cr.fluentbit.io/fluent/fluent-bit": "fluent/fluent-bit",
    "ghcr.io/nginxinc/nginx-unprivileged": "nginxinc/nginx-unprivileged",
    "public.ecr.aws/nginx/nginx-unprivileged": "nginxinc/nginx-unprivileged",
}

_OTHER_PROGRAMS: dict[tuple[str, str], str | None] = {
    ("docker", "dind"): "docker:dind",
    ("php", "apache"): "php:apache",
    ("php", "fpm"): "php:fpm",
    ("wordpress", "fpm"): "wordpress:fpm",
    ("wordpress", "cli"): None,
    ("rabbitmq", "management"): "rabbitmq:management",
    ("caddy", "builder"): None,
    ("influxdb", "core"): None,
    ("influxdb", "enterprise"): None,
}
"""Words of a tag that bring another program, and its row; None where there is none."""


class Found(NamedTuple):
    """The row of an image. `is_guess`: only its name says that it is a copy of it."""

    name: str
    facts: ImageFacts
    is_guess: bool = False


@lru_cache(maxsize=4096)
def find_image(image: str) -> Found | None:
    """The row for an image and the name it is found under; None when the image is not known."""
    repository, _, tag = full_name(image.partition("@")[0]).rpartition(":")
    repository = _replace_aliases(repository)
    name, is_guess = _find_row(repository), False
    if name is None:
        name, is_guess = _find_row(_replace_aliases(_replace_copies(repository))), True
    words = tag.split("-") if name is not None else ()
    variants = [_OTHER_PROGRAMS[key] for word in words if (key := (name or "", word)) in _OTHER_PROGRAMS]
    name = variants[0] if variants else name
    return Found(name, KNOWN_IMAGES[name], is_guess) if name is not None else None


def _replace_aliases(repository: str) -> str:
    # The usual case: an official image, whose name is no more than that.
    official = repository.removeprefix(_OFFICIAL)
    if "/" not in official:
        return official
    for pattern, replacement in _ALIASES:
        match = re.match(pattern, repository)
        if match is not None:
            repository = match.expand(replacement) + repository[match.end() :]
    return repository


def _replace_copies(repository: str) -> str:
    for pattern, replacement in _COPIES:
        match = re.fullmatch(pattern, repository)
        if match is not None:
            return match.expand(replacement)
    return ""


def _find_row(repository: str) -> str | None:
    return repository if repository in KNOWN_IMAGES else _SAME_AS.get(repository)


def tell_guess(image: str) -> str:
    """What an image is taken to be by its name alone, and what follows; "" where that is no guess."""
    found = find_image(image)
    if found is None or not found.is_guess:
        return ""
    facts, taken = found.facts, f"{IMAGE_NAME.taken} {found.name}"
    if facts.ends is not None:
        return f"{taken}, which ends at once"
    if facts.needs_env:
        return f"{taken}, which ends unless a variable such as {facts.needs_env[0]} is set"
    return f"{taken}, which runs as root" if facts.user == _ROOT else taken


def find_user(image: str) -> tuple[int, str] | None:
    """Who an image runs as, and the name if it says one; None when that is not known."""
    found = find_image(image)
    if found is None:
        repository = full_name(image.partition("@")[0])
        # All of this publisher's images are made so.
        return (_BITNAMI_USER, "") if _replace_aliases(repository).startswith("bitnami/") else None
    return (found.facts.user, found.facts.user_name) if found.facts.user is not None else None


_BUSYBOX_SHELLS = frozenset(
    "busybox alpine alpine/git curlimages/curl curl docker docker:dind bitnami/kubectl sim/shell".split()
)
_BASH_AS_SH = frozenset(("bash", "centos", "rockylinux", "almalinux", "fedora", "amazonlinux"))
_DEBIAN = frozenset(
    "debian ubuntu buildpack-deps perl python ruby golang node openjdk nginx httpd redis postgres mysql"
    " mariadb mongo memcached php wordpress haproxy rabbitmq cassandra tomcat".split()
)


def shell_flavour(image: str) -> str:
    """Which shell `sh` is: busybox' ash (also when nothing is known), Debian's dash, or bash."""
    found = find_image(image)
    tag = image.rpartition("/")[2].partition(":")[2]
    if found is None or "alpine" in tag or found.name in _BUSYBOX_SHELLS:
        return "ash"
    if found.name in _BASH_AS_SH:
        return "bash"
    return "dash" if found.name.partition(":")[0] in _DEBIAN else "ash"
