"""The demo's settings with the bare view beside the doors, and no limit on how often anybody calls."""

from project.demo.settings import *

ROOT_URLCONF = "tests.bench.bare"
READ_TARGETS |= {"CALLS_A_MINUTE_OF_TOKEN": None, "CALLS_A_MINUTE_OF_PERSON": None}
