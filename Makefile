# `make demo` installs all that is missing and opens the program; llama.cpp is compiled behind it.
# `make help` lists the rest.
#
# The environment is made by tools/install.py from the locked requirements*.txt, and again when they
# change. Settings, given as `make demo PYTHON=python3.12`:
#   PYTHON       the Python to build the environment with (3.11 or newer)
#   VENV         the folder of the environment
#   PYTEST_ARGS  arguments for pytest in the place of those for four processes, say `-n 0 -k gita`
#   CMAKE_ARGS   more arguments for the compilation of llama.cpp, say -DGGML_CUDA=on

PYTHON ?=
VENV ?= .venv
PYTEST_ARGS ?= -n 4 --dist worksteal
UV ?= uv

# Where it is set, each of the many programs that the tests start would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
ENGINES := build/engines

# Leaves the first Python that will do in the shell's $python.
FIND_PYTHON = python=; for name in $(or $(PYTHON),python3.13 python3.12 python3.11 python3); do \
	  if "$$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
	  then python=$$name; break; fi; \
	done; \
	if [ -z "$$python" ]; then \
	  echo "Python 3.11 or newer with its venv module is needed, and was not found." >&2; \
	  echo "  Debian, Ubuntu   sudo apt install python3 python3-venv" >&2; \
	  echo "  macOS            brew install python" >&2; \
	  echo "Or name one: make demo PYTHON=/path/to/python3" >&2; \
	  exit 1; \
	fi

# $(call INSTALL,--tests): does nothing, and at once, when the environment is up to date.
INSTALL = "$(BIN)/python" tools/install.py "$(VENV)" $(1) --check 2>/dev/null || \
	{ $(FIND_PYTHON); "$$python" tools/install.py "$(VENV)" $(1); }

.PHONY: help demo test test-slow test-train lint audit format messages bundle release docs bench lock \
  install install-tests install-engines

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

demo: ## install what is missing and open the program, while llama.cpp is compiled behind it
	@$(call INSTALL,--background)
	@"$(BIN)/commonsense-tui"

test: install-tests ## run the test suite
	"$(BIN)/python" -m pytest $(PYTEST_ARGS)

test-slow: install-tests install-engines ## run the tests that `make test` leaves out because they take long
	"$(BIN)/python" -m pytest $(PYTEST_ARGS) -m slow

lint: install-tests ## ruff, mypy and the import rules
	"$(BIN)/ruff" check
	"$(BIN)/ruff" format --check
	"$(BIN)/mypy"
	"$(BIN)/lint-imports"

audit: ## look for known advisories in the locked packages and for careless code
	@$(FIND_PYTHON); "$$python" tools/audit.py build/audit

format: install-tests ## let ruff rewrite the layout of the code
	"$(BIN)/ruff" format

messages: install-tests ## bring the catalogues of languages up to date
	"$(BIN)/python" tools/catalogue.py

test-train: ## test the training of the demonstration model (installs torch into .venv)
	"$(BIN)/python" -m pip install --quiet -r tools/train_demo_model/requirements.txt
	"$(BIN)/python" -m pytest tools/train_demo_model/test_model.py

bundle: install ## write one archive that installs offline on a machine like this one, in build/
	"$(BIN)/python" tools/bundle.py

release: install-tests ## build wheel and sdist, check them, and tag the commit
	"$(BIN)/python" tools/release.py

docs: install-tests ## build the documents as a site, in build/site
	"$(BIN)/python" tools/keys_page.py docs/keys.md
	"$(BIN)/python" tools/commands_page.py docs/commands.md
	NO_MKDOCS_2_WARNING=1 "$(BIN)/mkdocs" build --quiet

bench: install-tests ## run the scripts that measure speed
	@set -e; for script in $$(grep -l __main__ performance/*.py); do \
	  echo "== $$script"; "$(BIN)/python" "$$script"; \
	done

install:
	@$(call INSTALL)

install-tests:
	@$(call INSTALL,--tests)

# lm-evaluation-harness and Inspect AI, which the slow tests run exported suites in.
install-engines: install-tests
	@cmp -s requirements-engines.txt "$(ENGINES)/installed.txt" || { \
	  echo "Setting up $(ENGINES): the locked engines, checked against their hashes."; \
	  rm -rf "$(ENGINES)" && "$(BIN)/python" -m venv "$(ENGINES)" && \
	  "$(ENGINES)/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	    -r requirements-engines.txt && \
	  cp requirements-engines.txt "$(ENGINES)/installed.txt"; }

# Each lock holds the versions and hashes of one purpose; the later ones agree with the earlier.
# uv is asked without any configuration of this machine, so only the public index is read.
COMPILE = env -u UV_INDEX -u UV_EXTRA_INDEX_URL -u UV_DEFAULT_INDEX -u UV_FIND_LINKS \
	$(UV) --no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command "make lock" pyproject.toml

lock: ## write the locks anew from pyproject.toml (needs uv)
	$(COMPILE) -o requirements.txt
	$(COMPILE:pyproject.toml=) --group build -c requirements.txt -o requirements-build.txt
	$(COMPILE:pyproject.toml=) --group test --group docs --group lint --group release -c requirements.txt \
	  -c requirements-build.txt -o requirements-dev.txt
	$(COMPILE:pyproject.toml=) --group engines -o requirements-engines.txt
	$(COMPILE:pyproject.toml=) --group audit -o requirements-audit.txt
