#include "choose/nest_traffic.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace stencilgen::choose {
namespace {

using Operators = std::vector<const graph::Operator*>;
/// By iterator: how far from the point.
using Offsets = std::vector<std::int64_t>;

/// Elements of one array that a point uses, without their place along the last iterator.
struct Stream {
  std::set<Offsets> rows;
  double bytes = 8;  ///< of an element
  bool read = false, written = false;

  /// How many different rows there are up to the iterator, without it.
  double Different(std::size_t iterator) const {
    std::set<Offsets> prefixes;
    for (const Offsets& row : rows) {
      prefixes.insert(Offsets(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(iterator)));
    }
    return static_cast<double>(prefixes.size());
  }
  /// From the first to the last along an iterator.
  double Span(std::size_t iterator) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (const Offsets& row : rows) {
      least = std::min(least, row[iterator]);
      most = std::max(most, row[iterator]);
    }
    return static_cast<double>(most - least + 1);
  }
};

/// What else passes through takes the other half.
bool Fits(double used, double cache) {
  constexpr double kUsable = 0.5;
  return used <= kUsable * cache;
}

class TrafficFinder {
 public:
  /// `sizes`: empty where streams alone are asked for.
  TrafficFinder(const graph::Graph& graph, const Operators& ops, const plan::LoopNest& nest,
                const graph::ParameterValues& sizes)
      : graph_(graph), nest_(nest) {
    if (sizes.size() == graph.parameters.size()) extents_ = ExtentsOf(*ops.front(), sizes);
    for (const graph::Operator* op : ops) AddReads(*op, ops);
    for (const graph::Operator* op : ops) AddResult(*op, ops);
    for (std::size_t n = 0; n < extents_.size(); ++n) {
      if (nest.tile[n] > 0) extents_[n] = std::min(extents_[n], static_cast<double>(nest.tile[n]));
    }
  }

  /// Bytes a point that come into a cache of that size from below.
  double Into(double bytes) const {
    const std::size_t last = extents_.size() - 1;
    for (std::size_t n = 0; n < last; ++n) {
      if (Fits(Until(n), bytes)) return Moved(n);
    }
    return Moved(last);
  }

  std::vector<Stream> Streams() const {
    std::vector<Stream> streams;
    for (const auto& [array, stream] : streams_) streams.push_back(stream);
    return streams;
  }

  /// By iterator but the last.
  std::vector<double> Layers() const {
    std::vector<double> layers;
    for (std::size_t n = 0; n + 1 < extents_.size(); ++n) layers.push_back(Until(n));
    return layers;
  }

 private:
  /// The element's distance from the point by iterator; false where it is the same for a whole row,
  /// or all planes share it: such arrays are small.
  bool Place(const graph::Operator& op, const graph::Access& access, Offsets& offsets) const {
    offsets.assign(op.iterators.size() - 1, 0);
    bool along_last = false;
    bool along_first = false;
    for (const graph::Index& index : access.indices) {
      const auto found = std::find(op.iterators.begin(), op.iterators.end(), index.iterator);
      if (found == op.iterators.end()) continue;
      const auto n = static_cast<std::size_t>(found - op.iterators.begin());
      along_first = along_first || n == 0;
      if (n + 1 == op.iterators.size()) {
        along_last = true;
      } else {
        offsets[n] = index.offset.constant;
      }
    }
    return along_first && along_last;
  }

  Stream& StreamOf(graph::VersionId version) {
    Stream& stream = streams_[graph_.versions[version].array];
    const graph::Array& array = graph_.arrays[graph_.versions[version].array];
    stream.bytes = static_cast<double>(ElementBytes(array));
    return stream;
  }

