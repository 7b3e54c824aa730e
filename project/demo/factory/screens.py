"""The screens of the factory and their addresses."""

from django.urls import path

from project.demo.screens import ListScreen

from .start import Connect, ProjectPreview, StartPage

app_name = "factory"
urlpatterns = [
    path("start/", StartPage.as_view(), name="start"),
    path("tenants/", ListScreen.as_view(list_name="tenants"), name="tenants"),
    path("tenants/<int:pk>/connect/", Connect.as_view(), name="connect"),
    path("projects/", ListScreen.as_view(list_name="projects"), name="projects"),
    path("projects/<int:pk>/", ProjectPreview.as_view(), name="project-preview"),
    path("git-connections/", ListScreen.as_view(list_name="gitConnections"), name="git-connections"),
    path("conversations/", ListScreen.as_view(list_name="conversations"), name="conversations"),
]
