#ifndef STENCILGEN_MPI_REDUCE_HPP
#define STENCILGEN_MPI_REDUCE_HPP

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "stencilgen/lanes.hpp"
#include "stencilgen/mpi.hpp"

/// What the ranks compute together: reductions, elements that all of them need, and whether a loop
/// ends. All of it is collective, and a rank that has failed takes part.
namespace stencilgen::mpi {

using lanes::Deal;
using lanes::Fold;

/// Fields of which each rank has its own elements, and zeros for others', become whole on all
/// ranks.
inline void Complete(Fields& fields, const std::vector<int>& numbers) {
  std::vector<char> bytes;
  std::vector<char*> elements;
  const auto size_of = [&](int field) { return fields.bytes(field); };
  for (const int field : numbers) {
    elements.push_back(fields.HostData(field));
    bytes.insert(bytes.end(), elements.back(), elements.back() + size_of(field));
  }
  MPI_Allreduce(MPI_IN_PLACE, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, MPI_BOR,
                fields.comm());
  std::size_t at = 0;
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const std::size_t size = size_of(numbers[n]);
    std::memcpy(elements[n], bytes.data() + at, size);
    fields.Upload(numbers[n]);
    at += size;
  }
}

/// True where the field's only element is, a condition; on all ranks also where one has failed.
inline bool Stops(Fields& fields, int field) {
  const bool condition = *reinterpret_cast<const bool*>(fields.HostData(field));
  int stops = condition || fields.status() != 0 ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &stops, 1, MPI_INT, MPI_MAX, fields.comm());
  return stops != 0;
}

/// A reduction's first round: `values`, which ranks share, become the lanes on every rank.
template <typename T>
class Reducer {
 public:
  Reducer(Fields& fields, Fold fold, int values, int lanes, Deal deal)
      : fields_(fields), fold_(fold), values_(values), lanes_(lanes), deal_(std::move(deal)) {
    for (int rank = 0; rank < fields.size(); ++rank) {
      boxes_.push_back(lanes::Within(deal_, fields.own_of(values, rank)));
      // What does not follow an axis several ranks have: the first of them counts.
      if (!fields.IsFirstOwner(values, rank)) boxes_.back().end = boxes_.back().first;
    }
  }

  /// `exact`: the bits of one machine, whatever the ranks. Then the points of each lane go to one
  /// rank, which takes them in their order; unless any order gives the same.
  void Run(bool exact) {
    constexpr bool kFloating = std::numeric_limits<T>::has_infinity;
    elements_ = reinterpret_cast<const T*>(fields_.HostData(values_));
    if (!exact || !kFloating) return Spread(Total());
    // The sign of a zero may depend on which one comes first.
    if (fold_ != Fold::Sum) {
      const T total = Total();
      if (total != T{}) return Spread(total);
    }
    const std::vector<T> own = OwnLanes();
    std::vector<int> counts, places;
    for (int rank = 0; rank < fields_.size(); ++rank) {
      places.push_back(static_cast<int>(LaneOf(rank)));
      counts.push_back(static_cast<int>(LaneOf(rank + 1) - LaneOf(rank)));
    }
    std::vector<T> all(static_cast<std::size_t>(deal_.count));
    MPI_Datatype type = Type();
    MPI_Allgatherv(own.data(), static_cast<int>(own.size()), type, all.data(), counts.data(),
                   places.data(), type, fields_.comm());
    MPI_Type_free(&type);
    T* const lanes = reinterpret_cast<T*>(fields_.HostData(lanes_));
    for (long long lane = 0; lane < deal_.count; ++lane) {
      lanes[deal_.PlaceOf(lane)] = all[static_cast<std::size_t>(lane)];
    }
    fields_.Upload(lanes_);
  }

 private:
  static MPI_Datatype Type() {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(sizeof(T)), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
  }

  /// The first lane that is the rank's.
  long long LaneOf(int rank) const { return deal_.count * rank / fields_.size(); }

  /// The value of this rank at a point.
  const T* At(const std::vector<long long>& point, long long inner) const {
    const std::vector<long long>& shape = fields_.local_shape(values_);
    const std::vector<long long>& place = place_;
    long long at = 0;
    for (std::size_t d = 0; d < point.size(); ++d) {
      at = at * shape[d] + (d + 1 == point.size() ? inner : point[d]) - place[d];
    }
    return elements_ + at;
  }

