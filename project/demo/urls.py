"""The sample company's screens; each list's stands under `<app label>:<list name>`."""

from django.urls import include, path

urlpatterns = [
    path("ledger/", include("project.demo.ledger.screens")),
    path("drilling/", include("project.demo.drilling.screens")),
    path("factory/", include("project.demo.factory.screens")),
]
