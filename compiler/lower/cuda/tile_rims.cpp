#include "lower/cuda/tile_rims.h"

#include <utility>

namespace stencilgen::lower::cuda {

using kernel::Block;
using kernel::Expr;
using kernel::Number;
using kernel::Read;
using kernel::VarRef;

namespace {

/// `if (condition) stmt`
template <typename Stmt>
void AddIf(Block& block, const Expr& condition, Stmt stmt) {
  kernel::IfStmt branch{condition, {}, {}};
  branch.then_block.Add(std::move(stmt));
  block.Add(std::move(branch));
}

kernel::AssignStmt Assign(const Expr& target, const Expr& value) {
  return {target, AssignOp::Assign, value};
}

}  // namespace

const plan::Rim& TileRims::RimOf(int version) const {
  const int rim = tile_.versions[static_cast<std::size_t>(version)].rim;
  return tile_.rims[static_cast<std::size_t>(rim)];
}

/// The dimension of a plane's rows; that of its points where it has no rows.
std::size_t TileRims::Across() const {
  for (std::size_t d = 0; d + 1 < tile_.dimensions; ++d) {
    if (tile_.stream != d) return d;
  }
  return tile_.dimensions - 1;
}

TileRims::Places& TileRims::PlacesOf(int version) {
  const int rim = tile_.versions[static_cast<std::size_t>(version)].rim;
  const auto [at, is_new] = places_.try_emplace(rim);
  if (is_new) {
    const int loads = plan::RimLoads(tile_, RimOf(version));
    const auto array = [&](std::string_view wish, kernel::Type type) {
      return kernel::MakeVar(scope_.Claim(wish), type, kernel::Storage::Registers, loads);
    };
    at->second.used = array("in_rim", kernel::kBool);
    at->second.at = array("rim_at", kernel::kInt);
  }
  return at->second;
}

/// Distances depend on how far apart rows are in memory.
const VarRef& TileRims::From(int version) {
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  const std::size_t x = tile_.dimensions - 1;
  Expr distance = Number(0);
  if (Across() < x) {
    distance = kernel::ConvertTo(kernel::kIndex, Read(dy_)) * scope_.Stride(id, Across());
    distance = distance + edges_.Beyond(version, Across(), Read(dy_));
  }
  distance = distance + Read(dx_) + edges_.Beyond(version, x, Read(dx_));
  Places& places = PlacesOf(version);
  const auto [at, is_new] = places.from.try_emplace(kernel::Print(distance));
  if (is_new) {
    at->second = {kernel::MakeVar(scope_.Claim("rim_from"), kernel::kIndex,
                                  kernel::Storage::Registers, places.used->count),
                  distance};
  }
  return at->second.first;
}

/// The test of the elements, one each.
const VarRef& TileRims::Inside(int version, bool guarded) {
  Places& places = PlacesOf(version);
  if (!guarded) return places.used;
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  std::vector<Expr> conditions;
  const auto& wraps = tile_.versions[static_cast<std::size_t>(version)].wraps;
  const auto add = [&](std::size_t d, const VarRef& along) {
    if (wraps[d]) return;
    const TileScope::Range& range = scope_.ArrayRange(id, d);
    const Expr at = Read(scope_.First(d)) + Read(along);
    conditions.push_back(kernel::Apply(BinaryOp::GreaterEqual, at, Read(range.lo)));
    conditions.push_back(kernel::Apply(BinaryOp::LessEqual, at, Read(range.hi)));
  };
  if (Across() + 1 < tile_.dimensions) add(Across(), dy_);
  add(tile_.dimensions - 1, dx_);
  if (conditions.empty()) return places.used;
  const Expr condition = kernel::And(conditions);
  const auto [at, is_new] = places.inside.try_emplace(kernel::Print(condition));
  if (is_new) {
    at->second = {kernel::MakeVar(scope_.Claim("rim_inside"), kernel::kBool,
                                  kernel::Storage::Registers, places.used->count),
                  condition};
  }
  return at->second.first;
}

/// The code for each element that a thread loads, given its index.
void TileRims::ForEach(Block& block, int count,
                       const std::function<void(Block&, const Expr&)>& lower) {
  if (count == 1) return lower(block, Number(0));
  kernel::ForStmt loop;
  loop.var = kernel::MakeVar("n", kernel::kInt);
  loop.first = Number(0);
  loop.last = Number(count);
  loop.below = true;
  loop.kind = kernel::LoopKind::Unrolled;
  loop.unroll = count;
  lower(loop.body, Read(loop.var));
  block.Add(std::move(loop));
}

void TileRims::LowerPlaces(Block& block) const {
  for (const auto& [rim, places] : places_) {
    LowerPlace(block, tile_.rims[static_cast<std::size_t>(rim)], places);
  }
}

Expr TileRims::Thread(std::size_t d) const {
  return kernel::GridPlace(kernel::PlaceExpr::What::Thread,
                           static_cast<int>(tile_.dimensions - 1 - d), kernel::kInt);
}

void TileRims::LowerPlace(Block& block, const plan::Rim& rim, const Places& places) const {
  const int loads = plan::RimLoads(tile_, rim);
  const std::size_t x = tile_.dimensions - 1;
  const std::size_t y = Across();
  const bool rows = y < x;
  const auto own = [&](std::size_t d) {
    return tile_.threads[d] == 1 ? Number(0) : Thread(d) * Number(tile_.points[d]);
  };
  Expr thread = Number(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.threads[d] == 1) continue;
    thread = thread * Number(tile_.threads[d]) + Thread(d);
  }
  std::vector<VarRef> flags = {places.used};
  for (const auto& [condition, inside] : places.inside) flags.push_back(inside.first);
  block.Add(
      kernel::CommentStmt{"Elements around the block's points that its threads load in turns."});
  block.Add(kernel::DeclareStmt{flags, false});
  block.Add(kernel::DeclareStmt{{places.at}, false});
  for (const auto& [stride, from] : places.from) {
    block.Add(kernel::DeclareStmt{{from.first}, false});
  }
  const auto lower = [&](Block& to, const Expr& n) {
    kernel::RimPlaceStmt place;
    const VarRef number = kernel::MakeVar("number", kernel::kInt);
    to.Add(kernel::LetStmt{number, thread + n * Number(tile_.Threads())});
    place.place = kernel::MakeVar("place", kernel::kInt);
    place.x = kernel::MakeVar("place.x", kernel::kInt);
    place.y = kernel::MakeVar("place.y", kernel::kInt);
    place.number = Read(number);
    place.rows = rows ? tile_.Extent(y) : 1;
    place.columns = tile_.Extent(x);
    place.above = rows ? rim.halo.lo[y] : 0;
    place.below = rows ? rim.halo.hi[y] : 0;
    place.before = rim.halo.lo[x];
    place.after = rim.halo.hi[x];
    place.corners = rim.corners;
    to.Add(place);
    to.Add(kernel::LetStmt{dx_, Read(place.x) - own(x)});
    if (rows) to.Add(kernel::LetStmt{dy_, Read(place.y) - own(y)});
    const Expr used = kernel::ElementAt(places.used, n);
    to.Add(Assign(
        used, kernel::Apply(BinaryOp::Less, Read(number), Number(plan::RimElements(tile_, rim)))));
    for (const auto& [text, inside] : places.inside) {
      to.Add(Assign(kernel::ElementAt(inside.first, n), kernel::And({used, inside.second})));
    }
    const Expr row = rows ? Read(place.y) * Number(tile_.SharedStride(y)) : Number(0);
    to.Add(Assign(kernel::ElementAt(places.at, n), row + Read(place.x)));
    for (const auto& [text, from] : places.from) {
      to.Add(Assign(kernel::ElementAt(from.first, n), from.second));
    }
  };
  if (loads > 1) return ForEach(block, loads, lower);
  kernel::ScopeStmt scope;
  lower(scope.body, Number(0));
  block.Add(std::move(scope));
}

