# `make demo` and `make test` set up all they need in .venv; nothing is installed outside this folder. `make test-browser`
# also needs Debian's Chromium, which it installs where it is not there and it may.
PYTHON ?= python3
BIN := .venv/bin
LOOPS := $(addprefix src/carob/_kernels/, build_loops.py loops.c loops.h)
# Compiled modules are kept, so that the many processes that tests start are quick to begin.
unexport PYTHONDONTWRITEBYTECODE
TESTS := $(BIN)/python -m pytest -q -n 2

.PHONY: demo test test-browser docs check format bench mutants fuzz constraints clean

demo: .venv/ready
	$(BIN)/carob demo

test: .venv/ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(TESTS)

# Pictures of all views are left in browser/pictures.
test-browser: .venv/browser
	$(BIN)/python -m pytest -q -p no:randomly browser

# The site, in docs/_build.
docs: .venv/docs
	$(BIN)/sphinx-build -q -W --keep-going -b html docs docs/_build

check: .venv/ready
	$(BIN)/ruff check .
	$(TESTS) -m "not slow" tests

format: .venv/ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: .venv/ready
	$(BIN)/python bench/run.py

# Hostile inputs: `make fuzz N=10000 SEED=1`; one of them again: `make fuzz ONLY=123 SEED=1`.
N ?= 10000
SEED ?= 0
fuzz: .venv/ready
	$(BIN)/python tests/fuzz/hunt.py --seed $(SEED) $(if $(ONLY),--only $(ONLY),--cases $(N))

mutants: .venv/ready
	$(BIN)/python bench/mutants.py $(ARGS)

.venv/ready: pyproject.toml constraints.txt setup.py $(LOOPS)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group dev --editable ".[charts,serve]"
	touch .venv/ready

.venv/browser: .venv/ready browser/package.json browser/install.sh
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group browser
	sh browser/install.sh
	touch .venv/browser

.venv/docs: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --group docs
	touch .venv/docs

# Newest versions of everything, written down. Run it, run the tests, commit the file.
constraints:
	rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev --group browser --group docs --editable ".[charts,serve]"
	$(BIN)/python -m pip freeze --all --exclude-editable > constraints.txt
	touch .venv/ready

clean:
	rm -rf .venv browser/node_modules browser/pictures docs/_build .peers .hypothesis .mypy_cache \
		.pytest_cache .ruff_cache
