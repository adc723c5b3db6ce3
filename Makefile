# `make demo` and `make test` need Python 3.11+, git and make; everything else is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
DEMO := .cache/demo
QUESTION := How does asyncio cancel a task, and what can a task do about it?
.PHONY: demo test check bench kill-test race-test lock clean

.venv/ready: pyproject.toml requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: .venv/ready
	@rm -rf $(DEMO) && mkdir -p $(DEMO)
	@cd $(DEMO) && ../../$(BIN)/research "$(QUESTION)" --name demo --model offline --breadth 3 --depth 1 \
		--files "$$(../../$(BIN)/python -c 'import asyncio; print(asyncio.__path__[0])')"
	@echo && head -n 24 $(DEMO)/reports/demo/report.md && echo "…" && echo && echo "The whole report: $(DEMO)/reports/demo/report.md"

test: .venv/ready
	$(BIN)/pytest

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready
	$(BIN)/python benchmarks/startup.py
	$(BIN)/python benchmarks/engine.py

kill-test: .venv/ready
	$(BIN)/python tests/durability/kill.py --kills 2000

race-test: .venv/ready
	$(BIN)/python tests/project/race_lock.py

lock:
	uv pip compile pyproject.toml --group dev --universal --generate-hashes --no-header --no-annotate \
		--no-emit-index-url --quiet --output-file requirements.lock

clean:
	rm -rf .venv .cache