  /// All points, each rank's own ones first.
  T Total() {
    T own = lanes::WithFold(fold_, [&](auto fold) { return OwnTotal<decltype(fold)::value>(); });
    std::vector<T> all(static_cast<std::size_t>(fields_.size()));
    MPI_Allgather(&own, sizeof(T), MPI_BYTE, all.data(), sizeof(T), MPI_BYTE, fields_.comm());
    return lanes::WithFold(fold_, [&](auto fold) {
      T total = lanes::Identity<T>(fold_);
      for (const T value : all) total = lanes::Combined<decltype(fold)::value>(total, value);
      return total;
    });
  }

  template <Fold fold>
  T OwnTotal() {
    const Box& box = boxes_[static_cast<std::size_t>(fields_.rank())];
    std::vector<const T*> rows;
    ForEachRow(
        box, [&](const std::vector<long long>& point) { rows.push_back(At(point, point.back())); });
    const std::size_t inner = box.first.size() - 1;
    const long long points = box.end[inner] - box.first[inner];
    // As many parts on any number of threads.
    constexpr long long kParts = 64;
    std::vector<T> parts(kParts, lanes::Identity<T>(fold_));
    const auto count = static_cast<long long>(rows.size());
#if defined(_OPENMP)
#pragma omp parallel for
#endif
    for (long long part = 0; part < kParts; ++part) {
      T total = lanes::Identity<T>(fold_);
      for (long long row = count * part / kParts; row < count * (part + 1) / kParts; ++row) {
        total =
            lanes::Combined<fold>(total, OfRow<fold>(rows[static_cast<std::size_t>(row)], points));
      }
      parts[static_cast<std::size_t>(part)] = total;
    }
    T total = lanes::Identity<T>(fold_);
    for (const T part : parts) total = lanes::Combined<fold>(total, part);
    return total;
  }

  /// In lanes of its own, which compilers make vectors of.
  template <Fold fold>
  T OfRow(const T* row, long long points) const {
    constexpr int kAtOnce = 16;
    T sums[kAtOnce];
    std::fill(sums, sums + kAtOnce, lanes::Identity<T>(fold));
    long long at = 0;
    for (; at + kAtOnce <= points; at += kAtOnce) {
      for (int k = 0; k < kAtOnce; ++k) sums[k] = lanes::Combined<fold>(sums[k], row[at + k]);
    }
    T total = lanes::Identity<T>(fold);
    for (const T sum : sums) total = lanes::Combined<fold>(total, sum);
    for (; at < points; ++at) total = lanes::Combined<fold>(total, row[at]);
    return total;
  }

  /// The first lane has it all.
  void Spread(T total) {
    T* const lanes = reinterpret_cast<T*>(fields_.HostData(lanes_));
    for (long long lane = 0; lane < deal_.count; ++lane) {
      lanes[deal_.PlaceOf(lane)] = lane == 0 ? total : lanes::Identity<T>(fold_);
    }
    fields_.Upload(lanes_);
  }

  /// The lanes that are this rank's, of all ranks' points.
  std::vector<T> OwnLanes() {
    const int ranks = fields_.size();
    const auto self = static_cast<std::size_t>(fields_.rank());
    std::vector<std::vector<T>> sent(static_cast<std::size_t>(ranks)), received(sent.size());
    std::vector<MPI_Request> requests;
    MPI_Datatype type = Type();
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<T>& buffer = received[static_cast<std::size_t>(rank)];
      buffer.resize(CountOf(boxes_[static_cast<std::size_t>(rank)], fields_.rank()));
      if (buffer.empty() || rank == fields_.rank()) continue;
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Irecv(buffer.data(), static_cast<int>(buffer.size()), type, rank, kLanesTag,
                fields_.comm(), &requests.back());
    }
    for (int step = 0; step < ranks; ++step) {
      const int rank = (fields_.rank() + step) % ranks;
      std::vector<T>& buffer =
          rank == fields_.rank() ? received[self] : sent[static_cast<std::size_t>(rank)];
      Pack(rank, buffer);
      if (buffer.empty() || rank == fields_.rank()) continue;
      requests.push_back(MPI_REQUEST_NULL);
      MPI_Isend(buffer.data(), static_cast<int>(buffer.size()), type, rank, kLanesTag,
                fields_.comm(), &requests.back());
      fields_.CountMessage(static_cast<long long>(buffer.size() * sizeof(T)));
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    MPI_Type_free(&type);
    return lanes::WithFold(fold_,
                           [&](auto fold) { return Folded<decltype(fold)::value>(received); });
  }

