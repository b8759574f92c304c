// What orders operators, what they share, and which of them can become one node.
#include <utility>
#include <vector>

#include "graph/paths.h"
#include "support/catch.h"
#include "support/graph_builder.h"
#include "support/prng.h"

namespace stencilgen::graph {
namespace {

using testing::ArrayHandle;
using testing::At;
using testing::GraphBuilder;
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

TEST_CASE("paths of a diamond with a shortcut", "[paths]") {
  //   0 -> 1 -> 3, 0 -> 2 -> 3, 0 -> 3, 4 alone
  const Edges edges = {{0, 1}, {1, 3}, {0, 2}, {2, 3}, {0, 3}};
  Paths paths(5, edges);
  CHECK(paths.Reaches(0, 3));
  CHECK_FALSE(paths.Reaches(3, 0));
  CHECK_FALSE(paths.Reaches(1, 2));
  CHECK_FALSE(paths.Reaches(0, 0));
  CHECK(paths.SeparatedByOthers(0, 3));  // the direct edge does not help
  CHECK(paths.SeparatedByOthers(3, 0));
  CHECK_FALSE(paths.SeparatedByOthers(0, 1));
  CHECK_FALSE(paths.SeparatedByOthers(1, 2));
  CHECK_FALSE(paths.SeparatedByOthers(0, 4));
  // {0, 1} and 3 still have 2 between them; {0, 1, 2} and 3 have nothing.
  paths.Merge(0, 1);
  CHECK(paths.SeparatedByOthers(0, 3));
  CHECK_FALSE(paths.SeparatedByOthers(0, 2));
  paths.Merge(2, 0);
  CHECK_FALSE(paths.SeparatedByOthers(0, 3));
  CHECK(paths.Reaches(0, 3));
  paths.Merge(0, 3);
  CHECK_FALSE(paths.Reaches(0, 0));
}

TEST_CASE("merging makes paths between what only it joins", "[paths]") {
  Paths paths(4, {{0, 1}, {2, 3}});
  CHECK_FALSE(paths.Reaches(0, 3));
  paths.Merge(1, 2);
  CHECK(paths.Reaches(0, 3));
  CHECK(paths.SeparatedByOthers(0, 3));
}

/// By trying all paths: the same graph, with the merged nodes contracted.
class Slow {
 public:
  Slow(std::size_t nodes, Edges edges) : name_(nodes), edges_(std::move(edges)) {
    for (std::size_t node = 0; node < nodes; ++node) name_[node] = node;
  }
  bool IsNode(std::size_t node) const { return name_[node] == node; }
  bool Reaches(std::size_t from, std::size_t to) const { return Find(from, to, name_.size()); }
  bool Separated(std::size_t a, std::size_t b) const {
    for (std::size_t k = 0; k < name_.size(); ++k) {
      if (!IsNode(k) || k == a || k == b) continue;
      if ((Reaches(a, k) && Reaches(k, b)) || (Reaches(b, k) && Reaches(k, a))) return true;
    }
    return false;
  }
  void Merge(std::size_t a, std::size_t b) {
    for (std::size_t& name : name_) {
      if (name == std::max(a, b)) name = std::min(a, b);
    }
  }

 private:
  bool Find(std::size_t from, std::size_t to, std::size_t left) const {
    if (left == 0) return false;
    for (const auto& [x, y] : edges_) {
      if (name_[x] != from || name_[y] == from) continue;
      if (name_[y] == to || Find(name_[y], to, left - 1)) return true;
    }
    return false;
  }
  std::vector<std::size_t> name_;
  Edges edges_;
};

TEST_CASE("paths stay right while random graphs are merged", "[paths]") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    testing::Prng prng(seed);
    const auto nodes = static_cast<std::size_t>(prng.Range(2, 9));
    Edges edges;
    for (std::size_t to = 1; to < nodes; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (prng.Percent(25)) edges.emplace_back(from, to);
      }
    }
    Paths paths(nodes, edges);
    Slow slow(nodes, edges);
    for (int turn = 0; turn < 12; ++turn) {
      INFO("seed " << seed << ", turn " << turn);
      std::vector<std::pair<std::size_t, std::size_t>> free;
      for (std::size_t a = 0; a < nodes; ++a) {
        for (std::size_t b = 0; b < nodes; ++b) {
          if (a == b || !slow.IsNode(a) || !slow.IsNode(b)) continue;
          REQUIRE(paths.Reaches(a, b) == slow.Reaches(a, b));
          REQUIRE(paths.SeparatedByOthers(a, b) == slow.Separated(a, b));
          if (!slow.Separated(a, b)) free.emplace_back(a, b);
        }
      }
      if (free.empty()) break;
      const auto [a, b] = prng.Pick(free);
      paths.Merge(a, b);
      slow.Merge(a, b);
    }
  }
}

