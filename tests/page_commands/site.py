"""Settings of real servers in tests: the demo's, with the tests' own code, and passwords that are fast to check."""

from __future__ import annotations

from project.demo import settings as demo
from project.demo.settings import *  # noqa: F403  # settings are layered by taking over every name

INSTALLED_APPS = [*demo.INSTALLED_APPS, "tests.page_commands.acting"]

# What is tried here is not how often somebody may call.
READ_TARGETS = demo.READ_TARGETS | {
    "CALLS_A_MINUTE_OF_TOKEN": None,
    "CALLS_A_MINUTE_OF_PERSON": None,
    "POLLS_A_MINUTE": None,
}

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
