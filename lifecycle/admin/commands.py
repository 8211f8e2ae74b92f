"""What was asked of clusters, and what they answered. Read only."""

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lifecycle.admin.history import PAGE_ROWS
from lifecycle.admin.scope import ClusterFilter, ScopedAdmin
from lifecycle.admin.texts import tell_instant, tell_moment, to_yaml
from lifecycle.models import Command

_TOLD = (
    "action",
    "container",
    "image",
    "replicas",
    "toRevision",
    "gracePeriodSeconds",
    "force",
    "cancel",
    "for",
)
MOST_WORDS = 120


@admin.register(Command)
class CommandAdmin(ScopedAdmin):
    """The inbox of every cluster, newest first."""

    list_display = ("order", "called", "kind", "target", "said", "user", "code", "at", "created")
    list_per_page = PAGE_ROWS
    list_filter = (ClusterFilter, "kind", "state")
    list_select_related = ("cluster__owner", "user")
    ordering = ("-created_at", "-order")
    fields = (
        *("id", "cluster", "order", "kind", "version", "user", "state", "pinned", "at"),
        *("created", "done", "asked", "answered"),
    )

    @admin.display(description="object")
    def target(self, command: Command) -> str:
        """The object a payload names, or the one it carries."""
        named = command.payload.get("object") or command.payload
        named = named if isinstance(named, dict) else {}
        metadata = named.get("metadata") or named
        node = f"Node {command.payload['node']}" if "node" in command.payload else "-"
        kind = None if named.get("node") else named.get("kind")
        return " ".join(str(part) for part in (kind, metadata.get("name")) if part) or node

    @admin.display(description="what")
    def said(self, command: Command) -> str:
        """What a payload says beside its object, as far as it is short: `image nginx:1.28`."""
        told = (
            f"{key} {command.payload[key]}" for key in _TOLD if command.payload.get(key) not in (None, "")
        )
        return ", ".join(told)[:MOST_WORDS] or "-"

    @admin.display(description="virtual time", ordering="instant_ms")
    def at(self, command: Command) -> str:
        return tell_instant(command.instant_ms)

    @admin.display(description="pinned to", ordering="pinned_ms")
    def pinned(self, command: Command) -> str:
        return tell_instant(command.pinned_ms)

    @admin.display(description="created (UTC)", ordering="created_at")
    def created(self, command: Command) -> str:
        return tell_moment(command.created_at)

    @admin.display(description="done (UTC)", ordering="done_at")
    def done(self, command: Command) -> str:
        return tell_moment(command.done_at)

    @admin.display(description="code")
    def code(self, command: Command) -> int | None:
        return (command.result or {}).get("code")

    @admin.display(description="payload")
    def asked(self, command: Command) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml(command.payload))

    @admin.display(description="result")
    def answered(self, command: Command) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml(command.result))
