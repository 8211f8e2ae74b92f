"""The objects of clusters: looked at as YAML, changed through commands."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.helpers import ActionForm
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import is_valid_path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lifecycle.access import Verb
from lifecycle.admin.generics import ModelAdmin, ModelForm
from lifecycle.admin.history import PAGE_ROWS
from lifecycle.admin.orders import order
from lifecycle.admin.scope import ClusterFilter, ScopedAdmin
from lifecycle.admin.spec_form import SpecForm
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.kinds.entry import RESTART, KindEntry
from lifecycle.engine.kinds.registry import entry_of_id, list_entries
from lifecycle.models import StoredObject
from lifecycle.stored_kinds import kind_of_stored


class GroupFilter(admin.AllValuesFieldListFilter):
    """The group without a name has one here."""

    def choices(self, changelist: Any) -> Any:
        return [choice | {"display": choice["display"] or "core"} for choice in super().choices(changelist)]


class DeletedFilter(admin.SimpleListFilter):
    """Living objects unless asked otherwise."""

    title = "life"
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: ModelAdmin) -> list[tuple[str, str]]:
        return [("living", "living"), ("deleted", "deleted"), ("both", "both")]

    def value(self) -> str:
        return super().value() or "living"

    def choices(self, changelist: Any) -> Any:
        """Without Django's own "All", which would be no filter at all."""
        return list(super().choices(changelist))[1:]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "both":
            return queryset
        return queryset.filter(deleted_ms__isnull=self.value() == "living")


class ScaleForm(ActionForm):
    """The number that the action `scale` takes; the action itself reads it."""

    replicas = forms.CharField(required=False, label="Replicas:", widget=forms.NumberInput(attrs={"min": 0}))


@admin.register(StoredObject)
class StoredObjectAdmin(ScopedAdmin):
    """Every object that was ever there; the living ones can be changed."""

    form = SpecForm
    action_form = ScaleForm
    actions = ("scale", "restart", "delete_with_grace")
    list_display = (*("name", "sort", "namespace", "called", "condition", "restarts", "node", "owner"),)
    list_per_page = PAGE_ROWS
    list_filter = (ClusterFilter, "kind", ("group", GroupFilter), "state", DeletedFilter)
    list_select_related = ("cluster__owner",)
    search_fields = ("name", "namespace", "uid", "owner")
    ordering = ("cluster_id", "kind", "namespace", "name")
    fields = (
        ("kind", "group", "namespace", "name"),
        ("cluster", "owner", "condition", "restarts"),
        "verdict",
        "spec",
        "generation",
        "rest",
    )
    readonly_fields = (
        "kind",
        "group",
        "namespace",
        "name",
        "cluster",
        "owner",
        "condition",
        "restarts",
        "verdict",
        "rest",
        "spec_text",
    )

    class Media:
        css: ClassVar[dict[str, list[str]]] = {"all": ["lifecycle/admin.css"]}

    @admin.display(description="kind", ordering="kind")
    def sort(self, stored: StoredObject) -> str:
        """With the group where another kind may have the name: `Deployment.apps`."""
        return f"{stored.kind}.{stored.group}" if stored.group else stored.kind

    def view_on_site(self, stored: StoredObject) -> str | None:
        """Its page of the dashboard; None for a kind that has none."""
        plural = entry_of_id(kind_of_stored(stored)).kind.plural
        place = f"{plural}/{stored.namespace}" if stored.namespace else plural
        address = f"{reverse('cluster', args=[stored.cluster.address])}{place}/{stored.name}/"
        return address if is_valid_path(address) else None

    @admin.display(description="status")
    def condition(self, stored: StoredObject) -> str:
        if stored.deleted_ms is not None:
            return "deleted"
        words = [stored.status or stored.phase or stored.state, stored.ready and f"ready {stored.ready}"]
        return ", ".join(word for word in words if word) or "-"

    @admin.display(description="why")
    def verdict(self, stored: StoredObject) -> str:
        """What the judge says, as on the object's page."""
        # Here, because every manage.py command loads the admin and few judge.
        from lifecycle import reads
        from lifecycle.recorded.seen import judge

        told = judge(stored.cluster, stored, reads.virtual_now_ms(stored.cluster))
        return told.sentence if told is not None else "-"

    @admin.display(description="the rest")
    def rest(self, stored: StoredObject) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml({k: v for k, v in stored.data.items() if k != "spec"}))

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Deleted objects stay as they were; objects without a spec have nothing to edit here."""
        is_editable = obj is None or (obj.deleted_ms is None and "spec" in obj.data)  # type: ignore[attr-defined]
        return is_editable and self.allows(request, obj, Verb.CHANGE)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        """Who may not edit reads the spec as text."""
        if self.has_change_permission(request, obj):
            return self.fields
        return ["spec_text" if name == "spec" else name for name in self.fields if name != "generation"]

    @admin.display(description="spec")
    def spec_text(self, stored: StoredObject) -> SafeString:
        return format_html("<pre>{}</pre>", to_yaml(stored.data.get("spec")))

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        return type("SpecFormOfUser", (SpecForm,), {"user": request.user})

    def save_model(self, request: HttpRequest, obj: Model, form: Any, change: bool) -> None:
        """The form has asked the cluster already."""
        for warning in form.warnings:
            messages.warning(request, warning)

    @admin.action(description="Scale to the number beside")
    def scale(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        given = request.POST.get("replicas", "")
        if not (given.isascii() and given.isdigit() and len(given) < 7):
            messages.error(request, "Write the number of replicas beside the action.")
            return
        self._order_each(
            request,
            rows,
            "scale",
            {"replicas": int(given)},
            f"scaled to {given}",
            lambda entry: entry.replicas_path,
        )

    @admin.action(description="Restart the rollout")
    def restart(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self._order_each(
            request, rows, "rollout", {"action": RESTART}, "restarted", lambda entry: RESTART in entry.rollout
        )

    @admin.action(description="Delete, with grace")
    def delete_with_grace(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self._order_each(request, rows, "delete", {}, "asked to end")

    def _order_each(
        self,
        request: HttpRequest,
        rows: QuerySet[Any],
        kind: str,
        payload: dict[str, Any],
        done: str,
        can: Callable[[KindEntry], object] = lambda entry: True,
    ) -> None:
        """One command for each object of a kind with which it can be `done`; what came of each is said."""
        for stored in rows.select_related("cluster"):
            if not self.allows(request, stored, Verb.CHANGE):
                messages.error(request, f"{stored}: you may not change the cluster {stored.cluster}.")
            elif stored.deleted_ms is not None:
                messages.error(request, f"{stored} is deleted already.")
            elif not can(entry_of_id(kind_of_stored(stored))):
                kinds = sorted(entry.kind.name for entry in list_entries() if can(entry))
                messages.error(request, f"{stored}: only {', '.join(kinds)} can be {done}.")
            else:
                outcome = order(kind, payload, stored, request.user)
                for problem in outcome.problems:
                    messages.error(request, f"{stored}: {problem}")
                if not outcome.problems:
                    messages.success(request, f"{stored}: {done}.")
