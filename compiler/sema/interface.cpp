#include "sema/interface.h"

#include <algorithm>
#include <set>

#include "sema/expand_complex.h"
#include "sema/reductions.h"

namespace stencilgen {

namespace {

void Apply(const ast::NameList& list, graph::InterfaceArray& array) {
  switch (list.kind) {
    case ast::ListKind::CopyIn:
      array.copy_in = true;
      break;
    case ast::ListKind::CopyOut:
      array.copy_out = array.rank > 0;
      break;
    case ast::ListKind::Constant:
      array.constant = array.copy_in = true;
      break;
    case ast::ListKind::Coefficient:
      array.constant = true;
      break;
    case ast::ListKind::AllocIn:
      break;
  }
}

graph::ProgramInterface InterfaceOfReal(const ast::Program& program) {
  graph::ProgramInterface interface;
  for (const ast::Parameter& parameter : program.parameters) {
    interface.parameters.push_back({parameter.name.text, parameter.name.span});
  }
  for (const ast::Name& iterator : program.iterators) {
    interface.iterators.push_back({iterator.text, iterator.span});
  }
  const std::set<std::string> reduced = sema::ReducedScalars(program);
  for (const ast::Declaration& declaration : program.declarations) {
    for (const ast::Declarator& declarator : declaration.declarators) {
      graph::InterfaceArray array;
      array.name = {declarator.name.text, declarator.name.span};
      array.type = declaration.type;
      array.format = declaration.format;
      // What a reduction is assigned to is an array of one element.
      array.rank = reduced.count(declarator.name.text) > 0 ? 1 : declarator.extents.size();
      array.copy_in = array.rank == 0;
      interface.arrays.push_back(std::move(array));
    }
  }
  for (const ast::NameList& list : program.lists) {
    for (const ast::Name& name : list.names) {
      const auto listed =
          std::find_if(interface.arrays.begin(), interface.arrays.end(),
                       [&](const auto& array) { return array.name.text == name.text; });
      if (listed != interface.arrays.end()) Apply(list, *listed);
    }
  }
  for (const ast::Stencil& stencil : program.stencils) {
    for (const ast::StencilItem& item : stencil.items) {
      const auto* declaration = std::get_if<ast::Declaration>(&item);
      if (declaration == nullptr) continue;
      for (const ast::Declarator& declarator : declaration->declarators) {
        interface.locals.push_back({declarator.name.text, declarator.name.span});
      }
    }
  }
  return interface;
}

}  // namespace

graph::ProgramInterface InterfaceOf(const ast::Program& program) {
  if (!sema::HasComplex(program)) return InterfaceOfReal(program);
  DiagnosticSink unheard;  // what is wrong is said when the graph is built
  return InterfaceOfReal(sema::ExpandComplex(program, unheard).program);
}

}  // namespace stencilgen
