"""The factory's pages and their commands, declared as an admin would in the admin: as rows.

This is what to copy for pages of your own. What each field means stands in `docs/commands.md`.
"""

from page_commands.models import AgentCommand, Page


def start_page() -> Page:
    """Declare the start page: channels for what it holds, views for what it shows, and its commands."""
    page = Page.objects.create(
        key="factory.start",
        label={"en": "Factory", "ko": "팩토리", "de": "Fabrik"},
        description="Where people of the factory begin: tenants, projects and conversations with coding agents.",
    )
    page.channels.create(
        position=1,
        name="tenant",
        type="factory.tenant",
        may_present=True,
        label={"en": "Tenant", "ko": "테넌트", "de": "Mandant"},
    )
    page.channels.create(
        position=2,
        name="conversation",
        type="factory.conversation",
        may_present=True,
        label={"en": "Conversation", "ko": "대화", "de": "Unterhaltung"},
    )
    page.channels.create(
        position=3, name="project", type="factory.project", label={"en": "Project", "ko": "프로젝트", "de": "Projekt"}
    )
    page.views.create(
        position=1,
        name="tenant_facts",
        code="factory.tenant_facts",
        channel="tenant",
        label={"en": "Tenant", "ko": "테넌트", "de": "Mandant"},
    )
    page.views.create(
        position=2,
        name="conversation_chat",
        code="factory.conversation_chat",
        channel="conversation",
        label={"en": "Conversation", "ko": "대화", "de": "Unterhaltung"},
    )
    page.views.create(
        position=3,
        name="project_facts",
        code="factory.project_facts",
        channel="project",
        label={"en": "Project", "ko": "프로젝트", "de": "Projekt"},
    )
    page.views.create(
        position=4,
        name="connection_form",
        code="factory.connection_form",
        label={"en": "New git connection", "ko": "새 Git 연결", "de": "Neue Git-Verbindung"},
    )
    _open_connection_form(page)
    _show_conversation(page)
    _open_project(page)
    _archive_conversation(page)
    _select_tenant(page)
    _create_connection(page)
    rename = _rename_project(page, position=7)
    write = rename.steps.create(position=2, kind="write_channel", target="project")
    write.bindings.create(argument="object", source="input")
    # The channel may have held it before, under its old name: showing the view draws it again.
    rename.steps.create(position=3, kind="show_view", target="project_facts")
    return page


def project_page() -> Page:
    """Declare the preview of a project: a page without channels, whose one command is told its object every time."""
    page = Page.objects.create(
        key="factory.project",
        label={"en": "Preview of a project", "ko": "프로젝트 미리보기", "de": "Vorschau eines Projekts"},
        description="One project of the factory, with its newest conversations.",
    )
    rename = _rename_project(page, position=1)
    # The same page once more, which now says the new name.
    again = rename.steps.create(position=2, kind="open_page", target="factory:project-preview")
    again.bindings.create(argument="pk", source="input")
    return page


DECLARED = {"factory.start": start_page, "factory.project": project_page}
"""Each page by its key, and the function that declares it."""


# What an agent asks the page to show


def _open_connection_form(page: Page) -> None:
    """Story 1: the form of a new git connection, for a tenant that the agent names."""
    command = page.commands.create(
        position=1,
        name="open_connection_form",
        label={"en": "Connect a repository", "ko": "저장소 연결", "de": "Repository verbinden"},
        description="Show the form of a new git connection for a tenant. The person fills it in.",
        input_type="factory.tenant",
        input_description="The tenant that gets the connection, by its id in factory.tenants.",
        input_channel="tenant",
        input_permission="factory.view_tenant",
    )
    command.rules.create(
        position=1,
        code="factory.tenant_is_not_archived",
        reason={
            "en": "The tenant {object} is archived.",
            "ko": "테넌트 {object}은(는) 보관되었습니다.",
            "de": "Der Mandant {object} ist archiviert.",
        },
    )
    # The form is bound to the tenant of this run: the channel stays as it is.
    show = command.steps.create(position=1, kind="show_view", target="connection_form")
    show.bindings.create(argument="object", source="input")


def _show_conversation(page: Page) -> None:
    """Story 2: the chat of a conversation, the one that an agent handed over, say."""
    command = page.commands.create(
        position=2,
        name="show_conversation",
        label={"en": "Show conversation", "ko": "대화 보기", "de": "Unterhaltung zeigen"},
        description="Show the chat of a conversation between a person and a coding agent.",
        input_type="factory.conversation",
        input_description="The conversation to show, by its id in factory.conversations.",
        input_permission="factory.view_conversation",
    )
    # The view conversation_chat shows whatever its channel holds, so writing the channel is enough.
    write = command.steps.create(position=1, kind="write_channel", target="conversation")
    write.bindings.create(argument="object", source="input")


def _open_project(page: Page) -> None:
    """Story 3: the preview of a project, a page of its own."""
    command = page.commands.create(
        position=3,
        name="open_project",
        label={"en": "Open project", "ko": "프로젝트 열기", "de": "Projekt öffnen"},
        description="Leave this page and open the preview of a project in the same tab.",
        input_type="factory.project",
        input_description="The project to open, by its id in factory.projects.",
        input_channel="project",
        input_permission="factory.view_project",
    )
    open_page = command.steps.create(position=1, kind="open_page", target="factory:project-preview")
    open_page.bindings.create(argument="pk", source="input")


# What changes something


