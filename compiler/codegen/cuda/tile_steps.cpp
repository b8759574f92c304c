#include "codegen/cuda/tile_steps.h"

#include <fmt/format.h>

#include "codegen/text.h"

namespace stencilgen::codegen::cuda {

using Kind = plan::TileStep::Kind;

void TileStepPrinter::Print(CodeWriter& writer, bool guarded) {
  for (const plan::TileStep& step : guarded ? tile_.steps : tile_.free_steps) {
    switch (step.kind) {
      case Kind::Load:
        PrintLoad(writer, step.index, guarded);
        break;
      case Kind::LoadRim:
        PrintRim(writer, step.index, guarded);
        break;
      case Kind::Arrive:
        writer.Line("WaitForCopies<0>();");
        break;
      case Kind::Publish:
        PrintPublish(writer, step.index);
        break;
      case Kind::Barrier:
        writer.Line("__syncthreads();");
        break;
      case Kind::Compute:
        compute_.Print(writer, static_cast<std::size_t>(step.index), guarded);
        break;
      case Kind::Store:
        PrintStore(writer, tile_.stores[static_cast<std::size_t>(step.index)], guarded);
        break;
    }
  }
  if (tile_.stream) PrintAgeing(writer);
}

/// How far in memory the point's element is from that of the thread's first point.
Term TileStepPrinter::Distance(graph::VersionId version, const Point& point) {
  const ProgramModel& model = scope_.model();
  const plan::Buffer& memory = model.plan().buffers[model.plan().buffer_of[version.index]];
  Term distance = Number(0);
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    if (d > 0) distance = distance * scope_.Form(memory.extents[d]);
    distance = distance + Number(point[d]);
  }
  return distance;
}

void TileStepPrinter::PrintLoad(CodeWriter& writer, int version, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::string pointer = scope_.Pointer(input.version, false);
  TileTests::Ranges ranges;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) {
    ranges[d] = scope_.ArrayRange(input.version, d);
  }
  std::string planes;
  if (tile_.stream) {
    const std::size_t d = *tile_.stream;
    planes = tests_.OfPlane(ranges[d], input.lag, input.halo.lo[d], input.halo.hi[d]);
    if (!guarded) planes.clear();
  }
  const auto load = [&](CodeWriter& to) {
    for (const std::vector<Point>& row : VectorsOf(input.version, guarded || input.async)) {
      const auto each = [&] {
        for (const Point& point : row) {
          const std::string test =
              tests_.Of("inside", ranges, input.halo, &input.halo, point, guarded);
          PrintElement(to, test, version, pointer, point);
        }
      };
      if (row.size() == 1) {
        each();
        continue;
      }
      {
        const auto block = to.Block("if (kVectors)");
        to.Line("{} values[{}];", ToString(scope_.TypeOf(version)), row.size());
        WriteWrapped(to, fmt::format("LoadVector({}, {}, values);", pointer,
                                     Distance(input.version, row.front()).text));
        for (std::size_t k = 0; k < row.size(); ++k) {
          to.Line("{} = values[{}];", scope_.Register(version, 0, row[k]), k);
        }
      }
      const auto block = to.Block("else");
      each();
    }
    if (input.async && input.rim >= 0) rims_.PrintLoad(to, version, pointer, guarded);
  };
  if (planes.empty()) {
    load(writer);
  } else {
    const auto block = writer.Block("if ({})", planes);
    load(writer);
  }
  if (input.async) writer.Line("CommitCopies();");
}

void TileStepPrinter::PrintRim(CodeWriter& writer, int version, bool guarded) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::string& pointer = scope_.Pointer(input.version, false);
  std::string planes;
  if (tile_.stream) {
    const std::size_t d = *tile_.stream;
    const plan::Halo& around = tile_.rims[static_cast<std::size_t>(input.rim)].halo;
    planes = tests_.OfPlane(scope_.ArrayRange(input.version, d), input.lag + plan::RimAge(input),
                            around.lo[d], around.hi[d]);
  }
  if (planes.empty() || !guarded) return rims_.PrintLoad(writer, version, pointer, guarded);
  const auto block = writer.Block("if ({})", planes);
  rims_.PrintLoad(writer, version, pointer, guarded);
}

/// Loads the point's element, or starts its way to shared memory.
void TileStepPrinter::PrintElement(CodeWriter& writer, const std::string& test, int version,
                                   const std::string& pointer, const Point& point) {
  const plan::TileVersion& input = tile_.versions[static_cast<std::size_t>(version)];
  const std::string when = test.empty() ? test : fmt::format("if ({}) ", test);
  const Term distance = Distance(input.version, point);
  if (!input.async) {
    WriteWrapped(writer, fmt::format("{}{} = {}[{}];", when, scope_.Register(version, 0, point),
                                     pointer, distance.text));
    return;
  }
  const Term to = Variable(scope_.Shared(version, 0)) + Variable(scope_.SharedPosition(point, {}));
  const Term from = Variable(pointer) + distance;
  WriteWrapped(writer, fmt::format("{}CopyAsync({}, {});", when, to.text, from.text));
}

