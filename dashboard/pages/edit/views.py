"""An object's YAML edited on its own page: what would change, what would come of it, and doing it.

It takes the place of the object as `kubectl replace` has it: as one command of the user, on the one version
that it was compared with; or in a fork, to lay the two side by side. Whatever is refused, the text stays
where it was written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods
from django_htmx.http import HttpResponseClientRedirect

from dashboard.addresses import kind_of_folder
from dashboard.asking.answers import Answer, answer_problem, answer_result, read_version
from dashboard.asking.forms import EditForm
from dashboard.asking.previews import preview_objects
from dashboard.pages.edit.conflicts import Conflict, find_conflict, merge
from dashboard.pages.edit.small_forms import list_forms
from dashboard.pages.edit.texts import (
    NotAsGiven,
    Written,
    add_version,
    read_written,
    seal,
    show_editable,
    unseal,
)
from dashboard.pages.parts import (
    UNPROCESSABLE,
    find_or_404,
    find_parent,
    messages_of,
    show_answers,
    signed_in,
)
from lifecycle import limits
from lifecycle.access import Verb, get_cluster_or_404
from lifecycle.admin.texts import to_yaml
from lifecycle.engine.kinds.defaults import apply_defaults
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.input.differences import Field, list_fields
from lifecycle.input.json_schemas import make_json_schema
from lifecycle.input.manifest_admission import gates_of
from lifecycle.input.manifests import name_object
from lifecycle.input.problems import ManifestError, Problem, parse_path
from lifecycle.lean_dataclasses import replace as replace_lean
from lifecycle.models import Cluster, StoredObject
from lifecycle.reads import read_release
from lifecycle.runs import forks, inbox
from lifecycle.runs.checkpoints import Unreadable
from lifecycle.stored_kinds import kind_of_stored

CONFLICT = 409
ATTEMPTS = 5
"""So often a write is tried anew where only its status changed meanwhile."""
MOST_CHANGES, MOST_PROBLEMS = 200, 100
GONE = "It was deleted since. What you wrote stays here: apply it on the cluster's page to make it again"
NOT_AS_GIVEN = "What this editor began with cannot be read any more: copy your text, and open the editor anew"
UNCHANGED = "Nothing of it is changed: a fork would be the same"
TOO_FAST = "It changes faster than it can be written: pause the cluster, and apply again"


@dataclass(frozen=True, slots=True)
class _Edit:
    """What was written, and what it was begun with."""

    cluster: Cluster
    stored: StoredObject
    written: Written
    opened: dict[str, Any]
    uid: str
    seen: str

    def find_conflict(self) -> Conflict | None:
        """What others changed, unless the writer has seen just that, and goes over it."""
        now, is_another = show_editable(self.stored.data), self.uid != self.stored.uid
        found = find_conflict(self.opened, show_editable(self.written.data), now, is_another)
        return found if found is None or found.seen != self.seen else None


@signed_in
@require_http_methods(["GET", "HEAD", "POST"])
def edit_object(request: HttpRequest, cluster: str, folder: str, namespace: str, name: str) -> HttpResponse:
    """The editor of an object; of what was written, what is asked: its changes, a preview, or doing it."""
    found = get_cluster_or_404(request.user, cluster, Verb.CHANGE)
    kind = POD_KIND.id if folder == POD_KIND.plural else kind_of_folder(folder).kind.id
    stored = find_or_404(found, kind, namespace, name)
    if request.method != "POST":
        return _show_editor(request, found, stored)
    form = EditForm(request.POST)
    if not form.is_valid():
        return show_answers(request, [Answer(False, "", messages_of(form))])
    asked, subject = form.cleaned_data, name_object(stored.data)
    try:
        uid, opened = unseal(found, asked["opened"])
        if stored.deleted_ms is not None:
            return show_answers(request, [Answer(False, subject, GONE)])
        written = read_written(asked["text"], found, stored)
    except NotAsGiven:
        return show_answers(request, [Answer(False, subject, NOT_AS_GIVEN)])
    except ManifestError as error:
        return show_answers(request, [_tell_problem(one) for one in error.problems[:MOST_PROBLEMS]])
    edit = _Edit(found, stored, written, dict(opened), uid, asked["seen"])
    return _ANSWERS[asked["what"]](request, edit)


@signed_in
@require_GET
def schema(request: HttpRequest, cluster: str) -> HttpResponse:
    """The JSON Schema of `?apiVersion=` and `?kind=`, as the cluster's release has it."""
    found = get_cluster_or_404(request.user, cluster)
    kind, version = request.GET.get("kind", ""), request.GET.get("apiVersion", "")
    try:
        return JsonResponse(make_json_schema(kind, version, read_release(found)))
    except ValueError as problem:
        return JsonResponse({"error": str(problem)}, status=UNPROCESSABLE)


def _show_editor(request: HttpRequest, cluster: Cluster, stored: StoredObject) -> HttpResponse:
    if stored.deleted_ms is not None:
        raise Http404(f"{name_object(stored.data)} is deleted: there is nothing to edit.")
    context = {
        "cluster": cluster,
        "stored": stored,
        "text": to_yaml(show_editable(stored.data)),
        "opened": seal(cluster, stored),
        "api_version": stored.data.get("apiVersion", ""),
        "forms": list_forms(stored),
    }
    return render(request, "edit/_editor.html", context)


# --- answers ----------------------------------------------------------------------------------------------


