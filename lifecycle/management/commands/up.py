"""`manage.py up`: everything on one machine, stopped by Ctrl-C, going on next time where it stopped."""

import contextlib
import fcntl
import logging
import os
import shutil
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser
from pathlib import Path
from typing import IO, Any

import redis
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connections

from lifecycle import kubeconfig
from lifecycle.engine.public import find_release
from lifecycle.input import manifests
from lifecycle.management import processes
from lifecycle.management.certificates import make_certificate
from lifecycle.management.processes import Child
from lifecycle.models import Cluster
from lifecycle.runs import inbox, write_ahead_log
from lifecycle.runs.celery import broker
from lifecycle.runs.sharing import shards
from lifecycle.version import TOLD

log = logging.getLogger(__name__)

READY_SECONDS = 60.0
REDIS_SECONDS = 10.0
LOOK_SECONDS = 0.1
AMPLE_BYTES = 2**30
WORKER = "worker"
USER_NAME = "podline"
DEMO = Path(__file__).parents[1] / "demo.yaml"
# glibc would give each thread a heap of its own, and keep what large figures and frames leave free between
# small things: a web server would grow for an hour. One heap, and what is large comes and goes by itself.
MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(128 * 1024),
    "MALLOC_TRIM_THRESHOLD_": str(256 * 1024),
}
NO_REDIS = (
    "Podline needs Redis and found none. Cure (Debian): apt-get install redis-server,"
    " or set REDIS_URL=redis://host:6379/0"
)