/// The thread's points, those together that a vector of the version's type holds; one by one where
/// `single`.
std::vector<std::vector<TileStepPrinter::Point>> TileStepPrinter::VectorsOf(
    graph::VersionId version, bool single) const {
  const auto size =
      single || tile_.alignment == 1
          ? std::size_t{1}
          : static_cast<std::size_t>(VectorOf(tile_, scope_.TypeOf(tile_.Find(version))));
  std::vector<std::vector<Point>> vectors;
  for (const Point& point : points_) {
    if (vectors.empty() || vectors.back().size() == size) vectors.emplace_back();
    vectors.back().push_back(point);
  }
  return vectors;
}

/// `const double values[2] = {a, b};`: a plane of the version at the points.
std::string TileStepPrinter::Values(int version, int age, const std::vector<Point>& points) const {
  std::vector<std::string> values;
  values.reserve(points.size());
  for (const Point& point : points) values.push_back(scope_.Register(version, age, point));
  return fmt::format("const {} values[{}] = {{{}}};", ToString(scope_.TypeOf(version)),
                     values.size(), fmt::join(values, ", "));
}

void TileStepPrinter::PrintPublish(CodeWriter& writer, int version) {
  const int age = tile_.versions[static_cast<std::size_t>(version)].FirstShared();
  const graph::VersionId id = tile_.versions[static_cast<std::size_t>(version)].version;
  for (const std::vector<Point>& row : VectorsOf(id, false)) {
    const std::string position = scope_.SharedPosition(row.front(), {});
    if (row.size() == 1) {
      writer.Line("{}[{}] = {};", scope_.Shared(version, age), position,
                  scope_.Register(version, age, row.front()));
      continue;
    }
    const auto block = writer.Block("");
    WriteWrapped(writer, Values(version, age, row));
    writer.Line("StoreVector({}, {}, values);", scope_.Shared(version, age), position);
  }
  rims_.PrintPublish(writer, version);
}

void TileStepPrinter::PrintStore(CodeWriter& writer, const plan::TileStore& store, bool guarded) {
  const int version = tile_.Find(store.version);
  const plan::TileVersion& result = tile_.versions[static_cast<std::size_t>(version)];
  const std::string pointer = scope_.Pointer(store.version, true);
  TileTests::Ranges ranges;
  for (std::size_t d = 0; d < tile_.dimensions; ++d) ranges[d] = scope_.StoreRange(store, d);
  std::string planes;
  if (tile_.stream) {
    planes = tests_.OfPlane(ranges[*tile_.stream], result.lag, 0, 0);
    if (!guarded) planes.clear();
  }
  const auto save = [&](CodeWriter& to) {
    const plan::Halo none;
    for (const std::vector<Point>& row : VectorsOf(store.version, guarded)) {
      std::vector<std::string> tests;
      tests.reserve(row.size());
      for (const Point& point : row) {
        tests.push_back(tests_.Of("stores", ranges, none, &none, point, guarded));
      }
      const auto each = [&] {
        for (std::size_t k = 0; k < row.size(); ++k) {
          WriteWrapped(to, fmt::format("{}{}[{}] = {};",
                                       tests[k].empty() ? "" : fmt::format("if ({}) ", tests[k]),
                                       pointer, Distance(store.version, row[k]).text,
                                       scope_.Register(version, 0, row[k])));
        }
      };
      if (row.size() == 1) {
        each();
        continue;
      }
      {
        std::vector<std::string> all = {"kVectors"};
        all.insert(all.end(), tests.begin(), tests.end());
        const auto block = to.Block("if ({})", And(all));
        WriteWrapped(to, Values(version, 0, row));
        WriteWrapped(to, fmt::format("StoreVector({}, {}, values);", pointer,
                                     Distance(store.version, row.front()).text));
      }
      const auto block = to.Block("else");
      each();
    }
  };
  if (planes.empty()) return save(writer);
  const auto block = writer.Block("if ({})", planes);
  save(writer);
}

void TileStepPrinter::PrintAgeing(CodeWriter& writer) {
  for (const TileScope::MovingPointer& pointer : scope_.pointers()) {
    const Term stride = scope_.Stride(pointer.version, *tile_.stream);
    writer.Line("{} += {};", pointer.name, stride.text);
  }
  compute_.PrintAgeing(writer);
  for (std::size_t v = 0; v < tile_.versions.size(); ++v) {
    const plan::TileVersion& version = tile_.versions[v];
    const int index = static_cast<int>(v);
    for (int age = static_cast<int>(version.planes.size()) - 1; age > 0; --age) {
      if (!version.planes[static_cast<std::size_t>(age)].registers) continue;
      const bool younger = version.planes[static_cast<std::size_t>(age) - 1].registers;
      for (const Point& point : points_) {
        writer.Line("{} = {};", scope_.Register(index, age, point),
                    younger ? scope_.Register(index, age - 1, point)
                            : fmt::format("{}[{}]", scope_.Shared(index, age - 1),
                                          scope_.SharedPosition(point, {})));
      }
    }
    if (version.slots < 2) continue;
    const auto block = writer.Block("");
    const int first = version.FirstShared();
    const int last = first + version.slots - 1;
    writer.Line("const Shared<{}> oldest = {};", ToString(scope_.TypeOf(index)),
                scope_.Shared(index, last));
    for (int age = last; age > first; --age) {
      writer.Line("{} = {};", scope_.Shared(index, age), scope_.Shared(index, age - 1));
    }
    writer.Line("{} = oldest;", scope_.Shared(index, first));
  }
}

}  // namespace stencilgen::codegen::cuda
