"""The ASGI application: one uvicorn serves pages, REST, GraphQL, streams and MCP."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")

django_application = get_asgi_application()

# What is mounted has models, which are there only now.
from read_targets.agent.leaving import cancelling  # noqa: E402
from read_targets.agent.mcp import mount_mcp  # noqa: E402

from .metrics import count_calls  # noqa: E402
from .safety import refuse_unsafe  # noqa: E402

refuse_unsafe()
count_calls()
application = cancelling(mount_mcp(django_application, "/mcp"))
