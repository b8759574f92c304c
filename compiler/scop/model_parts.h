#pragma once

#include "scop/model.h"
#include "support/diagnostics.h"

/// Parts of BuildModel, which all take a model whose steps are known.
namespace stencilgen::scop {

/// Finds the scalars that each iteration sets before it reads them.
void FindPrivates(Model& model);

/// Reports data-dependent conditions whose value changes before all that is under them is done:
/// each statement evaluates them again.
void CheckConditions(const Model& model, DiagnosticSink& sink);

/// Makes the domains and accesses of all steps. Reports subscripts and bounds that are not affine.
/// Requires: FindPrivates(model).
void MakeSets(Model& model, DiagnosticSink& sink);

}  // namespace stencilgen::scop