TEST_CASE("paths of a region follow its dependences", "[paths]") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {8}), v = b.Array("v", {8}), w = b.Array("w", {8}).CopyOut();
  b.Assign(u, {{0, 7}}, b.Number(1));
  b.Assign(v, {{0, 7}}, b.Number(2));
  b.Assign(w, {{0, 7}}, u(0) + v(0));
  b.Assign(u, {{0, 7}}, b.Number(3));  // after w has read the old one
  const Graph graph = b.Finish();
  const Paths paths = FindPaths(graph, graph.root, FindDependences(graph, graph.root));
  CHECK(paths.Reaches(0, 2));
  CHECK(paths.Reaches(2, 3));
  CHECK(paths.SeparatedByOthers(0, 3));
  CHECK_FALSE(paths.SeparatedByOthers(0, 1));
}

TEST_CASE("reads that two operators share, with their distances", "[dependences]") {
  GraphBuilder b({"j", "i"});
  const ArrayHandle u = b.Array("u", {8, 8}).CopyIn();
  const ArrayHandle s = b.Scalar("s");
  const ArrayHandle v = b.Array("v", {8, 8}).CopyOut(), w = b.Array("w", {8, 8}).CopyOut();
  const ArrayHandle x = b.Array("x", {8, 8}).CopyOut();
  const auto n0 = b.Assign(v, {{1, 6}, {1, 6}}, u(-1, 0) + u(0, 0) * s());
  const auto n1 = b.Assign(w, {{1, 6}, {1, 6}}, u(0, 1) + u(1, 1) * s());
  const auto n2 = b.Assign(x, {{0, 7}, {0, 7}}, b.Read(u, {At(1), At(0)}));
  const Graph graph = b.Finish();
  const auto found = FindSharedReads(graph, graph.root);
  REQUIRE(found.size() == 3);
  CHECK(found[0].kind == DependenceKind::ReadAfterRead);
  CHECK((found[0].from == n0 && found[0].to == n1));
  CHECK(VersionName(graph, found[0].version) == "u.0");
  CHECK(found[0].distance == std::vector<Distance>{{0, 2, true}, {1, 1, true}});
  CHECK((found[1].from == n0 && found[1].to == n2));
  CHECK_FALSE(found[1].distance[0].known);  // transposed
  CHECK((found[2].from == n1 && found[2].to == n2));
  // Reads set no order.
  CHECK(FindDependences(graph, graph.root).empty());
}

TEST_CASE("an operator accumulates where it reads the old value only at its own point") {
  GraphBuilder b({"i"});
  const ArrayHandle u = b.Array("u", {8}).CopyIn().CopyOut(), v = b.Array("v", {8}).CopyIn();
  const std::vector<NodeId> nodes = {b.Assign(u, {{1, 6}}, u(0) + v(1)),  // u += v
                                     b.Assign(u, {{1, 6}}, u(0) + u(1)),  // reads a neighbour too
                                     b.Assign(u, {{1, 6}}, u(0) + u(0) * v(0)),  // reads it twice
                                     b.Assign(u, {{1, 6}}, v(0))};               // overwrites
  Graph graph = b.Finish();
  for (const NodeId node : nodes) std::get<Operator>(graph.nodes[node]).op = AssignOp::Add;
  const auto accumulates = [&](std::size_t n) {
    return Accumulates(graph, std::get<Operator>(graph.nodes[nodes[n]]));
  };
  CHECK(accumulates(0));
  CHECK_FALSE(accumulates(1));
  CHECK_FALSE(accumulates(2));
  CHECK_FALSE(accumulates(3));
  std::get<Operator>(graph.nodes[nodes[0]]).op = AssignOp::Assign;
  CHECK_FALSE(accumulates(0));
}

}  // namespace
}  // namespace stencilgen::graph
