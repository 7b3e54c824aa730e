"""The lists of the factory."""

from read_targets.lists import ListDefinition, register_list

from .models import Conversation, GitConnection, Project, Tenant

register_list(ListDefinition("tenants", Tenant, searched="name", order="name"))
register_list(
    ListDefinition(
        "projects", Project, shown="name tenant.name started budget", searched="name tenant.name", order="-started"
    )
)
register_list(
    ListDefinition(
        "gitConnections",
        GitConnection,
        shown="url tenant.name created_at",
        searched="url tenant.name",
        order="-created_at",
    )
)
register_list(
    ListDefinition(
        "conversations",
        Conversation,
        shown="started_at title project.name project.tenant.name state messages",
        searched="title project.name",
        order="-started_at",
    )
)
