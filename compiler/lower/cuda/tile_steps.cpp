#include "lower/cuda/tile_steps.h"

#include <utility>

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;
using Kind = plan::TileStep::Kind;

namespace {

/// What `lower` makes, under the condition where there is one.
template <typename Lower>
void Under(Block& block, const Expr& condition, Lower lower) {
  if (!condition.Valid()) return lower(block);
  kernel::IfStmt branch{condition, {}, {}};
  lower(branch.then_block);
  block.Add(std::move(branch));
}

}  // namespace

Block TileSteps::Lower(bool guarded) {
  Block block;
  for (const plan::TileStep& step : guarded ? tile_.steps : tile_.free_steps) {
    switch (step.kind) {
      case Kind::Load:
        Under(block, pipeline_.LoadsHere(step.index),
              [&](Block& to) { LowerLoad(to, step.index, guarded); });
        break;
      case Kind::LoadRim:
        LowerRim(block, step.index, guarded);
        break;
      case Kind::Arrive:
        block.Add(kernel::WaitStmt{});
        break;
      case Kind::Publish:
        LowerPublish(block, step.index);
        break;
      case Kind::Barrier:
        block.Add(kernel::BarrierStmt{});
        break;
      case Kind::Compute:
        compute_.Lower(block, static_cast<std::size_t>(step.index), guarded);
        break;
      case Kind::Store:
        Under(block, pipeline_.StoresHere(), [&](Block& to) {
          LowerStore(to, tile_.stores[static_cast<std::size_t>(step.index)], guarded);
        });
        break;
      case Kind::TakeOver:
        pipeline_.TakeOver(block, static_cast<std::size_t>(step.index));
        break;
      case Kind::HandOver:
        pipeline_.GiveOn(block, static_cast<std::size_t>(step.index));
        break;
    }
  }
  if (tile_.stream) LowerAgeing(block);
  return block;
}

/// How far in memory the point's element is from that of the thread's first point.
Expr TileSteps::Distance(graph::VersionId version, const Point& point) {
  std::vector<Expr> indices;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) indices.push_back(Number(point[d]));
  return scope_.PositionOf(version, indices);
}

/// The test that the input has the plane that it loads `late` steps after its newest, and that
/// somebody needs it; invalid where that is certain.
Expr TileSteps::PlanesOf(int version, const plan::Halo& halo, std::int64_t late, bool guarded) {
  if (!tile_.stream) return {};
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::size_t d = *tile_.stream;
  const TileScope::Range& all = scope_.ArrayRange(input.version, d);
  const std::int64_t lag = input.lag + late;
  if (input.wraps[d]) tests_.NeedInside(d, all, lag, 0, 0);
  const Expr planes = tests_.OfPlane(input.wraps[d] ? nullptr : &all, lag, halo.lo[d], halo.hi[d]);
  return guarded ? planes : Expr();
}

void TileSteps::LowerLoad(Block& block, int version, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const VarRef pointer = scope_.Pointer(input.version, false);
  const Expr planes = PlanesOf(version, input.halo, -tile_.Ahead(version), guarded);
  const bool copied = pipeline_.IsCopied(version);
  Under(block, planes, [&](Block& to) {
    if (copied) return LowerCopies(to, version, pointer, guarded);
    LowerLoads(to, version, pointer, guarded);
  });
  if (input.async || copied) block.Add(kernel::CommitStmt{});
}

/// A row on its way to where the first stage of a pipeline takes it over.
void TileSteps::LowerCopies(Block& block, int version, const VarRef& pointer, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::size_t x = tile_.dimensions - 1;
  const TileScope::Range& all = scope_.ArrayRange(input.version, x);
  tests_.NeedInside(x, all, 0, input.halo.lo[x], input.halo.hi[x]);
  if (!guarded) return pipeline_.FillRow(block, version, pointer, {}, vectors_);
  const auto inside = [&](const Expr& at) {
    return kernel::And({kernel::Apply(BinaryOp::GreaterEqual, at, Read(all.lo)),
                        kernel::Apply(BinaryOp::LessEqual, at, Read(all.hi))});
  };
  pipeline_.FillRow(block, version, pointer, inside, vectors_);
}

