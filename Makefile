# Commands of this project. `make help` prints the text after each `##`.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
PY := .venv/bin/python
ARGS ?=
export SAM_CLI_TELEMETRY := 0
export AWS_DEFAULT_REGION ?= us-east-1
export PYTHONPATH := shared:functions:.

.PHONY: help setup run check test demo settle tick status console-entry admin replay recompute lint unit integration e2e console-states faults fuzz soak browser sdk packages console golden browser-full proof property sim build browser-image sam-local bench bench-console bench-preview bench-results bench-stats benchmark-engines benchmark-stats-engines bench-% scale openapi resource breaks figures lock clean

help: ## This list
	@grep -hE '^[a-z0-9%-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

setup: ## Install everything the project needs, into the project (idempotent; prints its steps)
	@tools/setup.sh

run: setup ## Start the local stack until Ctrl-C (ARGS: --fresh starts empty, --strict-egress refuses loopback, --help lists the ports)
	@$(PY) -m tools.local run --demo-page $(ARGS)

demo: ## Send 2,400 simulated shoppers through the running stack and print the results
	@$(PY) -m tools.local.demo $(ARGS)

settle: ## Drain the queues and roll up: results are current when it returns
	@$(PY) -m tools.local settle

tick: ## Fire a schedule of the running stack now, for example JOB=cron_rollup
	@$(PY) -m tools.local tick $(JOB) $(ARGS)

status: ## What runs in the local stack
	@$(PY) -m tools.local status

console-entry: ## An address that signs in to the console of the running stack, once
	@$(PY) -m tools.local entry

admin: ## Operator commands, for example ARGS="--stack-name NAME shops create --name Shop --domain shop.example --currency EUR"; --local for the local stack
	@$(PY) -m tools.admin $(ARGS)

replay: ## Send dead letters of the event queue back to it: of the local stack, or ARGS="--stack-name NAME"
	@$(PY) -m tools.admin ledger replay $(or $(ARGS),--local)

check: setup ## The part of the gate that needs no browser, stack or container: for each commit, in nine minutes
	@tools/test.sh check $(ARGS)

test: setup ## Everything that CI runs, in 25 minutes on two cores; the last line sums up all pytest runs
	@tools/test.sh $(ARGS)

recompute: ## Count every roll-up again from the raw ledger: of the local stack, or ARGS="--stack-name NAME" (both: --dry-run, --experiment ID, --shop ID)
	@$(PY) -m tools.admin ledger recompute $(if $(findstring --stack-name,$(ARGS)),,--local) $(ARGS)

lint: ## Formatting, lint, types, import rules, words, OpenAPI document, committed bundle, template
	@tools/lint.sh

unit: ## Fast tests of the pure core and the plumbing
	@.venv/bin/pytest tests/unit tests/property tests/golden -q $(ARGS)

integration: ## Adapters and handlers on moto and the local engine
	@.venv/bin/pytest tests/contract tests/integration -q $(ARGS)

e2e: ## Whole stories over HTTP and in Chromium through the local stack (ARGS=--large: forty shoppers instead of eight)
	@.venv/bin/pytest tests/e2e -q $(ARGS)

console-states: ## Each screen of the console in each of eight states: axe, words, pictures in .local/console_states (ARGS="-k stale": one state)
	@.venv/bin/pytest tests/e2e/console/test_screens.py -q --large $(ARGS)

faults: ## Processes that die, messages that repeat, events that come late: results equal what was sent (200,000 events)
	@.venv/bin/pytest tests/faults tests/e2e/killed_worker.py tests/unit/ledger/test_compaction_groups.py tests/integration/worker_rollup/test_units.py -q --large $(ARGS)

fuzz: ## Every case that the OpenAPI document gives rise to, sent to a stack of its own
	@.venv/bin/pytest tests/e2e/test_openapi_fuzz.py -q --large $(ARGS)

soak: setup ## A million events through a stack of its own, exactly a million out of the ledger (ARGS="--events 20000")
	@$(PY) -m tools.soak $(ARGS)

sdk: ## The storefront SDK: types, lint, unit tests, and that the committed bundle is what the source builds to
	@cd shared/abtest/storefront && npm run --silent check && npm test --silent && npm run --silent verify

packages: setup ## The npm package for developers of shops: types, tests, and its tarball in clients/javascript
	@cd clients/javascript && npm run --silent check && npm test --silent && npm pack --silent

console: ## The console of shops: build it for the stack that runs, in two seconds (ARGS=--check: types, lint and unit tests too)
	@tools/console.sh $(ARGS)