void TileRims::DeclareVariables(Block& block, int version) const {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (input.rim < 0 || input.async) return;
  block.Add(kernel::DeclareStmt{{scope_.RimRegisters(version)}});
}

void TileRims::LowerLoad(Block& block, int version, const VarRef& pointer, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const VarRef& from = From(version);
  const VarRef& inside = Inside(version, guarded);
  const int age = plan::RimAge(input);
  const Expr around = guarded ? edges_.AroundStream(version, age) : Expr();
  const auto place = [&](const Expr& n) {
    Expr at = kernel::ElementAt(from, n);
    if (around.Valid()) at = at + around;
    return age == 0 ? at : at - Number(age) * scope_.Stride(input.version, *tile_.stream);
  };
  ForEach(block, plan::RimLoads(tile_, RimOf(version)), [&](Block& to, const Expr& n) {
    const Expr condition = kernel::ElementAt(inside, n);
    if (input.async) {
      const Expr at = kernel::ElementAt(PlacesOf(version).at, n);
      AddIf(to, condition,
            kernel::CopyAsyncStmt{kernel::AddressAt(scope_.Shared(version, 0), at),
                                  kernel::AddressAt(pointer, place(n))});
    } else {
      AddIf(to, condition,
            Assign(kernel::ElementAt(scope_.RimRegisters(version), n),
                   kernel::ElementAt(pointer, place(n))));
    }
  });
}

void TileRims::LowerPublish(Block& block, int version) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (input.rim < 0) return;
  const Places& places = PlacesOf(version);
  ForEach(block, plan::RimLoads(tile_, RimOf(version)), [&](Block& to, const Expr& n) {
    AddIf(to, kernel::ElementAt(places.used, n),
          Assign(kernel::ElementAt(scope_.Shared(version, input.FirstShared()),
                                   kernel::ElementAt(places.at, n)),
                 kernel::ElementAt(scope_.RimRegisters(version), n)));
  });
}

}  // namespace stencilgen::lower::cuda
