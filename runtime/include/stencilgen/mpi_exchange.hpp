#ifndef STENCILGEN_MPI_EXCHANGE_HPP
#define STENCILGEN_MPI_EXCHANGE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stencilgen/mpi.hpp"

/// The exchange of ghosts: one message to each neighbour, for all fields of the exchange.
namespace stencilgen::mpi {

/// Fills the ghosts of fields with their neighbours' values, those at corners that are asked for
/// with diagonal neighbours' ones. What one array has in one piece goes straight from there to the
/// neighbour's array; the rest is packed into buffers, which are made once, as are their requests
/// of MPI. All ranks start and finish their exchanges in the same order.
class Exchange {
 public:
  Exchange(Fields& fields, std::vector<Depth> depths)
      : fields_(fields), depths_(std::move(depths)) {
    if (!depths_.empty()) number_ = fields_.AddExchange(What());
  }
  ~Exchange() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    for (Message& message : messages_) {
      for (Way* way : {&message.sent, &message.received}) {
        if (way->request != MPI_REQUEST_NULL) MPI_Request_free(&way->request);
      }
    }
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const std::vector<Depth>& depths() const { return depths_; }

  /// Sends what neighbours need. The fields' ghosts are written by the end of Finish. An exchange
  /// that is overlapped lets the fields, ghosts too, be read and written as soon as this returns.
  void Start(bool overlapped = false) {
    if (depths_.empty()) return;
    FindMessages();
    overlapped_ = overlapped;
    direct_ = !overlapped && fields_.memory().SendsArrays();
    Route& route = RouteInUse();
    Counters& counters = fields_.CountersOf(number_);
    ++counters.exchanges;
    if (overlapped) ++counters.overlapped;
    for (const Message& message : messages_) {
      if (message.rank == fields_.rank() || message.sent.bytes == 0) continue;
      ++counters.messages;
      counters.bytes += static_cast<long long>(message.sent.bytes);
    }
    Copy(route.packs, true);
    running_.clear();
    // A GPU packs while this goes on. Where it fails, neighbours wait for messages all the same.
    fields_.memory().Wait();
    started_ = MPI_Wtime();
    for (Message& message : messages_) StartWay(message, false);
    for (Message& message : messages_) StartWay(message, true);
  }
  /// Waits for the neighbours' values and puts them into the ghosts. Seconds that it has waited.
  double Finish() {
    if (depths_.empty()) return 0;
    const double begin = MPI_Wtime();
    MPI_Waitall(static_cast<int>(running_.size()), running_.data(), MPI_STATUSES_IGNORE);
    const double end = MPI_Wtime();
    fields_.CountersOf(number_).waited += end - begin;
    if (!running_.empty()) CountHidden(begin, end);
    Copy(RouteInUse().unpacks, false);
    return end - begin;
  }
  /// True where the neighbours' values are there, which Finish is still to put into the ghosts.
  /// Libraries that move messages only when they are called do so here.
  bool Test() {
    int done = 1;
    MPI_Testall(static_cast<int>(running_.size()), running_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
  double Run() {
    Start();
    return Finish();
  }

 private:
  /// Bytes of an array, one after the other.
  struct Piece {
    int field = -1;  ///< none: a message is no such piece
    std::size_t offset = 0;
  };
  /// A message from here to a neighbour, or the other way.
  struct Way {
    std::vector<Box> boxes;  ///< by field; may be none
    std::size_t bytes = 0;
    int tag = 0;
    Piece piece;
    MemoryBlock buffer;                      ///< where it is packed
    MPI_Request request = MPI_REQUEST_NULL;  ///< between buffers
  };
  /// To and from the neighbour in one direction.
  struct Message {
    int rank = 0;
    int opposite = -1;  ///< the message in the other direction of a rank that is its own neighbour
    Way sent, received;
  };
  /// Elements between arrays and messages.
  struct Copies {
    std::vector<int> fields;  ///< by copy
    std::vector<BoxCopy> copies;
  };
  /// All messages by buffers, or pieces of arrays directly.
  struct Route {
    bool ready = false;
    Copies packs, unpacks;
  };

  /// `u (j 1:1, i 0:2), v (j 1:1)`: ghosts below and above along each axis that has any.
  std::string What() const {
    std::string text;
    for (const Depth& depth : depths_) {
      std::string along;
      for (std::size_t a = 0; a < fields_.axes().size(); ++a) {
        if (depth.lo[a] == 0 && depth.hi[a] == 0) continue;
        along += (along.empty() ? "" : ", ") + std::string(fields_.axes()[a].name) + " " +
                 std::to_string(depth.lo[a]) + ":" + std::to_string(depth.hi[a]);
      }
      text += (text.empty() ? "" : ", ") + std::string(fields_.shape(depth.field).name) + " (" +
              along + ")";
    }
    return text;
  }

  /// The messages were on their way from `started_` to `end` at most, and the rank has waited from
  /// `begin` on. A GPU that is not done at the end has computed all the time; else it has at least
  /// as long as its rank did not wait.
  void CountHidden(double begin, double end) {
    Counters& counters = fields_.CountersOf(number_);
    ++counters.with_messages;
    if (!overlapped_) return;
    const bool all = fields_.memory().IsBusy() || end <= started_;
    counters.hidden += all ? 1 : (begin - started_) / (end - started_);
  }

  void FindMessages() {
    if (found_) return;
    found_ = true;
    const std::size_t axes = fields_.axes().size();
    const int directions = ranks::DirectionCount(axes);
    const int middle = directions / 2;
    std::vector<int> number(static_cast<std::size_t>(directions), -1);
    std::vector<int> opposites;
    for (int direction = 0; direction < directions; ++direction) {
      const std::vector<int> steps = ranks::StepsOf(direction, axes);
      const int rank = direction == middle ? MPI_PROC_NULL : fields_.Neighbour(steps);
      if (rank == MPI_PROC_NULL) continue;
      // A message's tag is its direction: two ranks may be neighbours on several sides.
      const int opposite = directions - 1 - direction;
      Message message;
      message.rank = rank;
      message.sent = WayOf(BoxesOf(steps, true), kTag + direction);
      message.received = WayOf(BoxesOf(steps, false), kTag + opposite);
      if (message.sent.bytes == 0 && message.received.bytes == 0) continue;
      number[static_cast<std::size_t>(direction)] = static_cast<int>(messages_.size());
      opposites.push_back(opposite);
      messages_.push_back(std::move(message));
    }
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      Message& message = messages_[n];
      // A rank that is its own neighbour gets from one side what it sent to the other.
      if (message.rank != fields_.rank()) continue;
      message.opposite = number[static_cast<std::size_t>(opposites[n])];
      message.sent.piece = message.received.piece = {};
    }
  }

  Way WayOf(std::vector<Box> boxes, int tag) const {
    Way way;
    way.tag = tag;
    way.bytes = BytesOf(boxes);
    way.boxes = std::move(boxes);
    way.piece = PieceOf(way);
    return way;
  }
  /// What the message is in an array, where that is one piece of whole words.
  Piece PieceOf(const Way& way) const {
    Piece piece;
    for (std::size_t n = 0; n < way.boxes.size(); ++n) {
      if (BytesOf(way.boxes[n], n) == 0) continue;
      const int field = depths_[n].field;
      const std::size_t bytes = fields_.shape(field).element_bytes;
      const long long first = FirstOfRun(way.boxes[n], fields_.local_shape(field));
      if (piece.field >= 0 || first < 0) return {};
      piece = {field, static_cast<std::size_t>(first) * bytes};
    }
    return way.bytes % kWord == 0 && piece.offset % kWord == 0 ? piece : Piece{};
  }

  /// With its buffers, which are made when they are needed.
  Route& RouteInUse() {
    Route& route = routes_[direct_ ? 1 : 0];
    if (route.ready) return route;
    route.ready = true;
    for (Message& message : messages_) {
      if (!IsDirect(message.sent)) {
        MakeBuffer(message, message.sent, true);
        AddCopies(message.sent, message.sent.buffer.data(), true, route.packs);
      }
    }
    for (Message& message : messages_) {
      if (IsDirect(message.received)) continue;
      if (message.opposite < 0) MakeBuffer(message, message.received, false);
      const MemoryBlock& buffer =
          message.opposite < 0 ? message.received.buffer
                               : messages_[static_cast<std::size_t>(message.opposite)].sent.buffer;
      AddCopies(message.received, buffer.data(), false, route.unpacks);
    }
    return route;
  }
  bool IsDirect(const Way& way) const { return direct_ && way.piece.field >= 0; }

  /// A buffer for a message, and the request that sends it, or receives it.
  void MakeBuffer(const Message& message, Way& way, bool sent) {
    if (way.bytes == 0 || way.buffer.data() != nullptr) return;
    way.buffer = MemoryBlock(fields_.memory(), Words(way.bytes) * kWord, 0);
    if (way.buffer.data() == nullptr) fields_.Fail(kOutOfMemory, "no memory for a message");
    if (message.rank == fields_.rank()) return;
    const auto words = static_cast<int>(Words(way.bytes));
    if (sent) {
      MPI_Send_init(way.buffer.data(), words, MPI_UINT64_T, message.rank, way.tag, fields_.comm(),
                    &way.request);
    } else {
      MPI_Recv_init(way.buffer.data(), words, MPI_UINT64_T, message.rank, way.tag, fields_.comm(),
                    &way.request);
    }
  }
  static std::size_t Words(std::size_t bytes) { return (bytes + kWord - 1) / kWord; }

  void StartWay(Message& message, bool sent) {
    Way& way = sent ? message.sent : message.received;
    if (way.bytes == 0 || message.rank == fields_.rank()) return;
    if (!IsDirect(way)) {
      MPI_Start(&way.request);
      running_.push_back(way.request);
      return;
    }
    // Arrays hand on their memory between exchanges, so that no request lasts.
    char* const piece = fields_.data(way.piece.field) + way.piece.offset;
    const auto words = static_cast<int>(Words(way.bytes));
    running_.push_back(MPI_REQUEST_NULL);
    if (sent) {
      MPI_Isend(piece, words, MPI_UINT64_T, message.rank, way.tag, fields_.comm(),
                &running_.back());
    } else {
      MPI_Irecv(piece, words, MPI_UINT64_T, message.rank, way.tag, fields_.comm(),
                &running_.back());
    }
  }

  /// By field.
  std::vector<Box> BoxesOf(const std::vector<int>& steps, bool sent) const {
    std::vector<Box> boxes;
    for (const Depth& depth : depths_) boxes.push_back(fields_.Exchanged(depth, steps, sent));
    return boxes;
  }

  std::size_t BytesOf(const Box& box, std::size_t n) const {
    if (box.first.empty()) return 0;
    return static_cast<std::size_t>(box.Elements()) * fields_.shape(depths_[n].field).element_bytes;
  }
  std::size_t BytesOf(const std::vector<Box>& boxes) const {
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < boxes.size(); ++n) bytes += BytesOf(boxes[n], n);
    return bytes;
  }
  /// The boxes' elements go to a message (pack), or come from it, one field after the other: those
  /// of large elements first, so that each element is at a multiple of its size.
  void AddCopies(const Way& way, char* packed, bool pack, Copies& copies) const {
    const std::vector<Box>& boxes = way.boxes;
    for (const std::size_t bytes :
         {std::size_t{8}, std::size_t{4}, std::size_t{2}, std::size_t{1}}) {
      for (std::size_t n = 0; n < boxes.size(); ++n) {
        const int field = depths_[n].field;
        if (boxes[n].first.empty() || fields_.shape(field).element_bytes != bytes) continue;
        ArrayBox message = {packed, {}, {}};
        for (std::size_t d = 0; d < boxes[n].first.size(); ++d) {
          message.box.first.push_back(0);
          message.box.end.push_back(boxes[n].end[d] - boxes[n].first[d]);
        }
        message.shape = message.box.end;
        const ArrayBox array = {nullptr, fields_.local_shape(field), boxes[n]};
        copies.fields.push_back(field);
        copies.copies.push_back(pack ? BoxCopy{array, message, bytes}
                                     : BoxCopy{message, array, bytes});
        packed += BytesOf(boxes[n], n);
      }
    }
  }
  /// Arrays hand on their memory between exchanges.
  void Copy(Copies& copies, bool pack) {
    for (std::size_t n = 0; n < copies.copies.size(); ++n) {
      BoxCopy& copy = copies.copies[n];
      (pack ? copy.from : copy.to).array = fields_.data(copies.fields[n]);
    }
    fields_.memory().Copy(copies.copies);
  }

  static constexpr int kTag = 16;
  static constexpr std::size_t kWord = sizeof(std::uint64_t);  ///< messages are of whole ones

  Fields& fields_;
  const std::vector<Depth> depths_;
  std::size_t number_ = 0;  ///< that its fields know it by
  bool found_ = false, overlapped_ = false;
  bool direct_ = false;  ///< pieces of arrays are messages, in the exchange started last
  double started_ = 0;   ///< when its messages were
  std::vector<Message> messages_;
  Route routes_[2];                   ///< by buffers; directly
  std::vector<MPI_Request> running_;  ///< its messages
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_EXCHANGE_HPP