void TileSteps::LowerLoads(Block& block, int version, const VarRef& pointer, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  TileTests::Ranges ranges = {};
  plan::Halo beyond;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    const TileScope::Range& all = scope_.ArrayRange(input.version, d);
    ranges[d] = &all;
    if (!input.wraps[d] || tile_.stream == d) continue;
    tests_.NeedInside(d, all, 0, input.halo.lo[d], input.halo.hi[d]);
    ranges[d] = &scope_.Grid(d);
    beyond.lo[d] = input.halo.lo[d];
    beyond.hi[d] = input.halo.hi[d];
  }
  for (const std::vector<Point>& row : VectorsOf(input.version, guarded || input.async)) {
    const auto each = [&](Block& to) {
      for (const Point& point : row) {
        LowerElement(to,
                     tests_.Of("inside", ranges, input.halo, &input.halo, point, guarded, beyond),
                     version, pointer, point, guarded);
      }
    };
    if (row.size() == 1) {
      each(block);
      continue;
    }
    kernel::IfStmt vector{Read(vectors_), {}, {}};
    const VarRef values = kernel::MakeVar("values", kernel::TypeOf(scope_.TypeOf(version)),
                                          kernel::Storage::Registers, static_cast<int>(row.size()));
    vector.then_block.Add(kernel::DeclareStmt{{values}, false});
    vector.then_block.Add(kernel::LoadVectorStmt{
        kernel::AddressAt(pointer, Distance(input.version, row.front())), values});
    for (std::size_t k = 0; k < row.size(); ++k) {
      Assign(vector.then_block, scope_.Register(version, 0, row[k]),
             kernel::ElementAt(values, Number(static_cast<std::int64_t>(k))));
    }
    each(vector.else_block);
    block.Add(std::move(vector));
  }
  if (input.async && input.rim >= 0) rims_.LowerLoad(block, version, pointer, guarded);
}

void TileSteps::LowerRim(Block& block, int version, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const VarRef pointer = scope_.Pointer(input.version, false);
  const plan::Halo& around = tile_.rims[static_cast<std::size_t>(input.rim)].halo;
  const Expr planes = PlanesOf(version, around, plan::RimAge(input), guarded);
  Under(block, planes, [&](Block& to) { rims_.LowerLoad(to, version, pointer, guarded); });
}

/// Loads the point's element, or starts its way to shared memory.
void TileSteps::LowerElement(Block& block, const Expr& test, int version, const VarRef& pointer,
                             const Point& point, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const Expr around = guarded ? edges_.Around(version, point, 0) : Expr();
  const Expr beside = Distance(input.version, point);
  const Expr distance = around.Valid() ? beside + around : beside;
  Under(block, test, [&](Block& to) {
    if (!input.async) {
      return Assign(to, scope_.Register(version, 0, point), kernel::ElementAt(pointer, distance));
    }
    to.Add(kernel::CopyAsyncStmt{
        kernel::AddressAt(scope_.Shared(version, 0), scope_.SharedPosition(point, {})),
        kernel::AddressAt(pointer, distance)});
  });
}

/// The thread's points, those together that a vector of the version's type holds; one by one where
/// `single`.
std::vector<std::vector<TileSteps::Point>> TileSteps::VectorsOf(graph::VersionId version,
                                                                bool single) const {
  const auto size = single || tile_.alignment == 1
                        ? std::size_t{1}
                        : static_cast<std::size_t>(VectorOf(tile_, scope_.ArrayOf(version)));
  std::vector<std::vector<Point>> vectors;
  for (const Point& point : points_) {
    if (vectors.empty() || vectors.back().size() == size) vectors.emplace_back();
    vectors.back().push_back(point);
  }
  return vectors;
}

/// `const double values[2] = {a, b};`: a plane of the version at the points.
kernel::TableStmt TileSteps::Values(int version, int age, const std::vector<Point>& points) const {
  kernel::TableStmt table;
  table.var = kernel::MakeVar("values", kernel::TypeOf(scope_.TypeOf(version)),
                              kernel::Storage::Registers, static_cast<int>(points.size()));
  for (const Point& point : points) table.values.push_back(scope_.Register(version, age, point));
  return table;
}

void TileSteps::LowerPublish(Block& block, int version) {
  const int age = tile_.versions[static_cast<std::size_t>(version)].FirstShared();
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  const std::vector<bool>& published = published_[static_cast<std::size_t>(version)];
  std::size_t number = 0;
  for (const std::vector<Point>& row : VectorsOf(id, false)) {
    const bool is_published = published[number];
    number += row.size();
    if (!is_published) continue;
    if (row.size() == 1) {
      Assign(block, scope_.SharedElement(version, age, row.front(), {}),
             scope_.Register(version, age, row.front()));
      continue;
    }
    kernel::ScopeStmt scope;
    const kernel::TableStmt values = Values(version, age, row);
    scope.body.Add(values);
    scope.body.Add(kernel::StoreVectorStmt{scope_.Shared(version, age),
                                           scope_.SharedPosition(row.front(), {}), values.var});
    block.Add(std::move(scope));
  }
  rims_.LowerPublish(block, version);
}

