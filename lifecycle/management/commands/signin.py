"""`manage.py signin [USER]`: a new one-time sign-in link, on stdout, while everything goes on running."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError
from django.utils.module_loading import import_string

from lifecycle import kubeconfig
from lifecycle.management.commands.up import USER_NAME

MOST_NAMED = 20


class Command(BaseCommand):
    """Whoever may run this may read the database as well: there is nobody to ask."""

    help = "Prints a new sign-in link: it works once and for a day, and those printed before do not any more."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("user", nargs="?", default=USER_NAME, help=f"who signs in (default {USER_NAME})")
        parser.add_argument("--server", help="where Podline is (default: where `manage.py up` serves)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = _find_user(options["user"])
        base = (options["server"] or kubeconfig.read_address(settings.DATA)).rstrip("/")
        # Named, not imported: signing in is the dashboard's, a floor above.
        token = import_string("dashboard.web.signin.make_entry_token")(user)
        self.stdout.write(f"{base}/enter/{token}/")


def _find_user(name: str) -> Any:
    users = get_user_model().objects.filter(is_active=True)
    user = users.filter(username=name).first()
    if user is None:
        known = ", ".join(users.order_by("username").values_list("username", flat=True)[:MOST_NAMED])
        raise CommandError(f"there is no active user {name!r}; there are: {known or 'none yet'}")
    return user
