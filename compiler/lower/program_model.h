#pragma once

#include <set>
#include <string>
#include <vector>

#include "kernel/expr.h"
#include "lower/names.h"
#include "lower/options.h"
#include "plan/plan.h"

namespace stencilgen::lower {

/// An array or scalar of the host function, in declaration order.
struct Argument {
  graph::ArrayId array;  ///< of several parts the first
  std::string name;
  std::vector<plan::BufferId> buffers;  ///< its memory, or that of its parts; none for scalars
  int scalar = -1;                      ///< host variable of a scalar, else -1
};

/// A copyout array that the program may change: its home, and the buffer it ends in.
struct Result {
  plan::BufferId home, buffer;
};

/// What both targets need to know about a plan before they lower it: names, and what is used how.
class ProgramModel {
 public:
  ProgramModel(const plan::Plan& plan, const Options& options);

  const plan::Plan& plan() const { return plan_; }
  const graph::Graph& graph() const { return plan_.graph; }
  const Options& options() const { return options_; }

  /// Names of the generated file: parameters, scalars, buffers and kernels.
  const NameScope& scope() const { return scope_; }
  const std::vector<std::string>& parameters() const { return parameters_; }
  const std::string& Scalar(int index) const { return scalars_[static_cast<std::size_t>(index)]; }
  const std::string& Name(plan::BufferId id) const { return buffers_[id.index]; }
  /// The same as variables of code, and forms of parameters.
  const kernel::VarRef& Var(graph::ParameterId id) const { return parameter_vars_[id.index]; }
  const kernel::VarRef& ScalarVar(int index) const {
    return scalar_vars_[static_cast<std::size_t>(index)];
  }
  /// The buffer's memory.
  const kernel::VarRef& Var(plan::BufferId id) const { return buffer_vars_[id.index]; }
  /// The buffer where a GPU's code reads it: in constant memory, if it is there.
  const kernel::VarRef& DeviceVar(plan::BufferId id) const { return device_vars_[id.index]; }
  /// Of a pipeline in time: the stages that have turns in a launch. Null without one.
  const kernel::VarRef& StagesVar(plan::KernelId id) const { return stages_vars_[id.index]; }
  kernel::Expr Form(const graph::LinearForm& form) const;
  const std::string& Name(plan::KernelId id) const { return kernels_[id.index]; }
  /// The function that starts the kernel.
  const std::string& Launcher(plan::KernelId id) const { return launchers_[id.index]; }
  /// The function that computes a box of its points.
  const std::string& BoxName(plan::KernelId id) const { return boxes_[id.index]; }
  /// Of a sweep in place: the name of the function that copies planes home.
  const std::string& CopyName(plan::KernelId id) const { return copies_[id.index]; }
  /// Of a kernel that is the single turn of a loop as well: the function that runs it in place.
  const std::string& InPlaceName(plan::KernelId id) const { return in_place_[id.index]; }
  /// The buffer that a kernel puts an operator's result into: where the plan has it, or where
  /// planes of it wait.
  plan::BufferId TargetOf(graph::VersionId version) const { return target_of_[version.index]; }
  /// The function of a band, by its place among the plan's loops with one.
  const std::string& BandName(std::size_t number) const { return bands_[number]; }
  /// What counts the launches of a band in hexagons; null where it has none.
  const kernel::VarRef& PhaseVar(std::size_t number) const { return phase_vars_[number]; }
  /// What a `constant` array is called in constant memory; empty where it is not there: only
  /// arrays of known size, as many as fit, go there.
  const std::string& ConstantName(plan::BufferId id) const { return constants_[id.index]; }
  const std::vector<Argument>& arguments() const { return arguments_; }

  /// Some step reads or writes the buffer, or an output ends in it.
  bool IsUsed(plan::BufferId id) const { return used_[id.index]; }
  /// Some step may write memory that the buffer points to at some time.
  bool IsWritten(plan::BufferId id) const { return written_[id.index]; }
  bool IsScratch(plan::BufferId id) const { return !plan_.buffers[id].home.Valid(); }
  bool NeedsContents(plan::BufferId id) const;
  bool IsCopiedOut(plan::BufferId id) const;

  std::vector<Result> results() const;
  /// The results that may end elsewhere than at home: in another buffer, or in one whose memory
  /// changed places. Those of parts of the application's arrays come last.
  std::vector<Result> Moves() const;

  const graph::Array& ArrayOf(graph::VersionId version) const {
    return graph().arrays[graph().versions[version].array];
  }
  const graph::Operator& OperatorOf(graph::NodeId node) const;
  /// The first operator of the kernel: the only one on a GPU without a tile.
  const graph::Operator& OperatorOf(plan::KernelId kernel) const;
  /// All of them, in the order of the kernel.
  std::vector<const graph::Operator*> OperatorsOf(plan::KernelId kernel) const;

  /// True where 32-bit integers hold every index of the program for certain.
  bool FitsIntIndex() const { return fits_int_index_; }

  /// Every form that must not be negative for the host call to be legal: iteration counts.
  std::vector<graph::LinearForm> Counts() const;

 private:
  void ClaimNames();
  bool ProvesIntIndex() const;
  void CollectArguments();
  void CollectUse();
  void PlaceConstants();
  void MakeVars();
  void NameParts();

  const plan::Plan& plan_;
  const Options& options_;
  NameScope scope_;
  std::vector<std::string> parameters_, wholes_, scalars_, buffers_, kernels_, launchers_,
      constants_, boxes_, bands_, copies_, in_place_;
  std::vector<kernel::VarRef> parameter_vars_, scalar_vars_, buffer_vars_, device_vars_,
      stages_vars_, phase_vars_;
  std::vector<Argument> arguments_;
  std::vector<plan::BufferId> home_of_;    ///< by array
  std::vector<plan::BufferId> target_of_;  ///< by version
  std::vector<bool> used_, written_, rotated_;
  bool fits_int_index_ = false;
};

}  // namespace stencilgen::lower
