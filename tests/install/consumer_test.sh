#!/usr/bin/env bash
# consumer_test.sh BUILD SOURCE: examples/cmake-consumer with the installed tool. On every target,
# with Ninja and Make; what changes is built again, and nothing else.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_tool
cp -r "$source_dir/examples/cmake-consumer" app

# A project that has no CUDA gets C++ from `auto`.
configure app ninja -G Ninja -DCMAKE_CUDA_COMPILER=
grep -q "plate_stencils is compiled to cpp" configure.log || fail "auto is not C++ without CUDA"
make_all ninja
./ninja/plate > report || fail "the application fails: $(cat report)"
grep -q "largest error .*e-1[4-9]" report || fail "the application prints: $(cat report)"

make_all ninja
grep -q "no work to do" build.log || fail "built again without a change: $(cat build.log)"
sleep 0.01
sed -i 's/4\.0\*u/3.5*u/' app/cooling.idsl
make_all ninja
grep -q "Compiling cooling.idsl" build.log || fail "a changed program was not compiled again"
! grep -q "gradient" build.log || fail "an unchanged program was compiled again: $(cat build.log)"
if ./ninja/plate > report; then fail "the change has no effect"; fi

# An error in a program stops the build, says where, and is gone when the program is mended.
sed -i 's/3\.5\*u/4.0*v/' app/cooling.idsl
if cmake --build ninja > build.log 2>&1; then fail "a broken program was built"; fi
grep -q "cooling.idsl:9:.*'v' is not declared" build.log || fail "no such error: $(cat build.log)"
sed -i 's/4\.0\*v/4.0*u/' app/cooling.idsl
make_all ninja
./ninja/plate > report || fail "the mended application fails: $(cat report)"

# The CUDA code on the emulator, in a parallel Make; with several and with unusual options.
echo '{"base": "sm_80", "sms": 66}' > app/gpu.json
sed 's/TARGET \${PLATE_TARGET})/& ARCH sm_80 sm_90 OPTIONS --fp strict --time-tile 2 --device-file gpu.json --tuning-db none)/; s/})\( ARCH\)/}\1/' \
  -i app/CMakeLists.txt
configure app make -G "Unix Makefiles" -DPLATE_TARGET=emulator
make_all make
./make/plate > report || fail "the application fails on the emulator: $(cat report)"
grep -q -- "--arch sm_80 --fp strict --time-tile 2 --device-file gpu.json" \
  make/stencilgen/plate_stencils/cooling.cu ||
  fail "the options do not arrive"
make_all make
! grep -q "Compiling\|Building" build.log || fail "built again without a change: $(cat build.log)"
# A file that an option names is one of those that count.
sed -i 's/66/33/' app/gpu.json
make_all make
grep -q "Compiling cooling.idsl" build.log || fail "a changed --device-file has no effect"

# A file with a stencil inside, which includes another of its folder; changed, it is built again.
mkdir -p blocks/src
cat > blocks/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(blocks LANGUAGES CXX)
find_package(stencilgen CONFIG REQUIRED)
add_executable(smooth src/main.cpp)
stencilgen_target_sources(smooth PRIVATE src/smooth.cpp src/twice.cpp TARGET ${TARGET})
# Generated files stand alone where others are put together.
set_target_properties(smooth PROPERTIES UNITY_BUILD ON)
CMAKE
cat > blocks/src/main.cpp <<'CPP'
void work();
int main() { work(); }
CPP
cat > blocks/src/twice.cpp <<'CPP'
void twice(double* u, int N) {
#pragma dsl begin device-file:gpu.json
  parameter N; iterator i; double u[N]; copyin u;
  stencil s (A) { A[i] *= 2.0; }
  s (u);
  copyout u;
#pragma dsl end
}
CPP
echo '{"base": "sm_80", "sms": 66}' > blocks/src/gpu.json
echo '#define SIZE 20' > blocks/src/size.h
cat > blocks/src/smooth.cpp <<'CPP'
#include "size.h"

#include <cstdio>

