#include "codegen/cpp/vector_nest.h"

#include <fmt/format.h>

#include "codegen/cpp/nest_parts.h"
#include "codegen/host_code.h"
#include "codegen/text.h"

namespace stencilgen::codegen::cpp {
namespace {

class VectorNestPrinter {
 public:
  VectorNestPrinter(const ProgramModel& model, plan::KernelId kernel, const VectorKernel& vectors)
      : model_(model),
        kernel_(kernel),
        vectors_(vectors),
        op_(model.OperatorOf(kernel)),
        code_(model, op_, NestStyle(model)),
        rest_(code_.Claim(model.Name(kernel) + "_points")),
        width_(code_.Claim("width")) {}

  LoopNestText Print() {
    CodeWriter body;
    bounds_ = PrintBounds(body, op_, code_);
    text_ = PrintVectors(model_, op_, vectors_.body, vectors_.plan, vectors_.style, code_);
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    for (const std::string& line : text_.before) WriteWrapped(body, line);
    body.Line("constexpr Index {} = {}::kWidth;", width_, text_.type);
    const NestBounds whole = bounds_;
    PrintTiles(body, model_, op_, code_, bounds_, [&] { PrintLoop(body, 0); });
    bounds_ = whole;
    CodeWriter writer;
    PrintPoints(writer);
    writer.Line();
    PrintNest(writer, model_, kernel_, code_, body.str());
    return {writer.str(), NestCall(model_, kernel_, code_)};
  }

 private:
  bool WritesWhatItReads() const {
    for (const auto& [buffer, use] : code_.buffers()) {
      if (use.read && use.written) return true;
    }
    return false;
  }

  const std::string& Iterator(std::size_t n) const { return code_.IteratorName(n); }
  int PointsAlong(std::size_t n) const { return vectors_.points[n]; }

  /// The loops over boxes.
  void PrintLoop(CodeWriter& writer, std::size_t n) {
    const std::size_t last = op_.iterators.size() - 1;
    if (n == last) return PrintRow(writer);
    if (n == 0) writer.Line("{}", ParallelText(model_, bounds_, false));
    const int step = PointsAlong(n);
    const auto loop = writer.Block(
        "for (Index {0} = {1}; {0} <= {2}; {3})", Iterator(n), bounds_.lo[n], bounds_.hi[n],
        step == 1 ? fmt::format("++{}", Iterator(n)) : fmt::format("{} += {}", Iterator(n), step));
    PrintLoop(writer, n + 1);
  }

  /// One row of boxes.
  void PrintRow(CodeWriter& writer) {
    const std::size_t last = op_.iterators.size() - 1;
    const std::string& i = Iterator(last);
    const std::string& lo = bounds_.lo[last];
    const std::string& hi = bounds_.hi[last];
    std::vector<std::string> partial;
    for (std::size_t n = 0; n < last; ++n) {
      if (PointsAlong(n) == 1) continue;
      partial.push_back(
          fmt::format("{} + {} > {}", Iterator(n), PointsAlong(n) - 1, bounds_.hi[n]));
    }
    partial.push_back(fmt::format("{} - {} + 1 < {}", hi, lo, width_));
    {
      const auto narrow = writer.Block("if ({})", fmt::join(partial, " || "));
      CallPoints(writer, lo);
      if (last > 0)
        writer.Line("continue;");
      else
        writer.Line("return;");
    }
    for (const std::string& line : text_.row) WriteWrapped(writer, line);
    if (WritesWhatItReads()) {
      writer.Line("Index {} = {};", i, lo);
      {
        const auto loop = writer.Block("for (; {0} + {1} - 1 <= {2}; {0} += {1})", i, width_, hi);
        PrintBody(writer);
      }
      CallPoints(writer, i);
      return;
    }
    // The last vectors of a row begin where they end with it: some points are computed twice.
    const std::string next = code_.Claim("next");
    if (last == 0) writer.Line("{}", ParallelText(model_, bounds_, false));
    const auto loop =
        writer.Block("for (Index {0} = {1}; {0} <= {2}; {0} += {3})", next, lo, hi, width_);
    writer.Line("const Index {} = Min({}, {} - {} + 1);", i, next, hi, width_);
    PrintBody(writer);
  }

  void PrintBody(CodeWriter& writer) {
    for (const std::string& line : text_.point) WriteWrapped(writer, line);
  }

  std::vector<std::string> EndNames() const {
    std::vector<std::string> names;
    for (std::size_t n = 0; n < op_.iterators.size(); ++n) {
      names.push_back(bounds_.lo[n]);
      names.push_back(bounds_.hi[n]);
    }
    return names;
  }

  /// The points of the present box, and of those that follow it along the row, from `first` on.
  void CallPoints(CodeWriter& writer, const std::string& first) {
    std::vector<std::string> arguments = NestArguments(model_, code_);
    const std::size_t last = op_.iterators.size() - 1;
    for (std::size_t n = 0; n < last; ++n) {
      const std::string& at = Iterator(n);
      const int more = PointsAlong(n) - 1;
      arguments.push_back(at);
      arguments.push_back(more == 0 ? at
                                    : fmt::format("Min({} + {}, {})", at, more, bounds_.hi[n]));
    }
    arguments.push_back(first);
    arguments.push_back(bounds_.hi[last]);
    WriteCall(writer, rest_, arguments, ";");
  }

  /// The function that computes a box of any size, point by point.
  void PrintPoints(CodeWriter& writer) {
    std::vector<std::string> parameters = NestParameters(model_, code_);
    for (const std::string& end : EndNames()) parameters.push_back("const Index " + end);
    writer.Line("// The points of a box, one by one.");
    WriteCall(writer, fmt::format("static void {}", rest_), parameters, " {");
    CodeWriter body;
    for (const std::string& line : code_.uniform()) WriteWrapped(body, line);
    PrintPointLoop(body, 0);
    WriteIndented(writer, body.str());
    writer.Line("}}");
  }

  void PrintPointLoop(CodeWriter& writer, std::size_t n) {
    if (n == op_.iterators.size()) {
      for (const std::string& line : code_.point()) WriteWrapped(writer, line);
      return;
    }
    if (n + 1 == op_.iterators.size()) writer.Line("STENCILGEN_SIMD");
    const auto loop = writer.Block("for (Index {0} = {1}; {0} <= {2}; ++{0})", Iterator(n),
                                   bounds_.lo[n], bounds_.hi[n]);
    PrintPointLoop(writer, n + 1);
  }

  const ProgramModel& model_;
  plan::KernelId kernel_;
  const VectorKernel& vectors_;
  const graph::Operator& op_;
  OperatorCode code_;
  std::string rest_, width_;
  NestBounds bounds_;
  VectorText text_;
};

}  // namespace

LoopNestText PrintVectorNest(const ProgramModel& model, plan::KernelId kernel,
                             const VectorKernel& vectors) {
  return VectorNestPrinter(model, kernel, vectors).Print();
}

}  // namespace stencilgen::codegen::cpp
