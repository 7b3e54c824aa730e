#!/usr/bin/env python3
"""The repository's own commands.

They are the demo's: whoever runs this file in a clone wants the sample company. A production process names
``project.settings`` in ``DJANGO_SETTINGS_MODULE``, which is also what ``project.asgi`` and ``project.wsgi`` default to.
"""

import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.demo.settings")
    execute_from_command_line(sys.argv)
