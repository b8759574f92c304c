// What ptxas says of kernels, remembering it, and fusion that heeds it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/files.h"
#include "driver/host_library.h"
#include "driver/kernel_compiler.h"
#include "driver/measure_orders.h"
#include "driver/recompile.h"
#include "machine/gpu.h"
#include "support/catch.h"
#include "support/diagnostics.h"
#include "support/source.h"

using namespace stencilgen;
using namespace stencilgen::driver;
namespace fs = std::filesystem;

namespace {

const char* const kReport =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'a' for 'sm_90'\n"
    "    16 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads\n"
    "ptxas info    : Used 64 registers, used 1 barriers, 2048 bytes smem\n"
    "ptxas info    : Compiling entry function 'b' for 'sm_90'\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 70 registers, used 1 barriers\n";

const std::string kKernel = "__global__ void twice(float* a) { a[threadIdx.x] *= 2; }\n";

std::vector<fs::path> FilesIn(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  return files;
}

/// Three sums over one input: candidates of every kind.
const char* const kProgram = R"(
parameter L=64, M=64, N=64;
iterator k, j, i;
double a[L,M,N], b[L,M,N], c[L,M,N], d[L,M,N];
copyin a;
stencil sums (b, c, d, a) {
  b[k][j][i] = a[k][j][i-2] + a[k][j][i+2];
  c[k][j][i] = a[k][j-2][i] + a[k][j+2][i];
  d[k][j][i] = b[k][j-1][i] + c[k][j][i-1];
}
sums (b, c, d, a);
copyout d;
)";

struct Fused {
  std::size_t kernels = 0;
  std::string summary;
  std::vector<plan::FusionRefusal> refusals;
};

PipelineOptions GreedyOptions() {
  PipelineOptions options;
  options.schedule.block = {32, 8, 1};
  options.schedule.unroll = {4, 1, 1};
  options.schedule.stream = plan::Stream{0, 0};
  options.unroll_given = {true, true, true};
  options.schedule.shared_memory = true;
  options.schedule.fusion = plan::Fusion::Greedy;
  return options;
}

/// The plan of the three sums.
ChosenPlan Plan(const PipelineOptions& options) {
  const SourceFile source("sums.idsl", kProgram);
  DiagnosticSink sink;
  auto graph = CompileToGraph(source, options, sink);
  REQUIRE(graph);
  return CompileToChosenPlan(*std::move(graph), options);
}

Fused Fuse(const std::shared_ptr<KernelCompiler>& compiler, RecompileOptions recompile,
           int registers) {
  PipelineOptions options = GreedyOptions();
  options.codegen.registers = registers;
  Recompiler recompiler(compiler, options.codegen, recompile);
  options.fusion_check = recompiler.Check();
  options.fusion_foresight = recompiler.Foresight();
  const ChosenPlan chosen = Plan(options);
  Fused fused{chosen.plan.kernels.size(), recompiler.Summary(), {}};
  for (const plan::RegionFusion& region : chosen.fusion.regions) {
    for (const plan::FusionStep& step : region.steps) {
      for (const auto& refused : step.refused) fused.refusals.push_back(refused.refusal);
    }
  }
  return fused;
}

/// An nvcc that needs no CUDA: it writes down how it is called, and says that nothing spills. What
/// is there already is not asked while this lives.
class FakeNvcc {
 public:
  FakeNvcc() : path_(std::getenv("PATH")) {
    const fs::path nvcc = folder_.path() / "nvcc";
    std::ofstream(nvcc) << "#!/bin/sh\necho \"$@\" >> '" << (folder_.path() / "calls").string()
                        << "'\n"
                           "echo \"ptxas info : Compiling entry function 'a' for 'sm_90'\"\n"
                           "echo '0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads'\n"
                           "echo 'ptxas info : Used 32 registers'\n";
    fs::permissions(nvcc, fs::perms::owner_all);
    setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
    setenv("STENCILGEN_CACHE_DIR", (folder_.path() / "cache").c_str(), 1);
  }
  ~FakeNvcc() {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("STENCILGEN_CACHE_DIR");
  }
  FakeNvcc(const FakeNvcc&) = delete;
  FakeNvcc& operator=(const FakeNvcc&) = delete;

  /// For which GPUs it has compiled.
  std::set<std::string> Architectures() const {
    const std::string option = "-arch=";
    std::set<std::string> found;
    std::ifstream calls(folder_.path() / "calls");
    for (std::string word; calls >> word;) {
      if (word.rfind(option, 0) == 0) found.insert(word.substr(option.size()));
    }
    return found;
  }

