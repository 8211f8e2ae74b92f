"""Home and the gallery: every cluster of the user, and the ways to another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRedirect

from dashboard.asking import uploads
from dashboard.asking.answers import Answer, answer_problem
from dashboard.asking.forms import ClusterForm, ManifestForm, RenameForm
from dashboard.asking.manifest_reports import MOST_SHOWN, list_file_remarks
from dashboard.asking.remarks import keep_remarks
from dashboard.live.live_figures import tell_time
from dashboard.pages import stories
from dashboard.pages.cluster.verdict import keep_verdict
from dashboard.pages.examples import list_examples
from dashboard.pages.home import gallery, thumbnails
from dashboard.pages.parts import UNPROCESSABLE, messages_of, show_answers, signed_in
from dashboard.pages.states import count_states
from dashboard.plots.theme import duration
from lifecycle.access import Verb, address_for, clusters_for, get_cluster_or_404, give_address
from lifecycle.engine.schema.yaml_nodes import Budget
from lifecycle.input.problems import ManifestError
from lifecycle.input.reading import read_batches
from lifecycle.models import Cluster
from lifecycle.runs import inbox
from lifecycle.runs.forks import find_free_name
from lifecycle.runs.retelling import AT_THE_END, retell
from lifecycle.runs.retelling.seen_claims import list_seen
from lifecycle.simulation import make_plan

MOST_DELETED = 500


@signed_in
def clusters(request: HttpRequest, form: ClusterForm | None = None) -> HttpResponse:
    """Every cluster the user may see, forks below their parents, and the ways to another."""
    seen = _list_cards(request)
    context = {
        "seen": seen,
        "owned": [card["cluster"] for card in seen if card["cluster"].is_owned],
        "form": form or ClusterForm(initial={"name": find_free_name("cluster", request.user)}),
        "topics": gallery.list_topics(),
        "examples": list_examples(),
        "limits": uploads.LIMITS,
    }
    return render(request, "home/list.html", context, status=UNPROCESSABLE if form else 200)


@signed_in
@require_GET
def cards(request: HttpRequest) -> HttpResponse:
    """The part of the first page that lists clusters, and how they stand."""
    return render(request, "home/_cards.html", {"seen": _list_cards(request)})


def _list_cards(request: HttpRequest) -> list[dict[str, Any]]:
    seen = [give_address(request.user, one) for one in clusters_for(request.user).select_related("owner")]
    addresses: dict[int | None, str] = {cluster.pk: cluster.address for cluster in seen}
    told = [_card(cluster, depth, addresses.get(cluster.parent_id)) for cluster, depth in walk_forks(seen)]
    return put_troubled_first(told)


def put_troubled_first(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Clusters with trouble before others, each with its forks below it; else in their order."""
    families: list[list[dict[str, Any]]] = []
    for card in told:
        if not card["depth"]:
            families.append([])
        families[-1].append(card)
    families.sort(key=lambda family: not any(one["verdict"].troubles for one in family))
    return [card for family in families for card in family]


def walk_forks(seen: list[Cluster]) -> Iterator[tuple[Cluster, int]]:
    """Each cluster before its forks, with how many forks deep it is. A parent that is not seen is none."""
    keys = {cluster.pk for cluster in seen}
    below: dict[int | None, list[Cluster]] = {}
    for cluster in seen:
        below.setdefault(cluster.parent_id if cluster.parent_id in keys else None, []).append(cluster)
    ahead = [(cluster, 0) for cluster in reversed(below.get(None, []))]
    while ahead:
        cluster, depth = ahead.pop()
        yield cluster, depth
        ahead += [(fork, depth + 1) for fork in reversed(below.get(cluster.pk, []))]


def _card(cluster: Cluster, depth: int, parent: str | None) -> dict[str, Any]:
    """`parent`: the address of what it was forked from, where that may be seen."""
    clock, states = tell_time(cluster), count_states(cluster)
    return {
        "cluster": cluster,
        "parent": parent,
        # Deeper ones would leave the page.
        "depth": min(depth, 4),
        "forked_at": duration(cluster.forked_at_ms or 0) if cluster.parent_id else "",
        "states": states,
        "verdict": keep_verdict(cluster, sum(count for _, count in states), clock["at_ms"]),
        "clock": clock,
        "at": duration(clock["at_ms"]),
    }


@signed_in
@require_POST
def create_cluster(request: HttpRequest) -> HttpResponse:
    """Make a cluster and go to it."""
    form = ClusterForm(request.POST)
    if form.is_valid():
        asked = form.cleaned_data
        try:
            made = inbox.create_cluster(request.user, asked["name"], asked["seed"], settings=form.settings())
            return redirect("cluster", made.name)
        except ValidationError as error:
            form.add_error("name", error.messages)
    return clusters(request, form)