def _archive_conversation(page: Page) -> None:
    """A command that asks first: the person reads what it will do, in their own tab, and agrees or declines."""
    command = page.commands.create(
        position=4,
        name="archive_conversation",
        label={"en": "Archive conversation", "ko": "대화 보관", "de": "Unterhaltung archivieren"},
        description="Close a conversation for good. The person is asked first.",
        input_type="factory.conversation",
        input_description="The conversation to close, by its id; without it, the one that the page shows.",
        input_channel="conversation",
        input_permission="factory.change_conversation",
        confirmation="REQUIRED",
        confirmation_title={
            "en": "Archive this conversation?",
            "ko": "이 대화를 보관할까요?",
            "de": "Diese Unterhaltung archivieren?",
        },
        confirmation_message={
            "en": "{object}, {object.messages} messages, is closed. It cannot be opened again.",
            "ko": "{object} 대화(메시지 {object.messages}개)를 닫습니다. 다시 열 수 없습니다.",
            "de": "{object}, {object.messages} Nachrichten, wird geschlossen und lässt sich nicht wieder öffnen.",
        },
        confirmation_button={"en": "Archive", "ko": "보관", "de": "Archivieren"},
    )
    command.rules.create(
        position=1,
        code="factory.conversation_is_not_closed",
        reason={
            "en": "The conversation {object} is closed already.",
            "ko": "대화 {object}은(는) 이미 닫혔습니다.",
            "de": "Die Unterhaltung {object} ist bereits geschlossen.",
        },
    )
    archive = command.steps.create(position=1, kind="handler", target="factory.archive_conversation")
    archive.bindings.create(argument="conversation", source="input")
    write = command.steps.create(position=2, kind="write_channel", target="conversation")
    write.bindings.create(argument="object", source="input")
    # The channel may have held it before, so that nothing changed there: showing the view draws it again.
    command.steps.create(position=3, kind="show_view", target="conversation_chat")


def _select_tenant(page: Page) -> None:
    """The first half of a command that takes two values: it puts the one on a channel."""
    command = page.commands.create(
        position=5,
        name="select_tenant",
        label={"en": "Select tenant", "ko": "테넌트 선택", "de": "Mandant wählen"},
        description="Choose the tenant that create_connection works on, and show it.",
        input_type="factory.tenant",
        input_description="The tenant, by its id in factory.tenants.",
        input_permission="factory.view_tenant",
    )
    write = command.steps.create(position=1, kind="write_channel", target="tenant")
    write.bindings.create(argument="object", source="input")


def _create_connection(page: Page) -> None:
    """The second half: it takes the tenant from the channel, never from the agent, and the address as a parameter."""
    command = page.commands.create(
        position=6,
        name="create_connection",
        label={"en": "Create git connection", "ko": "Git 연결 만들기", "de": "Git-Verbindung anlegen"},
        description="Connect the tenant that select_tenant chose to a git repository. A new host is confirmed first.",
        input_type="factory.tenant",
        input_channel="tenant",
        input_permission="factory.view_tenant",
        confirmation="CONDITIONAL",
        confirmation_condition="factory.host_is_new",
        confirmation_title={
            "en": "Connect to a new host?",
            "ko": "새 호스트에 연결할까요?",
            "de": "Mit einem neuen Host verbinden?",
        },
        confirmation_message={
            "en": "The factory will read {url} for {object}. It has read nothing from that host for this tenant yet.",
            "ko": "{object}을(를) 위해 {url}을(를) 읽습니다. 이 테넌트는 이 호스트를 아직 쓰지 않습니다.",
            "de": "Für {object} wird künftig {url} gelesen. Von diesem Host wurde für ihn noch nichts gelesen.",
        },
        confirmation_button={"en": "Connect", "ko": "연결", "de": "Verbinden"},
    )
    command.parameters.create(
        position=1,
        name="url",
        kind="string",
        required=True,
        pattern=r"(https|ssh)://[^\s/]+/\S+",
        description="The address of the repository, as in https://git.example/shop.git",
        label={"en": "Address", "ko": "주소", "de": "Adresse"},
    )
    command.rules.create(
        position=1,
        code="factory.person_may_connect",
        reason={
            "en": "You may not add git connections.",
            "ko": "Git 연결을 추가할 권한이 없습니다.",
            "de": "Sie dürfen keine Git-Verbindungen anlegen.",
        },
    )
    command.rules.create(
        position=2,
        code="factory.tenant_is_not_archived",
        reason={
            "en": "The tenant {object} is archived.",
            "ko": "테넌트 {object}은(는) 보관되었습니다.",
            "de": "Der Mandant {object} ist archiviert.",
        },
    )
    create = command.steps.create(position=1, kind="handler", target="factory.create_connection")
    create.bindings.create(argument="tenant", source="input")
    create.bindings.create(argument="url", source="parameter", value="url")
    command.steps.create(position=2, kind="show_view", target="tenant_facts")


def _rename_project(page: Page, position: int) -> AgentCommand:
    """A command of both pages: it calls the application's GraphQL, as the person, which may refuse too."""
    command = page.commands.create(
        position=position,
        name="rename_project",
        label={"en": "Rename project", "ko": "프로젝트 이름 변경", "de": "Projekt umbenennen"},
        description="Give a project another name.",
        input_type="factory.project",
        input_description="The project to rename, by its id in factory.projects.",
        input_permission="factory.change_project",
    )
    command.parameters.create(
        position=1,
        name="name",
        kind="string",
        required=True,
        description="The new name, of 80 characters at most.",
        label={"en": "Name", "ko": "이름", "de": "Name"},
    )
    rename = command.steps.create(position=1, kind="mutation", target="renameProject")
    rename.bindings.create(argument="id", source="input")
    rename.bindings.create(argument="name", source="parameter", value="name")
    return command
