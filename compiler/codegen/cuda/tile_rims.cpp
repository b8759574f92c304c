#include "codegen/cuda/tile_rims.h"

#include <fmt/format.h>

#include "codegen/text.h"

namespace stencilgen::codegen::cuda {

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
    at->second.used = scope_.Claim("in_rim");
    at->second.at = scope_.Claim("rim_at");
  }
  return at->second;
}

/// Distances depend on how far apart rows are in memory.
std::string TileRims::From(int version) {
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  const Term stride = scope_.Stride(id, Across());
  const auto [at, is_new] = PlacesOf(version).from.try_emplace(stride.text);
  if (is_new) at->second = {scope_.Claim("rim_from"), stride};
  return at->second.first;
}

/// The test of an element, `[n]` to follow.
std::string TileRims::Inside(int version, bool guarded) {
  Places& places = PlacesOf(version);
  if (!guarded) return places.used;
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  std::vector<std::string> conditions;
  const auto add = [&](std::size_t d, const char* along) {
    const std::string range = scope_.ArrayRange(id, d);
    const std::string at = (Variable(scope_.First(d)) + Variable(along)).text;
    conditions.push_back(fmt::format("{0} >= {1}_lo && {0} <= {1}_hi", at, range));
  };
  if (Across() + 1 < tile_.dimensions) add(Across(), "dy");
  add(tile_.dimensions - 1, "dx");
  const auto [at, is_new] =
      places.inside.try_emplace(fmt::format("{}", fmt::join(conditions, " && ")));
  if (is_new) at->second = scope_.Claim("rim_inside");
  return at->second;
}

/// The code for each element that a thread loads, `n` its index.
void TileRims::ForEach(CodeWriter& writer, int count,
                       const std::function<void(CodeWriter&, const std::string&)>& print) {
  if (count == 1) return print(writer, "0");
  writer.Line("STENCILGEN_UNROLL_BY({})", count);
  const auto loop = writer.Block("for (int n = 0; n < {}; ++n)", count);
  print(writer, "n");
}

void TileRims::PrintPlaces(CodeWriter& writer) const {
  for (const auto& [rim, places] : places_) {
    PrintPlace(writer, tile_.rims[static_cast<std::size_t>(rim)], places);
  }
}

void TileRims::PrintPlace(CodeWriter& writer, const plan::Rim& rim, const Places& places) const {
  const int loads = plan::RimLoads(tile_, rim);
  const std::size_t x = tile_.dimensions - 1;
  const std::size_t y = Across();
  const bool rows = y < x;
  const auto own = [&](std::size_t d) {
    const char axis = "xyz"[tile_.dimensions - 1 - d];
    return tile_.threads[d] == 1
               ? std::string("0")
               : (Variable(fmt::format("int(threadIdx.{})", axis)) * Number(tile_.points[d])).text;
  };
  Term thread = Number(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (tile_.threads[d] == 1) continue;
    thread = thread * Number(tile_.threads[d]) +
             Variable(fmt::format("int(threadIdx.{})", "xyz"[tile_.dimensions - 1 - d]));
  }
  std::vector<std::string> flags = {fmt::format("{}[{}]", places.used, loads)};
  for (const auto& [ranges, name] : places.inside) {
    flags.push_back(fmt::format("{}[{}]", name, loads));
  }
  writer.Line("// Elements around the block's points that its threads load in turns.");
  writer.Line("bool {};", fmt::join(flags, ", "));
  writer.Line("int {}[{}];", places.at, loads);
  for (const auto& [text, from] : places.from) writer.Line("Index {}[{}];", from.first, loads);
  const auto print = [&](CodeWriter& to, const std::string& n) {
    const Term turn = n == "0" ? Number(0) : Variable(n) * Number(tile_.Threads());
    to.Line("const int number = {};", (thread + turn).text);
    to.Line("const RimPlace place = PlaceInRim<{}, {}, {}, {}, {}, {}, {}>(number);",
            rows ? tile_.Extent(y) : 1, tile_.Extent(x), rows ? rim.halo.lo[y] : 0,
            rows ? rim.halo.hi[y] : 0, rim.halo.lo[x], rim.halo.hi[x], rim.corners);
    to.Line("const int dx = place.x - {};", own(x));
    if (rows) to.Line("const int dy = place.y - {};", own(y));
    to.Line("{}[{}] = number < {};", places.used, n, plan::RimElements(tile_, rim));
    for (const auto& [conditions, name] : places.inside) {
      WriteWrapped(to, fmt::format("{}[{}] = {}[{}] && {};", name, n, places.used, n, conditions));
    }
    to.Line("{}[{}] = {}place.x;", places.at, n,
            rows ? fmt::format("place.y * {} + ", tile_.SharedStride(y)) : std::string());
    for (const auto& [text, from] : places.from) {
      const Term row = rows ? Variable("Index(dy)") * from.second : Number(0);
      to.Line("{}[{}] = {};", from.first, n, (row + Variable("dx")).text);
    }
  };
  if (loads > 1) return ForEach(writer, loads, print);
  const auto block = writer.Block("");
  print(writer, "0");
}

void TileRims::PrintVariables(CodeWriter& writer, int version) const {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (input.rim < 0 || input.async) return;
  writer.Line("{} {}[{}] = {{}};", ToString(scope_.TypeOf(version)), scope_.RimRegisters(version),
              plan::RimLoads(tile_, RimOf(version)));
}

void TileRims::PrintLoad(CodeWriter& writer, int version, const std::string& pointer,
                         bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::string from = From(version);
  const std::string inside = Inside(version, guarded);
  const int age = plan::RimAge(input);
  const auto place = [&](const std::string& n) {
    const Term at = Variable(fmt::format("{}[{}]", from, n));
    return age == 0 ? at : at - Number(age) * scope_.Stride(input.version, *tile_.stream);
  };
  ForEach(writer, plan::RimLoads(tile_, RimOf(version)), [&](CodeWriter& to, const std::string& n) {
    if (input.async) {
      WriteWrapped(
          to, fmt::format("if ({0}[{1}]) CopyAsync({2} + {3}[{1}], {4} + {5});", inside, n,
                          scope_.Shared(version, 0), PlacesOf(version).at, pointer, place(n).text));
    } else {
      WriteWrapped(to, fmt::format("if ({0}[{1}]) {2}[{1}] = {3}[{4}];", inside, n,
                                   scope_.RimRegisters(version), pointer, place(n).text));
    }
  });
}

void TileRims::PrintPublish(CodeWriter& writer, int version) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  if (input.rim < 0) return;
  const Places& places = PlacesOf(version);
  ForEach(writer, plan::RimLoads(tile_, RimOf(version)), [&](CodeWriter& to, const std::string& n) {
    WriteWrapped(to, fmt::format("if ({0}[{1}]) {2}[{3}[{1}]] = {4}[{1}];", places.used, n,
                                 scope_.Shared(version, input.FirstShared()), places.at,
                                 scope_.RimRegisters(version)));
  });
}

}  // namespace stencilgen::codegen::cuda
