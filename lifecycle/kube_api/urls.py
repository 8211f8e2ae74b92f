"""Paths below /k8s/: whatever follows a cluster's name is a path of its API server."""

from django.urls import path

from lifecycle.kube_api import views

app_name = "kube_api"

urlpatterns = [
    path("<str:cluster>", views.serve, {"path": ""}, name="bare"),
    path("<str:cluster>/<path:path>", views.serve, name="path"),
    path("<str:cluster>/", views.serve, {"path": ""}, name="root"),
]
