# Every target works from a fresh checkout: it makes .venv and installs what it needs.
# A second run finds the stamps newer than pyproject.toml and this file, and starts at once.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq --progress-bar off
SITE := site
# A peer for the benchmarks. It asks for numpy<2, though it runs with NumPy 2: so it comes without
# its dependencies, of which NumPy is the only one.
DIMTENSOR := dimtensor==5.2.0

# The version that the tests run with. It comes first: what asks for any version then takes this one.
TORCH := torch==2.13.0

export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-deep check bench docs lint format clean
.DELETE_ON_ERROR:

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.stamp-demo ## fit a law of physics to noisy data (needs only NumPy)
	@$(BIN)/python examples/fit_a_law.py

test: check ## everything a change has to pass
	@echo "== pytest"
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

test-deep: check ## the same with the long property tests
	@echo "== pytest, deep"
	@DIMFLOW_DEEP=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile

bench: $(VENV)/.stamp-dev ## print the benchmark tables
	@$(BIN)/python -m benchmarks

docs: $(VENV)/.stamp-dev ## build the site into site/
	@$(BIN)/mkdocs build --strict --quiet --site-dir $(SITE)
	@echo "$(SITE)/index.html"

# The stages before pytest, in order; the first that fails stops the run.
check: lint
	@echo "== mkdocs build --strict"
	@$(BIN)/mkdocs build --strict --quiet --site-dir $(SITE)

lint: $(VENV)/.stamp-dev ## ruff, mypy, import-linter
	@echo "== ruff check"
	@$(BIN)/ruff check .
	@echo "== ruff format --check"
	@$(BIN)/ruff format --check .
	@echo "== mypy"
	@$(BIN)/mypy
	@echo "== import-linter"
	@$(BIN)/lint-imports --no-logo

format: $(VENV)/.stamp-dev ## format and mend what ruff can mend
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

clean: ## remove .venv, caches and what was built
	rm -rf $(VENV) $(SITE) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment without a working pip (an interrupted run, an interpreter that is gone) is made anew.
define ensure_venv
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"dimflow needs Python 3.11 or newer, {sys.executable} is {sys.version.split()[0]}; try: make PYTHON=/path/to/python3.11")'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "== creating $(VENV)"; $(PYTHON) -m venv --clear $(VENV); }
endef

$(VENV)/.stamp-demo: pyproject.toml
	$(ensure_venv)
	@echo "== installing dimflow with NumPy"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml Makefile
	$(ensure_venv)
	@echo "== installing dimflow with its development tools"
	@$(PIP) $(TORCH)
	@$(PIP) --editable '.[dev]'
	@$(PIP) --no-deps $(DIMTENSOR)
	@touch $@ $(VENV)/.stamp-demo
