# `make demo` and `make test` are all a newcomer needs; each sets the environment up if it is missing.
# The distribution's Python where it can make an environment: it is compiled with profile-guided optimisation, which one
# that pyenv compiled is not. Another: `make demo PYTHON=python3.12`.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' \
  2>/dev/null && echo /usr/bin/python3 || echo python3)
VENV := .venv
BIN := $(VENV)/bin
# Stamps of what is installed: the base with one extra, which is all that the studies need, or everything and the
# developers' tools.
STUDIES := $(VENV)/.with-models
REVIEW := $(VENV)/.with-review
READY := $(VENV)/.ready
UV := $(shell command -v uv 2>/dev/null)
# uv finds or fetches a suitable one itself where only the name is known.
WITH_PYTHON = $(if $(filter-out python3,$(PYTHON)),--python $(PYTHON))
# An environment that uv made has no pip, and uv may be gone since.
PIP = test -x $(BIN)/python || $(PYTHON) -m venv $(VENV); \
  $(BIN)/python -m pip --version > /dev/null 2>&1 || $(BIN)/python -m ensurepip > /dev/null; \
  $(BIN)/python -m pip install -qq --upgrade pip

.DEFAULT_GOAL := help
# Where nothing compiled may be kept, every process of a test compiles the libraries again.
export PYTHONDONTWRITEBYTECODE :=
.PHONY: help python demo test test-all check dev review docs gates conformance screenshots bench chaos audit lock

help: ## Show these targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 13

python:
	@echo $(PYTHON)

# The lock decides: an unchanged lock reuses the environment, a changed one updates it.
LOCK := uv.lock constraints.txt pyproject.toml

$(VENV)/.with-%: $(LOCK)
	@echo "Setting up $(VENV): the base and the extra $* (minutes, once; torch alone is several GB on Linux)"
ifneq ($(UV),)
	@UV_PROJECT_ENVIRONMENT=$(VENV) uv sync $(WITH_PYTHON) --quiet --locked --inexact --no-default-groups --extra $*
else
	@$(PIP)
	@$(BIN)/python -m pip install -qq --constraint constraints.txt --editable '.[$*]'
endif
	@touch $@

$(READY): $(LOCK)
	@echo "Setting up $(VENV): all extras and the developers' tools (several GB; minutes, once)"
ifneq ($(UV),)
	@UV_PROJECT_ENVIRONMENT=$(VENV) uv sync $(WITH_PYTHON) --quiet --locked --all-extras
else
	@$(PIP)
	@$(BIN)/python -m pip install -qq --constraint constraints.txt --editable '.[all]' --group dev
endif
	@touch $(READY) $(STUDIES) $(REVIEW)

demo: $(STUDIES) ## Make sample inputs, run the studies on them, print what they found
	@$(BIN)/touchstone demo

# A file stays with one worker: what its tests share is built once, and long files come first (tests/conftest.py).
BY_FILE := --dist loadfile --no-loadscope-reorder

# More workers than there are cores: tests wait for databases, servers and processes, the slow ones for a third of their
# time.
test: WORKERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
test-all: WORKERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 2)')
test: $(READY) ## Run the fast tests (4 to 5 minutes on 2 cores)
	@$(BIN)/python -m pytest -n $(WORKERS) $(BY_FILE) -m "fast or not slow"

test-all: $(READY) ## Run all tests: services, browsers, killed processes and whole studies too (20 to 30 minutes on 2 cores)
	@$(BIN)/python -m pytest -n $(WORKERS) $(BY_FILE) --durations=25

check: $(READY) ## Lint, format and types
	@$(BIN)/python -m ruff check
	@$(BIN)/python -m ruff format --check
	@$(BIN)/python -m mypy

dev: $(STUDIES) ## Web UI on http://127.0.0.1:3000 with schedules and sensors
	@$(BIN)/touchstone dev

review: $(REVIEW) ## Page on http://127.0.0.1:8501 where people decide what judges differ about
	@$(BIN)/touchstone review

gates: $(STUDIES) ## Write docs/gates.md from the checks in the code
	@$(BIN)/touchstone gates > docs/gates.md.new && mv docs/gates.md.new docs/gates.md

conformance: $(STUDIES) ## Write docs/conformance.md: published numbers next to what is computed here
	@$(BIN)/touchstone conformance --page > docs/conformance.md.new && mv docs/conformance.md.new docs/conformance.md

docs: $(READY) ## Make a site of docs/ in site/; a link that leads nowhere fails it
	@$(BIN)/zensical build --strict --clean

# A home of its own, so that the pictures show the samples and nobody's study.
screenshots: $(READY) ## Take the pictures of the UI in docs/ over a demo of their own (needs chromium; minutes)
	@TOUCHSTONE_HOME=.touchstone/screenshots $(BIN)/touchstone demo
	@$(BIN)/python tools/screenshots.py .touchstone/screenshots

bench: $(READY) ## Measure what the project promises about speed, next to what others take (15 minutes)
	@$(BIN)/python -W ignore -m benchmarks.table

chaos: $(READY) ## Kill, fill, close and cut off what a study needs, and print what was lost (minutes)
	@$(BIN)/python -W ignore -m tests.chaos

# A tool of its own environment: it is no dependency. `--strict`: a package without an answer fails, it does not pass.
audit: ## Look up known vulnerabilities of the locked packages (needs an index with advisories)
ifneq ($(UV),)
	@uvx pip-audit --strict --disable-pip --no-deps --requirement constraints.txt
else
	@test -x .audit/bin/pip-audit || ($(PYTHON) -m venv .audit && .audit/bin/python -m pip install -qq pip-audit)
	@.audit/bin/pip-audit --strict --disable-pip --no-deps --requirement constraints.txt
endif

lock: ## Resolve dependencies anew (needs uv)
	uv lock
	uv export --quiet --all-extras --all-groups --no-hashes --no-emit-project --no-annotate --output-file constraints.txt
