.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin

help:  ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

.venv/ready: requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ringbench needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --editable .
	$(BIN)/python -m solvers.search.warm_up
	@touch $@

env: .venv/ready  ## build the environment in .venv

bench: env  ## run the default suite and print its tables
	$(BIN)/ringbench run default

test: env  ## run the tests
	$(BIN)/pytest -n auto

smoke: env  ## run the smallest instance through everything there is, in under a minute
	$(BIN)/ringbench run smoke

paper: env  ## run the paper's own experiment (section 7)
	$(BIN)/ringbench run paper

perf: env  ## time model building, dispatching and checking; results/local/perf.json
	@mkdir -p results/local
	$(BIN)/pytest benchmarks --override-ini python_files='bench_*.py' \
		--benchmark-columns=min,median,iqr,rounds --benchmark-json results/local/perf.part
	@mv results/local/perf.part results/local/perf.json

lint: env  ## check style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

.PHONY: help env bench test smoke paper perf lint