@signed_in
@require_GET
def scenario_file(request: HttpRequest, cluster: str) -> HttpResponse:
    """The cluster's story as a Scenario, a file to keep as a test or to send to somebody."""
    found = get_cluster_or_404(request.user, cluster)
    # Who chose none gets none; who was not asked, those of the end.
    asked = [key for key in request.GET.getlist("claim") if key]
    try:
        text = retell(found, asked if "claim" in request.GET else (AT_THE_END,))
    except ValueError as problem:
        return HttpResponse(f"claim: {problem}\n", "text/plain; charset=utf-8", status=UNPROCESSABLE)
    name = f'attachment; filename="{found.shown_name}.yaml"'
    return HttpResponse(
        text, content_type="application/yaml; charset=utf-8", headers={"Content-Disposition": name}
    )


@signed_in
@require_GET
def seen_claims(request: HttpRequest, cluster: str) -> HttpResponse:
    """The part of a cluster's page that offers what was seen as claims of a test."""
    found = get_cluster_or_404(request.user, cluster)
    context = {"cluster": found, "claims": list_seen(found), "at_the_end": AT_THE_END}
    return render(request, "cluster/_seen_claims.html", context)


@signed_in
@require_POST
def rename_cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """Give a cluster another name, and go to where it is then."""
    found = get_cluster_or_404(request.user, cluster, Verb.OWN)
    form = RenameForm(request.POST)
    if form.is_valid():
        try:
            inbox.rename_cluster(found, form.cleaned_data["name"])
            return HttpResponseClientRedirect(reverse("cluster", args=[address_for(request.user, found)]))
        except ValidationError as error:
            form.add_error("name", error.messages)
    return show_answers(request, [Answer(False, "", messages_of(form))])


@signed_in
@require_POST
def delete_cluster(request: HttpRequest, cluster: str) -> HttpResponse:
    """Delete a cluster with its history. Its forks stay."""
    get_cluster_or_404(request.user, cluster, Verb.OWN).delete()
    return HttpResponseClientRedirect(reverse("clusters"))


@signed_in
@require_POST
def delete_clusters(request: HttpRequest) -> HttpResponse:
    """Delete those that were chosen: none, where one of them is not one's own."""
    chosen = dict.fromkeys(request.POST.getlist("cluster"))
    if not 0 < len(chosen) <= MOST_DELETED:
        text = f"Choose at least one cluster, and {MOST_DELETED} at the most."
        return show_answers(request, [Answer(False, "", text)])
    for found in [get_cluster_or_404(request.user, address, Verb.OWN) for address in chosen]:
        found.delete()
    return HttpResponseClientRedirect(reverse("clusters"))


@signed_in
@require_GET
def show_gallery(request: HttpRequest) -> HttpResponse:
    """Every story there is, by topic."""
    return render(request, "home/gallery.html", {"topics": gallery.list_topics()})


@signed_in
@require_http_methods(["GET", "POST"])
def play_story(request: HttpRequest, story: str) -> HttpResponse:
    """A new cluster that plays a story, and go to it; GET: the story in words."""
    if request.method == "GET":
        told = stories.tell_story(story)
        if told is None:
            raise Http404(f"There is no story {story!r} in the gallery.")
        return render(request, "home/story.html", {"story": told})
    plan = gallery.find_plan(story)
    if plan is None:
        raise Http404(f"There is no story {story!r} in the gallery.")
    return redirect("cluster", gallery.play(plan, story, request.user).name)


@signed_in
@require_GET
@cache_control(max_age=3600, private=True)
def thumbnail(request: HttpRequest, story: str) -> HttpResponse:
    """A story's picture."""
    picture = thumbnails.draw(story)
    if picture is None:
        raise Http404(f"There is no story {story!r} in the gallery.")
    return HttpResponse(picture, content_type="image/svg+xml")


@signed_in
@require_POST
def play_manifest(request: HttpRequest) -> HttpResponse:
    """A new cluster for the manifests that were brought, a Scenario played; go to it when all is right."""
    form = ManifestForm(request.POST, request.FILES)
    try:
        uploads.check_size(request.META.get("CONTENT_LENGTH"))
        if not form.is_valid():
            raise ValidationError(messages_of(form))
        limit, budget = settings.UPLOAD_MAX_BYTES, Budget(settings.UPLOAD_MAX_VALUES)
        reading = read_batches(form.batches(), "", limit, budget)
        plan = make_plan(reading.documents, refused=reading.report.refused)
        made = gallery.play(plan, gallery.name_for(plan), request.user)
        keep_remarks(request.session, made, list_file_remarks(reading.report))
    except ManifestError as error:
        return show_answers(request, [answer_problem(problem) for problem in error.problems[:MOST_SHOWN]])
    except ValidationError as error:
        return show_answers(request, [Answer(False, "", message) for message in error.messages])
    return HttpResponseClientRedirect(reverse("cluster", args=[made.name]))
