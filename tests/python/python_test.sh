#!/usr/bin/env bash
# python_test.sh BUILD SOURCE: makes a wheel of the installed tool, installs it in a new virtual
# environment, and runs there the tests of this folder, the type checker, the linter and the
# commands of runtime/python/README.md. Exit status 77, a skipped test, where Python or its packages
# cannot be had.
set -euo pipefail
build="$1"
source_dir="$2"
work="$build/tests/python/work"
here="$source_dir/tests/python"
package="$source_dir/runtime/python"
rm -rf "$work"
mkdir -p "$work"
trap 'cd / && rm -rf "$work"' EXIT
cd "$work"
unset STENCILGEN_TOOL STENCILGEN_RUNTIME_DIR STENCILGEN_TUNING_DB PYTHONPATH PYTHONHOME
export HOME="$work/home" PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
# Libraries that were compiled once are found again: that is what the cache is for.
export STENCILGEN_CACHE_DIR="$build/tests/python/cache"
mkdir -p "$HOME"

skip() {
  echo "skipped: $1"
  exit 77
}
fail() {
  echo "$1" >&2
  exit 1
}

command -v python3 > /dev/null || skip "python3 is not installed"
python3 -m venv venv > venv.log 2>&1 || skip "python3 cannot make a virtual environment (python3-venv)"
pip() {
  venv/bin/python -m pip --quiet "$@"
}
timeout 300 venv/bin/python -m pip --quiet --retries 1 --timeout 20 install numpy pytest \
  scikit-build-core mypy ruff > pip.log 2>&1 || skip "no package index: $(tail -1 pip.log)"

# The wheel holds what is installed, and Python's files.
cmake --install "$build" --prefix "$work/prefix" > install.log || fail "$(cat install.log)"
pip wheel "$package" --no-deps --no-build-isolation -w dist \
  -C cmake.define.STENCILGEN_PREFIX="$work/prefix" > wheel.log 2>&1 || fail "$(cat wheel.log)"
wheel="$(echo dist/stencilgen-*-py3-none-*.whl)"
[ -f "$wheel" ] || fail "the wheel depends on a version of Python: $(ls dist)"
venv/bin/python - "$wheel" "$work/prefix" "$package" << 'PYTHON'
import pathlib, sys, zipfile
wheel, prefix, package = sys.argv[1:]
names = {n for n in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in n and n[-1] != "/"}
def files(folder):
    root = pathlib.Path(folder)
    return {p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file()}
expected = {"stencilgen/compiler/" + n for n in files(prefix)}
expected |= {"stencilgen/" + n for n in files(package + "/stencilgen") if not n.endswith(".pyc")}
assert names == expected, sorted(names ^ expected)
PYTHON
pip install --no-deps "$wheel"
# Nothing of the build or of the sources may be found instead.
rm -rf prefix dist
venv/bin/python -c 'import stencilgen, sys; sys.exit("venv" not in stencilgen.__file__)'
[ "$(venv/bin/stencilgen --version)" = "stencilgen $(venv/bin/python -c \
  'import stencilgen; print(stencilgen.__version__)')" ] || fail "the versions differ"

cp "$here"/*.py .
cp -r "$source_dir/examples/tutorial" .
venv/bin/python -m pytest -q -p no:cacheprovider -W ignore::stencilgen.ProgramWarning . ||
  fail "tests fail"
venv/bin/python -c 'import doctest, stencilgen, sys
failed, tried = doctest.testmod(stencilgen)
sys.exit(failed > 0 or tried < 5)' || fail "the example of help(stencilgen) is wrong"

cp -r "$package/stencilgen" "$package/pyproject.toml" "$work"
mkdir lint && mv stencilgen pyproject.toml lint
cp ./*.py tutorial/notebook.py "$source_dir"/benchmarks/python/*.py \
  "$source_dir"/examples/gallery/*.py lint
cp -r "$source_dir/benchmarks/sass" "$source_dir"/tests/exec/sass/*.py lint
(cd lint && ../venv/bin/python -m mypy --strict stencilgen sass test_sass_*.py > ../mypy.log 2>&1) ||
  fail "$(cat mypy.log)"
(cd lint && ../venv/bin/ruff check --output-format concise --no-cache . &&
  ../venv/bin/ruff format --check --no-cache .) || fail "ruff finds something"

# Times do not matter here, results do.
venv/bin/python "$source_dir/benchmarks/python/compare.py" --systems stencilgen,numpy \
  --scale 0.02 --rounds 1 > compare.log 2>&1 || fail "compare.py: $(cat compare.log)"

venv/bin/python "$source_dir/examples/gallery/make.py" --to "$work" elastic > gallery.log 2>&1 ||
  fail "gallery/make.py: $(cat gallery.log)"
[ "$(head -c 6 elastic.gif)" = GIF89a ] || fail "gallery/make.py draws no movie"

# The commands of the page: what begins as sh is typed, what begins as python is run in one go.
# block KIND N: the page's Nth block of that kind.
block() {
  awk -v kind="\`\`\`$1" -v want="$2" '
    inside && /^```/ { inside = 0; next }
    inside && n == want { print }
    $0 == kind { inside = 1; n++ }' "$package/README.md"
}
n=1
while script="$(block sh $n)" && [ -n "$script" ]; do
  PATH="$work/venv/bin:$PATH" bash -euo pipefail -c "$script" > block.log 2>&1 ||
    fail "runtime/python/README.md: this block fails:"$'\n'"$script"$'\n'"$(cat block.log)"
  n=$((n + 1))
done
n=1
: > page.py
while script="$(block python $n)" && [ -n "$script" ]; do
  printf '%s\n' "$script" >> page.py
  n=$((n + 1))
done
[ "$n" -gt 3 ] || fail "runtime/python/README.md has only $n blocks of Python"
venv/bin/python page.py > page.log 2>&1 || fail "runtime/python/README.md: $(cat page.log)"