  void AddReads(const graph::Operator& op, const Operators& ops) {
    for (graph::ExprId id : graph::Accesses(graph_, op)) {
      const auto& access = std::get<graph::Access>(graph_.exprs[id].node);
      if (access.indices.empty()) continue;
      // What the nest has just made is in a register.
      const bool made = std::any_of(ops.begin(), ops.end(), [&](const graph::Operator* other) {
        return other->result == access.version;
      });
      Offsets offsets;
      if (made || !Place(op, access, offsets)) continue;
      Stream& stream = StreamOf(access.version);
      stream.read = true;
      stream.rows.insert(std::move(offsets));
    }
  }

  void AddResult(const graph::Operator& op, const Operators& ops) {
    const graph::ArrayId array = graph_.versions[op.result].array;
    const bool inner = graph_.arrays[array].local && ops.size() > 1;
    // Lanes stay in caches.
    if (inner || op.reduction) return;
    Stream& stream = StreamOf(op.result);
    stream.written = true;
    if (stream.rows.empty()) stream.rows.insert(Offsets(op.iterators.size() - 1, 0));
  }

  /// Bytes of what is used from one point to the next along the n-th iterator.
  double Until(std::size_t n) const {
    double bytes = 0;
    for (const auto& [array, stream] : streams_) {
      double elements = stream.Different(n) * stream.Span(n);
      for (std::size_t inner = n + 1; inner < extents_.size(); ++inner) {
        elements *= extents_[inner] + (inner + 1 < extents_.size() ? stream.Span(inner) - 1 : 0);
      }
      bytes += elements * stream.bytes;
    }
    return bytes;
  }

  /// Bytes a point where elements are used again along the n-th iterator and the inner ones.
  double Moved(std::size_t n) const {
    double bytes = 0;
    for (const auto& [array, stream] : streams_) {
      // Several points of a turn share rows.
      double shared = 1;
      for (std::size_t outer = 0; outer < n; ++outer) shared *= nest_.points[outer];
      double elements = Spread(stream, n) / shared;
      // At the edges of tiles rows are read by both.
      for (std::size_t inner = std::max<std::size_t>(n, 1); inner + 1 < extents_.size(); ++inner) {
        if (nest_.tile[inner] == 0) continue;
        elements *= (extents_[inner] + stream.Span(inner) - 1) / extents_[inner];
      }
      bytes += elements * stream.bytes;
      if (stream.read && stream.written) bytes += stream.bytes;
    }
    return bytes;
  }

  /// Rows of a turn up to the n-th iterator.
  double Spread(const Stream& stream, std::size_t n) const {
    std::set<Offsets> rows;
    for (const Offsets& row : stream.rows) {
      std::vector<Offsets> placed = {
          Offsets(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n))};
      for (std::size_t outer = 0; outer < n; ++outer) {
        std::vector<Offsets> more;
        for (const Offsets& each : placed) {
          for (int point = 0; point < nest_.points[outer]; ++point) {
            more.push_back(each);
            more.back()[outer] += point;
          }
        }
        placed = std::move(more);
      }
      rows.insert(placed.begin(), placed.end());
    }
    return static_cast<double>(rows.size());
  }

  const graph::Graph& graph_;
  const plan::LoopNest& nest_;
  std::vector<double> extents_;  ///< of a tile
  std::map<graph::ArrayId, Stream> streams_;
};

}  // namespace

std::vector<double> ExtentsOf(const graph::Operator& op, const graph::ParameterValues& sizes) {
  std::vector<double> extents;
  for (const graph::Interval& interval : op.domain.intervals) {
    const auto points = static_cast<double>(graph::Evaluate(interval, sizes).size());
    extents.push_back(std::max(points, 1.0));
  }
  return extents;
}

