#!/usr/bin/env bash
# readme_test.sh STENCILGEN SOURCE_DIR: runs every ```sh block of README.md in a folder of its own,
# compiles its broken program and compares the message, looks for the kernel it shows in the
# generated code and for the plan it shows in what --explain says, and checks that the commands and
# options it names are there.
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
  if [[ "$script" == *--explain* ]]; then printf '%s\n' "$output" > explained; fi
  n=$((n + 1))
done
[ "$n" -gt 4 ] || fail "has only $((n - 1)) blocks of commands"

# The first plain block is the example, whose plainest kernel follows.
block "" 1 > j2d5pt.idsl
stencilgen j2d5pt.idsl --fusion none --shared-mem false -o shown.cu || fail "the example does not compile"
block cpp 1 | while IFS= read -r line; do
  grep -qxF -- "$line" shown.cu || { echo "not in the generated code: $line" >&2; exit 1; }
done || fail "shows another kernel than the compiler writes"

# The plan that --explain shows; estimates of time and registers may move.
sed -n '/^## Tiles and streaming/,/^## /p' "$readme" | awk '/^```/ { n++; next } n == 3' > plan
grep -v 'predicted\|a launch\|registers)* *$' plan > tiles || fail "shows no plan"
while IFS= read -r line; do
  grep -qxF -- "$line" explained || fail "not in what --explain says: $line"
done < tiles

broken="$(grep -n '^## Errors' "$readme" | cut -d: -f1)"
awk -v from="$broken" 'NR > from && /^```$/ { n++; next } NR > from && n == 1' "$readme" > broken.idsl
block text 1 > expected
if stencilgen broken.idsl -o broken.cu 2> message; then fail "the broken program compiles"; fi
[ ! -e broken.cu ] || fail "a file was written in spite of the error"
diff expected message >&2 || fail "shows another message than the compiler prints"

for command in examples/demo tests/run tests/fuzz/run tests/gpu/pack benchmarks/run \
  benchmarks/pack benchmarks/page; do
  grep -q "\./$command" "$readme" || fail "does not mention $command"
  [ -x "$source_dir/$command" ] || fail "$command is not there, or not executable"
done
# Every option it names is one, here or of the benchmarks, and every option that shapes CUDA code is named.
stencilgen --help > help
"$(dirname "$stencilgen")/../../benchmarks/suite/benchmark_suite" --help >> help
for option in $(grep -o '`--[a-z-]*' "$readme" | tr -d '`' | sort -u); do
  grep -qw -- "$option" help || fail "names $option, which is no option"
done
for option in $(sed -n '/^GPU code:/,/^$/p' help | grep -o '^  --[a-z-]*'); do
  grep -qw -- "$option" "$readme" || fail "does not name $option"
done
# Every relative link leads somewhere: to a file, or a heading of the page.
for link in $(grep -o '](\([^)]*\))' "$readme" | sed 's/](\(.*\))/\1/'); do
  if [[ "$link" == "#"* ]]; then
    heading="${link#\#}"
    grep -qix "## ${heading//-/ }" "$readme" || fail "links to $link, which is no heading"
    continue
  fi
  [ -e "$source_dir/$link" ] || fail "links to $link, which is not there"
done
exit $failed
