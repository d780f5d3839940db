# `make demo` and `make test` do everything on a machine that has Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
# Tests that pytest has rewritten, and modules that a hundred processes of theirs load, are compiled once.
export PYTHONDONTWRITEBYTECODE :=
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CODE := .
WORKERS ?= 2
MINUTES ?= 60
SEED ?= 0
PREDICTIONS := tests/golden/predictions
FAMILIES := tests/golden/families
RECORDINGS ?= $(FAMILIES)/looked-at $(FAMILIES)/put-aside

.PHONY: help demo test quick nightly crash adversary docs check lint types contracts format conformance families recommendations predictions bench bench-assignors bench-spark bench-report pictures pins clean

help:  ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## */  make \1\t/' | expand -t 24

$(READY): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "groupsim needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 2; }
	@echo "setting up $(VENV) (a minute or two; only when the pins change)" >&2
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@mkdir -p $(VENV)/types && ln -sfn ../.. $(VENV)/types/groupsim
	@echo "$(CURDIR)/$(VENV)/types" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/groupsim.pth"
	@touch $(READY)

demo: $(READY)  ## simulate a rolling restart, import a recorded incident, and show how long partitions were unavailable
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh examples/demo.sh

test: $(READY)  ## all tests
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

quick: $(READY)  ## the fast tests, without Spark
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup -m "not spark and not slow"

nightly: $(READY)  ## every case of the tests, and 10,000 random ones per property of the assignors (not part of `make test`)
	@GROUPSIM_TESTS=all $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup --hypothesis-profile=nightly tests/assignors

crash: $(READY)  ## kill a run with -9 at two hundred different times, and resume it (minutes; not part of `make test`)
	@folder=$$(mktemp -d) && $(BIN)/python -m tests.storage.killed $$folder; code=$$?; rm -r $$folder; exit $$code

adversary: $(READY)  ## an hour of attempts to make the program lose, hang or lie (not part of `make test`, which has a sample)
	@$(BIN)/python -m tests.adversary --minutes $(MINUTES) --seed $(SEED) --jobs $(WORKERS)

docs: $(READY)  ## write the generated pages again
	@$(BIN)/python -m recorders.page.protocol_page
	@$(BIN)/python -m recorders.page.scenarios_page
	@$(BIN)/python -m recorders.page.causes_page
	@$(BIN)/python -m recorders.page.reference
	@$(BIN)/python -m recorders.real page
	@$(BIN)/python -m recorders.page.predictions_page
	@$(BIN)/python -m recorders.recommendations page

site: $(READY)  ## build the documentation pages in site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

check: lint types contracts  ## lint, types, import contracts

lint: $(READY)
	@$(BIN)/ruff check $(CODE)
	@$(BIN)/ruff format --check --quiet $(CODE) || { echo "run: make format" >&2; exit 1; }

types: $(READY)
	@$(BIN)/mypy
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --warnings  # it would ask for a newer pyright

contracts: $(READY)
	@$(BIN)/lint-imports --no-cache

format: $(READY)  ## format the code
	@$(BIN)/ruff check --fix --quiet $(CODE)
	@$(BIN)/ruff format $(CODE)

conformance: $(READY)  ## compare the simulator with a real Kafka and write docs/conformance.md (JDK 17, Maven; half an hour)
	@$(BIN)/python -m recorders.real

families: $(READY)  ## record families of stories for scoring what-ifs on a real Kafka, what is not there yet (JDK 17, Maven; an hour)
	@$(BIN)/python -m recorders.families record $(FAMILIES)
	@$(BIN)/python -m recorders.families readme $(FAMILIES)

recommendations: $(READY)  ## play what an advice recommends after two incidents on a real Kafka, what is not there yet (JDK 17, Maven; a quarter of an hour)
	@$(BIN)/python -m recorders.recommendations record again page

predictions: $(READY)  ## score what-ifs on the recorded families (or RECORDINGS="DIR...") and write docs/predictions.md (minutes)
	@for folder in $(RECORDINGS); do for evidence in logs known actions; do \
	  option=$$([ $$evidence = logs ] || echo --$$evidence); file=$(PREDICTIONS)/$$(basename $$folder).$$evidence.jsonl; \
	  rm -f $$file; $(BIN)/groupsim conformance predict $$folder $$option --results $$file --jobs $(WORKERS) || exit 1; \
	  gzip -9nf $$file; done; done
	@$(BIN)/python -m recorders.page.predictions_page

bench: $(READY)  ## speed of simulation, storage and reading, as ratios; one run has ten million facts (2 GB of temporary space)
	@$(BIN)/python -m benchmarks.simulation
	@$(BIN)/python -m benchmarks.store
	@$(BIN)/python -m benchmarks.replay
	@$(BIN)/python -m benchmarks.hour
	@$(BIN)/python -m benchmarks.deploy
	@$(BIN)/python -m benchmarks.size

bench-spark: $(READY)  ## speed-up and overhead of a sweep, and speed of the transforms on Spark (1 GB of temporary space)
	@$(BIN)/python -m benchmarks.spark

bench-assignors: $(READY)  ## speed of the assignors, compared with kafka-python and Java
	@$(BIN)/python -m benchmarks.assignors

bench-report: $(READY)  ## size of a report of 20,000 bars, and the time Chromium needs to open it
	@$(BIN)/python -m benchmarks.report

pictures: $(READY)  ## take the pictures of the README again (needs Chromium)
	@$(BIN)/python -m tests.analysis.report.pictures

pins: $(READY)  ## write requirements/*.txt again from pyproject.toml: versions and hashes
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate --extra all pyproject.toml -o requirements/runtime.txt
	@$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header \
	  --no-emit-index-url --no-annotate --extra dev pyproject.toml -o requirements/dev.txt

clean:  ## remove what the targets above created
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis demo.db* demo-lake
