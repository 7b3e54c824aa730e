"""The site with the sample company in it, loosened so far that it runs on a laptop over plain HTTP.

Never in production: its key and its passwords are known to everybody.
"""

import os
from pathlib import Path
from urllib.parse import quote

# The layer below demands both; what the environment says still goes first.
os.environ.setdefault("SECRET_KEY", "the-demo's-own-key-which-everybody-knows-and-which-protects-nothing")
os.environ.setdefault("DATABASE_URL", f"sqlite:///{quote(str(Path(__file__).parents[2] / 'demo.sqlite3'))}")

from project.settings import *

ALLOWED_HOSTS = ["localhost", "127.0.0.1", "testserver"]

INSTALLED_APPS += ["project.demo", "project.demo.ledger", "project.demo.drilling", "project.demo.factory"]

# The password of everybody in the sample company is their name.
AUTH_PASSWORD_VALIDATORS = []
AXES_FAILURE_LIMIT = 100

# A browser on the same machine speaks plain HTTP.
SECURE_SSL_REDIRECT = False
SECURE_HSTS_SECONDS = 0
SESSION_COOKIE_SECURE = False
CSRF_COOKIE_SECURE = False

# Static files are looked for where they lie when they are asked for: nothing to collect, nothing to compress.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = True
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
