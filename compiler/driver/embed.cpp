#include "driver/embed.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codegen/embedded_block.h"
#include "driver/block_options.h"
#include "driver/compile.h"
#include "driver/depfile.h"
#include "driver/embedded_file.h"
#include "driver/pipeline.h"
#include "driver/report.h"
#include "frontend/read_program.h"
#include "scop/read_scops.h"

namespace stencilgen::driver {

namespace {

constexpr DiagnosticKind<> kNoBlocks{"no-blocks", Severity::Warning,
                                     "the file has no `#pragma dsl begin` and no "
                                     "`#pragma scop`, and is only copied"};
constexpr DiagnosticKind<std::string> kNameTaken{"name-taken", Severity::Error,
                                                 "another block has a function `{}`"};

/// A block whose syntax and arguments are right.
struct ReadBlock {
  const EmbeddedBlock* block = nullptr;
  graph::Program program;
  Options options;
  std::optional<scop::ScopProgram> scop;  ///< where it is code
};

/// The argument that names the block; the directive where there is none.
Span NamePlace(const EmbeddedBlock& block) {
  for (const BlockArgument& argument : block.arguments) {
    if (argument.name == "name" || argument.name == "host-function") return argument.value_span;
  }
  return block.begin;
}

class Embedder {
 public:
  Embedder(const Options& options, const SourceFile& source, DiagnosticSink& sink)
      : options_(options), source_(source), sink_(sink) {}

  std::optional<EmbedResult> Run() {
    auto file = FindEmbeddedBlocks(source_, sink_);
    if (!file) return std::nullopt;
    if (file->blocks.empty()) sink_.Report({0, 0}, kNoBlocks);
    ReadRegions(*file);
    for (const EmbeddedBlock& block : file->blocks) Read(block);
    CheckNames();
    if (sink_.HasErrors()) {
      // What else is wrong in the blocks that can be read.
      for (const ReadBlock& block : blocks_) BuildGraphOf(block);
      return std::nullopt;
    }
    if (!CheckCommandLine()) return std::move(result_);
    for (const ReadBlock& block : blocks_) Compile(block);
    if (sink_.HasErrors()) return std::nullopt;
    if (result_.usage_error) return std::move(result_);
    const std::vector<std::string> own = InputFiles(options_);
    result_.inputs.insert(result_.inputs.begin(), own.begin(), own.end());
    for (const ReadBlock& block : blocks_) {
      const std::vector<std::string> inputs = InputFiles(block.options);
      result_.inputs.insert(result_.inputs.end(), inputs.begin(), inputs.end());
    }
    const std::string to = options_.out_file.empty() ? "-" : options_.out_file;
    if (options_.stage && *options_.stage < Stage::Cuda) {
      result_.outputs = {{to, printed_}};
    } else {
      WriteOutputs(*file);
    }
    return std::move(result_);
  }

 private:
  bool cuda() const {
    if (options_.stage == Stage::Cpp) return false;
    return options_.stage == Stage::Cuda || options_.target != Target::Cpp;
  }

  /// What is between `#pragma scop` and `#pragma endscop`. Regions that the compiler skips, for an
  /// `#if`, stay as they are.
  void ReadRegions(EmbeddedFile& file) {
    std::vector<EmbeddedBlock> regions;
    for (const EmbeddedBlock& block : file.blocks) {
      if (block.is_code) regions.push_back(block);
    }
    if (regions.empty()) return;
    auto read = scop::ReadScops(source_, regions, options_.compiler_arguments, sink_);
    std::vector<EmbeddedBlock> kept;
    std::size_t next = 0;
    for (const EmbeddedBlock& block : file.blocks) {
      if (!block.is_code) {
        kept.push_back(block);
        continue;
      }
      const std::size_t k = next++;
      if (!read || !read->programs[k]) continue;
      regions_.emplace(block.begin.begin, *std::move(read->programs[k]));
      kept.push_back(block);
    }
    file.blocks = std::move(kept);
    if (read) result_.inputs = read->includes;
  }

  void ReadCode(const EmbeddedBlock& block) {
    scop::ScopProgram scop = regions_.at(block.begin.begin);
    auto options = OptionsOfBlock(options_, block, scop.program.interface, sink_);
    if (!options) return;
    blocks_.push_back({&block, scop.program, *std::move(options), std::move(scop)});
  }

  void Read(const EmbeddedBlock& block) {
    CheckArgumentNames(block, sink_);
    if (block.is_code) return ReadCode(block);
    DiagnosticSink found;
    auto program = ReadProgram(ProgramOfBlock(source_, block), found);
    TakeOver(found, block);
    if (!program) return;
    auto options = OptionsOfBlock(options_, block, program->interface, sink_);
    if (!options) return;
    blocks_.push_back({&block, *std::move(program), *std::move(options), std::nullopt});
  }

  /// What is said about the program as a whole is said of the directive that begins it.
  void TakeOver(const DiagnosticSink& found, const EmbeddedBlock& block) {
    for (Diagnostic diagnostic : found.diagnostics()) {
      if (diagnostic.span.begin < block.body.begin) diagnostic.span = block.begin;
      sink_.Add(std::move(diagnostic));
    }
  }

  std::optional<graph::Graph> BuildGraphOf(const ReadBlock& block) {
    DiagnosticSink found;
    auto graph = CompileToGraph(block.program, PipelineOf(block), found);
    TakeOver(found, *block.block);
    return graph;
  }

