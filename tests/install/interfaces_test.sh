#!/usr/bin/env bash
# interfaces_test.sh BUILD SOURCE CASE: every way to call generated code (interfaces/), the example
# whose data stay on the device, and the one with a stencil program inside of its own code.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_tool

# project SOURCE TARGET PROGRAMS...: builds for the target and, where it can, runs the programs.
project() {
  local from="$1" target="$2" program
  shift 2
  configure "$from" "out-$target" -G Ninja -DEXAMPLES="$source_dir/examples" \
    -DTARGET="$target" -DPATTERN_TARGET="$target" ${build_type:+-DCMAKE_BUILD_TYPE=$build_type}
  cmake --build "out-$target" -j2 --target "$@" > build.log 2>&1 ||
    fail "build of $from for $target: $(cat build.log)"
  if [ "$target" != cuda ] || nvidia-smi > /dev/null 2>&1; then
    for program in "$@"; do
      "./out-$target/$program" > report 2>&1 || fail "$program on $target: $(cat report)"
    done
  fi
  rm -rf "out-$target"
}

has_cuda=""
if command -v nvcc > /dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then has_cuda=1; fi

case "$3" in
  interfaces)
    project "$source_dir/tests/install/interfaces" cpp interfaces17 interfaces20
    build_type=Debug project "$source_dir/tests/install/interfaces" emulator interfaces20
    [ -z "$has_cuda" ] || project "$source_dir/tests/install/interfaces" cuda interfaces17
    ;;
  device_resident)
    project "$source_dir/examples/device-resident" cpp pattern
    project "$source_dir/examples/device-resident" emulator pattern
    grep -q "difference" report || fail "the example prints: $(cat report)"
    [ -z "$has_cuda" ] || project "$source_dir/examples/device-resident" cuda pattern
    ;;
  embedded)
    # Its other targets are compiled by a test of their own, which needs no CMake.
    configure "$source_dir/examples/embedded" out -G Ninja -DWAVE_TARGET=cpp
    make_all out
    ./out/wave --check > report 2>&1 || fail "the example's check: $(cat report)"
    ./out/wave wave.png 20 60 90 > report 2>&1 || fail "the example: $(cat report)"
    [ -s wave.png ] || fail "the example draws no picture"
    ;;
esac
