#!/usr/bin/env bash
# readme_test.sh STENCILGEN SOURCE_DIR: runs every ```sh block of README.md in a folder of its own,
# compiles its broken program and compares the message, looks for the kernel it shows in the
# generated code, and checks that the commands it names are there.
set -euo pipefail
stencilgen="$1"
source_dir="$2"
readme="$source_dir/README.md"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cd "$work"
ln -s "$source_dir/examples" examples
export PATH="$(dirname "$stencilgen"):$PATH"
failed=0

# block KIND N: the text of the Nth fenced block that begins with ```KIND.
block() {
  awk -v kind="\`\`\`$1" -v want="$2" '
    inside && $0 == "```" { inside = 0; next }
    inside { if (n == want) print; next }
    /^```/ { inside = 1; if ($0 == kind) n++; other = ($0 != kind); if (other) skip = 1
             if (other) { while ((getline line) > 0 && line != "```") { }; inside = 0 } }
  ' "$readme"
}

fail() {
  echo "README.md: $1" >&2
  failed=1
}

n=1
while script="$(block sh $n)" && [ -n "$script" ]; do
  if ! output="$(bash -euo pipefail -c "$script" 2>&1)"; then
    fail "this block fails:"$'\n'"$script"$'\n'"$output"
  fi
  n=$((n + 1))
done
[ "$n" -gt 4 ] || fail "has only $((n - 1)) blocks of commands"

# The first plain block is the example, whose plainest kernel follows.
block "" 1 > j2d5pt.idsl
stencilgen j2d5pt.idsl --fusion none --shared-mem false -o shown.cu || fail "the example does not compile"
block cpp 1 | while IFS= read -r line; do
  grep -qxF -- "$line" shown.cu || { echo "not in the generated code: $line" >&2; exit 1; }
done || fail "shows another kernel than the compiler writes"

broken="$(grep -n '^## Errors' "$readme" | cut -d: -f1)"
awk -v from="$broken" 'NR > from && /^```$/ { n++; next } NR > from && n == 1' "$readme" > broken.idsl
block text 1 > expected
if stencilgen broken.idsl -o broken.cu 2> message; then fail "the broken program compiles"; fi
[ ! -e broken.cu ] || fail "a file was written in spite of the error"
diff expected message >&2 || fail "shows another message than the compiler prints"

for command in examples/demo tests/run tests/fuzz/run tests/gpu/pack; do
  grep -q "\./$command" "$readme" || fail "does not mention $command"
  [ -x "$source_dir/$command" ] || fail "$command is not there, or not executable"
done
# Every relative link leads somewhere.
for link in $(grep -o '](\([^)]*\))' "$readme" | sed 's/](\(.*\))/\1/'); do
  [ -e "$source_dir/$link" ] || fail "links to $link, which is not there"
done
exit $failed
