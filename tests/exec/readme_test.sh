#!/usr/bin/env bash
# readme_test.sh STENCILGEN SOURCE_DIR: runs every ```sh block of the pages for users in a folder of
# its own for each page, compiles the broken program and compares the message, looks for the kernel
# that is shown in the generated code and for the plan in what --explain says, and checks that the
# commands, options and links they name are there.
set -euo pipefail
stencilgen="$1"
source_dir="$2"
pages=(README.md compiler/driver/README.md compiler/scop/README.md compiler/tools/README.md runtime/README.md
  benchmarks/README.md tests/README.md)
linking=("${pages[@]}" compiler/README.md compiler/distribute/README.md examples/README.md grammar/README.md
  runtime/python/README.md examples/tutorial/README.md benchmarks/sass/README.md)
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export PATH="$(dirname "$stencilgen"):$PATH"
failed=0

# block PAGE KIND N: the text of the page's Nth fenced block that begins with ```KIND.
block() {
  awk -v kind="\`\`\`$2" -v want="$3" '
    inside && $0 == "```" { inside = 0; next }
    inside { if (n == want) print; next }
    /^```/ { inside = 1; if ($0 == kind) n++
             if ($0 != kind) { while ((getline line) > 0 && line != "```") { }; inside = 0 } }
  ' "$source_dir/$1"
}

fail() {
  echo "$1" >&2
  failed=1
}

blocks=0
for page in "${pages[@]}"; do
  folder="$work/${page//\//_}"
  mkdir "$folder"
  cd "$folder"
  ln -s "$source_dir/examples" examples
  n=1
  while script="$(block "$page" sh $n)" && [ -n "$script" ]; do
    # Blocks for MPI need it; those of the compiler alone do not.
    if [[ "$script" == *mpicxx* ]] && ! command -v mpicxx > /dev/null; then
      n=$((n + 1))
      continue
    fi
    if ! output="$(bash -euo pipefail -c "$script" 2>&1)"; then
      fail "$page: this block fails:"$'\n'"$script"$'\n'"$output"
    fi
    if [[ "$script" == *--explain* ]]; then printf '%s\n' "$output" > "$work/explained"; fi
    n=$((n + 1)) blocks=$((blocks + 1))
  done
done
[ "$blocks" -gt 10 ] || fail "the pages have only $blocks blocks of commands"
cd "$work"

# The first plain block is the example, whose plainest kernel follows.
block README.md "" 1 > j2d5pt.idsl
stencilgen j2d5pt.idsl --fusion none --shared-mem false -o shown.cu ||
  fail "README.md: the example does not compile"
block README.md cpp 1 | while IFS= read -r line; do
  grep -qxF -- "$line" shown.cu || { echo "not in the generated code: $line" >&2; exit 1; }
done || fail "README.md shows another kernel than the compiler writes"

# section PAGE HEADING: its text.
section() {
  sed -n "/^## $2/,/^## /p" "$source_dir/$1"
}
options=compiler/driver/README.md

# The plan that --explain shows; estimates of time and registers may move.
section $options "Tiles and streaming" | awk '/^```/ { n++; next } n == 3' > plan
grep -v 'predicted\|a launch\|registers)* *$' plan > tiles || fail "$options shows no plan"
while IFS= read -r line; do
  grep -qxF -- "$line" explained || fail "not in what --explain says: $line"
done < tiles

section $options Errors | awk '/^```$/ { n++; next } n == 1' > broken.idsl
section $options Errors | awk '$0 == "```text" { inside = 1; next } /^```/ { inside = 0 } inside' \
  > expected
if stencilgen broken.idsl -o broken.cu 2> message; then fail "the broken program compiles"; fi
[ ! -e broken.cu ] || fail "a file was written in spite of the error"
diff expected message >&2 || fail "$options shows another message than the compiler prints"

all="$(cd "$source_dir" && cat "${pages[@]}")"
for command in examples/demo tests/run tests/fuzz/run tests/gpu/pack benchmarks/run \
  benchmarks/pack benchmarks/page benchmarks/sass/table; do
  grep -q "\./$command" <<< "$all" || fail "no page mentions $command"
  [ -x "$source_dir/$command" ] || fail "$command is not there, or not executable"
done
# Every option they name is one, here or of the benchmarks, and every option that shapes CUDA code is
# named.
stencilgen --help > help
for tool in suite/benchmark_suite gpu_pack/benchmark_pack; do
  "$(dirname "$stencilgen")/../../benchmarks/$tool" --help >> help
done
for option in $(grep -o '`--[a-z][a-z-]*' <<< "$all" | tr -d '`' | sort -u); do
  grep -qw -- "$option" help || fail "a page names $option, which is no option"
done
for option in $(sed -n '/^GPU code:/,/^$/p' help | grep -o '^  --[a-z-]*'); do
  grep -qw -- "$option" <<< "$all" || fail "no page names $option"
done

# anchors PAGE: of its headings, as sites that show Markdown make them.
anchors() {
  grep '^##* ' "$1" | sed 's/^#* //' | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
# prose PAGE: without its code, where brackets are no links.
prose() {
  awk '/^```/ { code = !code; next } !code' "$1" | sed 's/`[^`]*`//g'
}
# Every relative link leads somewhere: to a file, or a heading of a page.
for page in "${linking[@]}"; do
  for link in $(prose "$source_dir/$page" | grep -o '](\([^)]*\))' | sed 's/](\(.*\))/\1/'); do
    target="${link%%#*}"
    if [ -n "$target" ]; then
      target="$(dirname "$source_dir/$page")/$target"
    else
      target="$source_dir/$page"
    fi
    [ -e "$target" ] || fail "$page links to $link, which is not there"
    if [[ "$link" == *"#"* ]]; then
      anchors "$target" | grep -qxF -- "${link#*#}" || fail "$page links to $link, no heading"
    fi
  done
done
exit $failed