def _list_changes(edit: _Edit) -> list[Field]:
    """What would change of the object as it is now, defaults filled in."""
    now = show_editable(edit.stored.data)
    wanted = show_editable(apply_defaults(edit.written.data, gates_of(edit.cluster.settings)))
    return list(list_fields(now, wanted))


def _show_difference(request: HttpRequest, edit: _Edit) -> HttpResponse:
    changes = _list_changes(edit)
    context = {
        "changes": changes[:MOST_CHANGES],
        "hidden": len(changes[MOST_CHANGES:]),
        "is_difference": True,
        "conflict": edit.find_conflict(),
    }
    return _show(request, edit, context)


def _show_preview(request: HttpRequest, edit: _Edit) -> HttpResponse:
    """What would come of it; that it would go wrong is no refusal."""
    # Of whatever version the object has come to by now.
    command = ("replace", {"object": edit.written.data})
    with limits.preview(request.user):
        told = preview_objects(edit.cluster, [command], [edit.written.data])
    return _show(request, edit, {"answers": told, "conflict": edit.find_conflict()})


def _show_applied(request: HttpRequest, edit: _Edit) -> HttpResponse:
    """Send it, of the version that it was compared with. Where only the status went on meanwhile, again."""
    subject, cluster = name_object(edit.stored.data), edit.cluster
    for _ in range(ATTEMPTS):
        if edit.stored.deleted_ms is not None:
            return show_answers(request, [Answer(False, subject, GONE)])
        if conflict := edit.find_conflict():
            return _show(request, edit, {"conflict": conflict, "is_refused": True}, CONFLICT)
        known = read_version(cluster)
        payload = {"object": add_version(edit.written.data, edit.stored)}
        try:
            command = inbox.append(cluster, "replace", payload, request.user)
        except inbox.Refused as refused:
            return show_answers(request, [Answer(False, subject, str(refused))])
        result = inbox.wait_for_result(command)
        if result is None or result["code"] != CONFLICT:
            answers = list(answer_result(cluster, result, ("replace", payload, subject), known))
            return _show_result(request, edit, list(_add_lines(answers, edit.written)))
        cluster.refresh_from_db()
        edit = replace(edit, stored=find_or_404(cluster, *_key_of(edit.stored)))
    return show_answers(request, [Answer(False, subject, TOO_FAST)])


def _compare(request: HttpRequest, edit: _Edit) -> HttpResponse:
    """Do it in a fork of the user's own, and go to where the two stand side by side; nothing happens here."""
    subject, cluster = name_object(edit.stored.data), edit.cluster
    if not _list_changes(edit):
        return show_answers(request, [Answer(False, subject, UNCHANGED)])
    if conflict := edit.find_conflict():
        return _show(request, edit, {"conflict": conflict, "is_refused": True}, CONFLICT)
    try:
        made = forks.fork(cluster, None, request.user, forks.suggest_name(cluster, request.user))
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    except (ValueError, Unreadable) as problem:
        return show_answers(request, [Answer(False, cluster.name, str(problem))])
    command = ("replace", {"object": edit.written.data}, subject)
    try:
        result = inbox.wait_for_result(inbox.append(made, *command[:2], request.user))
    except inbox.Refused as refused:
        made.delete()
        return show_answers(request, [Answer(False, subject, str(refused))])
    except BaseException:
        made.delete()
        raise
    if result is not None and result["code"] >= 400:
        answers = list(_add_lines(list(answer_result(made, result, command, known=0)), edit.written))
        made.delete()
        return _show(request, edit, {"answers": answers}, UNPROCESSABLE)
    return HttpResponseClientRedirect(reverse("compare", args=[cluster.address, made.name]))


def _show_merged(request: HttpRequest, edit: _Edit) -> HttpResponse:
    """What others changed beside what was written; from here on it is an edit of the object as it is now."""
    now = show_editable(edit.stored.data)
    merged = merge(edit.opened, show_editable(edit.written.data), now)
    context = {"merged": to_yaml(merged), "opened": seal(edit.cluster, edit.stored)}
    return _show(request, edit, context)


def _show_result(request: HttpRequest, edit: _Edit, answers: list[Answer]) -> HttpResponse:
    if not all(one.is_good for one in answers):
        return _show(request, edit, {"answers": answers}, UNPROCESSABLE)
    edit.cluster.refresh_from_db()
    stored = find_or_404(edit.cluster, *_key_of(edit.stored))
    context = {"answers": answers, "opened": seal(edit.cluster, stored), "is_applied": True}
    return _show(request, edit, context | {"parent": find_parent(request.user, edit.cluster)})


def _show(request: HttpRequest, edit: _Edit, context: dict[str, Any], status: int = 200) -> HttpResponse:
    context |= {"subject": name_object(edit.stored.data), "ignored": edit.written.ignored}
    context["cluster"] = edit.cluster
    return render(request, "edit/_answer.html", context, status=status)


def _tell_problem(problem: Problem) -> Answer:
    """With its line alone: the text is one document."""
    return answer_problem(replace_lean(problem, document=None))


def _add_lines(answers: list[Answer], written: Written) -> Iterator[Answer]:
    """With the line of the text in which each field stands."""
    for one in answers:
        line = written.document.line_of(parse_path(one.path)) if one.path else None
        yield replace(one, line=line, place=f"line {line}") if line else one


def _key_of(stored: StoredObject) -> tuple[str, str, str]:
    return kind_of_stored(stored), stored.namespace or "", stored.name


_ANSWERS = {
    "difference": _show_difference,
    "preview": _show_preview,
    "apply": _show_applied,
    "merge": _show_merged,
    "compare": _compare,
}
