#pragma once

#include <cstddef>

#include "graph/graph.h"
#include "graph/interpret.h"

/// Values of elements that are narrower than their type (support/scalar_type.h).
namespace stencilgen::graph {

/// The nearest number that elements of the format hold; whole numbers beyond their ends become the
/// ends. Plain: the number itself.
double Nearest(ElementFormat format, double value);

/// Each of them.
void RoundToNearest(ElementFormat format, Values& values);

/// Bytes of the values as elements of the format.
std::size_t BytesOf(const Values& values, ElementFormat format);
/// The values as elements in memory, as programs have them. Requires: elements hold them; room for
/// BytesOf.
void StoreElements(const Values& values, ElementFormat format, void* to);
/// Gives `values` what elements in memory hold, as many as there are values.
void LoadElements(const void* from, ElementFormat format, Values& values);

/// Every value of the expression is a number that elements of the format hold: it reads one, or has
/// been brought to one. What it says no to may be one nevertheless.
bool Fits(const Graph& graph, ExprId value, ElementFormat format);

/// The value, or where it may not fit (Fits), what brings it to the nearest number that does.
/// Requires: the value has the format's type.
ExprId FitTo(Graph& graph, ExprId value, ElementFormat format);

}  // namespace stencilgen::graph
