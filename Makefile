# `make demo` and `make test` need Python 3.11+, git and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
DEMO := .cache/demo
QUESTION := How does asyncio cancel a task, and what can a task do about it?
.PHONY: demo test check bench fuzz kill-test race-test soak test-page test-cli test-local lock clean

# Keep bytecode, also where the environment says not to: else each of the processes that tests start compiles everything.
unexport PYTHONDONTWRITEBYTECODE

PIP := $(BIN)/pip --quiet --disable-pip-version-check

.venv/ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(PIP) install --require-hashes -r requirements.lock
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: .venv/ready requirements-dev.lock
	$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

demo: .venv/ready
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@cd $(DEMO) && ../../$(BIN)/research "$(QUESTION)" --name demo --model offline --breadth 3 --depth 1 --words 600 \
		--files "$$(../../$(BIN)/python -c 'import asyncio; print(asyncio.__path__[0])')"
	@echo && head -n 24 $(DEMO)/reports/demo/report.md && echo "…" && echo && echo "The whole report: $(DEMO)/reports/demo/report.md"

test: .venv/dev
	$(BIN)/pytest

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/dev
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/engine.py
	$(BIN)/python benchmarks/guided.py
	$(BIN)/python benchmarks/http_asks.py

fuzz: .venv/dev
	$(BIN)/pytest -m hypothesis --hypothesis-profile fuzz --timeout 3600

kill-test: .venv/dev
	$(BIN)/python tests/durability/kill.py --kills 2000

soak: .venv/dev
	$(BIN)/python tests/backends/soak.py 1000

test-page: .venv/dev
	$(BIN)/pytest -rs tests/page/test_page_in_browser.py

test-cli: .venv/dev
	$(BIN)/python tests/live/live_cli.py

test-local: .venv/dev
	$(BIN)/python tests/live/live_local.py

race-test: .venv/dev
	$(BIN)/python tests/project/race_lock.py

COMPILE := uv pip compile pyproject.toml --universal --generate-hashes --no-header --no-annotate \
	--no-emit-index-url --quiet
lock:
	$(COMPILE) --group build --output-file requirements.lock
	$(COMPILE) --group dev --output-file requirements-dev.lock

clean:
	rm -rf .venv .cache