 private:
  std::string path_;
  TemporaryDirectory folder_;
};

}  // namespace

TEST_CASE("of several kernels the report has the most of each") {
  const CompiledKernel kernel = ReadPtxasOutput(kReport);
  CHECK(kernel.error.empty());
  CHECK(kernel.registers == 70);
  CHECK(kernel.spill_stores == 24);
  CHECK(kernel.spill_loads == 20);
  CHECK(kernel.Spilled() == 24);
  CHECK(kernel.stack == 16);
  CHECK(kernel.shared == 2048);
  // By name: a kernel may be a template.
  std::string two = kReport;
  for (const auto& [name, mangled] :
       {std::pair("'a'", "'_ZN1p4heatEPd'"), {"'b'", "'_ZN1p4heatILi2EEEvPd'"}}) {
    two.replace(two.find(name), 3, mangled);
  }
  const auto report = ReadPtxasReport(two);
  REQUIRE(report.size() == 2);
  CHECK(report[0].name == "_ZN1p4heatEPd");
  CHECK(report[0].kernel.registers == 64);
  CHECK(report[1].kernel.Spilled() == 0);
  CHECK(FindInReport(report, "heat").registers == 70);
  CHECK_FALSE(FindInReport(report, "hea").error.empty());
  CHECK_FALSE(FindInReport(report, "heat2").error.empty());
  // Of two kinds of positions, those that most arrays have.
  two.replace(two.find("ILi2E"), 5, "IxE");
  CHECK(HasLongPositions("_ZN12_GLOBAL__N_1L4heatIxEEvPd"));
  CHECK(HasLongPositions("_ZN1p3IxEIxEEvPd"));
  for (const char* other : {"_ZN1p4heatIiEEvPd", "_ZN1p3IxEEPd", "_ZN1p3IxEIiEEvPd", "IxE", "_ZN",
                            "_ZN1p4hea", "_ZN1p4heatILb1EEEvPd"}) {
    CHECK_FALSE(HasLongPositions(other));
  }
  CHECK(FindInReport(ReadPtxasReport(two), "heat").registers == 64);
  two.replace(two.find("heatEPd"), 7, "heatIiEEvPd");
  CHECK(FindInReport(ReadPtxasReport(two), "heat").registers == 64);
  CHECK_FALSE(ReadPtxasOutput("nvcc fatal : no such arch\n").error.empty());
  CHECK_FALSE(ReadPtxasOutput("").error.empty());
}

