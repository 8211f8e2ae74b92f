"""What well-known images do when nobody says otherwise: a table of facts.

A row has the name of a repository of Docker Hub, the images of `library` by their last word; a word behind a
colon is the tag's, where that brings another program. Which other names mean the same: `sources.py`.
What is in an image: `folders.py`.

A row's facts are those of the image as its maintainers publish it: what it listens on, how its main process
ends on its stop signal. What the build file says (`built.py`: user, stop signal, what it refuses to start
without) is laid over a row here; an image that is there alone has a program of which nothing is known. Times
are typical ones, and a row says where it is an assumption.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from lifecycle.lean_dataclasses import dataclass, replace

from ..behavior import EXITS_AT_ONCE, IGNORES, Answer, TermPlan
from ..durations import Duration
from .built import BuiltImage, find_row, list_names


@dataclass(frozen=True, slots=True)
class ImageFacts:
    """One row. Ports and paths empty: anything answers; `ends` is an exit code when it ends by itself."""

    ports: tuple[int, ...] = ()
    ready_ms: int = 0
    on_term: TermPlan = EXITS_AT_ONCE
    stop_signal: str | None = None
    paths: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = (Answer(0, 200),)
    is_silent: bool = False
    """It opens no port at all."""
    speaks_grpc: bool = False
    """It answers gRPC health checks, as few of these do."""
    speaks_http: bool = False
    """Its ports surely speak HTTP without TLS, as long as nobody has configured it."""
    ends: int | None = None
    """The image's default command ends at once with this code (a shell without input, a help text)."""
    entrypoint: tuple[str, ...] | None = ()
    """What `args` alone are given to; () runs them as they are, None is a program known only from outside."""
    is_shell: bool = False
    """A base image: its files are an ordinary small Linux, so scripts and checks can be interpreted in it."""
    has_known_files: bool = False
    """Nothing is in the image beside the usual folders and tools: what is not there is surely missing."""
    needs_env: tuple[str, ...] = ()
    """The image ends with code 1 unless one of these is set."""
    is_stated: bool = False
    """A simulated image: what it does is part of its definition and not a latency."""
    assumption: str | None = None
    user: int | None = 0
    """Who it runs as unless told otherwise; None where that is not known."""
    user_name: str = ""
    """The name, where the image names its user by one."""
    complaint: str = ""
    """What it says before it ends for want of a variable."""
    is_program_known: bool = True
    """Otherwise all that is known of the image is its build file."""
    built: BuiltImage | None = None
    """What its build file says, which is in the fields above as well."""


def _exits(code: int, after_ms: int = 0) -> TermPlan:
    return TermPlan(Duration.fixed(after_ms), code)


def _drops(code: int, after_ms: int) -> TermPlan:
    """It ends the connections of its clients at once, and has something to do before it ends itself."""
    return TermPlan(Duration.fixed(after_ms), code, finishes=False)


# What becomes of requests that are under way at the stop signal, by the public manuals. These close their
# ports and end when all is done: nginx on QUIT (nginx.org, Controlling nginx), httpd on WINCH (Apache,
# Stopping and Restarting), HAProxy on USR1 (management guide, soft stop), Caddy (grace_period: for ever),
# Traefik (lifeCycle.graceTimeOut: 10 s), Tomcat (unloadDelay of a Context: 2 s; that what takes longer is cut
# off is not modelled). Others drop it: Envoy (operations, Draining: at its end it closes its listeners at
# once). Taken as assumed: php-fpm (process_control_timeout: 0), and Go's servers without a handler.
_WAITS = TermPlan(waits=True)
# CoreDNS goes on answering (lameduck in the Corefile of kubeadm).
_LAMEDUCK = TermPlan(Duration.fixed(5000), accepts=True)

# A JVM answers TERM with its shutdown hooks and then ends with 128 + 15.
_JAVA = 143
# A Go program that asks for no signal ends with 2 as process 1, where the default action is not available.
_GO_WITHOUT_HANDLER = 2

