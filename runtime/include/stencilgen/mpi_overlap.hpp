#ifndef STENCILGEN_MPI_OVERLAP_HPP
#define STENCILGEN_MPI_OVERLAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "stencilgen/mpi_exchange.hpp"
#include "stencilgen/progress.hpp"

/// Computing while messages are on their way.
namespace stencilgen::mpi {

/// A box of a rank's points, with arrays of their own, that a segment runs on as on a whole rank.
class View {
 public:
  /// All of the rank.
  explicit View(Fields& fields) : fields_(fields) {
    for (int field = 0; field < fields.count(); ++field) data_.push_back(fields.data(field));
    for (std::size_t a = 0; a < fields.axes().size(); ++a) {
      first_.push_back(0);
      points_.push_back(fields.local_points(static_cast<int>(a)));
      own_first_.push_back(fields.own_first(static_cast<int>(a)));
      own_end_.push_back(fields.own_end(static_cast<int>(a)));
    }
  }
  /// The points from `first` to before `end` along an axis, of which those from `own_first` to
  /// before `own_end` are to be right; arrays are set by Use.
  View(Fields& fields, std::size_t axis, long long first, long long end, long long own_first,
       long long own_end)
      : View(fields) {
    first_[axis] = first;
    points_[axis] = end - first;
    own_first_[axis] = own_first - first;
    own_end_[axis] = own_end - first;
  }
  void Use(int field, char* data) { data_[static_cast<std::size_t>(field)] = data; }

  template <typename Element>
  Element* At(int field) const {
    return reinterpret_cast<Element*>(data_[static_cast<std::size_t>(field)]);
  }
  /// The place of the first point in the whole grid, plus 1; along a periodic axis taken around.
  int Origin(int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    const long long place = fields_.origin(axis) + first_[a];
    const Axis& along = fields_.axes()[a];
    return static_cast<int>(along.periodic ? place % along.points : place) + 1;
  }
  int Points(int axis) const { return static_cast<int>(points_[static_cast<std::size_t>(axis)]); }
  /// The points that are right in the end, from the view's first one on.
  int OwnFirst(int axis) const {
    return static_cast<int>(own_first_[static_cast<std::size_t>(axis)]);
  }
  int OwnEnd(int axis) const { return static_cast<int>(own_end_[static_cast<std::size_t>(axis)]); }

 private:
  Fields& fields_;
  std::vector<char*> data_;
  std::vector<long long> first_, points_;       // by axis, local
  std::vector<long long> own_first_, own_end_;  // by axis, from first_ on
};

/// An array of a segment.
struct SegmentField {
  int field = 0;
  bool written = false;
};

/// While it lives, the messages of an exchange go on where loops of the thread call MakeProgress:
/// many libraries move long messages only while they are called. The variable STENCILGEN_PROGRESS
/// of the environment says `never` for measurements.
class Progress : public Pending {
 public:
  explicit Progress(Exchange& exchange) : exchange_(exchange) {
    const char* const wish = std::getenv("STENCILGEN_PROGRESS");
    if (wish == nullptr || std::strcmp(wish, "never") != 0) PendingOfThread() = this;
  }
  ~Progress() override { PendingOfThread() = nullptr; }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool GoOn() override {
    const double now = MPI_Wtime();
    if (now < next_) return true;
    const bool there = exchange_.Test();
    next_ = now + kInterval;
    return !there;
  }

 private:
  static constexpr double kInterval = 20e-6;  ///< seconds between calls of MPI

  Exchange& exchange_;
  double next_ = 0;
};

/// An exchange and the segment that needs it. Where it pays, the segment runs while messages are on
/// their way, on ghosts that are old: what it computes near the borders with neighbours is wrong.
/// Strips along these, which were kept, it computes again afterwards. Whether it does so is each
/// rank's own affair, which it decides by what it has measured in the first turns: it tries that
/// only where it has waited for longer than the strips' part of the segment takes. The variable
/// STENCILGEN_OVERLAP of the environment decides it too: `always` or `never`.
class Overlap {
 public:
  Overlap(Fields& fields, std::vector<Depth> depths, std::vector<SegmentField> uses)
      : fields_(fields), exchange_(fields, std::move(depths)), uses_(std::move(uses)) {
    const char* const wish = std::getenv("STENCILGEN_OVERLAP");
    if (wish != nullptr && std::strcmp(wish, "always") == 0) choice_ = Choice::Yes;
    if (wish != nullptr && std::strcmp(wish, "never") == 0) choice_ = Choice::No;
  }