TEST_CASE("the cache's folder comes from the environment") {
  setenv("STENCILGEN_CACHE_DIR", "/somewhere", 1);
  CHECK(CacheDirectory() == fs::path("/somewhere"));
  unsetenv("STENCILGEN_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  CHECK(CacheDirectory() == fs::path("/cache/stencilgen"));
  unsetenv("XDG_CACHE_HOME");
}

TEST_CASE("what needs nvcc is an error exactly where there is none") {
  const bool missing = FindCompiler(Backend::Cuda).empty();
  Options options;
  CHECK_FALSE(CheckNvcc(options));
  options.reorder_score = ReorderScore::Static;
  CHECK_FALSE(CheckNvcc(options));
  options.fusion_recompile = true;
  const auto fusion = CheckNvcc(options);
  CHECK(fusion.has_value() == missing);
  if (fusion) CHECK(fusion->message.find("--fusion-recompile needs nvcc") == 0);
  options.reorder_score = ReorderScore::Ptxas;
  const auto score = CheckNvcc(options);
  CHECK(score.has_value() == missing);
  if (score) CHECK(score->message.find("--reorder-score ptxas needs nvcc") == 0);
}

TEST_CASE("ptxas is asked about the GPU that the code is for") {
  const auto asked = [](const Options& options) {
    const FakeNvcc nvcc;
    PipelineOptions pipeline = GreedyOptions();
    const auto recompiler = AskForSpills(options, pipeline);
    const auto orders = MeasureOrders(options, pipeline);
    pipeline.codegen.reorder.how = passes::Reorder::Auto;
    const ChosenPlan chosen = Plan(pipeline);
    if (orders) orders->Choose(chosen.plan, pipeline.codegen);
    return nvcc.Architectures();
  };
  Options spills;
  spills.fusion_recompile = true;
  Options scores;
  scores.reorder = passes::Reorder::Auto;
  for (Options options : {spills, scores}) {
    CAPTURE(options.fusion_recompile);
    CHECK(asked(options) == std::set<std::string>{"sm_90"});
    options.device = *machine::FindGpu("sm_80");
    CHECK(asked(options) == std::set<std::string>{"sm_80"});
    options.device.reset();
    options.arch = "sm_75";
    CHECK(asked(options) == std::set<std::string>{"sm_75"});
  }
}

TEST_CASE("answers are remembered from run to run; broken files are not believed") {
  const TemporaryDirectory folder;
  KernelCompiler first("sm_90", folder.path());
  if (!first.Available()) {
    CHECK_FALSE(first.Compile(kKernel).error.empty());
    return;
  }
  const CompiledKernel asked = first.Compile(kKernel);
  REQUIRE(asked.error.empty());
  CHECK(asked.registers > 0);
  CHECK(asked.Spilled() == 0);
  CHECK(first.compiled() == 1);
  first.Compile(kKernel);
  CHECK(first.compiled() == 1);

  KernelCompiler second("sm_90", folder.path());
  CHECK(second.Compile(kKernel).registers == asked.registers);
  CHECK(second.compiled() == 0);
  CHECK(second.remembered() == 1);

  KernelCompiler other("sm_80", folder.path());
  other.Compile(kKernel);
  CHECK(other.compiled() == 1);

  for (const char* broken : {"", "{", "[]", "{\"registers\": \"many\"}", "{\"registers\": 3}"}) {
    INFO(broken);
    for (const fs::path& file : FilesIn(folder.path())) {
      std::ofstream(file, std::ios::binary) << broken;
    }
    KernelCompiler again("sm_90", folder.path());
    CHECK(again.Compile(kKernel).registers == asked.registers);
    CHECK(again.compiled() == 1);
  }
}

TEST_CASE(
    "without a folder, or with one that cannot be written, kernels are compiled all the same") {
  for (const char* folder : {"", "/proc/none"}) {
    KernelCompiler compiler("sm_90", folder);
    if (!compiler.Available()) return;
    CHECK(compiler.Compile(kKernel).error.empty());
    CHECK(compiler.Compile(kKernel).registers > 0);
    CHECK(compiler.compiled() == 1);
  }
}

TEST_CASE("a kernel that does not compile is an error that says so, and is not remembered") {
  const TemporaryDirectory folder;
  KernelCompiler compiler("sm_90", folder.path());
  if (!compiler.Available()) return;
  const auto answers = compiler.CompileAll({"this is no CUDA", kKernel});
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].error.find("nvcc ended with status") != std::string::npos);
  CHECK(answers[1].error.empty());
  CHECK(FilesIn(folder.path()).size() == 1);
}

TEST_CASE("fusion heeds the spills that ptxas reports") {
  const TemporaryDirectory folder;
  const auto compiler = std::make_shared<KernelCompiler>("sm_90", folder.path());
  if (!compiler->Available()) return;
  // Enough registers for everything in one kernel.
  const Fused roomy = Fuse(compiler, {1, 0}, 0);
  CHECK(roomy.kernels == 1);
  CHECK(roomy.summary.find("2 candidates compiled") == 0);
  // With so few, four points a thread spill: only what is not asked about is fused.
  const Fused tight = Fuse(compiler, {1, 0}, 32);
  CHECK(tight.kernels == 3);
  REQUIRE_FALSE(tight.refusals.empty());
  bool spills = false;
  for (const plan::FusionRefusal& refusal : tight.refusals) {
    spills = spills || (refusal.constraint == plan::FusionConstraint::Spills &&
                        refusal.reason.find("ptxas spills") == 0);
  }
  CHECK(spills);
  CHECK(Fuse(compiler, {2, 0}, 32).kernels == 2);
  CHECK(Fuse(compiler, {1, 1 << 20}, 32).kernels == 1);
  // The same again takes no compilation.
  const int before = compiler->compiled();
  Fuse(compiler, {1, 0}, 32);
  CHECK(compiler->compiled() == before);
}

TEST_CASE("of two orders the one that spills less is better, then the one with fewer registers") {
  const auto kernel = [](int registers, int stores, int loads) {
    CompiledKernel each;
    each.registers = registers;
    each.spill_stores = stores;
    each.spill_loads = loads;
    return each;
  };
  CHECK(IsBetter(kernel(64, 0, 0), kernel(40, 8, 8)));
  CHECK(IsBetter(kernel(64, 8, 16), kernel(64, 8, 24)));
  CHECK(IsBetter(kernel(32, 0, 0), kernel(40, 0, 0)));
  // Registers are given out by eights.
  CHECK_FALSE(IsBetter(kernel(33, 0, 0), kernel(40, 0, 0)));
  CHECK_FALSE(IsBetter(kernel(40, 0, 0), kernel(33, 0, 0)));
  CompiledKernel failed = kernel(0, 0, 0);
  failed.error = "nvcc ended with status 1";
  CHECK(IsBetter(kernel(255, 900, 900), failed));
  CHECK_FALSE(IsBetter(failed, failed));
}

