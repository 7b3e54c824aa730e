"""The sample company's site as `make soak` needs it: nobody counts calls, and a replica may be behind as is said."""

from __future__ import annotations

import os

from project.demo.settings import *  # noqa: F403

READ_TARGETS = {
    **READ_TARGETS,  # noqa: F405
    "CALLS_A_MINUTE_OF_TOKEN": None,
    "CALLS_A_MINUTE_OF_PERSON": None,
    "POLLS_A_MINUTE": None,
    "BAD_TOKENS_A_MINUTE": None,
    "REPLICA_MOST_SECONDS": int(os.environ.get("REPLICA_MOST_SECONDS", "10")),
}
