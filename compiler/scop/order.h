#pragma once

#include <optional>
#include <set>
#include <vector>

#include "scop/model.h"

/// In which order the region's assignments run as assignments of whole arrays.
namespace stencilgen::scop {

/// A step, or a loop that stays a loop with what it holds.
struct OrderItem {
  std::optional<StatementId> loop;
  std::vector<OrderItem> items;  ///< of the loop
  std::size_t step = 0;          ///< where there is no loop
};

/// A step in the new order.
struct Placement {
  std::vector<bool> stays;            ///< by loop of the step: it stays a loop, of turns
  bool reduces = false;               ///< all its other loops are added up in a scalar
  std::vector<std::size_t> position;  ///< among the items of each turn, outermost first
};

struct Order {
  std::vector<OrderItem> items;
  std::vector<Placement> placements;  ///< by step
};

/// Loops whose counter says which element is written become points of an array assignment; others
/// stay, and those of `kept`, as far as they leave each assignment of an array a loop of points.
/// Statements that share a loop of points come one after the other.
Order ChooseOrder(const Model& model, const std::set<StatementId>& kept = {});

/// The time of a step's instances in isl's notation, a tuple of `size` numbers: in the order of the
/// region, or in the new one.
isl::map OldTimes(const Model& model, const Step& step, std::size_t size);
isl::map NewTimes(const Model& model, const Order& order, const Step& step, std::size_t size);

/// What is said of an order.
struct OrderCheck {
  bool holds = false;              ///< nothing was reported
  std::set<StatementId> carriers;  ///< loops from one turn of which to another dependences break
};

/// Reports each dependence that the new order breaks, by both accesses and the loop.
OrderCheck CheckOrder(const Model& model, const Order& order, DiagnosticSink& sink);

}  // namespace stencilgen::scop
