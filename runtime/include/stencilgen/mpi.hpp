#ifndef STENCILGEN_MPI_HPP
#define STENCILGEN_MPI_HPP

// MPI in C: its old bindings for C++ are not needed, and draw warnings.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "stencilgen/box.hpp"
#include "stencilgen/halo.hpp"
#include "stencilgen/mpi_memory.hpp"
#include "stencilgen/ranks.hpp"
#include "stencilgen/status.hpp"

/// Arrays that the ranks of a communicator share, and the exchange of their ghosts.
namespace stencilgen::mpi {

using ranks::Axis;

/// What a rank has sent to others since it was asked last, and how long it has waited for them.
struct Counters {
  long long exchanges = 0, messages = 0, bytes = 0;
  long long overlapped = 0;  ///< exchanges during which it has computed
  double waited = 0;         ///< seconds
  /// Exchanges in which it had messages, and the sum of what part of each one's time, from the
  /// start of its messages until they were there, the rank has computed.
  long long with_messages = 0;
  double hidden = 0;

  void Add(const Counters& more) {
    exchanges += more.exchanges;
    messages += more.messages;
    bytes += more.bytes;
    overlapped += more.overlapped;
    waited += more.waited;
    with_messages += more.with_messages;
    hidden += more.hidden;
  }
  /// The part of the messages' time that computing has hidden, in thousandths; -1: no messages.
  long long HiddenThousandths() const {
    if (with_messages == 0) return -1;
    return std::llround(1000 * hidden / static_cast<double>(with_messages));
  }
};

/// The arrays of a program on one rank. What fails fails on every rank alike: sizes are compared at
/// the start, and everything else follows from them.
class Fields {
 public:
  /// `wanted`: ranks along each axis, 0 for any number; may be shorter or empty. `key`: a number
  /// that must be the same on all ranks, of the program and its sizes. `memory` outlives this.
  /// Collective.
  Fields(MPI_Comm comm, ArrayMemory& memory, std::vector<Axis> axes, std::vector<FieldShape> shapes,
         std::vector<int> wanted, std::uint64_t key)
      : memory_(memory), axes_(std::move(axes)), shapes_(std::move(shapes)) {
    MPI_Comm_dup(comm, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
    for (const int count : wanted) key = Mixed(key, static_cast<std::uint64_t>(count));
    if (!Agree(key)) {
      Fail(kBadArgument, "ranks have different programs, sizes or shapes of the grid");
      return;
    }
    wanted.resize(axes_.size(), 0);
    if (!ChooseGrid(wanted)) return;
    Allocate();
  }
  ~Fields() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0) MPI_Comm_free(&comm_);
  }
  Fields(const Fields&) = delete;
  Fields& operator=(const Fields&) = delete;

  int status() const { return error_.status(); }
  const char* error() const { return error_.text(); }
  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm comm() const { return comm_; }
  /// Ranks along each axis.
  const std::vector<int>& grid() const { return places_.shape(); }
  /// The rank's points along an axis.
  const Part& part(int axis) const { return parts_[static_cast<std::size_t>(axis)]; }
  /// Where the first local point lies, along a periodic axis taken around.
  long long origin(int axis) const {
    const Axis& along = axes_[static_cast<std::size_t>(axis)];
    const long long first = part(axis).first;
    return first < 0 ? first + along.points : first;
  }
  long long local_points(int axis) const { return part(axis).end - part(axis).first; }
  /// Where its own points begin, from the first local one on, and end; behind all elements of all
  /// arrays where they end the grid.
  long long own_first(int axis) const { return part(axis).lo - part(axis).first; }
  long long own_end(int axis) const {
    long long end = part(axis).hi - part(axis).first;
    if (!part(axis).is_last || axes_[static_cast<std::size_t>(axis)].periodic) return end;
    for (int field = 0; field < count(); ++field) {
      const int d = DimensionOf(field, axis);
      if (d < 0) continue;
      const Dimension& dimension = shapes_[Slot(field)].dimensions[static_cast<std::size_t>(d)];
      end = std::max(end, local_points(axis) + dimension.excess);
    }
    return end;
  }

