#include <cstdint>
#include <fstream>
#include <limits>
#include <regex>
#include <string>

#include "codegen/gpu_names.h"
#include "codegen/runtime_text.h"
#include "kernel/expr.h"
#include "lower/form.h"
#include "lower/names.h"
#include "support/catch.h"
#include "support/comment_text.h"
#include "support/literal_text.h"

namespace stencilgen::lower {
namespace {

using graph::LinearForm;
using graph::ParameterId;

const LinearForm kM = LinearForm::Parameter(ParameterId{0});
const LinearForm kN = LinearForm::Parameter(ParameterId{1});

/// In terms of M and N.
std::string FormText(const LinearForm& form) {
  return kernel::Print(
      FormOf(form, {kernel::MakeVar("M", kernel::kIndex), kernel::MakeVar("N", kernel::kIndex)}));
}

TEST_CASE("terms fold and keep only the parentheses they need", "[codegen]") {
  using kernel::Number;
  using kernel::Print;
  const auto variable = [](const char* name) {
    return kernel::Read(kernel::MakeVar(name, kernel::kIndex));
  };
  const kernel::Expr j = variable("j");
  const kernel::Expr n = variable("N");
  CHECK(Print(j * n + variable("i")) == "j * N + i");
  CHECK(Print((j + Number(1)) * n) == "(j + 1) * N");
  CHECK(Print(n * (j * n)) == "N * (j * N)");
  CHECK(Print(j - (n - Number(1))) == "j - (N - 1)");
  CHECK(Print(j + Number(-3)) == "j - 3");
  CHECK(Print(j + Number(2) - Number(3)) == "j - 1");
  CHECK(Print(j - Number(1) + Number(1)) == "j");
  CHECK(Print(j - Number(1) - (n + Number(1)) + Number(4)) == "j - 1 - (N + 1) + 4");
  CHECK(Print(j + Number(std::numeric_limits<std::int64_t>::max()) + Number(1)) ==
        "j + 9223372036854775807LL + 1");
  CHECK(Print(Number(2) * Number(3) + Number(1)) == "7");
  CHECK(Print(Number(0) * n + Number(1) * j) == "j");
  CHECK(Print(Number(0) - j) == "-j");
  CHECK(Print(j + (Number(0) - n)) == "j - N");
  CHECK(Print(Number(3000000000) * j) == "3000000000LL * j");
  CHECK(Print(Number(-2147483648LL)) == "-2147483648LL");
}

TEST_CASE("linear forms print their positive terms first", "[codegen]") {
  CHECK(FormText(kM - 1) == "M - 1");
  CHECK(FormText(kN * 2 + kM + 3) == "M + 2 * N + 3");
  CHECK(FormText(kN - kM) == "N - M");
  CHECK(FormText(LinearForm::Constant(7) - kM * 2) == "7 - 2 * M");
  CHECK(FormText(LinearForm::Constant(-4)) == "-4");
}

TEST_CASE("names keep clear of the language, CUDA and each other", "[codegen]") {
  NameScope file;
  CHECK(file.Claim("u") == "u");
  CHECK(file.Claim("new") == "new_");
  CHECK(file.Claim("new_") == "new_2");
  CHECK(file.Claim("threadIdx") == "threadIdx_");
  CHECK(file.Claim("expf") == "expf_");
  CHECK(file.Claim("_x") == "v_x");
  // What code for the processor calls.
  for (const std::string name : {"BandTile", "ChooseBandTile", "FloorDiv", "Threads"}) {
    CHECK(file.Claim(name) == name + "_");
  }
  NameScope kernel(&file);
  CHECK(kernel.Claim("u") == "u_");
  CHECK(kernel.Claim("u") == "u_2");
  CHECK(kernel.Claim("i") == "i");
  NameScope other(&file);
  CHECK(other.Claim("i") == "i");
}

TEST_CASE("names keep clear of the functions on vectors", "[codegen]") {
  int found = 0;
  for (const char* header : {"simd.hpp", "simd_half.hpp"}) {
    std::ifstream file(std::string(STENCILGEN_SOURCE_DIR "/runtime/include/stencilgen/") + header);
    const std::regex declaration(R"(STENCILGEN_INLINE .*?\b([A-Z][A-Za-z0-9]*)\()");
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, declaration)) continue;
      ++found;
      INFO(header << ": " << match[1]);
      CHECK(NameScope().Claim(match[1].str()) == match[1].str() + "_");
    }
  }
  CHECK(found > 20);
}

