"""`podline cluster create|list|run|speed|pause|fork|delete`: clusters made and driven by a script."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lifecycle.engine.rules.telling.verdicts import tell_instant
from lifecycle.management.cluster_desks import Desk, Here, There
from lifecycle.management.finding import find_first_user, find_user
from lifecycle.runs.driving.auto import AUTO

Json = dict[str, Any]
TOKEN = "PODLINE_TOKEN"
LOOK_SECONDS = 0.1
NOT_REACHED = 1


def read_speed(text: str) -> float | str:
    """A number, or what the clock will say is none."""
    try:
        return float(text)
    except ValueError:
        return text


class Command(BaseCommand):
    """One word says what is done; it ends with 0, 1 where a run did not come to its end, 2 for bad input."""

    help = "Makes and drives clusters: of this machine, or with --server of a Podline elsewhere"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--user", help="whose they are (default: who came first of the superusers)")
        parser.add_argument("--server", help=f"a Podline elsewhere; its REST token is in ${TOKEN}")
        words = parser.add_subparsers(dest="word", required=True, metavar="WORD")
        create = words.add_parser("create", help="make a cluster")
        create.add_argument("name")
        create.add_argument("--nodes", type=int, help="how many (default 3)")
        create.add_argument("--seed", type=int, help="what its chance grows from (default 1)")
        create.add_argument("--epoch", help="when it begins, such as 2026-01-01T00:00:00Z (default: now)")
        create.add_argument("--timing", choices=("realistic", "instant"))
        create.add_argument("--kubernetes", metavar="RELEASE", help="which Kubernetes, such as 1.35")
        create.add_argument("--speed", type=read_speed, help=f"times real time, or {AUTO} (default 1)")
        create.add_argument("--paused", action="store_true", help="time stands until it is told to go on")
        words.add_parser("list", help="list clusters, and how their clocks stand")
        run = words.add_parser("run", help="let time pass as fast as it goes, then stand")
        run.add_argument("name")
        end = run.add_mutually_exclusive_group(required=True)
        end.add_argument("--until", help="idle, 00:10:00, or a condition: 'deployment/web Available'")
        end.add_argument("--for", dest="span", help="so much of the cluster's time, such as 10m")
        speed = words.add_parser("speed", help=f"let time pass so many times faster, or {AUTO}")
        speed.add_argument("name")
        speed.add_argument(
            "speed", type=read_speed, help=f"{AUTO}: run until idle after each write, and stand"
        )
        words.add_parser("pause", help="let time stand").add_argument("name")
        fork = words.add_parser("fork", help="make another cluster with the same history up to an instant")
        fork.add_argument("name")
        fork.add_argument("new")
        fork.add_argument("--at", help="such as 90s (default: now)")
        fork.add_argument("--kubernetes", metavar="RELEASE", help="what it goes on under, such as 1.36")
        words.add_parser("delete", help="take a cluster away with its history").add_argument("name")

    def handle(self, *args: Any, **options: Any) -> None:
        desk = self._find_desk(options)
        {
            "create": self._create,
            "list": self._list,
            "run": self._run,
            "speed": self._set_speed,
            "pause": self._pause,
            "fork": self._fork,
            "delete": self._delete,
        }[options["word"]](desk, options)

    def _find_desk(self, options: Json) -> Desk:
        if not options["server"]:
            return Here(find_user(options["user"]) or find_first_user())
        token = os.environ.get(TOKEN)
        if not token:
            raise CommandError(
                f"set {TOKEN} to a token of the REST API, as the admin or drf_create_token gives"
            )
        return There(options["server"], token)

    def _create(self, desk: Desk, options: Json) -> None:
        names = ("name", "nodes", "seed", "epoch", "timing", "kubernetes", "speed")
        asked = {name: options[name] for name in names if options[name] is not None}
        name = desk.create(asked | ({"paused": True} if options["paused"] else {}))
        self.stdout.write(
            f"The cluster {name} is made; podline kubeconfig {name} > FILE brings kubectl to it"
        )

    def _list(self, desk: Desk, options: Json) -> None:
        for one in desk.list():
            self.stdout.write(f"{one['name']:<30} {_tell(one)}")

    def _run(self, desk: Desk, options: Json) -> None:
        name, until = options["name"], options["until"] or f"+{options['span']}"
        told = desk.change(name, {"runUntil": until})
        while not told["status"]["paused"] and not told.get("failure"):
            time.sleep(LOOK_SECONDS)
            told = desk.read_clock(name)
        self.stdout.write(f"{name} {_tell(told)}")
        if not told["status"]["reached"]:
            at = tell_instant(told["status"]["atMs"])
            raise CommandError(f"{until} was not reached: time stands at {at}", returncode=NOT_REACHED)

    def _set_speed(self, desk: Desk, options: Json) -> None:
        speed = options["speed"]
        wanted = {"speed": speed} if speed == AUTO else {"speed": speed, "paused": False}
        self.stdout.write(f"{options['name']} {_tell(desk.change(options['name'], wanted))}")

    def _pause(self, desk: Desk, options: Json) -> None:
        self.stdout.write(f"{options['name']} {_tell(desk.change(options['name'], {'paused': True}))}")

    def _fork(self, desk: Desk, options: Json) -> None:
        given = {name: options[name] for name in ("at", "kubernetes") if options[name] is not None}
        name = desk.fork(options["name"], {"name": options["new"], **given})
        self.stdout.write(f"The cluster {name} is made: it stands where {options['name']} was")

    def _delete(self, desk: Desk, options: Json) -> None:
        desk.delete(options["name"])
        self.stdout.write(f"The cluster {options['name']} is deleted")


def _tell(clock: Json) -> str:
    status = clock["status"]
    at, speed = tell_instant(status["atMs"]), status["speed"]
    shown = f"speed {speed}" if speed == AUTO else f"{speed}x"
    how = f"stands at {at}" if status["paused"] else f"runs, at {at}"
    return f"{how}, {shown}{', idle' if status['idle'] else ''}"