  /// `run(view)` runs the segment.
  template <typename Run>
  void operator()(Run run) {
    if (!ready_) Prepare();
    const bool overlap = strips_.empty() ? false : Decide();
    const View whole(fields_);
    if (!overlap) {
      Learn(exchange_.Run(), false);
      const double begin = MPI_Wtime();
      run(whole);
      if (choice_ == Choice::Open) LearnRun(begin);
      return;
    }
    const double begin = MPI_Wtime();
    exchange_.Start(true);
    for (Strip& strip : strips_) Keep(strip);
    const double kept = MPI_Wtime() - begin;
    {
      Progress progress(exchange_);
      run(whole);
    }
    // What a GPU computes goes on meanwhile, but for measurements.
    if (choice_ == Choice::Open) fields_.memory().Wait();
    const double computed = MPI_Wtime();
    exchange_.Finish();
    for (Strip& strip : strips_) {
      Refresh(strip);
      run(ViewOf(strip));
      PutBack(strip);
    }
    if (choice_ == Choice::Open) fields_.memory().Wait();
    Learn(kept + MPI_Wtime() - computed, true);
  }

 private:
  enum class Choice { Open, Yes, No };
  /// Points along one border with a neighbour.
  struct Strip {
    std::size_t axis = 0;
    long long first = 0, end = 0;              ///< local, along the axis
    long long right_first = 0, right_end = 0;  ///< those that are right in the end
    std::vector<MemoryBlock> arrays;           ///< by use; none: the rank's own one
  };

  void Prepare() {
    ready_ = true;
    for (std::size_t a = 0; a < fields_.axes().size(); ++a) {
      const Axis& axis = fields_.axes()[a];
      long long lo = 0;
      long long hi = 0;
      for (const Depth& depth : exchange_.depths()) {
        const int d = fields_.DimensionOf(depth.field, static_cast<int>(a));
        if (d < 0) continue;
        // Points that hold the elements.
        const long long scale = DimensionAt(depth.field, d).scale;
        lo = std::max(lo, (depth.lo[a] + scale - 1) / scale);
        hi = std::max(hi, (depth.hi[a] + scale - 1) / scale);
      }
      std::vector<int> steps(fields_.axes().size(), 0);
      steps[a] = -1;
      const bool below = lo > 0 && fields_.Neighbour(steps) != MPI_PROC_NULL;
      steps[a] = 1;
      const bool above = hi > 0 && fields_.Neighbour(steps) != MPI_PROC_NULL;
      const long long first = fields_.own_first(static_cast<int>(a));
      const Part& part = fields_.part(static_cast<int>(a));
      const long long end = first + part.hi - part.lo;
      const bool fits = part.hi - part.lo >= std::max(lo, hi) + axis.ghosts_lo + axis.ghosts_hi;
      if ((below || above) && !fits) {
        strips_.clear();
        return;
      }
      if (below) strips_.push_back({a, 0, first + lo + axis.ghosts_hi, first, first + lo, {}});
      if (above) {
        strips_.push_back({a, end - hi - axis.ghosts_lo, end + axis.ghosts_hi, end - hi, end, {}});
      }
    }
    for (Strip& strip : strips_) MakeArrays(strip);
  }

  void MakeArrays(Strip& strip) {
    for (const SegmentField& use : uses_) {
      const bool follows = fields_.Follows(use.field, static_cast<int>(strip.axis));
      std::size_t bytes = 0;
      if (follows || use.written) {
        bytes = fields_.shape(use.field).element_bytes;
        for (const long long extent : ShapeOf(strip, use.field)) {
          bytes *= static_cast<std::size_t>(extent);
        }
      }
      if (bytes == 0) {
        strip.arrays.emplace_back();
        continue;
      }
      strip.arrays.emplace_back(fields_.memory(), bytes, 1);
      if (strip.arrays.back().data() == nullptr) fields_.Fail(kOutOfMemory, "no memory to overlap");
    }
  }

  const Dimension& DimensionAt(int field, int d) const {
    return fields_.shape(field).dimensions[static_cast<std::size_t>(d)];
  }
  /// The dimension of the field along the strip's axis; -1: none.
  int DimensionOf(const Strip& strip, int field) const {
    return fields_.DimensionOf(field, static_cast<int>(strip.axis));
  }
  std::vector<long long> ShapeOf(const Strip& strip, int field) const {
    std::vector<long long> shape = fields_.local_shape(field);
    const int d = DimensionOf(strip, field);
    if (d >= 0) {
      const Dimension& dimension = DimensionAt(field, d);
      shape[static_cast<std::size_t>(d)] =
          (strip.end - strip.first) * dimension.scale + dimension.excess;
    }
    return shape;
  }
  /// The strip's elements of the rank's array.
  Box BoxOf(const Strip& strip, int field) const {
    Box box;
    box.end = fields_.local_shape(field);
    box.first.assign(box.end.size(), 0);
    const int d = DimensionOf(strip, field);
    if (d >= 0) {
      const auto at = static_cast<std::size_t>(d);
      box.first[at] = strip.first * DimensionAt(field, d).scale;
      box.end[at] = box.first[at] + ShapeOf(strip, field)[at];
    }
    return box;
  }

