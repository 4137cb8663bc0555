#!/bin/sh
# Say what this machine lacks to build baxterkit, and the apt line that brings it.
# Usage: tools/check-system.sh [PYTHON]      exits 1 if something is missing
python=${1:-python3}
missing=""
need() { missing="$missing $1"; }

if ! command -v "$python" >/dev/null 2>&1; then
    need python3; need python3-venv; need python3-dev
elif ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "baxterkit needs Python 3.11 or newer; $python is $("$python" -V 2>&1). Choose one: make PYTHON=python3.12" >&2
    exit 1
else
    "$python" -c 'import venv, ensurepip' 2>/dev/null || need python3-venv
    "$python" -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || need python3-dev
fi
if [ -n "$CXX" ]; then
    command -v "${CXX%% *}" >/dev/null 2>&1 || need g++
else
    command -v g++ >/dev/null 2>&1 || command -v c++ >/dev/null 2>&1 || need g++
fi
command -v make >/dev/null 2>&1 || need make

if [ -n "$missing" ]; then
    echo "baxterkit cannot be built yet; missing:$missing" >&2
    echo "On Debian or Ubuntu:  sudo apt-get install$missing" >&2
    exit 1
fi
