"""Clusters: made here or in the dashboard, paused and resumed, and their histories."""

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.admin.generics import ModelForm
from lifecycle.admin.history import HISTORIES, PAGE_ROWS, HistoryForm
from lifecycle.admin.scope import ScopedAdmin
from lifecycle.admin.texts import tell_instant, tell_moment
from lifecycle.engine.rules.limits.json_bounds import find_excess
from lifecycle.models import Cluster, RunControl

INPUT = ("name", "seed", "epoch", "settings")


class SettingsDecoder(json.JSONDecoder):
    """Too long a number, too deep a list, half a character: no JSON to the form, as any other mistake."""

    def decode(self, text: str, *rest: Any) -> Any:
        try:
            if excess := find_excess(text):
                raise ValueError(excess)
            value = super().decode(text, *rest)
            json.dumps(value, ensure_ascii=False).encode()
            return value
        except ValueError as problem:
            raise json.JSONDecodeError(str(problem), "", 0) from None


class ClusterForm(ModelForm):
    """The input of a new cluster."""

    settings = forms.JSONField(required=False, initial=dict, decoder=SettingsDecoder)
    user: Any = None

    def _get_validation_exclusions(self) -> set[str]:
        """A name is looked for among those of its owner, whom the form does not show."""
        left_out: set[str] = super()._get_validation_exclusions()  # type: ignore[misc]
        return left_out - {"owner"}

    def _post_clean(self) -> None:
        """A name that is refused is only the field's: the page is still about the cluster of the old one."""
        if not self.instance.pk:
            self.instance.owner = self.user
        super()._post_clean()  # type: ignore[misc]
        if self.instance.pk and self.errors:
            self.instance.name = self.initial["name"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        if "epoch" in cleaned and "settings" in cleaned:
            # Here, because every manage.py command loads the admin and few need the engine behind the inbox.
            from lifecycle.runs import inbox

            inbox.check_input(cleaned["epoch"], cleaned["settings"] or {})
        return cleaned


@admin.register(Cluster)
class ClusterAdmin(ScopedAdmin):
    """A cluster's input is fixed when it is made; deleting it deletes its history."""

    form = ClusterForm
    list_per_page = PAGE_ROWS
    actions = ("pause", "resume", "fork", "forget_failure")
    list_display = (
        "name",
        "owner",
        "at",
        "speed",
        "runs",
        "seq",
        "histories",
        "failure",
        "created",
    )
    list_filter = ("paused",)
    list_select_related = ("owner",)
    search_fields = ("name", "uuid")
    readonly = (
        *("verdict", "uuid", "owner", "histories", "at", "seq", "rv", "speed", "achieved_speed", "runs"),
        *("parent", "forked_at", "shard", "failure", "upgrade_note", "created"),
    )

    def has_add_permission(self, request: HttpRequest) -> bool:
        return True

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return self.allows(request, obj, Verb.OWN)

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """The clusters only: everything in them goes too, and listing it could take long."""
        lacking = {"cluster" for cluster in objs if not self.allows(request, cluster, Verb.OWN)}
        return [f"{cluster} and its whole history" for cluster in objs], {"clusters": len(objs)}, lacking, []

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Its name can be changed, nothing else."""
        return self.allows(request, obj, Verb.OWN)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return (*INPUT, *self.readonly) if obj else INPUT

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> Any:
        return (*INPUT[1:], *self.readonly) if obj else ()

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        from lifecycle.runs import inbox

        return {"epoch": inbox.begin_now(), **super().get_changeform_initial_data(request)}

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> type[ModelForm]:
        made = super().get_form(request, obj, change, **kwargs)
        return type("ClusterFormOfUser", (made,), {"user": request.user})

    def save_model(self, request: HttpRequest, obj: Cluster, form: Any, change: bool) -> None:
        """A new cluster enters where all do: with its shard, and its first turn asked for."""
        # Here, because every manage.py command loads the admin and few need the engine behind the inbox.
        from lifecycle.runs import inbox

        if change:
            inbox.rename_cluster(obj, obj.name)
            return
        made = inbox.create_cluster(request.user, obj.name, obj.seed, obj.epoch, obj.settings)
        obj.pk, obj.owner = made.pk, made.owner

    @admin.display(description="how it stands")
    def verdict(self, cluster: Cluster) -> str:
        """What the judge says, as at the head of the cluster's page."""
        # Here, because every manage.py command loads the admin and few judge.
        from lifecycle import reads
        from lifecycle.recorded.verdict import read_verdict

        told = read_verdict(cluster, reads.virtual_now_ms(cluster))
        return " ".join([told.sentence, *(f"{one.sentence}." for one in told.troubles)])

    @admin.display(description="virtual time", ordering="instant_ms")
    def at(self, cluster: Cluster) -> str:
        return tell_instant(cluster.instant_ms)

    @admin.display(description="clock", ordering="paused")
    def runs(self, cluster: Cluster) -> str:
        return "paused" if cluster.paused else "running"

    @admin.display(description="forked at", ordering="forked_at_ms")
    def forked_at(self, cluster: Cluster) -> str:
        return tell_instant(cluster.forked_at_ms)

    @admin.display(description="created (UTC)", ordering="created_at")
    def created(self, cluster: Cluster) -> str:
        return tell_moment(cluster.created_at)

    def view_on_site(self, cluster: Cluster) -> str:
        """Its page of the dashboard."""
        return reverse("cluster", args=[cluster.address])

    @admin.display(description="history")
    def histories(self, cluster: Cluster) -> SafeString:
        links = [
            reverse("admin:lifecycle_cluster_history", args=[cluster.address, what]) for what in HISTORIES
        ]
        return format_html('<a href="{}">transitions</a> · <a href="{}">events</a>', *links)

    @admin.action(description="Pause")
    def pause(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self._control(request, rows, RunControl.Kind.PAUSE)

    @admin.action(description="Resume")
    def resume(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        self._control(request, rows, RunControl.Kind.RESUME)

    @admin.action(description="Fork at this instant")
    def fork(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        from lifecycle.runs import forks
        from lifecycle.runs.checkpoints import Unreadable

        for cluster in rows:
            name = forks.suggest_name(cluster, request.user)
            try:
                made = forks.fork(cluster, None, request.user, name)
            except (ValueError, Unreadable) as problem:
                messages.error(request, f"The cluster {cluster} was not forked: {problem}")
                continue
            except ValidationError as problem:
                # The name was free a moment ago.
                messages.error(request, f"The cluster {cluster} was not forked: {' '.join(problem.messages)}")
                continue
            address = reverse("admin:lifecycle_cluster_change", args=[made.pk])
            messages.success(
                request,
                format_html('The cluster {} was forked: <a href="{}">{}</a>.', cluster, address, made),
            )

    @admin.action(description="Forget the failure")
    def forget_failure(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        from lifecycle.runs import engine_faults

        for cluster in rows:
            if not self.allows(request, cluster, Verb.OWN):
                messages.error(request, f"You may not own the cluster {cluster}.")
            elif engine_faults.forget(cluster):
                messages.success(
                    request, f"The failure of {cluster} is forgotten; resume the cluster to try again."
                )
            else:
                messages.warning(request, f"The cluster {cluster} has no failure that could be forgotten.")

    def _control(self, request: HttpRequest, rows: QuerySet[Any], kind: RunControl.Kind) -> None:
        from lifecycle.runs import inbox

        for cluster in rows:
            if self.allows(request, cluster, Verb.RUN):
                inbox.control(cluster, kind, {}, request.user)
                messages.success(request, f"The cluster {cluster} is asked to {kind.label.lower()}.")
            else:
                messages.error(request, f"You may not run the cluster {cluster}.")

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.history_of)
        history = path("<str:name>/rows/<slug:what>/", view, name="lifecycle_cluster_history")
        return [history, *super().get_urls()]

    def history_of(self, request: HttpRequest, name: str, what: str) -> HttpResponseBase:
        """Transitions or events of one cluster, newest first, a page at a time."""
        cluster = get_cluster_or_404(request.user, name)
        if what not in HISTORIES:
            raise Http404(f"There are {' and '.join(HISTORIES)}.")
        history = HISTORIES[what]
        form = HistoryForm(request.GET or None, history.columns)
        context = {
            **self.admin_site.each_context(request),
            "title": f"{history.title} of {cluster.name}",
            "opts": self.opts,
            "cluster": cluster,
            "form": form,
            "page": history.page(cluster, form.filters()),
        }
        return TemplateResponse(request, "admin/lifecycle/history.html", context)
