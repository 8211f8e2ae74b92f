"""How large images are: what a runtime has to fetch of each, as the events of pulls tell it.

Typical sizes of recent versions for one architecture, compressed as a registry keeps them. No pull takes
longer for them: how long pulls take stands in the table of timing.
"""

from __future__ import annotations

from functools import lru_cache

from ...rules.pods.image_names import full_name
from .known import BITNAMI
from .sources import find_image

_SPREAD = 100
"""Versions of one image differ by less than one part in this many."""

_MEGABYTES = {
    # Base images and languages.
    "busybox": 2.2,
    "alpine": 3.6,
    "bash": 6.6,
    "debian": 48.5,
    "debian-slim": 28.2,
    "ubuntu": 29.7,
    "centos": 76,
    "rockylinux": 68,
    "almalinux": 70,
    "fedora": 79,
    "amazonlinux": 52,
    "perl": 360,
    "perl-slim": 55,
    "python": 365,
    "python-slim": 45,
    "python-alpine": 17,
    "ruby": 368,
    "ruby-slim": 78,
    "ruby-alpine": 35,
    "golang": 300,
    "golang-alpine": 75,
    "node": 395,
    "node-slim": 76,
    "node-alpine": 52,
    "openjdk": 240,
    "openjdk-slim": 215,
    "openjdk-alpine": 195,
    "eclipse-temurin": 155,
    "eclipse-temurin-alpine": 120,
    "buildpack-deps": 320,
    "php": 185,
    "php-alpine": 40,
    "alpine/git": 25,
    "bitnami/kubectl": 95,
    "curlimages/curl": 9.3,
    "curl": 9.3,
    "hello-world": 0.0025,
    "docker": 128,
    "polinux/stress": 4.1,
    # Web servers and proxies.
    "nginx": 72,
    "nginx-slim": 5.2,
    "nginx-alpine": 20,
    "nginxinc/nginx-unprivileged": 72,
    "nginxinc/nginx-unprivileged-alpine": 20,
    "bitnami/nginx": 70,
    "httpd": 58,
    "httpd-alpine": 20,
    "hpa-example": 177,
    "wordpress": 245,
    "wordpress-alpine": 95,
    "haproxy": 42,
    "haproxy-alpine": 13,
    "envoyproxy/envoy": 70,
    "traefik": 50,
    "traefik/whoami": 2.8,
    "caddy": 21,
    "tomcat": 190,
    # Data stores.
    "redis": 45,
    "redis-alpine": 16,
    "memcached": 32,
    "memcached-alpine": 5.6,
    "postgres": 155,
    "postgres-alpine": 105,
    "mysql": 230,
    "mariadb": 118,
    "mongo": 290,
    "cassandra": 155,
    "elasticsearch": 630,
    "etcd": 57,
    "minio/minio": 60,
    "influxdb": 190,
    "influxdb-alpine": 90,
    # Messaging and coordination.
    "rabbitmq": 110,
    "rabbitmq-alpine": 70,
    "kafka": 210,
    "zookeeper": 125,
    "nats": 6.5,
    "nats-alpine": 10,
    "consul": 65,
    "vault": 190,
    # Observability and delivery.
    "prometheus": 110,
    "grafana/grafana": 150,
    "fluentd": 50,
    "fluentd-elasticsearch": 50,
    "fluent/fluent-bit": 35,
    "jenkins/jenkins": 290,
    "registry": 17,
    # Kubernetes' own.
    "pause": 0.32,
    "agnhost": 51,
    "echoserver": 43,
    "hello-app": 11.5,
    "gb-frontend": 175,
    "metrics-server": 19,
    "coredns": 20,
}


@lru_cache(maxsize=1024)
def image_size(image: str) -> int:
    """In bytes, the same for the same image: typical if the image is well known, else made up."""
    found = find_image(image)
    typical = _find_megabytes(found[0], image) if found is not None else None
    if typical is None:
        return 2_000_000 + _draw(image, 190_000_000)
    size = round(typical * 1_000_000)
    return size + _draw(full_name(image), max(size // _SPREAD, 1))


def _find_megabytes(name: str, image: str) -> float | None:
    tag = image.rpartition("/")[2].partition(":")[2]
    variant = "slim" if "slim" in tag else "alpine" if "alpine" in tag else ""
    name = BITNAMI.get(name, name).partition(":")[0]
    return _MEGABYTES.get(f"{name}-{variant}", _MEGABYTES.get(name))


def _draw(image: str, below: int) -> int:
    total = 0
    for letter in image:
        total = (total * 31 + ord(letter)) % below
    return total
