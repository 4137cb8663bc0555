#!/usr/bin/env bash
# Install the system components of tools/system-packages.txt (as root), and print the names of those
# that are there in the end, one a line. A failure is no error: the tests of that component skip.
set -u
cd "$(dirname "$0")" || exit 0
export DEBIAN_FRONTEND=noninteractive
updated=""

apt() { apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 "$@" </dev/null >&2; }
install() {
    command -v apt-get >/dev/null || return 1
    local try
    for try in 1 2 3; do
        if [ -z "$updated" ] && apt update; then updated=yes; fi
        apt install -y --no-install-recommends "$@" && return 0
        echo "install-system.sh: apt-get install $* failed, try $try of 3" >&2
        updated=""
        sleep $((try * 5))
    done
    return 1
}

there() {
    case "$1" in
    */*) compgen -G "$1" >/dev/null ;;
    *) command -v "$1" >/dev/null ;;
    esac
}
version=$("${PYTHON:-python3}" -c 'import sys; print("%d%d" % sys.version_info[:2])' || true)

grep -v '^ *\(#\|$\)' system-packages.txt | while read -r component program packages; do
    program=${program//@PY@/$version}
    # shellcheck disable=SC2086  # several packages are several words
    there "$program" || install $packages
    if there "$program"; then
        echo "$component"
    else
        echo "install-system.sh: no $component; its tests will skip" >&2
    fi
done
exit 0
