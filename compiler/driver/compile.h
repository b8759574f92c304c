#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/choose_schedule.h"
#include "driver/files.h"
#include "driver/measure_orders.h"
#include "driver/options.h"
#include "driver/pipeline.h"
#include "driver/recompile.h"

namespace stencilgen::driver {

/// A program that has been read, parsed and built, or the exit status that says it could not be.
struct LoadedProgram {
  int exit_status = 0;  ///< not 0: everything has been said
  std::unique_ptr<SourceFile> source;
  std::optional<graph::Program> program;
  PipelineOptions pipeline;
  std::shared_ptr<OrderMeasurer> orders;   ///< the same
  std::shared_ptr<Recompiler> recompiler;  ///< that `pipeline` asks; null where it asks none
};

/// Reads, parses and checks the command line against the program. Parse errors have been printed
/// where exit_status is not 0; otherwise what was found is in the sink.
LoadedProgram LoadProgram(const Options& options, DiagnosticSink& sink);

/// Takes into the pipeline's options what the tuning database has for the command line, and adds
/// the note about it; where it was tuned for another GPU than the default, the options get that.
/// Says what went wrong; returns the exit status.
int TakeTuned(Options& options, LoadedProgram& loaded, Target target, const std::string& gpu_arch,
              std::string& notes);

/// What `--explain` says of a plan: its kernels, how they were fused, and what ptxas was asked.
/// `recompiler`: that it came from; null for none.
std::string ExplanationText(const ChosenPlan& chosen, const Options& options,
                            const Recompiler* recompiler);

/// Writes all files or none, and what they were made from where the options ask for that; never
/// the input file. Says what went wrong; returns the exit status.
int WriteCompiled(std::vector<OutputFile> outputs, const std::vector<std::string>& inputs,
                  const Options& options);

/// `stencilgen FILE` of a stencil program. Returns the exit status.
int CompileCommand(const Options& options);

}  // namespace stencilgen::driver