_NGINX_PAGES = ("/", "/index.html", "/50x.html")
_LANGUAGE = ImageFacts(ends=0, on_term=IGNORES, is_shell=True)
_BASE = ImageFacts(ends=0, on_term=IGNORES, is_shell=True, has_known_files=True)

_IMAGES: Mapping[str, ImageFacts] = {
    # Base images: a shell or an interpreter that finds no input and ends.
    **dict.fromkeys(
        "busybox alpine bash debian ubuntu centos rockylinux almalinux fedora amazonlinux".split(), _BASE
    ),
    **dict.fromkeys("perl python ruby golang node openjdk eclipse-temurin buildpack-deps".split(), _LANGUAGE),
    "alpine/git": ImageFacts(ends=1, entrypoint=("git",), is_shell=True),
    "bitnami/kubectl": ImageFacts(ends=0, entrypoint=("kubectl",), is_shell=True, user=1001),
    "kubectl": ImageFacts(ends=0, entrypoint=("kubectl",), is_shell=True),
    "curlimages/curl": ImageFacts(
        ends=2, entrypoint=("curl",), is_shell=True, user=100, user_name="curl_user"
    ),
    "curl": ImageFacts(ends=2, entrypoint=("curl",), is_shell=True),
    "hello-world": ImageFacts(ends=0, entrypoint=None),
    "docker": ImageFacts(ends=0, is_shell=True, on_term=IGNORES),
    # The daemon: with TLS unless DOCKER_TLS_CERTDIR is empty, and of another user where it is rootless.
    "docker:dind": ImageFacts((2376,), 2000, _exits(0, 500), is_shell=True, user=None),
    "polinux/stress": ImageFacts(ends=0, is_shell=True),
    "containerstack/cpustress": ImageFacts(entrypoint=None, on_term=_exits(0)),
    # Web servers and proxies.
    "nginx": ImageFacts((80,), 100, _WAITS, paths=_NGINX_PAGES, is_shell=True, speaks_http=True),
    "nginxinc/nginx-unprivileged": ImageFacts(
        (8080,),
        100,
        _WAITS,
        paths=_NGINX_PAGES,
        is_shell=True,
        speaks_http=True,
    ),
    "bitnami/nginx": ImageFacts((8080, 8443), 200, _WAITS, "SIGQUIT", is_shell=True, user=1001),
    "httpd": ImageFacts((80,), 100, _WAITS, paths=("/", "/index.html"), is_shell=True, speaks_http=True),
    "hpa-example": ImageFacts((80,), 300, _WAITS, "SIGWINCH", is_shell=True, speaks_http=True),
    "php-apache": ImageFacts((80,), 300, _WAITS, "SIGWINCH", is_shell=True, speaks_http=True),
    "php": ImageFacts(ends=0, is_shell=True),
    "php:apache": ImageFacts((80,), 300, _WAITS, is_shell=True, speaks_http=True),
    "php:fpm": ImageFacts((9000,), 100, _exits(0), is_shell=True),
    "wordpress": ImageFacts((80,), 2000, _WAITS, is_shell=True, speaks_http=True),
    "wordpress:fpm": ImageFacts((9000,), 2000, _exits(0), is_shell=True),
    "haproxy": ImageFacts(
        (),
        100,
        _WAITS,
        assumption="listens where its configuration says",
    ),
    "envoyproxy/envoy": ImageFacts((), 300, _exits(0), assumption="listens where its configuration says"),
    "traefik": ImageFacts((80, 8080), 500, replace(_WAITS, takes=Duration.fixed(100))),
    "traefik/whoami": ImageFacts((80,), 50, _exits(0), speaks_http=True),
    "caddy": ImageFacts((80, 443), 200, _WAITS, is_shell=True),
    "tomcat": ImageFacts(
        (8080,), 5000, TermPlan(Duration.fixed(500), _JAVA, waits=True), is_shell=True, speaks_http=True
    ),
    # Data stores.
    "redis": ImageFacts((6379,), 50, _exits(0, 10), is_shell=True),
    "memcached": ImageFacts((11211,), 20, _exits(0), is_shell=True),
    "postgres": ImageFacts(
        (5432,),
        3000,
        # INT: it rolls back what is under way, and ends the sessions (PostgreSQL, Shutting Down the Server).
        _drops(0, 300),
        is_shell=True,
    ),
    "mysql": ImageFacts(
        (3306, 33060),
        15_000,
        # It ends the connections of its clients first (MySQL, The Server Shutdown Process).
        _drops(0, 1500),
        is_shell=True,
    ),
    "mariadb": ImageFacts(
        (3306,),
        8000,
        _drops(0, 1000),
        is_shell=True,
    ),
    "mongo": ImageFacts((27017,), 2000, _exits(0, 500), is_shell=True),
    "cassandra": ImageFacts((7000, 9042), 30_000, _exits(_JAVA, 2000), is_shell=True),
    "elasticsearch": ImageFacts((9200, 9300), 25_000, _exits(_JAVA, 1000), is_shell=True, user=1000),
    "etcd": ImageFacts((2379, 2380), 500, _exits(0, 100), speaks_grpc=True),
    "minio/minio": ImageFacts(
        (9000,), 500, _exits(0, 100), entrypoint=None, assumption="given a data folder by its arguments"
    ),
    "influxdb": ImageFacts((8086,), 2000, _exits(0, 300), is_shell=True),
    # Messaging and coordination.
    "rabbitmq": ImageFacts((5672, 15692, 25672), 10_000, _exits(0, 3000), is_shell=True),
    # Its plugin brings the page of the broker.
    "rabbitmq:management": ImageFacts((5672, 15672, 15692, 25672), 10_000, _exits(0, 3000), is_shell=True),
    "kafka": ImageFacts((9092,), 8000, _exits(_JAVA, 3000), is_shell=True),
    "zookeeper": ImageFacts((2181, 2888, 3888, 8080), 2000, _exits(_JAVA, 200), is_shell=True),
    "nats": ImageFacts(
        (4222, 6222, 8222), 50, _exits(0), assumption="version 2.11 or newer: ends with code 0 on TERM"
    ),
    "consul": ImageFacts(
        (8300, 8301, 8500, 8600),
        2000,
        _exits(1, 500),
        is_shell=True,
        assumption="a server, which does not leave its cluster on TERM and ends with code 1",
    ),
    "vault": ImageFacts((8200,), 1000, _exits(0, 100), is_shell=True),
    # Observability and delivery.
    "prometheus": ImageFacts((9090,), 1000, _exits(0, 200), is_shell=True),
    "grafana/grafana": ImageFacts((3000,), 5000, _exits(0, 300), is_shell=True, user=472, speaks_http=True),
    "fluentd": ImageFacts((5140, 24224), 2000, _exits(0, 500), entrypoint=None, is_shell=True),
    "fluentd-elasticsearch": ImageFacts((), 2000, _exits(0, 500), entrypoint=None, is_shell=True),
    "fluent/fluent-bit": ImageFacts((2020,), 300, _exits(0, 5000), entrypoint=None),
    "jenkins/jenkins": ImageFacts((8080, 50_000), 30_000, _exits(_JAVA, 1000), is_shell=True),
    "registry": ImageFacts((5000,), 200, _exits(_GO_WITHOUT_HANDLER), is_shell=True, speaks_http=True),
    # Kubernetes' own.
    "pause": ImageFacts(on_term=_exits(0), is_silent=True, entrypoint=None, user=65_535),
    # A program of an image that has several: the name of the image, a space, the first argument.
    "agnhost liveness": ImageFacts(
        (8080,), on_term=_exits(_GO_WITHOUT_HANDLER), answers=(Answer(0, 200), Answer(10_000, 500))
    ),
    "agnhost netexec": ImageFacts((8080,), on_term=_exits(0)),
    "agnhost serve-hostname": ImageFacts((9376,), on_term=_exits(_GO_WITHOUT_HANDLER)),
    "agnhost pause": ImageFacts(on_term=_exits(0), is_silent=True),
    "agnhost": ImageFacts(entrypoint=("/agnhost",), is_shell=True, on_term=_exits(0)),
    "echoserver": ImageFacts((8080,), 200, _WAITS, "SIGQUIT"),
    "serve_hostname": ImageFacts((9376,), 50, _exits(_GO_WITHOUT_HANDLER), speaks_http=True),
    "serve-hostname": ImageFacts((9376,), 50, _exits(_GO_WITHOUT_HANDLER), speaks_http=True),
    "hello-app": ImageFacts((8080,), 50, _exits(_GO_WITHOUT_HANDLER), speaks_http=True),
    "guestbook": ImageFacts((3000,), 100, _exits(_GO_WITHOUT_HANDLER), speaks_http=True),
    "gb-frontend": ImageFacts((80,), 300, _WAITS, is_shell=True),
    "metrics-server": ImageFacts((4443, 10_250), 5000, _exits(0)),
    "coredns": ImageFacts((53, 8080, 8181, 9153), 200, _LAMEDUCK),
    # The simulated images of the worked scenarios.
    "sim/server": ImageFacts(on_term=_exits(0), is_shell=True, is_stated=True),
    "sim/shell": ImageFacts(ends=0, on_term=IGNORES, is_shell=True, has_known_files=True, is_stated=True),
    "sim/healthz": ImageFacts(
        (8080,),
        on_term=_exits(_GO_WITHOUT_HANDLER),
        answers=(Answer(0, 200), Answer(10_000, 500)),
        is_stated=True,
    ),
    "sim/slow": ImageFacts(ready_ms=95_000, on_term=_exits(0), is_shell=True, is_stated=True),
    "sim/tail": ImageFacts((), 0, IGNORES, paths=("none",), is_shell=True, is_stated=True),
    "sim/logger": ImageFacts(on_term=_exits(0), is_shell=True, is_stated=True),
}

