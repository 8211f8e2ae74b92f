"""Paths below /api/."""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView

from lifecycle.export import checks, views
from lifecycle.export.description_page import DescriptionPage

app_name = "export"

urlpatterns = [
    path("", views.Root.as_view(), name="root"),
    path("clusters/", views.ClusterList.as_view(), name="cluster-list"),
    path("clusters/<str:cluster>/", views.ClusterDetail.as_view(), name="cluster-detail"),
    path("clusters/<str:cluster>/transitions", views.Transitions.as_view(), name="transitions"),
    path("clusters/<str:cluster>/events", views.Events.as_view(), name="events"),
    path("clusters/<str:cluster>/objects", views.Objects.as_view(), name="objects"),
    path("clusters/<str:cluster>/logs", views.Logs.as_view(), name="logs"),
    path("clusters/<str:cluster>/checks/", checks.CheckList.as_view(), name="checks"),
    path("clusters/<str:cluster>/checks/<uuid:check>/", checks.CheckDetail.as_view(), name="check"),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", DescriptionPage.as_view(), name="docs"),
]