void smooth(double* in, double* out, int M, int N) {
#pragma dsl begin block:32,4
  parameter M, N;
  iterator j, i;
  double in[M,N], out[M,N];
  copyin in, out;
  stencil s (A, B) { B[j][i] = 0.25*(A[j-1][i]+A[j+1][i]+A[j][i-1]+A[j][i+1]); }
  s (in, out);
  copyout out;
#pragma dsl end
}

void twice(double*, int);

void work() {
  double in[SIZE][SIZE], out[SIZE][SIZE] = {};
  for (int j = 0; j < SIZE; ++j) {
    for (int i = 0; i < SIZE; ++i) in[j][i] = j * i;
  }
  twice(&in[0][0], SIZE * SIZE);
  smooth(&in[0][0], &out[0][0], SIZE, SIZE);
  std::printf("%g %g\n", out[3][4], out[0][4]);
}
CPP
for target in cpp emulator; do
  configure blocks "blocks-$target" -G Ninja -DTARGET=$target
  make_all "blocks-$target"
  [ "$("./blocks-$target/smooth")" = "24 0" ] || fail "the embedded stencil is wrong on $target"
done
make_all blocks-cpp
grep -q "no work to do" build.log || fail "built again without a change: $(cat build.log)"
sed -i 's/0\.25/0.5/' blocks/src/smooth.cpp
make_all blocks-cpp
[ "$(./blocks-cpp/smooth)" = "48 0" ] || fail "a changed block was not compiled again"
# A block may name a file that counts, and is beside its own.
make_all blocks-emulator
sed -i 's/66/33/' blocks/src/gpu.json
make_all blocks-emulator
grep -q "stencils of src/twice.cpp" build.log || fail "a block's changed device-file has no effect"
! grep -q "stencils of src/smooth.cpp" build.log || fail "another file's device-file has an effect"


# So does what tuning has found.
export STENCILGEN_TUNING_DB="$PWD/tuning.json"
echo '{"stencilgen_tuning": 1, "entries": []}' > tuning.json
touch blocks/src/twice.cpp
make_all blocks-cpp
make_all blocks-cpp
grep -q "no work to do" build.log || fail "built again without a change: $(cat build.log)"
sleep 0.01
echo '{"stencilgen_tuning": 1,"entries": []}' > tuning.json
make_all blocks-cpp
grep -q "stencils of src/twice.cpp" build.log || fail "a changed tuning database has no effect"
unset STENCILGEN_TUNING_DB

# With CUDA where there is an nvcc; it runs where there is a GPU too.
nvcc="$(command -v nvcc || true)"
[ -n "$nvcc" ] || { [ -x /usr/local/cuda/bin/nvcc ] && nvcc=/usr/local/cuda/bin/nvcc; } || true
if [ -n "$nvcc" ]; then
  configure app cuda -G Ninja -DPLATE_TARGET=auto -DCMAKE_CUDA_COMPILER="$nvcc"
  grep -q "plate_stencils is compiled to cuda" configure.log || fail "auto is not CUDA with nvcc"
  make_all cuda
  if nvidia-smi > /dev/null 2>&1; then
    ./cuda/plate > report || fail "the application fails on the GPU: $(cat report)"
  fi
fi

# The file for pkg-config names the headers and the tool where they are.
if command -v pkg-config > /dev/null; then
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
  # It quotes for a shell.
  eval "tool=$(pkg-config --variable=tool stencilgen)"
  "$tool" --version > /dev/null || fail "pkg-config names no tool: $tool"
  "$tool" app/cooling.idsl --target cpp --no-standalone -o cooling.cpp
  flags="$(pkg-config --cflags stencilgen)"
  eval "\${CXX:-g++} -std=c++17 -c $flags cooling.cpp" || fail "pkg-config's flags: $flags"
fi
# The tool's own runs find the installed headers.
"$prefix/bin/stencilgen" run app/gradient.idsl --target cuda --emulate -D M=9,N=12 --verify \
  > run.log 2>&1 || fail "run with the installed tool: $(cat run.log)"