  std::size_t CountOf(const Box& box, int owner) const {
    std::size_t count = 0;
    ForEachRow(box, [&](const std::vector<long long>& point) {
      lanes::ForEachRun(
          deal_, point, box.end.back(), LaneOf(owner), LaneOf(owner + 1),
          [&](long long, long long run, long long) { count += static_cast<std::size_t>(run); });
    });
    return count;
  }
  void Pack(int owner, std::vector<T>& buffer) {
    const Box& box = boxes_[static_cast<std::size_t>(fields_.rank())];
    buffer.resize(CountOf(box, owner));
    T* to = buffer.data();
    ForEachRow(box, [&](const std::vector<long long>& point) {
      lanes::ForEachRun(deal_, point, box.end.back(), LaneOf(owner), LaneOf(owner + 1),
                        [&](long long first, long long run, long long) {
                          to = std::copy_n(At(point, first), run, to);
                        });
    });
  }

  /// Row after row of the whole domain, of each row the ranks' parts one after the other.
  template <Fold fold>
  std::vector<T> Folded(const std::vector<std::vector<T>>& received) const {
    const long long begin = LaneOf(fields_.rank());
    const long long last = LaneOf(fields_.rank() + 1);
    std::vector<T> lanes(static_cast<std::size_t>(last - begin), lanes::Identity<T>(fold));
    std::vector<const T*> from;
    for (const std::vector<T>& buffer : received) from.push_back(buffer.data());
    const RowOwners owners(boxes_);
    const Box whole{deal_.first, deal_.end};
    ForEachRow(whole, [&](std::vector<long long> point) {
      for (const int rank : owners.Of(point)) {
        const Box& box = boxes_[static_cast<std::size_t>(rank)];
        const T*& values = from[static_cast<std::size_t>(rank)];
        point.back() = box.first.back();
        lanes::ForEachRun(deal_, point, box.end.back(), begin, last,
                          [&](long long, long long run, long long lane) {
                            T* const into = lanes.data() + (lane - begin);
                            for (long long k = 0; k < run; ++k) {
                              into[k] = lanes::Combined<fold>(into[k], values[k]);
                            }
                            values += run;
                          });
      }
    });
    return lanes;
  }

  /// Which ranks have points of a row, in the order of their points.
  class RowOwners {
   public:
    explicit RowOwners(const std::vector<Box>& boxes) {
      std::size_t dimensions = boxes[0].first.size();
      starts_.resize(dimensions - 1);
      for (const Box& box : boxes) {
        for (std::size_t d = 0; d + 1 < dimensions && box.Elements() > 0; ++d) {
          starts_[d].push_back(box.first[d]);
        }
      }
      std::size_t cells = 1;
      for (std::vector<long long>& starts : starts_) {
        std::sort(starts.begin(), starts.end());
        starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
        cells *= starts.size();
      }
      ranks_.resize(cells);
      for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
        if (boxes[rank].Elements() == 0) continue;
        ranks_[CellOf(boxes[rank].first)].push_back(static_cast<int>(rank));
      }
      for (std::vector<int>& ranks : ranks_) {
        std::sort(ranks.begin(), ranks.end(), [&](int a, int b) {
          return boxes[static_cast<std::size_t>(a)].first.back() <
                 boxes[static_cast<std::size_t>(b)].first.back();
        });
      }
    }
    const std::vector<int>& Of(const std::vector<long long>& point) const {
      return ranks_[CellOf(point)];
    }

   private:
    std::size_t CellOf(const std::vector<long long>& point) const {
      std::size_t cell = 0;
      for (std::size_t d = 0; d < starts_.size(); ++d) {
        const auto at = std::upper_bound(starts_[d].begin(), starts_[d].end(), point[d]);
        cell = cell * starts_[d].size() + static_cast<std::size_t>(at - starts_[d].begin()) - 1;
      }
      return cell;
    }
    std::vector<std::vector<long long>> starts_;  // of ranks' parts, by dimension but the last
    std::vector<std::vector<int>> ranks_;         // by part
  };

  static constexpr int kLanesTag = 3;

  Fields& fields_;
  const Fold fold_;
  const int values_, lanes_;
  const Deal deal_;
  const std::vector<long long> place_ = fields_.place(values_);
  const T* elements_ = nullptr;  // of the values, in the CPU's memory
  std::vector<Box> boxes_;       // by rank: its points of the domain
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_REDUCE_HPP
