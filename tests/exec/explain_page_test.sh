#!/usr/bin/env bash
# explain_page_test.sh STENCILGEN SOURCE_DIR: opens pages of `explain --page` in a browser without a
# window. page/probe.js uses each as a reader would and compares it with what `--json` prints.
# Skipped where there is no chromium.
set -euo pipefail
stencilgen="$1"
source_dir="$2"
probes="$source_dir/tests/exec/page"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work" STENCILGEN_TUNING_DB=none
cd "$work"
failed=0
pages=0

browser=""
for name in chromium chromium-browser google-chrome; do
  if [ -z "$browser" ] && command -v "$name" > /dev/null; then browser="$name"; fi
done
if [ -z "$browser" ]; then
  echo "skipped: chromium is not installed"
  exit 77
fi

cp "$probes/open_pages.html" all.html

# add NAME WIDTH: puts page.html, with the probe, among what the browser opens.
add() {
  { echo "<script type=\"text/base64\" data-name=\"$(sed 's/&/\&amp;/g; s/"/\&quot;/g; s/</\&lt;/g' <<< "$1")\" data-width=\"$2\">"
    { echo '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><script>'
      cat "$probes/record_errors.js"
      echo '</script>'
      sed '1,3d' page.html | sed '/^<\/body>$/,$d'
      echo '<script id="expected" type="application/json">'
      sed 's/</\\u003c/g' report.json
      echo '</script><script>'
      cat "$probes/probe.js"
      echo '</script></body></html>'
    } | base64 -w 0
    echo '</script>'
  } >> all.html
  pages=$((pages + 1))
}

# check ARGUMENTS OF EXPLAIN...
check() {
  if ! "$stencilgen" explain "$@" --page page.html --json > report.json 2> explain.log; then
    echo "explain $* fails:"
    cat explain.log
    failed=1
    return 0
  fi
  add "${*##*/}" 1280
  add "${*##*/}" 400
}

examples="$source_dir/examples"
stencils="$source_dir/benchmarks/stencils"
for program in "$examples"/*/*.idsl; do
  check "$program"
  check "$program" --target cpp
done
large=(-D L=512,M=512,N=512)
heat="$examples/heat3d/heat3d.idsl"
check "$heat" "${large[@]}" --shared-mem true --time-tile 2 --concurrent-stream k:128 --blockdim x=32,y=8 \
  --unroll j=4 --prefetch register --barriers level
check "$heat" "${large[@]}" --shared-mem true --serial-stream k --prefetch async --blockdim x=32,y=8
check "$heat" "${large[@]}" --shared-mem true --no-stream --blockdim x=32,y=4,z=2 --unroll i=2
check "$heat" "${large[@]}" --shared-mem false --fusion none --stream k
check "$heat" "${large[@]}" --shared-mem true --serial-stream j --retime --halo loads
check "$heat" "${large[@]}" --target cpp --time-tile 16
check "$heat" -D L=1000000,M=1000000,N=1000000
check "$examples/life/life.idsl" --target cpp -D M=8000,N=8000,T=100
check "$examples/wave2d/wave2d.idsl" --target cpp -D M=8000,N=8000 --tile i=512 --time-tile 1
for stencil in hypterm miniflux 2d81pt swim heat1d-periodic vcycle-restriction; do
  for program in "$stencils/$stencil"/*.idsl; do
    check "$program"
    check "$program" --target cpp
  done
done

# Names and comments that would be markup.
mkdir 'a<b'
printf '%s\n' '// </script><script>alert(1)</script> <!-- & "x" `y` ${z} \u003c' \
  'parameter M=64; iterator i; double u[M], v[M]; copyin u;' \
  'stencil s (B, A) { B[i] = A[i-1] < A[i+1] ? 1.0 : 2.0; }' 's (v, u); copyout v;' > 'a<b/script>&"q.idsl'
check 'a<b/script>&"q.idsl'

# A thousand statements.
{ echo 'parameter M=512, N=512; iterator j, i; double u[M,N], v[M,N]; copyin u;'
  echo 'stencil s (B, A) { B[j][i] = 0.5*A[j-1][i] + 0.5*A[j][i+1]; }'
  for n in $(seq 500); do echo 's (v, u); s (u, v);'; done
  echo 'copyout u;'
} > thousand.idsl
check thousand.idsl
check thousand.idsl --target cpp

[ "$pages" -gt 60 ] || { echo "only $pages pages were made"; failed=1; }
timeout 300 "$browser" --headless --no-sandbox --disable-gpu --window-size=1400,1000 \
  --virtual-time-budget=600000 --dump-dom "file://$work/all.html" > dom.html 2> browser.log || true
sed -n '/<pre id="all-findings">/,/<\/pre>/p' dom.html | sed 's/<[^>]*>//g' > findings
fine="$(grep -c ': fine$' findings || true)"
if [ "$fine" -ne "$pages" ]; then
  echo "$fine of $pages pages are fine:"
  grep -v ': fine$' findings || cat browser.log
  failed=1
fi
exit $failed