  /// The local elements of an array, with ghosts, and how many there are along each dimension.
  char* data(int field) { return blocks_[Slot(field)].data(); }
  ArrayMemory& memory() { return memory_; }
  /// The same in the CPU's memory: as they are now, until the next call for the array. What is
  /// written there, Upload brings to the array.
  char* HostData(int field) {
    if (memory_.OnHost()) return data(field);
    std::vector<std::uint64_t>& copy = copies_[Slot(field)];
    copy.resize((bytes(field) + 7) / 8);
    memory_.Download(copy.data(), data(field), bytes(field));
    return reinterpret_cast<char*>(copy.data());
  }
  void Upload(int field) {
    if (!memory_.OnHost()) memory_.Upload(data(field), copies_[Slot(field)].data(), bytes(field));
  }
  const std::vector<long long>& local_shape(int field) const {
    return local_[static_cast<std::size_t>(field)];
  }

  int count() const { return static_cast<int>(shapes_.size()); }
  /// A rank's own elements of an array, in its local array, and where the local array begins in the
  /// whole one.
  Box own(int field) const { return Local(field, own_of(field, rank_)); }
  Box own_of(int field, int rank) const {
    return OwnBox(shapes_[Slot(field)].dimensions, places_.PartsOf(rank));
  }
  /// The elements of the local array that go to the neighbour in the direction in an exchange
  /// (`sent`), or come from it; empty where there are none.
  Box Exchanged(const Depth& depth, const std::vector<int>& steps, bool sent) const {
    const std::vector<Dimension>& dimensions = shapes_[Slot(depth.field)].dimensions;
    return Local(depth.field, ExchangedBox(dimensions, parts_, depth, steps, sent));
  }
  /// The array is shared along the axis.
  bool Follows(int field, int axis) const { return DimensionOf(field, axis) >= 0; }
  /// The dimension of the array along the axis; -1 where it has none.
  int DimensionOf(int field, int axis) const {
    const std::vector<Dimension>& dimensions = shapes_[Slot(field)].dimensions;
    const auto at =
        std::find_if(dimensions.begin(), dimensions.end(),
                     [&](const Dimension& dimension) { return dimension.axis == axis; });
    return at == dimensions.end() ? -1 : static_cast<int>(at - dimensions.begin());
  }
  /// Of the ranks that have the same elements of the array the rank is the first one.
  bool IsFirstOwner(int field, int rank) const {
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (!Follows(field, static_cast<int>(a)) && places_.PlaceOf(rank, a) != 0) return false;
    }
    return true;
  }
  const FieldShape& shape(int field) const { return shapes_[Slot(field)]; }
  /// How many elements the whole array has along each dimension.
  std::vector<long long> whole_shape(int field) const {
    std::vector<long long> shape;
    for (const Dimension& dimension : shapes_[Slot(field)].dimensions) {
      shape.push_back(dimension.axis < 0 ? dimension.points
                                         : axes_[static_cast<std::size_t>(dimension.axis)].points *
                                                   dimension.scale +
                                               dimension.excess);
    }
    return shape;
  }
  const std::vector<Axis>& axes() const { return axes_; }
  /// The rank so many places away along each axis, each -1, 0 or 1; MPI_PROC_NULL where there is
  /// none. It may be this one.
  int Neighbour(const std::vector<int>& steps) const {
    const int rank = places_.Neighbour(rank_, steps);
    return rank < 0 ? MPI_PROC_NULL : rank;
  }
  /// Of the local array.
  std::size_t bytes(int field) const {
    std::size_t bytes = shapes_[Slot(field)].element_bytes;
    for (const long long extent : local_shape(field)) bytes *= static_cast<std::size_t>(extent);
    return bytes;
  }
  std::vector<long long> place(int field) const {
    std::vector<long long> place;
    for (const Dimension& dimension : shapes_[Slot(field)].dimensions) {
      place.push_back(dimension.axis < 0 ? 0 : part(dimension.axis).first * dimension.scale);
    }
    return place;
  }

  /// Records why this rank cannot go on; the others hear of it in Finish.
  void Fail(Status status, const char* text) { error_.Fail(status, "%s", text); }
  /// True where no rank has failed; else every rank has a status. Collective.
  bool Finish() {
    memory_.Wait();
    if (*memory_.error() != '\0') Fail(kDeviceFailure, memory_.error());
    int worst = error_.status();
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, comm_);
    if (worst != 0 && error_.status() == 0) {
      error_.Fail(static_cast<Status>(worst), "another rank has failed");
    }
    return worst == 0;
  }
  /// True where all ranks have this number. Collective.
  bool Agree(std::uint64_t key) {
    std::uint64_t least = key;
    std::uint64_t most = key;
    MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, comm_);
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, comm_);
    return least == most;
  }
  /// A number that depends on all that was mixed into it.
  static std::uint64_t Mixed(std::uint64_t key, std::uint64_t value) {
    return (key ^ value) * 1099511628211ULL + 0x9e3779b97f4a7c15ULL;
  }

  /// Gives each rank its part of an array that rank 0 has. Collective.
  void Scatter(int field, const void* whole) { Move(field, const_cast<void*>(whole), true); }
  /// Brings the ranks' own parts to an array of rank 0. Collective.
  void Gather(int field, void* whole) { Move(field, whole, false); }

  /// Between the rank's own part of an array and memory of the CPU that has that part alone.
  void TakeOwn(int field, const void* own) {
    CopyOwn(field, const_cast<char*>(static_cast<const char*>(own)), false);
    Upload(field);
  }
  void GiveOwn(int field, void* own) { CopyOwn(field, static_cast<char*>(own), true); }

  /// Fields hand on their memory: each first one takes what the second one had, all at once.
  void HandOn(const std::vector<std::array<int, 2>>& moves) {
    std::vector<MemoryBlock> had(moves.size());
    for (std::size_t n = 0; n < moves.size(); ++n) had[n] = std::move(blocks_[Slot(moves[n][1])]);
    for (std::size_t n = 0; n < moves.size(); ++n) blocks_[Slot(moves[n][0])] = std::move(had[n]);
  }

  /// What one exchange of the program does, in words, and what it has counted.
  struct ExchangeCounters {
    std::string what;
    Counters counters;
  };
  /// By number, in the order of the calls of AddExchange.
  const std::vector<ExchangeCounters>& exchanges() const { return exchanges_; }
  /// Its number.
  std::size_t AddExchange(std::string what) {
    exchanges_.push_back({std::move(what), {}});
    return exchanges_.size() - 1;
  }
  Counters& CountersOf(std::size_t exchange) { return exchanges_[exchange].counters; }
  /// Of all exchanges, and of what ranks do together.
  Counters counters() const {
    Counters all = together_;
    for (const ExchangeCounters& exchange : exchanges_) all.Add(exchange.counters);
    return all;
  }
  /// Of what ranks do together, beside exchanges.
  void CountMessage(long long bytes) {
    ++together_.messages;
    together_.bytes += bytes;
  }
  void ResetCounters() {
    together_ = {};
    for (ExchangeCounters& exchange : exchanges_) exchange.counters = {};
  }

 private:
  using Buffer = std::vector<std::uint64_t>;

  static std::size_t Slot(int field) { return static_cast<std::size_t>(field); }

  bool ChooseGrid(const std::vector<int>& wanted) {
    std::vector<int> shape = ranks::ChooseShape(axes_, wanted, size_);
    if (shape.empty()) {
      const std::string why = WhyNoGrid(wanted);
      Fail(kBadArgument, why.c_str());
      return false;
    }
    places_ = ranks::Places(axes_, std::move(shape));
    parts_ = places_.PartsOf(rank_);
    return true;
  }

  std::string WhyNoGrid(const std::vector<int>& wanted) const {
    long long product = 1;
    bool any = false;
    for (const int count : wanted) {
      any = any || count == 0;
      if (count != 0) product *= count;
    }
    if (any ? size_ % product != 0 : size_ != product) {
      return (any ? "a grid of a multiple of " : "a grid of ") + std::to_string(product) +
             " ranks was asked for, but there are " + std::to_string(size_);
    }
    std::string text = std::to_string(size_) + " ranks are too many: each needs at least";
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      text += (a == 0 ? " " : " x ") + std::to_string(axes_[a].LeastPoints());
    }
    text += " points of";
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      text += (a == 0 ? " " : " x ") + std::to_string(axes_[a].points);
    }
    const int most = ranks::MostRanks(axes_, size_);
    return text + (most > 0 ? "; at most " + std::to_string(most) + " fit here"
                            : "; no number of ranks fits here");
  }

  void Allocate() {
    blocks_.resize(shapes_.size());
    copies_.resize(shapes_.size());
    if (*memory_.error() != '\0') Fail(kDeviceFailure, memory_.error());
    for (std::size_t f = 0; f < shapes_.size(); ++f) {
      std::vector<long long> shape;
      long long elements = 1;
      for (const Dimension& dimension : shapes_[f].dimensions) {
        shape.push_back(dimension.axis < 0
                            ? dimension.points
                            : local_points(dimension.axis) * dimension.scale + dimension.excess);
        elements *= shape.back();
      }
      local_.push_back(shape);
      const std::size_t bytes = static_cast<std::size_t>(elements) * shapes_[f].element_bytes;
      blocks_[f] = MemoryBlock(memory_, bytes, shape.empty() ? 1 : std::max(1LL, shape[0]));
      if (blocks_[f].data() == nullptr) {
        error_.Fail(kOutOfMemory, "no memory for the rank's part of array %s", shapes_[f].name);
      }
    }
    Finish();
  }

  /// Elements of the whole array, as those of the local one; empty stays empty.
  Box Local(int field, Box box) const {
    const std::vector<Dimension>& dimensions = shapes_[Slot(field)].dimensions;
    for (std::size_t d = 0; d < box.first.size(); ++d) {
      if (dimensions[d].axis < 0) continue;
      const long long first = part(dimensions[d].axis).first * dimensions[d].scale;
      box.first[d] -= first;
      box.end[d] -= first;
    }
    return box;
  }

  void CopyOwn(int field, char* packed, bool pack) {
    CopyBox(HostData(field), local_shape(field), own(field), shape(field).element_bytes, packed,
            pack);
  }

  static constexpr int kMoveTag = 2;

  void Move(int field, void* whole, bool scatter) {
    const FieldShape& shape = shapes_[Slot(field)];
    const std::vector<long long> extents = whole_shape(field);
    const Box own = own_of(field, rank_);
    const auto copy_own = [&](Buffer& buffer) {
      CopyOwn(field, reinterpret_cast<char*>(buffer.data()), !scatter);
      if (scatter) Upload(field);
    };
    if (rank_ != 0) {
      Buffer buffer = BufferFor(own, shape);
      if (scatter) Receive(buffer, 0);
      copy_own(buffer);
      if (!scatter) Send(buffer, 0);
      return;
    }
    for (int other = 0; other < size_; ++other) {
      const Box theirs = own_of(field, other);
      Buffer buffer = BufferFor(theirs, shape);
      char* const packed = reinterpret_cast<char*>(buffer.data());
      if (scatter) {
        CopyBox(static_cast<char*>(whole), extents, theirs, shape.element_bytes, packed, true);
        if (other != 0) Send(buffer, other);
      } else if (other != 0) {
        Receive(buffer, other);
      }
      if (other == 0) copy_own(buffer);
      if (!scatter) {
        CopyBox(static_cast<char*>(whole), extents, theirs, shape.element_bytes, packed, false);
      }
    }
  }
  static Buffer BufferFor(const Box& box, const FieldShape& shape) {
    return Buffer((static_cast<std::size_t>(box.Elements()) * shape.element_bytes + 7) / 8);
  }
  /// MPI counts in int.
  static constexpr std::size_t kMostWords = std::size_t{1} << 30;
  void Send(const Buffer& buffer, int to) const {
    for (std::size_t at = 0; at < buffer.size(); at += kMostWords) {
      MPI_Send(buffer.data() + at, static_cast<int>(std::min(kMostWords, buffer.size() - at)),
               MPI_UINT64_T, to, kMoveTag, comm_);
    }
  }
  void Receive(Buffer& buffer, int from) const {
    for (std::size_t at = 0; at < buffer.size(); at += kMostWords) {
      MPI_Recv(buffer.data() + at, static_cast<int>(std::min(kMostWords, buffer.size() - at)),
               MPI_UINT64_T, from, kMoveTag, comm_, MPI_STATUS_IGNORE);
    }
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1;
  ArrayMemory& memory_;
  std::vector<Axis> axes_;
  std::vector<FieldShape> shapes_;
  ranks::Places places_;
  std::vector<Part> parts_;  // by axis
  std::vector<std::vector<long long>> local_;
  std::vector<MemoryBlock> blocks_;
  std::vector<std::vector<std::uint64_t>> copies_;  // in the CPU's memory; empty where not asked
  std::vector<ExchangeCounters> exchanges_;
  Counters together_;
  ErrorText error_;
};

inline bool IsFirst(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank == 0;
}
/// True where rank 0 has it so. Collective.
inline bool FirstSays(MPI_Comm comm, bool condition) {
  int first = condition ? 1 : 0;
  MPI_Bcast(&first, 1, MPI_INT, 0, comm);
  return first != 0;
}

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_HPP
