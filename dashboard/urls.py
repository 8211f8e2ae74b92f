"""Every address of Podline; the floors below bring their own."""

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.templatetags.static import static
from django.urls import include, path, register_converter
from django.views.generic import RedirectView

from dashboard.addresses import WorkloadFolder
from dashboard.agents import views as agent_views
from dashboard.pages import part_views
from dashboard.pages.access import people
from dashboard.pages.access import views as access_views
from dashboard.pages.autoscaler import views as autoscaler_views
from dashboard.pages.budget import views as budget_views
from dashboard.pages.check import views as check_views
from dashboard.pages.cluster import manifest_views
from dashboard.pages.cluster import views as cluster_views
from dashboard.pages.cluster.names import names
from dashboard.pages.cluster.stretches import stretch
from dashboard.pages.cluster.table import pod_table
from dashboard.pages.compare import views as compare_views
from dashboard.pages.edit import views as edit_views
from dashboard.pages.home import views as home_views
from dashboard.pages.node import views as node_views
from dashboard.pages.objects import views as objects_views
from dashboard.pages.pod import log_views, placement
from dashboard.pages.pod import views as pod_views
from dashboard.pages.releases import views as releases_views
from dashboard.pages.service import views as service_views
from dashboard.pages.sweep import views as sweep_views
from dashboard.pages.workload import views as workload_views
from dashboard.web import error_pages, signin
from dashboard.web.palette import palette
from lifecycle.engine.kinds.horizontal_pod_autoscaler import HORIZONTAL_POD_AUTOSCALER
from lifecycle.engine.objects.node import NODE_KIND
from lifecycle.engine.objects.pods.pod import POD_KIND
from lifecycle.engine.objects.workloads.disruption_budget import DISRUPTION_BUDGET_KIND

AUTOSCALERS = HORIZONTAL_POD_AUTOSCALER.kind.plural
register_converter(WorkloadFolder, "folder")
WORKLOAD = "clusters/<str:cluster>/<folder:folder>/<str:namespace>/<str:name>/"
AUTOSCALER = "clusters/<str:cluster>/horizontalpodautoscalers/<str:namespace>/<str:name>/"
BUDGETS = DISRUPTION_BUDGET_KIND.plural
BUDGET = "clusters/<str:cluster>/poddisruptionbudgets/<str:namespace>/<str:name>/"
SWEEP = "clusters/<str:cluster>/deployments/<str:namespace>/<str:name>/sweep/"
SERVICES = "services"
SERVICE = "clusters/<str:cluster>/services/<str:namespace>/<str:name>/"
NODE = "clusters/<str:cluster>/nodes/<str:name>/"
POD = "clusters/<str:cluster>/pods/<str:namespace>/<str:name>/"

handler400 = "dashboard.web.error_pages.bad_request"
handler404 = "dashboard.web.error_pages.nothing_here"

