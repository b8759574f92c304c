#!/usr/bin/env bash
# new_user_test.sh BUILD SOURCE: the commands of runtime/README.md, section "With CMake, or another
# one", as they stand there: in an empty folder, with an empty home.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
readme="$source_dir/runtime/README.md"
export HOME="$work/home"
mkdir -p "$HOME" empty other
# The page promises all it needs after ./examples/demo, which installs no make.
mkdir no-make
printf '#!/bin/sh\necho "make is not among what runtime/README.md says is there" >&2\nexit 1\n' > no-make/make
chmod +x no-make/make
ln -s make no-make/gmake

# block KIND N: the text of the section's Nth block of that kind.
block() {
  sed -n '/^## With CMake/,/^## What/p' "$readme" | awk -v kind="\`\`\`$1" -v want="$2" '
    inside && /^```/ { inside = 0; next }
    inside && n == want { print }
    $0 == kind { inside = 1; n++ }'
}

# run FOLDER N: the block's commands there, typed one after the other.
run() {
  local script
  script="$(block bash "$2" | sed "s#build/release#$build#")"
  [ -n "$script" ] || fail "runtime/README.md has no block $2"
  (cd "$1" && PATH="$work/no-make:$PATH" bash -euo pipefail -c "$script") > block.log 2>&1 ||
    fail "runtime/README.md: this block fails:"$'\n'"$script"$'\n'"$(cat block.log)"
}

run "$source_dir" 1
run empty 2
run empty 3
grep -q "^0\.[0-9]* in the middle$" block.log || fail "the application prints: $(cat block.log)"
if command -v pkg-config > /dev/null; then
  run empty 4
  grep -q "^0\.[0-9]* in the middle$" block.log ||
    fail "the application found by pkg-config prints: $(cat block.log)"
fi
[ -z "$(block bash 5)" ] || fail "runtime/README.md has a block that is not tested"

# The rule of make.
cp empty/heat.idsl other
block make 1 > other/Makefile
[ -s other/Makefile ] || fail "runtime/README.md has no rule for make"
tool="$HOME/.local/bin/stencilgen"
if command -v make > /dev/null; then
  (cd other && PATH="$(dirname "$tool"):$PATH" make heat.cpp) > block.log 2>&1 ||
    fail "the rule for make: $(cat block.log)"
else
  (cd other && "$tool" heat.idsl --target cpp -o heat.cpp --header heat.h)
fi

# What shells and people find in the installation.
share="$HOME/.local/share"
for file in man/man1/stencilgen.1 bash-completion/completions/stencilgen \
  zsh/site-functions/_stencilgen fish/vendor_completions.d/stencilgen.fish \
  stencilgen/editors/vim/syntax/idsl.vim stencilgen/editors/vscode/package.json; do
  [ -s "$share/$file" ] || fail "share/$file is not installed"
done
# The members that the page lists are there.
for name in heat heat_Program upload_u download_u device_u bind_u shape_u set_alpha heat_error \
  $(grep -o '`heat_arrays_[a-z]*`' "$readme" | tr -d '`'); do
  grep -qw "$name" other/heat.h || fail "heat.h has no $name"
done
