"""The code that the factory's page commands name: rules, a condition, handlers and views.

Everything here is called with the person's language active, and for the person: it asks for rights as the rest of the
application does, since a declaration in the admin can be changed and this code cannot tell.
"""

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from page_commands import CommandContext, CommandRefused, command_handler, command_rule, confirm_when, page_view
from read_targets.policies import permits, permitted

from .connecting import ConnectionForm, connect, connections_of, host_of, may_connect
from .models import Conversation, GitConnection, Project, Tenant
from .talk import last_messages


@command_rule("factory.tenant_is_not_archived", accepts=Tenant)
def tenant_is_not_archived(context: CommandContext) -> bool:
    """The tenant is not archived"""
    return isinstance(context.object, Tenant) and not context.object.archived


@command_rule("factory.conversation_is_not_closed", accepts=Conversation)
def conversation_is_not_closed(context: CommandContext) -> bool:
    """The conversation is not closed"""
    return isinstance(context.object, Conversation) and context.object.state != Conversation.State.CLOSED


@command_rule("factory.person_may_connect")
def person_may_connect(context: CommandContext) -> bool:
    """The person may add git connections"""
    return may_connect(context.user)


@confirm_when("factory.host_is_new", accepts=Tenant)
def host_is_new(context: CommandContext) -> bool:
    """The address is at a host to which the tenant has no connection yet, as far as the person may view"""
    tenant = context.object
    if not isinstance(tenant, Tenant):
        return True
    known = {host_of(url) for url in connections_of(context.user, tenant).values_list("url", flat=True)}
    return host_of(context.parameters["url"]) not in known


@command_handler("factory.archive_conversation", accepts=Conversation)
def archive_conversation(context: CommandContext, conversation: Conversation) -> None:
    """Close a conversation"""
    if not permits(context.actor, "factory.change_conversation", conversation):
        raise CommandRefused(_("You may not change this conversation."))
    if conversation.state == Conversation.State.CLOSED:
        raise CommandRefused(_("The conversation is closed already."))
    conversation.state = Conversation.State.CLOSED
    conversation.save(update_fields=["state"])


@command_handler("factory.create_connection", accepts=Tenant)
def create_connection(context: CommandContext, tenant: Tenant, url: str) -> dict[str, GitConnection]:
    """Connect a tenant to a git repository; gives `connection`"""
    try:
        return {"connection": connect(context.user, tenant, url)}
    except PermissionDenied:
        raise CommandRefused(_("You may not add git connections to this tenant.")) from None
    except ValidationError as wrong:
        raise CommandRefused(" ".join(wrong.messages)) from None


@page_view("factory.connection_form", accepts=Tenant)
def connection_form(request: HttpRequest, tenant: Tenant) -> HttpResponse:
    """The form of a new git connection"""
    form = ConnectionForm(auto_id=f"tenant-{tenant.pk}-%s")
    shown = {"tenant": tenant, "form": form, "may_connect": may_connect(request.user)}
    return render(request, "demo/factory/_connection_form.html", shown)


@page_view("factory.conversation_chat", accepts=Conversation)
def conversation_chat(request: HttpRequest, conversation: Conversation) -> HttpResponse:
    """The chat of a conversation"""
    project = conversation.project
    is_withheld = project is not None and not permits(request.user, "factory.view_project", project)
    shown = {
        "conversation": conversation,
        "project": None if is_withheld else project,
        "is_withheld": is_withheld,
        "messages": last_messages(conversation),
    }
    return render(request, "demo/factory/_conversation_chat.html", shown)


@page_view("factory.tenant_facts", accepts=Tenant)
def tenant_facts(request: HttpRequest, tenant: Tenant) -> HttpResponse:
    """A tenant, with what of it the person may view"""
    shown = {
        "tenant": tenant,
        "projects": permitted(request.user, "factory.view_project", Project.objects.filter(tenant=tenant)).count(),
        "connections": connections_of(request.user, tenant),
    }
    return render(request, "demo/factory/_tenant_facts.html", shown)


@page_view("factory.project_facts", accepts=Project)
def project_facts(request: HttpRequest, project: Project) -> HttpResponse:
    """A project in a few words"""
    tenant = project.tenant if permits(request.user, "factory.view_tenant", project.tenant) else None
    return render(request, "demo/factory/_project_facts.html", {"project": project, "tenant": tenant})