class Command(BaseCommand):
    """Redis, migrations, workers, ticker, web server: started in order, watched, stopped in order."""

    help = "Starts all of Podline on this machine and prints the address to open."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False
    has_demo = True

    def get_version(self) -> str:
        """What `--version` prints."""
        return TOLD

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")
        parser.add_argument("--data", help="folder for everything kept (default ./var, or PODLINE_DATA)")
        parser.add_argument(
            "--workers", type=int, default=os.cpu_count() or 1, help="engine workers (default: one per core)"
        )
        parser.add_argument(
            "--kubernetes",
            metavar="RELEASE",
            help=f"release of new clusters that ask for none (default {settings.KUBERNETES}, or KUBERNETES)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        check_port(host, port)
        choose_release(options["kubernetes"])
        lock = lock_folder(settings.DATA)
        stopped = _stop_on_signals()
        children: list[Child] = []
        try:
            url = self._start(children, host, port, options["workers"], stopped)
            if url:
                if warning := warn_of_clear_text(host):
                    self.stderr.write(f"{warning}\n")
                self.stdout.write(f"Podline is ready: {url}\n")
                self.stdout.flush()
            while not stopped.wait(LOOK_SECONDS):
                for child in children:
                    look_after(child)
        except processes.HopelessChild as problem:
            raise CommandError(f"{problem}; its last words are above") from None
        finally:
            processes.stop_all(children)
            lock.close()

    def _start(
        self, children: list[Child], host: str, port: int, workers: int, stopped: threading.Event
    ) -> str | None:
        """Everything, in order. The address to open; None when stopped before it was ready."""
        environment = {"REDIS_URL": start_redis(children)}
        # Warnings are for developers of the packages we use, not for whoever runs Podline.
        environment |= {"PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "ignore")}
        if not warn_of_clear_text(host):
            # Nobody else gets here.
            environment |= {"OPEN_TO_ALL": os.environ.get("OPEN_TO_ALL", "metrics,schema")}
            environment |= {"RENDER_CHARTS": os.environ.get("RENDER_CHARTS", "True")}
        environment |= keep_bytecode(settings.DATA)
        environment |= {"LOG_LEVEL": os.environ.get("LOG_LEVEL", "WARNING")}
        environment |= {name: os.environ.get(name, value) for name, value in MEMORY.items()}
        environment |= {"ALLOWED_HOSTS": ",".join(allowed_hosts(host)), "PODLINE_DATA": str(settings.DATA)}
        base = f"http://{visible_host(host)}:{port}"
        environment |= prepare_way_for_clients(settings.DATA, base, environment["ALLOWED_HOSTS"].split(","))
        os.environ.update(environment)
        check_secret_key()
        migrate()
        gather_static_files(settings.STATIC_COMPLETE)
        shards.make_shards()
        is_first_time, token = make_way_in()
        # Our own connections do not go over to the children.
        connections.close_all()
        for child in make_children(host, port, workers, environment):
            child.start()
            children.append(child)
        if not wait_until_ready(base, children, stopped):
            return None
        if is_first_time and self.has_demo:
            make_demo()
        return f"{base}/enter/{token}/"


def keep_bytecode(data: Path) -> dict[str, str]:
    """Variables that let children keep compiled modules in our folder, where Python keeps none beside them.

    A server that is started again would compile a thousand modules first, and answer nobody meanwhile. They
    need 30 MB, which a folder with little room has better uses for.
    """
    if not sys.dont_write_bytecode or shutil.disk_usage(data).free < AMPLE_BYTES:
        return {}
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(data / "bytecode")}


def look_after(child: Child) -> None:
    """Start a child again that has died. What a worker served goes to the others at once."""
    dead = child.look()
    if dead is None or not child.name.startswith(WORKER):
        return
    try:
        shards.give_up(shards.worker_name(dead))
    except DatabaseError as problem:
        # They notice its silence as well.
        log.warning("its shards are still its own: %s", problem)
    finally:
        connections.close_all()


def check_port(host: str, port: int) -> None:
    """CommandError when nothing can listen there."""
    if not 1 <= port <= 65_535:
        raise CommandError(f"--port {port}: ports go from 1 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as problem:
        raise CommandError(
            f"cannot listen on {host}:{port} ({problem.strerror}); choose another: --port {port + 1}"
        ) from None


def choose_release(text: str | None) -> None:
    """Say here, and to all that is started, of which release new clusters are. CommandError for none."""
    if text is None:
        return
    try:
        os.environ["KUBERNETES"] = settings.KUBERNETES = find_release(text).name
    except ValueError as problem:
        raise CommandError(f"--kubernetes {text}: {problem}") from None


def check_secret_key() -> None:
    """CommandError when sessions cannot be signed."""
    try:
        str(settings.SECRET_KEY)
    except (ImproperlyConfigured, OSError) as problem:
        raise CommandError(str(problem)) from None


def migrate() -> None:
    """The database as this version wants it. CommandError when it cannot be read."""
    try:
        call_command("migrate", verbosity=0, interactive=False)
        write_ahead_log.empty()
    except DatabaseError as problem:
        name = settings.DATABASES["default"]["NAME"]
        raise CommandError(
            f"the database {name} cannot be used: {problem}. Put a copy of it in its place, or move it"
            " away to begin with an empty one"
        ) from None


def warn_of_clear_text(host: str) -> str:
    """What to know of an address that others can reach; "" for one that only this machine can."""
    if visible_host(host) in ("127.0.0.1", "localhost", "[::1]") and host not in ("0.0.0.0", "::", ""):
        return ""
    return (
        "Others can reach this address, and what they and you send to it goes in clear text: put a server"
        " with TLS before it, and set SECURE_COOKIES=True and TRUSTED_ORIGINS"
    )


def lock_folder(data: Path) -> IO[str]:
    """One `up` a folder. CommandError when another one runs."""
    lock = open(data / "up.lock", "w")  # noqa: SIM115  held until the end
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise CommandError(f"Podline already runs on {data}; stop it, or choose --data DIR") from None
    return lock


def gather_static_files(complete: Path) -> None:
    """Static files with their compressed forms beside `complete`, made when they are; older ones go."""
    if complete.exists() or settings.DEBUG:
        return
    shutil.rmtree(complete.parent.parent, ignore_errors=True)
    call_command("collectstatic", verbosity=0, interactive=False, ignore_patterns=["*.map"])
    complete.touch()


def start_redis(children: list[Child]) -> str:
    """The URL of a Redis that answers: REDIS_URL when set, else one of our own."""
    given = os.environ.get("REDIS_URL")
    if given:
        url = given
    else:
        program = processes.find_redis()
        if program is None:
            raise CommandError(NO_REDIS)
        child, url = processes.redis_child(program, settings.DATA)
        child.start()
        children.append(child)
    _wait_for_redis(url)
    broker.connect_to(url)
    return url


def _wait_for_redis(url: str) -> None:
    deadline = time.monotonic() + REDIS_SECONDS
    while True:
        try:
            redis.Redis.from_url(url, socket_connect_timeout=2).ping()
            return
        except redis.RedisError as problem:
            if time.monotonic() > deadline:
                raise CommandError(
                    f"REDIS_URL={url} does not answer ({problem}); start it, or unset REDIS_URL"
                ) from None
            time.sleep(0.05)


def allowed_hosts(host: str) -> list[str]:
    """What the server answers to: this machine's names, and the address it was told to listen on."""
    if os.environ.get("ALLOWED_HOSTS"):
        return settings.ALLOWED_HOSTS
    names = [*settings.ALLOWED_HOSTS, visible_host(host)]
    if host not in ("127.0.0.1", "localhost", "::1"):
        name = socket.gethostname()
        names += [name, socket.getfqdn()]
        with contextlib.suppress(OSError):
            names += [str(entry[4][0]) for entry in socket.getaddrinfo(name, None)]
    return list(dict.fromkeys(names))


def prepare_way_for_clients(data: Path, base: str, names: list[str]) -> dict[str, str]:
    """Certificates for these names, and a note of where we serve; the variables that say where they are."""
    authority, certificate = make_certificate(data, names)
    (data / kubeconfig.ADDRESS_FILE).write_text(f"{base}\n")
    return {"PODLINE_AUTHORITY": str(authority), "PODLINE_CERTIFICATE": str(certificate)}


def visible_host(host: str) -> str:
    """The host as a browser on this machine would write it."""
    if host in ("0.0.0.0", "::", ""):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def make_children(host: str, port: int, workers: int, environment: dict[str, str]) -> list[Child]:
    """Engine workers, as many workers of checks, ticker and web server, in the order they are started.

    The server is uvicorn. Behind Django's own work the three differ little (pages a second, 16
    connections, two cores: uvicorn 275, Daphne 320, Granian 400); uvicorn answers 404 before a WebSocket
    upgrade, stops within its grace with sockets open, and is the one most people run and patch.
    """
    python = sys.executable
    celery = [python, "-m", "celery", "-A"]
    flags = ["--quiet", "worker", "--pool", "solo", "--without-gossip", "--without-mingle"]
    flags += ["--without-heartbeat", "--loglevel", "WARNING"]
    engine, check = [*celery, "dashboard.celery", *flags], [*celery, "dashboard.check_workers", *flags]
    numbers = range(1, workers + 1)
    children = [
        Child(f"{WORKER} {n}", [*engine, "-n", f"engine{n}@%h", "-Q", f"worker.{n}"], environment)
        for n in numbers
    ]
    children += [Child(f"checks {n}", [*check, "-n", f"checks{n}@%h"], environment) for n in numbers]
    children.append(Child("ticker", [python, *_manage(), "ticker"], environment))
    web = [python, *_manage(), "web", "--host", host, "--port", str(port)]
    web += ["--certificate", environment["PODLINE_CERTIFICATE"]]
    children.append(Child("web server", web, environment))
    return children


def _manage() -> list[str]:
    """How Python is told to run our commands: a checkout has a file for it, the wheel a module."""
    package = __name__.partition("lifecycle")[0]
    return ["-m", f"{package}manage"] if package else [str(settings.BASE_DIR / "manage.py")]


def make_way_in() -> tuple[bool, str]:
    """(whether this is the first time, a one-time token) for the user `up` makes."""
    from django.utils.module_loading import import_string

    users = get_user_model()
    user, is_new = users.objects.get_or_create(
        username=USER_NAME, defaults={"is_staff": True, "is_superuser": True}
    )
    if is_new:
        user.set_unusable_password()
        user.save()
    # Named, not imported: signing in is the dashboard's, a floor above.
    return is_new, import_string("dashboard.web.signin.make_entry_token")(user)


def make_demo() -> None:
    """The cluster `demo`, alive with what the Kubernetes documentation starts with."""
    owner = get_user_model().objects.get(username=USER_NAME)
    if Cluster.objects.filter(owner=owner, name="demo").exists():
        return
    cluster = inbox.create_cluster(owner, "demo")
    for document in manifests.read_documents(DEMO.read_text(), DEMO.name):
        inbox.append(cluster, "create", {"object": document.data}, owner)
    connections.close_all()


def wait_until_ready(base: str, children: list[Child], stopped: threading.Event) -> bool:
    """Whether /readyz said so in time; False when stopped before. CommandError after a minute."""
    deadline = time.monotonic() + READY_SECONDS
    answer = "no answer"
    while not stopped.wait(0.1):
        for child in children:
            child.look()
        try:
            with urllib.request.urlopen(f"{base}/readyz", timeout=5):
                return True
        except urllib.error.HTTPError as problem:
            answer = problem.read(1000).decode(errors="replace")
        except OSError as problem:
            answer = str(problem)
        if time.monotonic() > deadline:
            raise CommandError(f"not ready after {READY_SECONDS:.0f} s: {answer}")
    return False


def _stop_on_signals() -> threading.Event:
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped
