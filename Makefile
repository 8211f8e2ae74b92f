# Under each target stand the plain commands; nothing here is needed to run them by hand.
# The first Python that runs: 3.11 and 3.12 can use the bundled Redis. The system's own comes first where it can
# make an environment: it is compiled for speed, as one that was made on this machine often is not.
PYTHON ?= $(shell for p in /usr/bin/python3.11 /usr/bin/python3.12; do \
	$$p -c 'import ensurepip, venv' 2>/dev/null && { echo $$p; exit; }; done; \
	for p in python3.11 python3.12 python3; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; exit; }; done)
BIN := .venv/bin
# What checks the pages' scripts, and what the vendored editor is made of.
LINTER := node_modules/.package-lock.json

.PHONY: up test test-deep check system-packages

up: $(BIN)/.runs  ## everything on this machine, http://127.0.0.1:8000 (make up ARGS="--port 8001")
	@exec $(BIN)/python manage.py up $(ARGS)

# Tests start some hundred processes: each begins with what the first compiled.
test test-deep check: export PYTHONDONTWRITEBYTECODE :=

test: system-packages $(BIN)/.tests $(LINTER)  ## everything, browser included (make test ARGS="-k rollout")
	$(BIN)/python -m pytest --processes 2 $(ARGS)

test-deep: system-packages $(BIN)/.tests $(LINTER)  ## longer: new random examples, many seeds, large runs; then the benches in full
	HYPOTHESIS_PROFILE=deep $(BIN)/python -m pytest --processes 2 -m "deep or not deep" \
		--ignore tests/runs/workers/test_acceptance.py $(ARGS) || test $$? = 5
	$(BIN)/python -m pytest -m deep -rP tests/runs/workers/test_acceptance.py $(ARGS) || test $$? = 5

check: $(BIN)/.tests $(if $(shell command -v npm),$(LINTER))  ## format, lint, types and the fast tests, in under a minute
	.ci/check

# Each stamp is renewed when what it was installed from changes.
$(BIN)/.runs: requirements.txt constraints.txt
	@test -n "$(PYTHON)" || { echo "Podline needs Python 3.11 or newer. Cure (Debian): apt-get install python3 python3-venv" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) has no ensurepip, so it cannot make a virtual environment. Cure (Debian): apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(BIN)/.tests: $(BIN)/.runs requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

$(LINTER): package-lock.json
	@npm ci --silent --no-audit --no-fund --ignore-scripts || echo "npm reached no registry: the scripts of the pages are neither linted nor compared" >&2

# Tests drive Debian's Chromium, run scripts of the pages in Node.js and, where the bundled Redis has no wheel, Debian's Redis.
system-packages:
	@missing=""; \
	command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || missing="$$missing chromium-headless-shell"; \
	command -v node >/dev/null || missing="$$missing nodejs"; \
	command -v npm >/dev/null || missing="$$missing npm"; \
	command -v redis-server >/dev/null || missing="$$missing redis-server"; \
	"$(or $(PYTHON),python3)" -c 'import ensurepip' 2>/dev/null || missing="$$missing python3-venv"; \
	test -z "$$missing" && exit 0; \
	test "$$(id -u)" = 0 || { echo "make test needs these packages; as root: apt-get install$$missing" >&2; exit 1; }; \
	echo "Installing$$missing"; \
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null
