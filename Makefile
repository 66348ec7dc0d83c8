# `make help` lists what can be run.
PYTHON ?= python3
BIN := .venv/bin
INDEX ?= indexes/fellwire
# Who asks, by a name in the principals.json of the index.
WHO ?= $(if $(filter indexes/fellwire,$(INDEX)),employee)
Q ?= How many days of leave do I get?

.PHONY: help install ask site-demo test test-long check bench docs format clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

install: .venv/dev ## the environment in .venv, with what the tests need

ask: .venv/base ## ask the demo index: make ask Q="How many days of leave do I get?" [WHO=name] [INDEX=folder]
	@$(BIN)/rag-app ask $(INDEX) "$(Q)" $(if $(WHO),--as $(WHO))

site-demo: .venv/dev ## build an index of web pages from a site served here, and ask it: make site-demo [Q="..."]
	@$(BIN)/python -m tests.site_demo
	@$(BIN)/rag-app ask indexes/saggarline "$(if $(filter file,$(origin Q)),How fast does a ramp climb?,$(Q))"

test: .venv/dev check ## tests, lint, types and the import contract
	@echo "Running the test suite on all cores (under ten minutes on two); each dot is a test that passed."
	$(BIN)/pytest -n auto --durations=10

test-long: .venv/dev ## what takes longer than `make test`
	@echo "Running the long tests: kills, races, damage, whole suites. Half an hour or more on two cores."
	$(BIN)/pytest -m long -n auto --timeout 3600 --durations=10

check: .venv/dev ## lint, types and the import contract alone
	@echo "Checking lint, format, types and the import contract ..."
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

bench: .venv/dev ## benchmarks: ratios of things measured side by side
	$(BIN)/python -m evals.benchmarks

docs: .venv/docs ## the guide as a static site in build/site; a dead link is an error
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Built: open build/site/index.html; to search it as well, run: python3 -m http.server -d build/site"

format: .venv/dev ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment and every built index
	rm -rf .venv indexes/*/.store evals/*/.store

.venv/base: pyproject.toml constraints.txt
	@echo "Installing rag_app into .venv (once, about a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/docs: .venv/base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[docs]"
	@touch $@

.venv/dev: .venv/base
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev]"
	@touch $@