NestTraffic FindTraffic(const graph::Graph& graph, const Operators& ops, const plan::LoopNest& nest,
                        const graph::ParameterValues& sizes, const machine::Cpu& cpu) {
  const plan::LoopNest tiled = TilesAt(nest, *ops.front(), sizes, cpu);
  const TrafficFinder finder(graph, ops, tiled, sizes);
  NestTraffic traffic;
  for (std::size_t n = 0; n < cpu.caches.size(); ++n) {
    const double bytes = finder.Into(static_cast<double>(cpu.Share(cpu.caches[n])));
    if (n + 1 < cpu.caches.size()) {
      traffic.out_of.push_back(bytes);
    } else {
      traffic.memory = bytes;
    }
  }
  if (cpu.caches.empty()) traffic.memory = finder.Into(0);
  return traffic;
}

std::vector<double> FindLayers(const graph::Graph& graph, const Operators& ops,
                               const plan::LoopNest& nest, const graph::ParameterValues& sizes) {
  return TrafficFinder(graph, ops, nest, sizes).Layers();
}

bool HoldsLayer(double bytes, std::int64_t share) {
  return Fits(bytes, static_cast<double>(share));
}

double SecondsOf(const NestTraffic& traffic, const plan::LoopNest& nest, const machine::Cpu& cpu) {
  double seconds = traffic.memory / (nest.past_caches ? cpu.streaming_triad_all : cpu.triad_all);
  // What comes into a cache comes out of the next.
  for (std::size_t n = 0; n < traffic.out_of.size(); ++n) {
    seconds = std::max(seconds, traffic.out_of[n] / cpu.caches[n + 1].all);
  }
  return seconds;
}

void SetTileByCache(const graph::Graph& graph, const Operators& ops, plan::LoopNest& nest) {
  constexpr std::size_t kIterators = 3;
  if (ops.front()->iterators.size() != kIterators) return;
  const std::vector<Stream> streams = TrafficFinder(graph, ops, nest, {}).Streams();
  double row = 0;
  double rim = 0;
  double planes = 0;
  for (const Stream& stream : streams) {
    row += stream.Span(0) * stream.bytes;
    rim += stream.Span(0) * (stream.Span(1) - 1) * stream.bytes;
    planes = std::max(planes, stream.Different(1));
  }
  if (planes < 2) return;
  nest.tile[1] = plan::kTileByCache;
  nest.row_bytes = static_cast<int>(row);
  nest.rim_bytes = static_cast<int>(rim);
  nest.planes = static_cast<int>(planes);
}

plan::LoopNest TilesAt(plan::LoopNest nest, const graph::Operator& op,
                       const graph::ParameterValues& sizes, const machine::Cpu& cpu) {
  const bool by_cache = std::count(nest.tile.begin(), nest.tile.end(), plan::kTileByCache) > 0;
  if (!by_cache || cpu.caches.empty()) return nest;
  constexpr std::int64_t kLeastRows = 8;
  constexpr int kManyPlanes = 6;
  constexpr std::int64_t kMostOfCore = std::int64_t{8} << 20;
  const std::vector<double> extents = ExtentsOf(op, sizes);
  const auto rows = static_cast<std::int64_t>(extents[1]);
  const auto elements = static_cast<std::int64_t>(extents[2]);
  const std::int64_t row_bytes = nest.row_bytes * elements;
  const std::int64_t rim_bytes = nest.rim_bytes * elements;
  const machine::Cache& own = cpu.caches[std::min<std::size_t>(1, cpu.caches.size() - 1)];
  const std::int64_t last = std::min(cpu.caches.back().bytes / std::max(cpu.cores, 1), kMostOfCore);
  nest.tile[1] = static_cast<int>(rows);
  for (const std::int64_t cache : {nest.planes < kManyPlanes ? 0 : own.bytes / 2, last / 2}) {
    if (rows * row_bytes + rim_bytes <= cache) break;
    const std::int64_t fitting = (cache - rim_bytes) / row_bytes;
    if (fitting < kLeastRows) continue;
    const std::int64_t tiles = (rows + fitting - 1) / fitting;
    nest.tile[1] = static_cast<int>((rows + tiles - 1) / tiles);
    break;
  }
  return nest;
}

}  // namespace stencilgen::choose
