"""Paths below /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from lifecycle.export import checks, clusters, views
from lifecycle.export.description_page import DescriptionPage

app_name = "export"

urlpatterns = [
    path("", views.Root.as_view(), name="root"),
    path("clusters/", clusters.ClusterList.as_view(), name="cluster-list"),
    path("clusters/<str:cluster>/", clusters.ClusterDetail.as_view(), name="cluster-detail"),
    path("clusters/<str:cluster>/control", clusters.Control.as_view(), name="control"),
    path("clusters/<str:cluster>/fork", clusters.Fork.as_view(), name="fork"),
    path("clusters/<str:cluster>/kubeconfig", clusters.Kubeconfig.as_view(), name="kubeconfig"),
    path("clusters/<str:cluster>/transitions", views.Transitions.as_view(), name="transitions"),
    path("clusters/<str:cluster>/events", views.Events.as_view(), name="events"),
    path("clusters/<str:cluster>/objects", views.Objects.as_view(), name="objects"),
    path("clusters/<str:cluster>/trace", views.Trace.as_view(), name="trace"),
    path("clusters/<str:cluster>/logs", views.Logs.as_view(), name="logs"),
    path("clusters/<str:cluster>/checks/", checks.CheckList.as_view(), name="checks"),
    path("clusters/<str:cluster>/checks/<uuid:check>/", checks.CheckDetail.as_view(), name="check"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", DescriptionPage.as_view(), name="docs"),
]