  /// Copies a box of the rank's array to the strip's one, or back.
  void Copy(Strip& strip, std::size_t use, const Box& box, bool to_strip) {
    const int field = uses_[use].field;
    const std::size_t bytes = fields_.shape(field).element_bytes;
    const Box origin = BoxOf(strip, field);
    Box in_strip = box;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      in_strip.first[d] -= origin.first[d];
      in_strip.end[d] -= origin.first[d];
    }
    const ArrayBox rank = {fields_.data(field), fields_.local_shape(field), box};
    const ArrayBox own = {strip.arrays[use].data(), ShapeOf(strip, field), in_strip};
    fields_.memory().Copy({to_strip ? BoxCopy{rank, own, bytes} : BoxCopy{own, rank, bytes}});
  }

  void Keep(Strip& strip) {
    for (std::size_t use = 0; use < uses_.size(); ++use) {
      if (strip.arrays[use].data() != nullptr)
        Copy(strip, use, BoxOf(strip, uses_[use].field), true);
    }
  }

  /// The neighbours' values, which are in the ghosts of the rank's arrays now.
  void Refresh(Strip& strip) {
    for (const Depth& depth : exchange_.depths()) {
      for (std::size_t use = 0; use < uses_.size(); ++use) {
        if (uses_[use].field != depth.field || strip.arrays[use].data() == nullptr) continue;
        for (std::size_t a = 0; a < fields_.axes().size(); ++a) {
          RefreshAlong(strip, use, static_cast<int>(a));
        }
      }
    }
  }
  void RefreshAlong(Strip& strip, std::size_t use, int axis) {
    const int field = uses_[use].field;
    const Box all = BoxOf(strip, field);
    const Box own = fields_.own(field);
    const std::vector<Dimension>& dimensions = fields_.shape(field).dimensions;
    for (std::size_t d = 0; d < dimensions.size(); ++d) {
      if (dimensions[d].axis != axis) continue;
      Box below = all;
      below.end[d] = std::min(below.end[d], own.first[d]);
      Box above = all;
      above.first[d] = std::max(above.first[d], own.end[d]);
      for (const Box& box : {below, above}) {
        if (box.first[d] < box.end[d]) Copy(strip, use, box, true);
      }
    }
  }

  View ViewOf(Strip& strip) {
    View view(fields_, strip.axis, strip.first, strip.end, strip.right_first, strip.right_end);
    for (std::size_t use = 0; use < uses_.size(); ++use) {
      if (strip.arrays[use].data() != nullptr) view.Use(uses_[use].field, strip.arrays[use].data());
    }
    return view;
  }

  void PutBack(Strip& strip) {
    for (std::size_t use = 0; use < uses_.size(); ++use) {
      const int d = DimensionOf(strip, uses_[use].field);
      if (!uses_[use].written || d < 0) continue;
      Box box = fields_.own(uses_[use].field);
      const long long scale = DimensionAt(uses_[use].field, d).scale;
      box.first[static_cast<std::size_t>(d)] = strip.right_first * scale;
      box.end[static_cast<std::size_t>(d)] = strip.right_end * scale;
      Copy(strip, use, box, false);
    }
  }

  /// The first one prepares buffers.
  static constexpr int kWaits = 3, kOverlaps = 2;

  /// Waits are measured first, and what overlapping would cost is predicted; only where that may
  /// pay, it is measured too.
  bool Decide() {
    if (choice_ != Choice::Open) return choice_ == Choice::Yes;
    if (waits_ < kWaits) return false;
    // Strips are copied, and a band of few rows has short tiles.
    constexpr double kStripFactor = 2;
    if (least_wait_ <= kStripFactor * StripShare() * least_run_) {
      choice_ = Choice::No;
    } else if (overlaps_ >= kOverlaps) {
      choice_ = least_extra_ < least_wait_ ? Choice::Yes : Choice::No;
    }
    return choice_ != Choice::No;
  }
  /// Points of strips, which are computed twice, over the rank's.
  double StripShare() const {
    double share = 0;
    for (const Strip& strip : strips_) {
      share += static_cast<double>(strip.end - strip.first) /
               static_cast<double>(fields_.local_points(static_cast<int>(strip.axis)));
    }
    return share;
  }
  void LearnRun(double begin) {
    fields_.memory().Wait();
    const double seconds = MPI_Wtime() - begin;
    if (waits_ > 1) least_run_ = waits_ == 2 ? seconds : std::min(least_run_, seconds);
  }
  void Learn(double seconds, bool overlapped) {
    double& least = overlapped ? least_extra_ : least_wait_;
    int& count = overlapped ? overlaps_ : waits_;
    if (count > 0) least = count == 1 ? seconds : std::min(least, seconds);
    ++count;
  }

  Fields& fields_;
  Exchange exchange_;
  const std::vector<SegmentField> uses_;
  bool ready_ = false;
  std::vector<Strip> strips_;
  Choice choice_ = Choice::Open;
  int waits_ = 0, overlaps_ = 0;
  double least_wait_ = 0, least_extra_ = 0, least_run_ = 0;
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_OVERLAP_HPP
