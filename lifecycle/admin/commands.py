"""What was asked of clusters, and what they answered. Read only."""


from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lifecycle.admin.scope import ClusterFilter, ScopedAdmin
from lifecycle.admin.texts import tell_instant, to_yaml
from lifecycle.models import Command


@admin.register(Command)
class CommandAdmin(ScopedAdmin):
    """The inbox of every cluster, newest first."""

    list_display = ("order", "cluster", "kind", "target", "user", "state", "code", "at", "created_at")
    list_filter = (ClusterFilter, "kind", "state")
    list_select_related = ("cluster", "user")
    ordering = ("-created_at", "-order")
    fields = (
        *("id", "cluster", "order", "kind", "version", "user", "state", "pinned_ms", "at"),
        *("created_at", "done_at", "asked", "answered"),
    )

    @admin.display(description="object")
    def target(self, command: Command) -> str:
        """The object a payload names, or the one it carries."""
        named = command.payload.get("object") or command.payload
        named = named if isinstance(named, dict) else {}
        metadata = named.get("metadata") or named
        return " ".join(str(part) for part in (named.get("kind"), metadata.get("name")) if part) or "-"

    @admin.display(description="virtual time", ordering="instant_ms")
    def at(self, command: Command) -> str:
        return tell_instant(command.instant_ms)

    @admin.display(description="code")
    def code(self, command: Command) -> int | None:
        return (command.result or {}).get("code")

    @admin.display(description="payload")
    def asked(self, command: Command) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml(command.payload))

    @admin.display(description="result")
    def answered(self, command: Command) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml(command.result))
