# make train        a long-nardy bot from nothing, measured and exported (about two
#                   minutes after set-up); CONFIG=configs/short-quick.toml: another
# make test         the test suite; ARGS="-m slow": the slow ones
# make lint         ruff and mypy
# make setup        installs all that tests and checks need
# make web-engine   compiles the engine of the web bundle anew, after a change of the C files
# make clean        removes what was built; runs/ stays
#
# Everything is installed into .venv, which is made when missing. Wanted on the machine: Python 3.11
# or newer with venv, and a C compiler. Another interpreter: make train PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
CONFIG ?= configs/long-quick.toml
ARGS ?=
# What `make test` and `make lint` install beside the package.
EXTRAS ?= dev,envs,export,notebooks,plots,serve

comma := ,
bin := $(VENV)/bin
pip := $(bin)/python -m pip --disable-pip-version-check $(if $(CI),--quiet)
# Python files are used where they lie; these need a new build.
built_from := pyproject.toml CMakeLists.txt $(wildcard nardy_ai/core/*.c nardy_ai/core/*.h)
ready_to_train := $(VENV)/.ready-export
ready_to_test := $(VENV)/.ready-$(subst $(comma),-,$(EXTRAS))

.PHONY: help train test lint web-engine setup clean
.DELETE_ON_ERROR:

# Alone, `make` says what there is: the lines at the top of this file.
help:
	@sed -n '/^#/!q; s/^# \{0,1\}//p' $(firstword $(MAKEFILE_LIST))

train: $(ready_to_train)
	@$(bin)/python scripts/first_bot.py $(CONFIG)

test: $(ready_to_test)
	$(bin)/python -m pytest $(ARGS)

lint: $(ready_to_test)
	$(bin)/ruff check .
	$(bin)/mypy

web-engine: $(VENV)/.made
	$(pip) install 'ziglang>=0.13'
	@$(bin)/python scripts/web_engine.py

setup: $(ready_to_test)

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nardy: $(PYTHON) is older than Python 3.11; name a newer one: make PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(ready_to_train): $(VENV)/.made $(built_from)
	@echo "setting up $(VENV) (once; PyTorch is the large part)"
	$(pip) install --editable '.[export]'
	@touch $@

ifneq ($(ready_to_test),$(ready_to_train))
$(ready_to_test): $(VENV)/.made $(built_from)
	@echo "setting up $(VENV) with $(EXTRAS) (once; PyTorch is the large part)"
	$(pip) install --editable '.[$(EXTRAS)]'
	@touch $@
endif

clean:
	rm -rf $(VENV) build build-* dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov
	find nardy_ai tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f nardy_ai/core/_core*.so
