"""`podline check --cluster NAME`: every future that matters of a cluster of the dashboard, as it stands."""

import sys
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError

from lifecycle import kubeconfig
from lifecycle.access import Verb, address_for, may
from lifecycle.check.asking.trying import Given
from lifecycle.check.checking import Progress
from lifecycle.check.command_line import CLUSTER, HELP, add_options, run
from lifecycle.input.problems import ManifestError, Problem
from lifecycle.management.finding import find_cluster, find_user
from lifecycle.runs.checks.at_hand import try_cluster
from lifecycle.version import TOLD


class Command(BaseCommand):
    """What `podline check` is where clusters are at hand."""

    help = HELP
    requires_system_checks: list[str] = []

    def get_version(self) -> str:
        """What `--version` prints."""
        return TOLD

    def add_arguments(self, parser: CommandParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        sys.exit(run(options, _try))


def _try(options: Any, say: Callable[[str], None], progress: Progress) -> Given:
    """Raises ManifestError, also where no cluster is meant."""
    try:
        user = find_user(options["user"])
        cluster = find_cluster(options["cluster"] or "", user)
    except CommandError as error:
        raise ManifestError([Problem(str(error), source=CLUSTER)]) from None
    except DatabaseError as error:
        told = f"no clusters can be read in {settings.DATA}: {error}"
        remedy = "start the dashboard there once, or name its folder by PODLINE_DATA"
        raise ManifestError([Problem(told, remedy, source=CLUSTER)]) from None
    user = user or cluster.owner
    if not may(user, cluster, Verb.RUN):
        told = f"the user {user.get_username()!r} may not run the cluster {options['cluster']!r}"
        raise ManifestError([Problem(told, "name its owner, or an active superuser", source=CLUSTER)])
    base = kubeconfig.read_address(settings.DATA).rstrip("/")
    page = f"{base}/clusters/{address_for(user, cluster)}/check/"
    return try_cluster(cluster, user, page, options, say, progress)
