"""`manage.py kubeconfig CLUSTER`: a kubeconfig with a new token, on stdout."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from lifecycle import kubeconfig, tokens
from lifecycle.access import Verb, address_for, may
from lifecycle.management.finding import find_cluster, find_user


class Command(BaseCommand):
    """Issue a token and print the file that holds it: it is shown this once."""

    help = "Prints a kubeconfig with a new token for a cluster: kubectl --kubeconfig FILE get pods"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cluster", help="the cluster's name, or in full with its owner's: demo@alice")
        parser.add_argument("--user", help="whose token it is (default: the cluster's owner)")
        parser.add_argument("--server", help="where Podline is (default: where `manage.py up` serves)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = find_user(options["user"])
        cluster = find_cluster(options["cluster"], user)
        user = user or cluster.owner
        if not may(user, cluster, Verb.VIEW):
            raise CommandError(
                f"the user {user.get_username()!r} may not look at the cluster {options['cluster']!r};"
                " name its owner, or an active superuser"
            )
        base = options["server"] or kubeconfig.read_address(settings.DATA)
        address, authority = kubeconfig.locate(base, is_own_server=not options["server"])
        token = tokens.issue(user, cluster)
        called = address_for(user, cluster)
        text = kubeconfig.make_kubeconfig(called, user.get_username(), token, address, authority)
        self.stdout.write(text, ending="")
