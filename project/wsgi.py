"""The WSGI application: under gunicorn it answers several times as many pages as ASGI, but it holds no streams."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")

application = get_wsgi_application()

# Only now are the settings read and the models there.
from .metrics import count_calls  # noqa: E402
from .safety import refuse_unsafe  # noqa: E402

refuse_unsafe()
count_calls()
