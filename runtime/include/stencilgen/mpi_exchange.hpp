#ifndef STENCILGEN_MPI_EXCHANGE_HPP
#define STENCILGEN_MPI_EXCHANGE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stencilgen/mpi.hpp"

/// The exchange of ghosts: one message to each neighbour, for all fields of the exchange.
namespace stencilgen::mpi {

/// How many ghosts of a field are filled, by axis.
struct Depth {
  int field = 0;
  std::array<long long, kMaxAxes> lo{}, hi{};
};

/// Fills the ghosts of fields with their neighbours' values, those at corners with diagonal
/// neighbours' ones. Buffers and requests of MPI are made once. All ranks start and finish their
/// exchanges in the same order.
class Exchange {
 public:
  Exchange(Fields& fields, std::vector<Depth> depths)
      : fields_(fields), depths_(std::move(depths)) {}
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
    fields_.CountExchange(overlapped);
    for (Message& message : messages_) {
      CopyBoxes(message.sent_boxes, true, message.sent);
      if (message.rank != fields_.rank() && message.bytes > 0) {
        fields_.CountMessage(static_cast<long long>(message.bytes));
      }
    }
    if (requests_.empty()) return;
    MPI_Startall(static_cast<int>(requests_.size()), requests_.data());
  }
  /// Waits for the neighbours' values and puts them into the ghosts. Seconds that it has waited.
  double Finish() {
    if (depths_.empty()) return 0;
    const double begin = MPI_Wtime();
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    const double waited = MPI_Wtime() - begin;
    fields_.CountWait(waited);
    for (Message& message : messages_) {
      // A rank that is its own neighbour gets from one side what it sent to the other.
      CopyBoxes(
          message.received_boxes, false,
          message.rank == fields_.rank() ? messages_[message.opposite].sent : message.received);
    }
    return waited;
  }
  double Run() {
    Start();
    return Finish();
  }

 private:
  using Buffer = std::vector<std::uint64_t>;
  /// To and from the neighbour in one direction.
  struct Message {
    int rank = 0;
    std::size_t opposite = 0;                     ///< the message to the other side
    std::vector<Box> sent_boxes, received_boxes;  ///< by field; may be none
    std::size_t bytes = 0;                        ///< sent
    Buffer sent, received;
  };

  void Prepare() {
    ready_ = true;
    const std::size_t axes = fields_.axes().size();
    int directions = 1;
    for (std::size_t a = 0; a < axes; ++a) directions *= 3;
    const int middle = directions / 2;
    std::vector<int> number(static_cast<std::size_t>(directions), -1);
    std::vector<int> numbers;
    for (int direction = 0; direction < directions; ++direction) {
      const std::vector<int> steps = StepsOf(direction);
      const int rank = direction == middle ? MPI_PROC_NULL : fields_.Neighbour(steps);
      if (rank == MPI_PROC_NULL) continue;
      Message message;
      message.rank = rank;
      message.sent_boxes = BoxesOf(steps, true);
      message.received_boxes = BoxesOf(steps, false);
      message.bytes = Fit(message.sent, message.sent_boxes);
      const std::size_t received = Fit(message.received, message.received_boxes);
      if (message.bytes == 0 && received == 0) continue;
      number[static_cast<std::size_t>(direction)] = static_cast<int>(messages_.size());
      numbers.push_back(direction);
      messages_.push_back(std::move(message));
    }
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      Message& message = messages_[n];
      const int other = directions - 1 - numbers[n];
      if (message.rank == fields_.rank()) {
        message.opposite = static_cast<std::size_t>(number[static_cast<std::size_t>(other)]);
        continue;
      }
      // A message's tag is its direction: two ranks may be neighbours on several sides.
      if (!message.received.empty()) {
        requests_.push_back(MPI_REQUEST_NULL);
        MPI_Recv_init(message.received.data(), static_cast<int>(message.received.size()),
                      MPI_UINT64_T, message.rank, kTag + other, fields_.comm(), &requests_.back());
      }
      if (!message.sent.empty()) {
        requests_.push_back(MPI_REQUEST_NULL);
        MPI_Send_init(message.sent.data(), static_cast<int>(message.sent.size()), MPI_UINT64_T,
                      message.rank, kTag + numbers[n], fields_.comm(), &requests_.back());
      }
    }
  }

  std::vector<int> StepsOf(int direction) const {
    std::vector<int> steps(fields_.axes().size());
    for (std::size_t a = steps.size(); a-- > 0;) {
      steps[a] = direction % 3 - 1;
      direction /= 3;
    }
    return steps;
  }

  /// By field: the local elements that go to the neighbour, or come from it; may be none.
  std::vector<Box> BoxesOf(const std::vector<int>& steps, bool sent) const {
    std::vector<Box> boxes;
    for (const Depth& depth : depths_) {
      Box box = fields_.own(depth.field);
      for (std::size_t a = 0; a < steps.size(); ++a) {
        if (steps[a] == 0) continue;
        const int along = fields_.DimensionOf(depth.field, static_cast<int>(a));
        const bool low = steps[a] < 0;
        // To the lower side goes what its ghosts above need.
        const long long points = low == sent ? depth.hi[a] : depth.lo[a];
        if (along < 0 || points == 0) {
          box = {};
          break;
        }
        const auto d = static_cast<std::size_t>(along);
        const long long first = fields_.own_first(static_cast<int>(a));
        const Part& part = fields_.part(static_cast<int>(a));
        const long long end = first + part.hi - part.lo;
        box.first[d] = low ? (sent ? first : first - points) : (sent ? end - points : end);
        box.end[d] = box.first[d] + points;
      }
      boxes.push_back(std::move(box));
    }
    return boxes;
  }

  std::size_t BytesOf(const Box& box, std::size_t n) const {
    if (box.first.empty()) return 0;
    return static_cast<std::size_t>(box.Elements()) * fields_.shape(depths_[n].field).element_bytes;
  }
  /// Makes room for the boxes, one field after the other. The bytes.
  std::size_t Fit(Buffer& buffer, const std::vector<Box>& boxes) const {
    std::size_t bytes = 0;
    for (std::size_t n = 0; n < boxes.size(); ++n) bytes += BytesOf(boxes[n], n);
    buffer.resize((bytes + 7) / 8);
    return bytes;
  }
  /// Copies the boxes to the buffer (pack), or from it.
  void CopyBoxes(const std::vector<Box>& boxes, bool pack, Buffer& buffer) {
    char* packed = reinterpret_cast<char*>(buffer.data());
    for (std::size_t n = 0; n < boxes.size(); ++n) {
      if (boxes[n].first.empty()) continue;
      const int field = depths_[n].field;
      CopyBox(fields_.data(field), fields_.local_shape(field), boxes[n],
              fields_.shape(field).element_bytes, packed, pack);
      packed += BytesOf(boxes[n], n);
    }
  }

  static constexpr int kTag = 16;

  Fields& fields_;
  const std::vector<Depth> depths_;
  bool ready_ = false;
  std::vector<Message> messages_;
  std::vector<MPI_Request> requests_;
};

}  // namespace stencilgen::mpi

#endif  // STENCILGEN_MPI_EXCHANGE_HPP
