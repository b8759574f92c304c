#!/usr/bin/env bash
# cmake_errors_test.sh BUILD SOURCE: wrong calls of the package's functions end the configuration
# with a message that says what is wrong.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
install_tool
mkdir app
cp "$source_dir/examples/j2d5pt/j2d5pt.idsl" app/a.idsl
cp app/a.idsl app/b.idsl
mkdir app/other app/folder.idsl
cp app/a.idsl app/other/a.idsl
echo 'int main() {}' > app/main.cpp
failed=0

# rejects MESSAGE COMMANDS: a project of these commands is refused with the message.
rejects() {
  { echo 'cmake_minimum_required(VERSION 3.25)'
    echo "project(app LANGUAGES ${languages:-CXX})"
    echo "${find:-find_package(stencilgen CONFIG REQUIRED)}"
    echo "$2"; } > app/CMakeLists.txt
  if cmake -S app -B out -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -Wno-dev > log 2>&1; then
    echo "accepted: $2" >&2
    failed=1
  # CMake breaks long lines.
  elif ! tr -s ' \n' ' ' < log | grep -qF -- "$1"; then
    printf 'for %s\nno message: %s\nbut:\n' "$2" "$1" >&2
    cat log >&2
    failed=1
  fi
}

rejects 'FILES is missing' 'stencilgen_add_library(s)'
rejects '`a.idsl` does not belong here' 'stencilgen_add_library(s a.idsl)'
rejects 'FILES is given without a value' 'stencilgen_add_library(s FILES)'
rejects 'there is no file `c.idsl` in' 'stencilgen_add_library(s FILES a.idsl c.idsl)'
rejects 'there is no file `folder.idsl` in' 'stencilgen_add_library(s FILES folder.idsl)'
rejects '`main.cpp` is no .idsl file' 'stencilgen_add_library(s FILES main.cpp)'
rejects 'TARGET is `hip`, but cuda, cpp, emulator and auto are known' \
  'stencilgen_add_library(s FILES a.idsl TARGET hip)'
rejects 'TARGET cuda needs the language CUDA' 'stencilgen_add_library(s FILES a.idsl TARGET cuda)'
rejects 'MPI is not found: install Open MPI or MPICH with its headers' \
  'set(CMAKE_DISABLE_FIND_PACKAGE_MPI ON)
   stencilgen_add_library(s FILES a.idsl MPI)'
rejects 'ARCH is `fast`, which is no GPU architecture' \
  'stencilgen_add_library(s FILES a.idsl TARGET cpp ARCH fast)'
rejects 'OPTIONS may not contain `-o`' 'stencilgen_add_library(s FILES a.idsl OPTIONS -o x.cpp)'
rejects 'OPTIONS may not contain `--target`' \
  'stencilgen_add_library(s FILES a.idsl OPTIONS --target=cpp)'
for option in '--device-file gpu.json' '--device-file=gpu.json' '--tuning-db gpu.json'; do
  rejects 'OPTIONS: there is no file `gpu.json` in' \
    "stencilgen_add_library(s FILES a.idsl OPTIONS $option)"
done
rejects 'two of the FILES make a function `a`' \
  'stencilgen_add_library(s FILES a.idsl other/a.idsl)'
rejects 'OPTIONS --host-function names one function, but FILES lists 2 programs' \
  'stencilgen_add_library(s FILES a.idsl b.idsl OPTIONS --host-function f)'
rejects 'there is a target of this name already' \
  'add_library(s INTERFACE)
   stencilgen_add_library(s FILES a.idsl)'
rejects 'there is no target of this name' 'stencilgen_target_sources(s PRIVATE main.cpp)'
rejects 'PRIVATE is missing' 'add_executable(s main.cpp)
   stencilgen_target_sources(s)'
rejects 'only PRIVATE sources' 'add_executable(s main.cpp)
   stencilgen_target_sources(s PUBLIC main.cpp)'
rejects '`main.cpp` is a source of the target already' 'add_executable(s main.cpp)
   stencilgen_target_sources(s PRIVATE main.cpp)'
rejects '`a.idsl` is no C++ file' 'add_executable(s main.cpp)
   stencilgen_target_sources(s PRIVATE a.idsl)'
rejects 'there is no file `app.cpp` in' 'add_executable(s main.cpp)
   stencilgen_target_sources(s PRIVATE app.cpp)'
find='include(StencilgenPrograms)' rejects 'stencilgen::stencilgen is not known here' \
  "list(APPEND CMAKE_MODULE_PATH \"$source_dir/compiler/cmake/package\")
   include(StencilgenPrograms)
   stencilgen_add_library(s FILES a.idsl)"
rm -rf out
languages=NONE rejects 'the language CXX is not enabled' 'stencilgen_add_library(s FILES a.idsl)'
find='find_package(stencilgen 9.0 CONFIG REQUIRED)' rejects 'version: 0.' ''

# The architectures that plans are taken from CMAKE_CUDA_ARCHITECTURES for are those of the tool.
known="$(sed -n 's/.*set(_stencilgen_known_architectures \(.*\))/\1/p' \
  "$source_dir/compiler/cmake/package/StencilgenPrograms.cmake")"
[ -n "$known" ] || fail "the package knows no architectures"
for number in $known; do
  "$prefix/bin/stencilgen" app/a.idsl --arch "sm_$number" -o a.cu || fail "sm_$number is unknown"
done
exit $failed
