"""Settings of the site, safe for production as they stand; whatever differs between places comes from the environment.

============================  ====================================================================================
``SECRET_KEY``                required
``DATABASE_URL``              required: ``postgres://…`` or ``sqlite:///…``
``ALLOWED_HOSTS``             host names, comma separated; none by default
``CSRF_TRUSTED_ORIGINS``      origins with scheme, comma separated, where a proxy ends TLS
``DEBUG``                     off by default; on, it also lets cookies and pages travel over plain HTTP
``BEHIND_TLS_PROXY``          on where a proxy sets ``X-Forwarded-Proto`` itself and strips it from what comes in
``EXPORTS_DIR``               folder of exported lists, which nobody else reads; ``.exports`` beside the site by default
``DATABASE_POOL``             connections to PostgreSQL a process may hold, 10 by default
``REPLICA_URL``               ``postgres://…`` of a replica that lists are read from; none by default
``LOG_LEVEL``                 ``INFO`` by default, or ``DEBUG``, ``WARNING``, ``ERROR``, ``CRITICAL``
``LOG_FORMAT``                ``line`` by default: each event as key=value; ``json``: as one object
``METRICS_TOKEN``             a bearer token with which ``/metrics`` is answered; by default it is not
``METRICS_FROM``              addresses and networks, comma separated, which are answered without one
``PROMETHEUS_MULTIPROC_DIR``  with either: an empty folder in which the processes of a service count together
============================  ====================================================================================
"""

from pathlib import Path
from typing import Any

import environ
import structlog
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

env = environ.Env()


def one_of(name: str, *fitting: str) -> str:
    """What the environment says of `name`, by default the first that fits; raises ImproperlyConfigured."""
    chosen: str = env.str(name, default=fitting[0])
    if chosen not in fitting:
        raise ImproperlyConfigured(f"{name} is {chosen!r}; what fits is {', '.join(fitting)}.")
    return chosen


BASE_DIR = Path(__file__).resolve().parent.parent

SECRET_KEY = env.str("SECRET_KEY")
DEBUG = env.bool("DEBUG", default=False)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "guardian",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "graphene_django",
    "django_htmx",
    "axes",
    "csp",
    "django_tasks_db",
    "oauth2_provider",
    "read_targets",
    "read_targets.agent.oauth",
    "page_commands",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "project.urls"
ASGI_APPLICATION = "project.asgi.application"
WSGI_APPLICATION = "project.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]


# Database


def database(url: dict[str, Any]) -> dict[str, Any]:
    """What Django needs of a database beyond its address.

    SQLite keeps its readers going while one writes (WAL) and lets a second writer wait; its transactions stay deferred,
    because a read-only snapshot must not queue behind a writer. PostgreSQL hands its connections out from a pool: one
    per thread, which persistent connections would mean under ASGI, exhausts the server.
    """
    options = url.setdefault("OPTIONS", {})
    if url["ENGINE"].endswith("sqlite3"):
        options.update(timeout=20, init_command="PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
    else:
        options.update(pool={"min_size": 1, "max_size": env.int("DATABASE_POOL", default=10), "timeout": 20})
        url["CONN_HEALTH_CHECKS"] = True
    return url


DATABASES = {"default": database(env.db_url("DATABASE_URL"))}
if env.str("REPLICA_URL", default=""):
    # One that does not answer soon is done without.
    DATABASES["replica"] = database({**env.db_url("REPLICA_URL"), "TEST": {"MIRROR": "default"}})
    DATABASES["replica"]["OPTIONS"] |= {"connect_timeout": 2}
    DATABASES["replica"]["OPTIONS"]["pool"] |= {"min_size": 0, "timeout": 2}
    DATABASE_ROUTERS = ["read_targets.replicas.ReplicaRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


# People

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
    "guardian.backends.ObjectPermissionBackend",
]
# Nobody is signed in as "anonymous", and no grant can be given to it.
ANONYMOUS_USER_NAME = None

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

# Ten wrong passwords for one name from one address close that pair for an hour; nobody can lock out somebody elsewhere.
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 1
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False


# Words and times

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("ko", _("Korean")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "project" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True


# Files

STATIC_URL = "static/"
STATIC_ROOT: Path | None = BASE_DIR / "staticfiles"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    # Exports of lists: no web server may serve this folder.
    "exports": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": env.path("EXPORTS_DIR", default=str(BASE_DIR / ".exports"))(), "base_url": None},
    },
}


# Work in the background, by `manage.py db_worker`

TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
READ_TARGETS: dict[str, Any] = {"EXPORT_STORAGE": "exports"}
if "replica" in DATABASES:
    READ_TARGETS["REPLICA"] = "replica"


# What a browser may do

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "object-src": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = not DEBUG
# Asked by whatever starts the process, on this side of the proxy that ends TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
SECURE_HSTS_SECONDS = 0 if DEBUG else 365 * 24 * 60 * 60
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEBUG
SECURE_HSTS_PRELOAD = not DEBUG
SESSION_COOKIE_SECURE = not DEBUG
CSRF_COOKIE_SECURE = not DEBUG
if env.bool("BEHIND_TLS_PROXY", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")


# Doors

# How agents sign in by themselves. The toolkit's own looser ways are off, wherever it is used.
OAUTH2_PROVIDER = {
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_TOKEN_STORAGE": True,
    "COMPLIANT_BCP_RFC9700_REFRESH_TOKEN": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_SCHEME": True,
    "COMPLIANT_BCP_RFC9700_REDIRECT_URI_MATCHING": True,
    "COMPLIANT_BCP_RFC9700_PKCE_REQUIRED": True,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https"],
    "ACCESS_TOKEN_EXPIRE_SECONDS": 60 * 60,
}
GRAPHENE = {"SCHEMA": "project.schema.schema"}
REST_FRAMEWORK = {
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Read Targets & Page Commands",
    "DESCRIPTION": "Tools that an agent calls as the person it acts for, and the cards that person may open.",
    "VERSION": "0.1.0",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}


# Metrics, for whom the environment names and nobody else

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
METRICS_FROM = env.list("METRICS_FROM", default=[])
METRICS_FOLDER = env.str("PROMETHEUS_MULTIPROC_DIR", default="")


# Logs: one line an event, on the standard error that a supervisor collects. Every call is one, with its id.

LOG_LEVEL = one_of("LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")
LOGGED = ("call", "tool", "outcome", "code", "rows", "milliseconds", "person", "agent", "status_code")
"""What a line says beside its words, where it is known; Django would add whole requests."""

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        name: {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": [
                structlog.stdlib.add_log_level,
                structlog.stdlib.add_logger_name,
                structlog.stdlib.ExtraAdder(allow=LOGGED),
                structlog.processors.TimeStamper(fmt="iso", utc=True),
                structlog.processors.format_exc_info,
            ],
            "processors": [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        }
        for name, renderer in (
            ("line", structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "logger", "event"])),
            ("json", structlog.processors.JSONRenderer()),
        )
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": one_of("LOG_FORMAT", "line", "json")},
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL},
    "loggers": {
        # Its own handlers would print the same line a second time, or mail it.
        "django": {"handlers": []},
        # Says four lines for every sign-in that is as it should be.
        "axes": {"level": "WARNING"},
    },
}
