"""The screens of drilling and their addresses."""

from django.urls import path

from project.demo.screens import ListScreen

app_name = "drilling"
urlpatterns = [
    path("wells/", ListScreen.as_view(list_name="wells"), name="wells"),
    path("connection-runs/", ListScreen.as_view(list_name="connectionRuns"), name="connection-runs"),
]
