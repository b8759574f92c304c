#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"

namespace stencilgen::baseline {

/// An array in memory, held by a variable of the generated function. Loops exchange the memory of
/// their variables.
struct Buffer {
  std::string name;      ///< of the variable
  graph::ArrayId array;  ///< gives type and shape
  bool callers = false;  ///< the memory that the caller gave for `array`
  bool filled = false;   ///< begins with what the caller gave
};

/// How an operator writes its result.
struct Store {
  int buffer = -1;
  bool in_place = false;     ///< over its background, which nobody reads afterwards
  int border_from = -1;      ///< the buffer to copy points outside the domain from; -1: none
  bool border_once = false;  ///< before the loop around it, not in every turn
};

/// The variables of a loop whose memory changes places after each turn: `to` gets that of `from`,
/// all at once.
struct Exchange {
  std::vector<std::pair<int, int>> moves;  ///< (to, from)
};

/// Where every version of a graph lives in straightforward code: in the array's own memory, or in a
/// second one where a statement reads what it replaces.
struct Memory {
  std::vector<Buffer> buffers;
  std::map<graph::VersionId, int> homes;        ///< of versions that are arrays
  std::map<graph::NodeId, Store> stores;        ///< by operator
  std::map<graph::NodeId, Exchange> exchanges;  ///< by loop
};

/// Empty, with the reason in `problem`, where a program is beyond this scheme.
std::optional<Memory> PlaceInMemory(const graph::Graph& graph, std::string& problem);

}  // namespace stencilgen::baseline
