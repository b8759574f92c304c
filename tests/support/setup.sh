# What the commands of this repository share: installs what is missing, configures and builds.
# Sourced by bash scripts; leaves the working directory alone.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
build="$root/build/release"

# Prints the Debian packages that are needed and not there; `extra_packages` are needed too.
missing_packages() {
  # A tool may come from somewhere else than its package.
  command -v cmake >/dev/null || echo cmake
  command -v ninja >/dev/null || echo ninja-build
  command -v "$(set -- ${CXX:-g++}; echo "$1")" >/dev/null || echo g++
  command -v antlr4 >/dev/null || echo antlr4
  local package
  for package in libantlr4-runtime-dev libfmt-dev libcli11-dev catch2 nlohmann-json3-dev \
    libboost-context-dev libclang-19-dev libisl-dev libpng-dev libgif-dev libstb-dev fonts-dejavu-core ${extra_packages:-}; do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
      echo "$package"
  done
}

# Installs them where that is allowed; else says what to install and ends.
install_packages() {
  # Without dpkg this is no Debian: CMake will say what it misses.
  command -v dpkg-query >/dev/null || return 0
  local missing
  missing="$(missing_packages | tr '\n' ' ')"
  missing="${missing% }"
  [ -n "$missing" ] || return 0
  local as_root=""
  if [ "$(id -u)" -ne 0 ]; then
    # With a terminal, sudo may ask for the password; without, only where it needs none.
    if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
      as_root=sudo
    else
      echo "Please install what is missing, then run this again:" >&2
      echo "  sudo apt-get install $missing" >&2
      exit 1
    fi
  fi
  echo "Installing: $missing"
  if ! { $as_root apt-get update -qq &&
    $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    echo "That failed. Please install: $missing" >&2
    exit 1
  fi
}

# Builds the named targets, all of them where none is named.
build_targets() {
  if [ ! -e "$build/build.ninja" ]; then
    (cd "$root" && cmake --preset release)
  fi
  if [ $# -gt 0 ]; then
    cmake --build "$build" --target "$@"
  else
    cmake --build "$build"
  fi
}
