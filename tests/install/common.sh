# Sourced by the tests of this folder: BUILD SOURCE are the script's arguments. Gives a work folder
# and the tool installed in $prefix.
set -euo pipefail
build="$1"
source_dir="$2"
# The same in every run, so that a compiler cache knows what it has seen.
work="$build/tests/install/$(basename "$0" .sh)${3:+_$3}"
rm -rf "$work"
mkdir -p "$work"
trap 'cd / && rm -rf "$work"' EXIT
cd "$work"
# Nothing of the machine's own may be found instead.
unset STENCILGEN_RUNTIME_DIR CMAKE_PREFIX_PATH
if command -v ccache > /dev/null; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  export CMAKE_CUDA_COMPILER_LAUNCHER=ccache
fi
prefix="$work/a place/stencilgen"

fail() {
  echo "$1" >&2
  exit 1
}

install_tool() {
  cmake --install "$build" --prefix "$work/staged" > install.log || fail "$(cat install.log)"
  # What is installed may be moved, also to a folder with a space in its name.
  mkdir -p "$(dirname "$prefix")"
  mv "$work/staged" "$prefix"
}

# configure SOURCE BUILD ARGUMENTS...: quiet where it works.
configure() {
  local from="$1" to="$2"
  shift 2
  cmake -S "$from" -B "$to" -DCMAKE_PREFIX_PATH="$prefix" "$@" > configure.log 2>&1 ||
    fail "cmake $*: $(cat configure.log)"
}

make_all() {
  cmake --build "$1" -j2 > build.log 2>&1 || fail "build of $1: $(cat build.log)"
}