TEST_CASE("--reorder auto takes the order of which ptxas spills least") {
  const TemporaryDirectory folder;
  setenv("STENCILGEN_CACHE_DIR", folder.path().c_str(), 1);
  // Two statements with different coefficients at all points of a box of 49 points.
  std::string sums;
  for (int dj = -3; dj <= 3; ++dj) {
    for (int di = -3; di <= 3; ++di) {
      sums += (sums.empty() ? "" : " + ") + std::to_string(0.01 * (10 * dj + di + 40)) + "*a[j" +
              (dj < 0 ? "" : "+") + std::to_string(dj) + "][i" + (di < 0 ? "" : "+") +
              std::to_string(di) + "]";
    }
  }
  const SourceFile source("box.idsl",
                          "parameter M=64, N=64;\niterator j, i;\ndouble a[M,N], b[M,N], c[M,N];\n"
                          "copyin a;\nstencil box (b, c, a) {\n  b[j][i] = " +
                              sums +
                              ";\n  c[j][i] = 2.0*a[j][i];\n}\nbox (b, c, a);\n"
                              "copyout b, c;\n");
  PipelineOptions options;
  options.schedule.block = {32, 4, 1};
  options.schedule.unroll = {1, 4, 1};
  options.unroll_given = {true, true, true};
  options.codegen.registers = 40;
  options.codegen.reorder.how = passes::Reorder::Auto;
  DiagnosticSink sink;
  auto graph = CompileToGraph(source, options, sink);
  REQUIRE(graph);
  const plan::Plan plan = CompileToPlan(*std::move(graph), options);
  REQUIRE(plan.kernels.size() == 2);
  OrderMeasurer measurer("sm_90");
  const auto orders = measurer.Choose(plan, options.codegen);
  if (FindCompiler(Backend::Cuda).empty()) {
    CHECK(orders.empty());
    CHECK(measurer.choices().empty());
  } else {
    REQUIRE(orders.size() == 2);
    REQUIRE(measurer.choices().size() == 2);
    const auto box = measurer.choices().front().orders;
    REQUIRE(box.size() > 1);
    CHECK(box.front().how == orders.front());
    for (std::size_t k = 1; k < box.size(); ++k) {
      REQUIRE(box[k].kernel.error.empty());
      CHECK_FALSE(IsBetter(box[k].kernel, box.front().kernel));
    }
    CHECK(IsBetter(box.front().kernel, box.back().kernel));
    CHECK(measurer.Explanation().find("order of box by ptxas: ") != std::string::npos);
    // What is known is not asked again, and other plans have their own answers.
    const std::string explanation = measurer.Explanation();
    plan::Plan alone = plan;
    alone.kernels = {};
    alone.steps = {plan::Launch{alone.kernels.Add(plan.kernels[plan::KernelId{1}])}};
    const auto second = measurer.Choose(alone, options.codegen);
    REQUIRE(second.size() == 1);
    CHECK(second.front() == orders.back());
    REQUIRE(measurer.choices().size() == 1);
    CHECK(measurer.choices().front().kernel == plan.kernels[plan::KernelId{1}].name);
    const auto spills = measurer.Spills(plan, options.codegen);
    REQUIRE(spills.size() == 2);
    CHECK(spills.front() == measurer.choices().front().orders.front().kernel.spill_stores +
                                measurer.choices().front().orders.front().kernel.spill_loads);
    CHECK(measurer.Choose(plan, options.codegen) == orders);
    CHECK(measurer.Explanation() == explanation);
    // What is emitted is what was measured.
    KernelCompiler compiler("sm_90", folder.path());
    options.choose_orders = [&](const plan::Plan&, const driver::CodegenOptions&) {
      return orders;
    };
    const CompiledKernel emitted = compiler.Compile(EmitCode(plan, source, options).text);
    CHECK(emitted.error.empty());
    CHECK(emitted.Spilled() == box.front().kernel.Spilled());
    CHECK(emitted.registers == box.front().kernel.registers);
    // Where it is not asked for nothing is compiled.
    driver::CodegenOptions trees = options.codegen;
    trees.reorder.how = passes::Reorder::Trees;
    CHECK(measurer.Choose(plan, trees).empty());
  }
  unsetenv("STENCILGEN_CACHE_DIR");
}