urlpatterns = [
    path("", home_views.clusters, name="clusters"),
    path("clusters/", home_views.create_cluster, name="create-cluster"),
    path("cards/", home_views.cards, name="cluster-cards"),
    path("delete/", home_views.delete_clusters, name="delete-clusters"),
    path("try/", home_views.play_manifest, name="play-manifest"),
    path("gallery/", home_views.show_gallery, name="gallery"),
    path("gallery/<str:story>/", home_views.play_story, name="play-story"),
    path("gallery/<str:story>.svg", home_views.thumbnail, name="thumbnail"),
    path("releases/", releases_views.releases, name="releases"),
    path("releases/start/", releases_views.compare_manifests, name="compare-releases"),
    path("releases/<uuid:comparison>/", releases_views.comparison_status, name="comparison"),
    path("releases/<uuid:comparison>/cancel/", releases_views.cancel_comparison, name="cancel-comparison"),
    path("clusters/<str:cluster>/", cluster_views.cluster, name="cluster"),
    path("clusters/<str:cluster>/scenario.yaml", home_views.scenario_file, name="scenario-file"),
    path("clusters/<str:cluster>/seen-claims/", home_views.seen_claims, name="seen-claims"),
    path("clusters/<str:cluster>/rename/", home_views.rename_cluster, name="rename-cluster"),
    path("clusters/<str:cluster>/delete/", home_views.delete_cluster, name="delete-cluster"),
    path("clusters/<str:cluster>/control/", cluster_views.control, name="control"),
    path("clusters/<str:cluster>/other-way/", cluster_views.other_way, name="try-otherwise"),
    path("clusters/<str:cluster>/fork/", cluster_views.fork, name="fork"),
    path("clusters/<str:cluster>/compare/", compare_views.choose_other, name="compare-with"),
    path("clusters/<str:cluster>/compare/<str:other>/", compare_views.compare_clusters, name="compare"),
    path("clusters/<str:cluster>/compare/<str:other>/run/", compare_views.run_both, name="run-both"),
    path("clusters/<str:cluster>/check/", check_views.check, name="check"),
    path("clusters/<str:cluster>/check/status/", check_views.check_status, name="check-status"),
    path("clusters/<str:cluster>/check/start/", check_views.start_check, name="start-check"),
    path("clusters/<str:cluster>/check/<uuid:check>/", check_views.check_findings, name="check-findings"),
    path("clusters/<str:cluster>/check/<uuid:check>/cancel/", check_views.cancel_check, name="cancel-check"),
    path("clusters/<str:cluster>/check/<uuid:check>/open/", check_views.open_finding, name="open-finding"),
    path("clusters/<str:cluster>/releases/", releases_views.cluster_releases, name="cluster-releases"),
    path(
        "clusters/<str:cluster>/releases/start/", releases_views.compare_cluster, name="compare-releases-of"
    ),
    path("clusters/<str:cluster>/kubeconfig", access_views.download, name="kubeconfig"),
    path("clusters/<str:cluster>/tokens/", access_views.issued, name="tokens"),
    path("clusters/<str:cluster>/tokens/<int:token>/revoke/", access_views.revoke, name="revoke-token"),
    path("clusters/<str:cluster>/people/", people.people, name="people"),
    path("clusters/<str:cluster>/people/give/", people.give_role, name="give-role"),
    path("clusters/<str:cluster>/people/<int:role>/take/", people.take_role, name="take-role"),
    path("clusters/<str:cluster>/links/", people.share, name="share"),
    path("clusters/<str:cluster>/links/<int:share>/revoke/", people.revoke_link, name="revoke-link"),
    path("clusters/<str:cluster>/manifest/", manifest_views.apply_manifest, name="apply-manifest"),
    path("clusters/<str:cluster>/behaviors/", manifest_views.say_behaviors, name="say-behaviors"),
    path("clusters/<str:cluster>/workloads/", cluster_views.workloads, name="workloads"),
    path("clusters/<str:cluster>/names/", names, name="names"),
    path("clusters/<str:cluster>/stretch/", stretch, name="stretch"),
    path("clusters/<str:cluster>/table/", pod_table, name="pod-table"),
    path("clusters/<str:cluster>/remarks/", cluster_views.remarks, name="remarks"),
    path("clusters/<str:cluster>/schema/", edit_views.schema, name="schema"),
    path("clusters/<str:cluster>/ahead/", part_views.ahead, name="ahead"),
    path("clusters/<str:cluster>/events/", part_views.events, name="events"),
    path("clusters/<str:cluster>/verdict/", cluster_views.verdict, name="verdict"),
    path("clusters/<str:cluster>/objects/", objects_views.objects, name="objects"),
    path("clusters/<str:cluster>/why/change/<int:rv>/", objects_views.why_change, name="why-version"),
    path("clusters/<str:cluster>/why/<int:seq>/", part_views.why, name="why"),
    path("clusters/<str:cluster>/why/command/<uuid:command>/", part_views.why_command, name="why-command"),
    path(POD, pod_views.pod, name="pod"),
    path(f"{POD}status/", pod_views.pod_status, name="pod-status"),
    path(f"{POD}placement/", placement.placement, name="pod-placement"),
    path(f"{POD}log/", log_views.pod_log, name="pod-log"),
    path(f"{POD}yaml/", part_views.object_yaml, {"folder": POD_KIND.plural}, name="pod-yaml"),
    path(f"{POD}edit/", edit_views.edit_object, {"folder": POD_KIND.plural}, name="edit-pod"),
    path(f"{POD}delete/", pod_views.delete_pod, name="delete-pod"),
    path(SWEEP, sweep_views.sweep, name="sweep"),
    path(f"{SWEEP}try/", sweep_views.try_grid, name="try-sweep"),
    path(f"{SWEEP}open/", sweep_views.open_cell, name="open-sweep"),
    path(WORKLOAD, workload_views.workload, name="workload"),
    path(f"{WORKLOAD}yaml/", part_views.object_yaml, name="workload-yaml"),
    path(f"{WORKLOAD}edit/", edit_views.edit_object, name="edit-workload"),
    path(f"{WORKLOAD}status/", workload_views.workload_status, name="workload-status"),
    path(f"{WORKLOAD}change/", workload_views.change_workload, name="change-workload"),
    path(f"{WORKLOAD}revisions/<int:number>/", workload_views.compare_revision, name="compare-revision"),
    path(AUTOSCALER, autoscaler_views.autoscaler, name="autoscaler"),
    path(f"{AUTOSCALER}yaml/", part_views.object_yaml, {"folder": AUTOSCALERS}, name="autoscaler-yaml"),
    path(f"{AUTOSCALER}edit/", edit_views.edit_object, {"folder": AUTOSCALERS}, name="edit-autoscaler"),
    path(f"{AUTOSCALER}status/", autoscaler_views.autoscaler_status, name="autoscaler-status"),
    path(f"{AUTOSCALER}change/", autoscaler_views.change_autoscaler, name="change-autoscaler"),
    path(BUDGET, budget_views.budget, name="budget"),
    path(f"{BUDGET}yaml/", part_views.object_yaml, {"folder": BUDGETS}, name="budget-yaml"),
    path(f"{BUDGET}edit/", edit_views.edit_object, {"folder": BUDGETS}, name="edit-budget"),
    path(f"{BUDGET}status/", budget_views.budget_status, name="budget-status"),
    path(SERVICE, service_views.service, name="service"),
    path(f"{SERVICE}yaml/", part_views.object_yaml, {"folder": SERVICES}, name="service-yaml"),
    path(f"{SERVICE}edit/", edit_views.edit_object, {"folder": SERVICES}, name="edit-service"),
    path(f"{SERVICE}status/", service_views.service_status, name="service-status"),
    path(f"{SERVICE}change/", service_views.change_service, name="change-service"),
    path(NODE, node_views.node, name="node"),
    path(
        f"{NODE}yaml/",
        part_views.object_yaml,
        {"folder": NODE_KIND.plural, "namespace": ""},
        name="node-yaml",
    ),
    path(
        f"{NODE}edit/",
        edit_views.edit_object,
        {"folder": NODE_KIND.plural, "namespace": ""},
        name="edit-node",
    ),
    path(f"{NODE}status/", node_views.node_status, name="node-status"),
    path(f"{NODE}change/", node_views.change_node, name="change-node"),
    path("enter/<str:token>/", signin.enter, name="enter"),
    path("palette.css", palette, name="palette"),
    # The admin and the API's pages name no icon: browsers look for one here.
    path("favicon.ico", RedirectView.as_view(url=static("favicon.svg"))),
    path("sign-in/", signin.SlowedLoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("mcp", agent_views.mcp, name="mcp"),
    path("api/", include("lifecycle.export.urls")),
    path("k8s/", include("lifecycle.kube_api.urls")),
    # Django's own would tell which ids of other people's things exist.
    path("admin/login/", RedirectView.as_view(pattern_name="login", query_string=True)),
    path("admin/r/<path:rest>", error_pages.not_found),
    path("admin/", admin.site.urls),
    path("", include("lifecycle.runs.health")),
]
