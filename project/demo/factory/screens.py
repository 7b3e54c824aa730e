"""The screens of the factory and their addresses."""

from django.urls import path

from project.demo.screens import ListScreen

app_name = "factory"
urlpatterns = [
    path("tenants/", ListScreen.as_view(list_name="tenants"), name="tenants"),
    path("projects/", ListScreen.as_view(list_name="projects"), name="projects"),
    path("git-connections/", ListScreen.as_view(list_name="gitConnections"), name="git-connections"),
    path("conversations/", ListScreen.as_view(list_name="conversations"), name="conversations"),
]
