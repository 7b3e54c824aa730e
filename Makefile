# The site's own commands. `make` alone lists them.

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

.DEFAULT_GOAL := help
.PHONY: help run test check bench soak

help: ## list these commands
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1	\2/' | expand -t 16

run: $(VENV)/.installed ## build the sample company and serve it on http://127.0.0.1:8000
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py demo
	@$(BIN)/python -m project.demo.serve

# Pages of the admin, words and forms are the same on every database: they are asked on SQLite alone.
ONCE := admin agent declaration demo examples mcp page_commands/admin page_commands/declaration

test: $(VENV)/.installed-dev ## every test on SQLite and in Chromium; on PostgreSQL all that a database may answer otherwise
	$(BIN)/pytest -n 3 -m "not bench"
	$(BIN)/python -m tests.with_postgres $(BIN)/pytest -n 2 -m "not bench and not browser" $(ONCE:%=--ignore=tests/%)

check: $(VENV)/.installed-dev ## style, types, migrations, settings and committed schemas
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python manage.py check --fail-level WARNING
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py agent_schema --check

bench: $(VENV)/.installed-dev ## speed, as ratios measured in one run
	$(BIN)/python -m tests.bench

soak: $(VENV)/.installed-dev ## what takes too long for every run of the tests
	$(BIN)/python -m tests.soak

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-dev.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.installed
