#!/usr/bin/env bash
# subproject_test.sh BUILD SOURCE: stencilgen as a part of another project. The compiler itself is
# not built a second time here: the build is planned, and the tool that is there stands in.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
mkdir app
cp "$source_dir"/examples/cmake-consumer/* app
# What runtime/README.md says to write.
fetch="$(awk '$0 == "```cmake" { inside = 1; next } /^```/ { inside = 0 } inside' \
  "$source_dir/runtime/README.md" | sed "s#/where/stencilgen/is#$source_dir#")"
[[ "$fetch" == *FetchContent_Declare*"$source_dir"* ]] || fail "runtime/README.md has no FetchContent"
for how in "add_subdirectory(\"$source_dir\" stencilgen)" "$fetch"; do
  { sed '/find_package/,$d' "$source_dir/examples/cmake-consumer/CMakeLists.txt"
    # What a project may want of its own files.
    echo 'set(CMAKE_UNITY_BUILD ON)
          set(CMAKE_CXX_CLANG_TIDY clang-tidy)
          set(CMAKE_CXX_STANDARD 14)
          set(BUILD_SHARED_LIBS ON)
          add_compile_options(-Werror -Wconversion)'
    echo "$how"
    sed '1,/find_package/d' "$source_dir/examples/cmake-consumer/CMakeLists.txt"
    echo 'if(NOT TARGET stencilgen::runtime)
            message(FATAL_ERROR "no stencilgen::runtime")
          endif()
          file(GENERATE OUTPUT tool CONTENT "$<TARGET_FILE:stencilgen::stencilgen>")'
  } > app/CMakeLists.txt
  rm -rf out
  configure app out -G Ninja -DPLATE_TARGET=cpp
  # The tool comes before the stencils, which are part of the application.
  ninja -C out -n plate > plan.log
  grep -q "Linking CXX executable .*stencilgen" plan.log || fail "the tool is not built: $how"
  grep -q "Compiling cooling.idsl to cpp" plan.log || fail "the stencils are not built: $how"
  ! grep -q "[a-z]_test " plan.log || fail "tests are built in another project: $how"
  ninja -C out -t targets all > targets.log
  ! grep -q "unit_test\|examples_test" targets.log || fail "tests are a part of another project"
  [ -n "$(cat out/tool)" ] || fail "no tool"
  # The compiler is optimised where the project leaves it open; the project's own files are not.
  ninja -C out -t commands plate > commands.log
  # The compiler is built as it is elsewhere.
  grep -- "-c .*stencilgen_driver.dir/Unity/unity_0_cxx.cxx$" commands.log > command
  grep -q -- " -Werror .* -Wno-error .*-std=c++20\| -Werror .*-std=c++20 .*-Wno-error" command ||
    fail "the project's -Werror and standard hold for the compiler: $(cat command)"
  ! grep -q "clang-tidy" command || fail "the project's checks are made of the compiler"
  grep -q -- " -O3 .*stencilgen_driver.dir/Unity/unity_0_cxx.cxx$" commands.log || fail "the tool is slow"
  ! grep -q -- " -O3 .*app/main.cpp$" commands.log || fail "the project's build type is changed"
done
# The same application with the tool of this build.
tool="$(cat out/tool)"
mkdir -p "$(dirname "$tool")"
cp "$build/compiler/driver/stencilgen" "$tool"
for program in cooling gradient; do
  ninja -C out -t commands plate | grep -- "$program.idsl" > command || fail "no command of $program"
  bash -c "$(cat command)" || fail "the command of $program fails"
done
