# make run        a chat in the terminal (sets everything up at the first call)
# make test       lint, types, import rules and tests
# make test-torch the tests that need torch, in an environment of their own
# make bench      timings of this machine
# make accuracy   run the published measurements through the sums and renew README's table
# make coefficients  trace the vision networks anew and rewrite their coefficients (an hour or so)
# make vectors    rebuild knowledge/data/vectors.npz after a change of guides or fact tables
# make clean      remove both environments and all caches
#
# On a fresh Debian or Ubuntu: sudo apt install -y make python3-venv && make run

PYTHON ?= python3
VENV := .venv
VENV_TORCH := .venv-torch
CODE := assistant knowledge tools ui evals
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: run test test-torch bench accuracy coefficients vectors clean
.DELETE_ON_ERROR:

run: $(VENV)/.installed
	$(VENV)/bin/xuanka chat

test: $(VENV)/.installed-dev
	$(VENV)/bin/ruff check $(CODE) tests
	$(VENV)/bin/mypy --strict --explicit-package-bases $(CODE) tests
	$(VENV)/bin/lint-imports
	$(VENV)/bin/python -m pytest

test-torch: $(VENV_TORCH)/.installed-torch
	$(VENV_TORCH)/bin/python -m pytest -m torch

bench: $(VENV)/.installed $(VENV_TORCH)/.installed-torch
	$(VENV)/bin/python -m evals.bench
	$(VENV_TORCH)/bin/python -m evals.bench --trace

# What is traced needs torch; the rest is measured with what people install.
accuracy: $(VENV)/.installed $(VENV_TORCH)/.installed-torch
	$(VENV)/bin/python -m evals.accuracy.run --readme
	$(VENV_TORCH)/bin/python -m evals.accuracy.run --readme evals/truth/vision_training.csv
	@echo 'Fitted on some models, tested on the others:'
	$(VENV)/bin/python -m evals.accuracy.split_inference
	$(VENV)/bin/python -m evals.accuracy.split_training evals/truth/llm_training.jsonl
	$(VENV)/bin/python -m evals.accuracy.speed_table evals/truth/llm_inference.jsonl
	$(VENV)/bin/python -m evals.detection_coefficients evals/truth/vision_detection.csv evals/truth/vision_other.csv

coefficients: $(VENV_TORCH)/.installed-torch
	$(VENV_TORCH)/bin/python -m evals.coefficients

vectors: $(VENV)/.installed
	$(VENV)/bin/python -m knowledge.build_vectors

clean:
	rm -rf $(VENV) $(VENV_TORCH) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(CODE) tests -name __pycache__ -type d -prune -exec rm -rf {} +

# An unfinished environment has no stamp and is built again from nothing.
$(VENV)/.made $(VENV_TORCH)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'Xuanka needs Python 3.11 or newer, and $(PYTHON) is not that: sudo apt install python3.11 python3.11-venv, then $(strip make $(MAKECMDGOALS)) PYTHON=python3.11.' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo '$(PYTHON) cannot make virtual environments: sudo apt install $(notdir $(PYTHON))-venv, then $(strip make $(MAKECMDGOALS)) again.' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python $(PIP) 'pip>=25.1'
	@touch $@

# pip 25.1 is the first that knows dependency groups. Torch is named in the same command as what needs it,
# or pip may take the newest torch first.
$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt
	$(VENV)/bin/python $(PIP) --editable . --constraint constraints.txt
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(VENV)/bin/python $(PIP) --editable '.[openai,ollama,postgres,aliyun,docs]' --group dev --constraint constraints.txt
	@touch $@

$(VENV_TORCH)/.installed-torch: $(VENV_TORCH)/.made pyproject.toml constraints.txt
	$(VENV_TORCH)/bin/python $(PIP) --editable . --group dev --group torch --constraint constraints.txt
	@touch $@