void TileSteps::LowerStore(Block& block, const plan::TileStore& store, bool guarded) {
  const int version = tile_.Find(store.version);
  const plan::TileVersion& result = tile_.versions[static_cast<std::size_t>(version)];
  TileTests::Ranges ranges = {};
  for (std::size_t d = 0; d < tile_.dimensions; ++d) ranges[d] = &scope_.StoreRange(store, d);
  Expr planes;
  if (tile_.stream) {
    planes = tests_.OfPlane(ranges[*tile_.stream], result.lag, 0, 0);
    if (!guarded) planes = {};
  }
  Under(block, planes, [&](Block& to) { LowerStores(to, store, ranges, guarded); });
}

void TileSteps::LowerStores(Block& block, const plan::TileStore& store,
                            const TileTests::Ranges& ranges, bool guarded) {
  const int version = tile_.Find(store.version);
  const VarRef pointer = scope_.Pointer(store.version, true);
  const plan::Halo none;
  for (const std::vector<Point>& row : VectorsOf(store.version, guarded)) {
    std::vector<Expr> tests;
    for (const Point& point : row) {
      tests.push_back(tests_.Of("stores", ranges, none, &none, point, guarded));
    }
    const auto each = [&](Block& to) {
      for (std::size_t k = 0; k < row.size(); ++k) {
        Under(to, tests[k], [&](Block& at) {
          Assign(at, kernel::ElementAt(pointer, Distance(store.version, row[k])),
                 scope_.Register(version, 0, row[k]));
        });
      }
    };
    if (row.size() == 1) {
      each(block);
      continue;
    }
    // Where what is stored is whole vectors, a thread stores all of one or nothing of it.
    const bool whole = tile_.halo.lo[tile_.dimensions - 1] % tile_.alignment == 0;
    if (whole) tests.assign(row.size(), Expr(tests.front()));
    std::vector<Expr> all = {Read(vectors_)};
    all.insert(all.end(), tests.begin(), whole ? tests.begin() + 1 : tests.end());
    kernel::IfStmt vector{kernel::And(all), {}, {}};
    const kernel::TableStmt values = Values(version, 0, row);
    vector.then_block.Add(values);
    vector.then_block.Add(
        kernel::StoreVectorStmt{pointer, Distance(store.version, row.front()), values.var});
    each(vector.else_block);
    block.Add(std::move(vector));
  }
}

void TileSteps::LowerAgeing(Block& block) {
  for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
    block.Add(kernel::AssignStmt{Read(pointer.var), AssignOp::Add,
                                 scope_.Stride(pointer.version, *tile_.stream)});
  }
  pipeline_.RotateSlots(block);
  compute_.LowerAgeing(block);
  for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
    AgePlanes(block, static_cast<int>(v));
    if (tile_.versions[v].slots >= 2) AgeSlots(block, static_cast<int>(v));
  }
}

void TileSteps::AgePlanes(Block& block, int index) const {
  const plan::TileVersion& version = tile_.versions[static_cast<std::size_t>(index)];
  for (int age = static_cast<int>(version.planes.size()) - 1; age > 0; --age) {
    if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
    const bool younger = version.planes[static_cast<std::size_t>(age) - 1].registers;
    for (const Point& point : points_) {
      Assign(block, scope_.Register(index, age, point),
             younger ? scope_.Register(index, age - 1, point)
                     : scope_.SharedElement(index, age - 1, point, {}));
    }
  }
}

void TileSteps::AgeSlots(Block& block, int index) const {
  const plan::TileVersion& version = tile_.versions[static_cast<std::size_t>(index)];
  const int first = version.FirstShared();
  const int last = first + version.slots - 1;
  const VarRef oldest =
      kernel::MakeVar("oldest", kernel::TypeOf(scope_.TypeOf(index)), kernel::Storage::Shared);
  kernel::ScopeStmt scope;
  scope.body.Add(kernel::LetStmt{oldest, Read(scope_.Shared(index, last))});
  for (int age = last; age > first; --age) {
    Assign(scope.body, Read(scope_.Shared(index, age)), Read(scope_.Shared(index, age - 1)));
  }
  Assign(scope.body, Read(scope_.Shared(index, first)), Read(oldest));
  block.Add(std::move(scope));
}

}  // namespace stencilgen::lower::cuda
