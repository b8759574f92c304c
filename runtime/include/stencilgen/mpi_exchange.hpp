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
/// with diagonal neighbours' ones. Buffers and requests of MPI are made once. All ranks start and
/// finish their exchanges in the same order.
class Exchange {
 public:
  Exchange(Fields& fields, std::vector<Depth> depths)
      : fields_(fields), depths_(std::move(depths)) {
    if (!depths_.empty()) number_ = fields_.AddExchange(What());
  }
  ~Exchange() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    for (MPI_Request& request : requests_) {
      if (finalized == 0) MPI_Request_free(&request);
    }
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  const std::vector<Depth>& depths() const { return depths_; }

  /// Sends what neighbours need. The fields' ghosts may be written until Finish, and from the end
  /// of this call on the fields may.
  void Start(bool overlapped = false) {
    if (depths_.empty()) return;
    if (!ready_) Prepare();
    overlapped_ = overlapped;
    Counters& counters = fields_.CountersOf(number_);
    ++counters.exchanges;
    if (overlapped) ++counters.overlapped;
    for (const Message& message : messages_) {
      if (message.rank == fields_.rank() || message.bytes == 0) continue;
      ++counters.messages;
      counters.bytes += static_cast<long long>(message.bytes);
    }
    Copy(packs_, true);
    if (requests_.empty()) return;
    // A GPU packs while this goes on. Where it fails, neighbours wait for messages all the same.
    fields_.memory().Wait();
    started_ = MPI_Wtime();
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
  /// Waits for the neighbours' values and puts them into the ghosts. Seconds that it has waited.
  double Finish() {
    if (depths_.empty()) return 0;
    const double begin = MPI_Wtime();
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    const double end = MPI_Wtime();
    fields_.CountersOf(number_).waited += end - begin;
    if (!requests_.empty()) CountHidden(begin, end);
    Copy(unpacks_, false);
    return end - begin;
  }
  /// True where the neighbours' values are there, which Finish is still to put into the ghosts.
  /// Libraries that move messages only when they are called do so here.
  bool Test() {
    int done = 1;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
  double Run() {
    Start();
    return Finish();
  }

 private:
  /// To and from the neighbour in one direction.
  struct Message {
    int rank = 0;
    std::vector<Box> sent_boxes, received_boxes;  ///< by field; may be none
    std::size_t bytes = 0, received_bytes = 0;
    MemoryBlock sent, received;
  };
  /// Elements between arrays and messages.
  struct Copies {
    std::vector<int> fields;  ///< by copy
    std::vector<BoxCopy> copies;
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

  void Prepare() {
    ready_ = true;
    const std::size_t axes = fields_.axes().size();
    const int directions = ranks::DirectionCount(axes);
    const int middle = directions / 2;
    std::vector<int> number(static_cast<std::size_t>(directions), -1);
    std::vector<int> numbers;
    for (int direction = 0; direction < directions; ++direction) {
      const std::vector<int> steps = ranks::StepsOf(direction, axes);
      const int rank = direction == middle ? MPI_PROC_NULL : fields_.Neighbour(steps);
      if (rank == MPI_PROC_NULL) continue;
      Message message;
      message.rank = rank;
      message.sent_boxes = BoxesOf(steps, true);
      message.received_boxes = BoxesOf(steps, false);
      message.bytes = BytesOf(message.sent_boxes);
      message.received_bytes = BytesOf(message.received_boxes);
      if (message.bytes == 0 && message.received_bytes == 0) continue;
      message.sent = Buffer(message.bytes);
      // A rank that is its own neighbour gets from one side what it sent to the other.
      if (rank != fields_.rank()) message.received = Buffer(message.received_bytes);
      number[static_cast<std::size_t>(direction)] = static_cast<int>(messages_.size());
      numbers.push_back(direction);
      messages_.push_back(std::move(message));
    }
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      const int other = directions - 1 - numbers[n];
      MakeRequests(messages_[n], numbers[n], other);
      const Message& message = messages_[n];
      AddCopies(message.sent_boxes, true, message.sent.data());
      const char* from = message.received.data();
      if (message.rank == fields_.rank()) {
        from = messages_[static_cast<std::size_t>(number[static_cast<std::size_t>(other)])]
                   .sent.data();
      }
      AddCopies(message.received_boxes, false, const_cast<char*>(from));
    }
  }

  MemoryBlock Buffer(std::size_t bytes) {
    if (bytes == 0) return {};
    MemoryBlock block(fields_.memory(), (bytes + 7) / 8 * 8, 0);
    if (block.data() == nullptr) fields_.Fail(kOutOfMemory, "no memory for a message");
    return block;
  }
  /// A message's tag is its direction: two ranks may be neighbours on several sides.
  void MakeRequests(const Message& message, int direction, int other) {
    if (message.rank == fields_.rank()) return;
    const auto words = [](std::size_t bytes) { return static_cast<int>((bytes + 7) / 8); };
    if (message.received_bytes > 0) {
      requests_.push_back(MPI_REQUEST_NULL);
      MPI_Recv_init(message.received.data(), words(message.received_bytes), MPI_UINT64_T,
                    message.rank, kTag + other, fields_.comm(), &requests_.back());
    }
    if (message.bytes > 0) {
      requests_.push_back(MPI_REQUEST_NULL);
      MPI_Send_init(message.sent.data(), words(message.bytes), MPI_UINT64_T, message.rank,
                    kTag + direction, fields_.comm(), &requests_.back());
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
  void AddCopies(const std::vector<Box>& boxes, bool pack, char* packed) {
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
        Copies& copies = pack ? packs_ : unpacks_;
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

  Fields& fields_;
  const std::vector<Depth> depths_;
  std::size_t number_ = 0;  ///< that its fields know it by
  bool ready_ = false, overlapped_ = false;
  double started_ = 0;  ///< when its messages were
  std::vector<Message> messages_;
  Copies packs_, unpacks_;
  std::vector<MPI_Request> requests_;
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_EXCHANGE_HPP