BITNAMI: Mapping[str, str] = {
    "bitnami/redis": "redis",
    "bitnami/postgresql": "postgres",
    "bitnami/mysql": "mysql",
    "bitnami/mariadb": "mariadb",
    "bitnami/mongodb": "mongo",
    "bitnami/rabbitmq": "rabbitmq:management",
    "bitnami/memcached": "memcached",
    "bitnami/etcd": "etcd",
    "bitnami/kafka": "kafka",
    "bitnami/zookeeper": "zookeeper",
}
"""The same servers, built by another publisher."""


def _of_bitnami(facts: ImageFacts) -> ImageFacts:
    """Another user, no stop signal, and other variables, of which none is asked for here."""
    return replace(facts, user=1001, user_name="", stop_signal=None, needs_env=(), is_shell=True)


def _as_built(facts: ImageFacts | None, row: BuiltImage) -> ImageFacts:
    """A row with what the build file says; without a row, of a program of which nothing else is known."""
    if facts is None:
        facts = ImageFacts(
            row.ports, on_term=_exits(0), entrypoint=row.entry_for_arguments, is_program_known=False
        )
    return replace(
        facts,
        user=row.user,
        user_name=row.user_name,
        stop_signal=row.stop_signal,
        needs_env=row.needs_env,
        complaint=row.complaint,
        built=row,
    )


class _KnownImages(Mapping[str, ImageFacts]):
    """Every row with what its build file says: of some hundreds a run asks for one or two."""

    def __getitem__(self, name: str) -> ImageFacts:
        facts = _find_facts(name)
        if facts is None:
            raise KeyError(name)
        return facts

    def __iter__(self) -> Iterator[str]:
        yield from dict.fromkeys((*_IMAGES, *list_names(), *BITNAMI))

    def __len__(self) -> int:
        return sum(1 for _ in self)


@lru_cache(maxsize=1024)
def _find_facts(name: str) -> ImageFacts | None:
    if name in BITNAMI:
        return _of_bitnami(_IMAGES[BITNAMI[name]])
    facts, row = _IMAGES.get(name), find_row(name)
    return _as_built(facts, row) if row is not None else facts


KNOWN_IMAGES: Mapping[str, ImageFacts] = _KnownImages()