TEST_CASE("comments can neither end early nor draw a warning", "[codegen]") {
  CHECK(CommentText("B[j]  =\n\tA[j];") == "B[j] = A[j];");
  CHECK(CommentText("a /* b */ c // d") == "a / * b * / c / / d");
  CHECK(CommentText("why?"
                    "?/") == "why? ?/");
  CHECK(CommentText("end\\") == "end/");
  CHECK(CommentText("\xc3\xa4") == "..");
  CHECK(CommentText("abcdef", 3) == "abc ...");
}

TEST_CASE("literals have exactly their value", "[codegen]") {
  CHECK(LiteralText(ScalarType::Double, 0.1) == "0.1");
  CHECK(LiteralText(ScalarType::Double, 2.0) == "2.0");
  CHECK(LiteralText(ScalarType::Double, 1e300) == "1e+300");
  CHECK(LiteralText(ScalarType::Float, 0.1) == "0.1F");
  CHECK(LiteralText(ScalarType::Float, 16777217.0) == "16777216.0F");
  CHECK(LiteralText(ScalarType::Float, -1e300) == "-HUGE_VALF");
  CHECK(LiteralText(ScalarType::Int, 3.9) == "3");
  CHECK(LiteralText(ScalarType::Int, 1e20) == "2147483647");
  CHECK(LiteralText(ScalarType::Int, std::int64_t{-2147483648LL}) == "(-2147483647 - 1)");
  CHECK(LiteralText(ScalarType::Bool, std::int64_t{1}) == "true");
}

TEST_CASE("calls break between arguments", "[codegen]") {
  CodeWriter writer;
  WriteCall(writer, "f", std::vector<std::string>(5, std::string(30, 'x')), ";");
  const std::string x(30, 'x');
  CHECK(writer.str() == fmt::format("f({0}, {0},\n    {0}, {0},\n    {0});\n", x));
}

TEST_CASE("long code breaks at spaces outside string literals", "[codegen]") {
  const std::string x(60, 'x');
  CodeWriter writer;
  WriteWrapped(writer, fmt::format("{0} + {0} + \"{0} {0}\" + y", x));
  CHECK(writer.str() == fmt::format("{0} +\n    {0} +\n    \"{0} {0}\"\n    + y\n", x));
  CodeWriter whole;
  WriteWrapped(whole, std::string(200, 'x'));
  CHECK(whole.str() == std::string(200, 'x').append("\n"));
}

TEST_CASE("text in CUDA C++ gets the names of HIP, and only those") {
  const auto hip = [](std::string_view text) {
    return codegen::InLanguage(text, GpuLanguage::Hip);
  };
  CHECK(hip("cudaError_t e = cudaMalloc(&p, n);") == "hipError_t e = hipMalloc(&p, n);");
  CHECK(hip("#include <cuda_runtime.h>") == "#include <hip/hip_runtime.h>");
  CHECK(hip("struct CUstream_st* s") == "struct ihipStream_t* s");
  CHECK(hip("cudaErrorMemoryAllocation") == "hipErrorOutOfMemory");
  // Other names, and CUDA by name.
  CHECK(hip("my_cudaMalloc, cudaware, CUDA, cuda") == "my_cudaMalloc, cudaware, CUDA, cuda");
  CHECK(codegen::InLanguage("cudaMalloc", GpuLanguage::Cuda) == "cudaMalloc");
}

TEST_CASE("a standalone runtime includes no file of ours but the emulator", "[codegen]") {
  const std::string text = codegen::RuntimeText("stencilgen/cuda.hpp", true);
  std::size_t count = 0;
  for (std::size_t at = text.find("#include \"stencilgen/"); at != std::string::npos;
       at = text.find("#include \"stencilgen/", at + 1)) {
    CHECK(text.substr(at, 42).find("emulator.hpp") != std::string::npos);
    ++count;
  }
  CHECK(count == 1);
  CHECK(text.find("int SafeDivide(int a, int b)") != std::string::npos);
  CHECK(codegen::RuntimeText("stencilgen/cpp.hpp", false) == "#include \"stencilgen/cpp.hpp\"\n");
}

}  // namespace
}  // namespace stencilgen::lower
