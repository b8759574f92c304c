#!/usr/bin/env bash
# fortran_test.sh STENCILGEN SOURCE_DIR: compiles and runs the example in Fortran by the commands of
# runtime/README.md. Skipped where there is no gfortran.
set -euo pipefail
stencilgen="$1"
source_dir="$2"
if ! command -v gfortran > /dev/null; then
  echo "there is no gfortran: skipped"
  exit 77
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$source_dir/examples" examples
export PATH="$(dirname "$stencilgen"):$PATH"
commands="$(awk '/^## From Fortran/ { here = 1 } here && /^```bash$/ { inside = 1; next }
  inside && /^```$/ { exit } inside' "$source_dir/runtime/README.md")"
[ -n "$commands" ] || { echo "runtime/README.md shows no commands for Fortran" >&2; exit 1; }
bash -euo pipefail -c "$commands" > said.txt
cat said.txt
grep -qx "the same as in Fortran" said.txt
grep -q "^j2d5pt: .*M" said.txt   # why a call with a size of 0 failed