browser: ## The storefront SDK in headless Chromium
	@.venv/bin/pytest tests/browser -q $(ARGS)

browser-full: ## The same with every table at full size: each report in both colour schemes, each feature of the SDK
	@.venv/bin/pytest tests/browser -q --large $(ARGS)

property: ## Random tests at full size: both languages, expressions, counts, histories of the ledger
	@.venv/bin/pytest tests/property -q --large $(ARGS)

golden: ## Write the golden vectors and pages again; refuses where Python and JavaScript disagree
	@$(PY) -m tools.golden $(ARGS)
	@$(PY) -m tools.golden_pages $(ARGS)

proof: ## A million random questions to both languages (ARGS="--seeds 7 8")
	@$(PY) -m tools.golden.compare --cases 1000000 $(ARGS)

sim: setup ## Simulate the promises of the statistics in full: errors, power, coverage, Guardian (ARGS="--scale 0.1" is quick)
	@$(PY) -m tools.sim $(ARGS)

figures: ## The size, typing and wording of the code next to the targets of its review
	@$(PY) -m tools.figures

breaks: ## Break rules on purpose, one at a time: the short gate must find each (about 10 minutes)
	@$(PY) -m tools.breaks $(ARGS)

resource: ## The files of a new resource, with tests that pass (NAME=label FAMILY=api_experiments SCOPE=experiments)
	@$(PY) -m tools.resource $(NAME) $(if $(FAMILY),--family $(FAMILY)) $(if $(SCOPE),--scope $(SCOPE))

openapi: ## Write docs/api/openapi.json from the routes
	@$(PY) -m tools.openapi

build: setup ## sam build with bytecode, and the sizes against Lambda's limits
	@tools/sam/build.sh

browser-image: ## Build the container image of the browser (ARGS="TAG"): for BrowserImageUri, needs a container engine
	@tools/browser_image/build.sh $(ARGS)

sam-local: build ## Invoke every built function in a process, one per set of layers in a container (ARGS=--all: every event in a container)
	@tools/sam/invoke.sh $(ARGS)

benchmark-engines: # Engines that one benchmark is compared with, in their own environment
	@[ -x .local/venvs/benchmarks/bin/python ] || python3.11 -m venv .local/venvs/benchmarks
	@VIRTUAL_ENV=$(CURDIR)/.local/venvs/benchmarks .venv/bin/uv pip sync --quiet --require-hashes requirements/benchmarks.txt

benchmark-stats-engines: # gbstats and tea-tasting want different numpys, so each has an environment
	@for engine in gbstats tea-tasting; do \
	  [ -x .local/venvs/benchmarks-$$engine/bin/python ] || python3.11 -m venv .local/venvs/benchmarks-$$engine; \
	  VIRTUAL_ENV=$(CURDIR)/.local/venvs/benchmarks-$$engine .venv/bin/uv pip sync --quiet --require-hashes requirements/benchmarks-$$engine.txt; \
	done

bench: benchmark-engines benchmark-stats-engines ## Every benchmark, each next to a named baseline in one run
	@for file in benchmarks/bench_*.py; do $(PY) $$file; done

bench-results: benchmark-engines ## 10,000,000 events to statistics, next to chDB and Polars (ARGS: --events N --rounds N)
	@$(PY) benchmarks/bench_results.py $(ARGS)

bench-console: ## The console's figures, next to React, to one request for each, to finder (ARGS: names of parts)
	@$(PY) benchmarks/bench_console.py $(ARGS)

bench-preview: benchmark-engines ## Preview, screenshots and QA in a browser, next to html5lib (ARGS: names of parts)
	@$(PY) benchmarks/bench_preview.py $(ARGS)

bench-stats: benchmark-stats-engines ## One comparison and 10,000, next to gbstats and tea-tasting (ARGS: --rounds N)
	@$(PY) benchmarks/bench_stats.py $(ARGS)

scale: setup ## Count 1,000 shops with 20 experiments each against the targets of scale (ARGS: --part 20 is quick, --shops N --rows-large N)
	@$(PY) -m benchmarks.scale $(ARGS)

bench-%: ## One benchmark, for example make bench-ingest
	@$(PY) benchmarks/bench_$*.py $(ARGS)

lock: ## Resolve requirements again (hashes, no index addresses)
	@tools/lock.sh

clean: ## Remove builds and caches, keep the local stack's state
	@rm -rf .aws-sam .pytest_cache .mypy_cache .ruff_cache .hypothesis
