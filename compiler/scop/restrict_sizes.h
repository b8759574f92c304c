#pragma once

#include <string>

#include "scop/model.h"

namespace stencilgen::scop {

/// Finds the sizes for which all subscripts are what the model takes them for, and restricts the
/// model to them: `% n` to values less than one turn away, `i*n + j` to its row. Reports subscripts
/// for which there are no such sizes.
void RestrictSizes(Model& model, DiagnosticSink& sink);

void ReportNotAffine(Span span, const std::string& what, DiagnosticSink& sink);

}  // namespace stencilgen::scop
