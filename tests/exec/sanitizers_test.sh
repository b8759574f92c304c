#!/usr/bin/env bash
# sanitizers_test.sh STENCILGEN SOURCE_DIR: generated C++ under the address, undefined-behaviour and
# thread sanitizers, for caches so small that loops run in tiles of turns, sweeps in place in strips,
# and lines of results past the caches. A fault that is put into the code must be found. The thread
# sanitizer needs Clang with archer, which tells it how OpenMP synchronises; without them that half
# is left out.
set -euo pipefail
stencilgen="$1"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export HOME="$work" STENCILGEN_TUNING_DB=none OMP_NUM_THREADS=4
cd "$work"
failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

cat > tiles.idsl << 'END'
// Three statements a turn, in one tile of turns; u wraps around.
parameter N, T;
iterator j, i;
double u[N,N], v[N,N], w[N,N];
copyin u, v, w;
boundary u = wrap;
stencil step (u, v, w) {
  v[j][i] = 0.5*v[j][i] + 0.1*(u[j][i] - u[j-1][i]);
  w[j][i] = 0.5*w[j][i] - 0.1*(u[j][i] - u[j][i-1]);
  u[j][i] = 0.6*u[j][i] + 0.2*(u[j+1][i] + u[j][i+1]) - 0.3*(v[j][i] - w[j][i]);
}
iterate T { step (u, v, w); }
copyout u, v, w;
END
cat > loop.idsl << 'END'
// Two fields of two dimensions, with rows that are longer than a strip.
parameter N, T;
iterator j, i;
double u[N,N], v[N,N], w[N,N];
copyin u, v, w;
stencil step (u, v, w) {
  u[j][i] = 0.2*(u[j-1][i] + u[j+1][i] + u[j][i-1] + u[j][i+1]) + 0.1*v[j][i];
  v[j][i] += 0.1*(w[j][i] - u[j][i+2]);
}
iterate T { step (u, v, w); }
copyout u, v;
END
cat > sweeps.idsl << 'END'
// A sweep in place, one of an array into another, and one of two results.
parameter N;
iterator k, j, i;
double u[N,N,N], v[N,N,N], w[N,N,N];
copyin u, v, w;
stencil place (u) {
  u[k][j][i] = 0.4*u[k][j][i] + 0.1*(u[k-2][j][i] + u[k+2][j][i] + u[k][j-2][i] + u[k][j+2][i]
             + u[k-1][j-1][i] + u[k][j][i+1]);
}
stencil across (v, u) {
  v[k][j][i] = 0.5*(u[k-1][j][i] + u[k+1][j][i]) - 0.2*u[k][j+1][i-1];
}
place (u);
across (w, u);
across (v, w);
copyout u, v, w;
END

cat > main.cpp << 'END'
#include <cstdio>
#include <vector>
#include PROGRAM
int main() {
  std::vector<double> u(COUNT), v(COUNT), w(COUNT);
  for (std::size_t n = 0; n < u.size(); ++n) {
    u[n] = 0.01 * static_cast<double>(n % 97);
    v[n] = 0.02 * static_cast<double>(n % 89);
    w[n] = 0.03 * static_cast<double>(n % 83);
  }
  const int status = FUNCTION(u.data(), v.data(), w.data(), SIZES);
  double sum = 0;
  for (std::size_t n = 0; n < u.size(); ++n) sum += u[n] + 2 * v[n] + 3 * w[n];
  std::printf("%.17g\n", sum);
  return status;
}
END

# compile NAME COMPILER FLAGS...: makes ./NAME.
compile() {
  local name="$1" count=22500 sizes=150,9
  shift
  if [ "$name" = sweeps ]; then count=175616 sizes=56; fi
  "$@" -std=c++17 -g -O1 -fopenmp -ffp-contract=off -DSTENCILGEN_CACHE_BYTES=65536 \
    -DSTENCILGEN_CORE_CACHE_BYTES=16384 -DPROGRAM="\"$name.cpp\"" -DFUNCTION="$name" \
    -DSIZES="$sizes" -DCOUNT="$count" main.cpp -o "$name"
}

for name in tiles loop sweeps; do
  "$stencilgen" "$name.idsl" --target cpp --fp strict -o "$name.cpp"
done
grep -q 'ChooseBandTile' tiles.cpp || fail "tiles has no tiles of turns"
grep -q 'ChooseBandTile' loop.cpp || fail "loop has no tiles of turns"
grep -q 'j_strip' sweeps.cpp || fail "sweeps has no strips in place"
grep -q 'StoreVector(w' sweeps.cpp || fail "sweeps stores nothing past the caches"

for name in tiles loop sweeps; do
  compile "$name" "${CXX:-g++}"
  OMP_NUM_THREADS=1 "./$name" > "$name.expected"
  compile "$name" "${CXX:-g++}" -fsanitize=address,undefined -fno-sanitize-recover=all
  if ! ASAN_OPTIONS=detect_leaks=0 "./$name" > "$name.out" 2> "$name.err"; then
    fail "$name under the address and undefined-behaviour sanitizers"
    head -20 "$name.err"
  fi
  cmp "$name.expected" "$name.out" || fail "$name: another result with four threads"
done

# races NAME: how many data races the thread sanitizer finds in the program's own code. Wide vectors
# and copies by the library are not watched.
races() {
  compile "$1" clang++ -fsanitize=thread -fno-vectorize -fno-slp-vectorize -fno-builtin \
    -DSTENCILGEN_VECTOR_BYTES=16 -w
  OMP_TOOL_LIBRARIES="$archer" TSAN_OPTIONS=exitcode=0 "./$1" > "$1.out" 2> "$1.err"
  grep '^SUMMARY: ThreadSanitizer' "$1.err" | grep -c "$1.cpp" || true
}

archer=""
if command -v clang++ > /dev/null; then
  # The library of the same LLVM.
  folder="$(dirname "$(clang++ -print-file-name=libomp.so)")"
  for candidate in "$folder/libarcher.so" "$folder"/../lib/llvm-*/lib/libarcher.so \
    /usr/lib/llvm-*/lib/libarcher.so; do
    if [ -z "$archer" ] && [ -e "$candidate" ]; then archer="$candidate"; fi
  done
fi
if [ -z "$archer" ]; then
  echo "the thread sanitizer is left out: clang++ and libarcher.so (libomp-dev) are not both there"
else
  for name in tiles loop sweeps; do
    found="$(races "$name")"
    if [ "$found" -ne 0 ]; then
      fail "$name has $found data races"
      grep -A8 'WARNING: ThreadSanitizer' "$name.err" | head -40
    fi
    cmp "$name.expected" "$name.out" || fail "$name: another result under the thread sanitizer"
  done
  # Planes that go home before the neighbouring part has read them.
  cp sweeps.cpp good.cpp
  sed -i 's/done >= first + 2/done >= first/' sweeps.cpp
  cmp -s sweeps.cpp good.cpp && fail "the fault cannot be put in"
  [ "$(races sweeps)" -gt 0 ] || fail "a planted data race is not found"
fi

[ "$failures" -eq 0 ]