  void CheckNames() {
    std::map<std::string, Span> names;
    for (const ReadBlock& block : blocks_) {
      const std::string& name = block.options.host_function;
      if (name.empty() || !options_.host_function.empty()) continue;
      const Span place = NamePlace(*block.block);
      for (const char* suffix : {"", "_device", "_error"}) {
        const std::string function = fmt::format("{}{}", name, suffix);
        const auto [earlier, is_new] = names.emplace(function, place);
        if (is_new) continue;
        sink_.Report(place, kNameTaken, function).Note(earlier->second, "the other one");
        break;
      }
    }
  }

  /// What the command line asks of the blocks together.
  bool CheckCommandLine() {
    for (const auto& define : options_.defines) {
      const std::string& name = define.first;
      const bool known = std::any_of(blocks_.begin(), blocks_.end(), [&](const ReadBlock& block) {
        return block.options.defines.count(name) > 0;
      });
      if (!known) {
        result_.usage_error =
            UsageError{fmt::format("-D: no block has a parameter `{}`", name), ""};
        return false;
      }
    }
    if (!options_.host_function.empty() && blocks_.size() > 1) {
      result_.usage_error = UsageError{
          fmt::format("--host-function names one program, but the file has {}", blocks_.size()),
          "name them in the file: #pragma dsl begin name:heat"};
      return false;
    }
    const bool named = std::any_of(blocks_.begin(), blocks_.end(), [](const ReadBlock& block) {
      return !block.options.host_function.empty();
    });
    if (!options_.header_file.empty() && !named) {
      result_.usage_error =
          UsageError{"--header: no block has a name that another file could call it by",
                     "name one: #pragma dsl begin name:heat"};
      return false;
    }
    return true;
  }

  PipelineOptions PipelineOf(const ReadBlock& block) const {
    PipelineOptions pipeline = MakePipelineOptions(block.options, block.program.interface);
    const bool named = !block.options.host_function.empty();
    if (!named) {
      const auto number = static_cast<std::size_t>(&block - blocks_.data()) + 1;
      pipeline.program_name = fmt::format("{}_{}", ProgramNameOf(options_.input), number);
    }
    pipeline.target = cuda() ? Target::Cuda : Target::Cpp;
    pipeline.codegen.part = true;
    pipeline.codegen.exported = named;
    pipeline.codegen.resident = pipeline.codegen.resident && named;
    return pipeline;
  }

  void Compile(const ReadBlock& block) {
    LoadedProgram loaded;
    loaded.program = block.program;
    loaded.pipeline = PipelineOf(block);
    if (auto error = AskNvcc(block.options, loaded)) {
      result_.usage_error = *error;
      return;
    }
    DiagnosticSink found;
    Options options = block.options;
    options.stage = options_.stage;
    CompiledProgram compiled = CompileProgram(options, loaded, source_, found);
    TakeOver(found, *block.block);
    if (compiled.error) {
      result_.usage_error = compiled.error;
      return;
    }
    if (!compiled.lowered) return;
    result_.explanation.append(compiled.explanation);
    Lowered& lowered = *compiled.lowered;
    if (lowered.printed) {
      printed_.append(*lowered.printed);
      return;
    }
    const CodegenOptions& code = lowered.codegen;
    compiled_.push_back(EmitBlock(lowered.module, source_, *block.block,
                                  block.scop ? &*block.scop : nullptr, code, code.fp));
    if (code.exported) headers_.append(codegen::EmitHeader(lowered.module, code));
  }

  void WriteOutputs(const EmbeddedFile& file) {
    const std::string usual = options_.stage ? "-" : cuda() ? "out.cu" : "out.cpp";
    const std::string to = options_.out_file.empty() ? usual : options_.out_file;
    const FileStyle style{to == "-" ? "<generated>" : to, CommandLineText(options_), cuda(),
                          options_.standalone};
    result_.outputs = {{to, AssembleFile(source_, file, compiled_, style)}};
    if (!options_.header_file.empty()) result_.outputs.push_back({options_.header_file, headers_});
  }

  const Options& options_;
  const SourceFile& source_;
  DiagnosticSink& sink_;
  std::map<std::uint32_t, scop::ScopProgram> regions_;  ///< by the place of their directive
  std::vector<ReadBlock> blocks_;
  std::vector<CompiledBlock> compiled_;
  std::string printed_, headers_;
  EmbedResult result_;
};

}  // namespace

std::optional<EmbedResult> EmbedBlocks(const SourceFile& source, const Options& options,
                                       DiagnosticSink& sink) {
  Options decided = options;
  const bool cuda_name =
      std::filesystem::path(options.out_file).extension().string().rfind(".cu", 0) == 0;
  if (!options.target && !options.stage && IsCppFile(options.out_file) && !cuda_name) {
    if (const std::string gpu = GpuOption(options); !gpu.empty()) {
      return EmbedResult{
          {},
          {},
          "",
          UsageError{fmt::format("{} is about CUDA code, but `{}` is C++", gpu, options.out_file),
                     "name a .cu file, or say --target cuda"}};
    }
    decided.target = Target::Cpp;
  }
  return Embedder(decided, source, sink).Run();
}

int EmbedCommand(const Options& options) {
  std::string error;
  std::optional<std::string> text = ReadInput(options.input, error);
  if (!text) return ReportUsage({error, "give the path of a C++ file"});
  const SourceFile source(options.input, *std::move(text));
  DiagnosticSink sink;
  const auto result = EmbedBlocks(source, options, sink);
  PrintDiagnostics(source, sink, options);
  if (!result) return kExitProgramError;
  if (result->usage_error) return ReportUsage(*result->usage_error);
  const int status = WriteCompiled(result->outputs, result->inputs, options);
  if (status == kExitDone) fmt::print(stderr, "{}", result->explanation);
  return status;
}

}  // namespace stencilgen::driver
