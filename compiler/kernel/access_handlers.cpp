#include <cstring>

#include <fmt/format.h>

#include "kernel/handlers.h"
#include "kernel/machine.h"

namespace stencilgen::kernel::bytecode {
namespace {

/// Positions beyond it are in no region, and must not come out in another.
constexpr std::int64_t kFarthest = std::int64_t{1} << 42;

/// What an instruction touches; `region` is null, with a fault, where it may not.
struct Access {
  Region* region = nullptr;
  std::int64_t byte = 0;
};

Access Find(Thread& thread, const Instruction& it, std::int32_t address, std::int32_t element,
            std::int64_t size, bool aligned, bool writes) {
  if (thread.known[address] == 0 || thread.known[element] == 0) {
    thread.Fault(it, "the position depends on a value that is not set");
    return {};
  }
  const std::int64_t index = thread.cells[element].integer;
  if (index < -kFarthest || index > kFarthest) {
    thread.Fault(it, fmt::format("out of bounds: element {}", index));
    return {};
  }
  const std::int64_t place = thread.cells[address].integer + index * size;
  Regions& regions = thread.machine->regions();
  const std::int64_t bytes = size * it.lanes;
  const std::string problem = regions.Check(place, bytes, aligned ? bytes : size, writes);
  if (!problem.empty()) {
    thread.Fault(it, problem);
    return {};
  }
  return {&regions[RegionOf(place)], ByteOf(place)};
}

bool IsDefined(const Region& region, std::int64_t byte, std::int64_t size) {
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + size; ++k) {
    if (region.defined[k] == 0) return false;
  }
  return true;
}

void SetDefined(const Region& region, std::int64_t byte, std::int64_t size, std::uint8_t defined) {
  for (std::int64_t k = byte / region.granule; k * region.granule < byte + size; ++k) {
    region.defined[k] = defined;
  }
}

void CountLoad(Machine& machine, const Region& region, std::int64_t elements, std::int64_t bytes) {
  if (!region.counted) return;
  if (region.shared) {
    machine.counters().shared_loads += elements;
    return;
  }
  machine.counters().global_loads += elements;
  machine.counters().global_load_bytes += bytes;
}

void CountStore(Machine& machine, const Region& region, std::int64_t elements, std::int64_t bytes) {
  if (!region.counted) return;
  if (region.shared) {
    machine.counters().shared_stores += elements;
    return;
  }
  machine.counters().global_stores += elements;
  machine.counters().global_store_bytes += bytes;
}

template <typename T>
void Load(Thread& thread, const Instruction& it) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const Access at = Find(thread, it, it.a, it.b, kSize, it.c != 0, false);
  if (at.region == nullptr || (at.region->shared && thread.Yields())) return;
  Machine& machine = *thread.machine;
  CountLoad(machine, *at.region, it.lanes, kSize * it.lanes);
  for (int k = 0; k < it.lanes; ++k) {
    const std::int64_t byte = at.byte + k * kSize;
    if constexpr (std::is_same_v<T, bool>) {
      thread.cells[it.dest + k].integer = at.region->bytes[byte] != 0 ? 1 : 0;
    } else {
      T value{};
      std::memcpy(&value, at.region->bytes + byte, sizeof(T));
      Set<T>(thread.cells[it.dest + k], value);
    }
    thread.known[it.dest + k] = IsDefined(*at.region, byte, kSize) ? 1 : 0;
    if (thread.known[it.dest + k] == 0 && machine.options().unset == UnsetValues::Loads) {
      return thread.Fault(it, fmt::format("element {} of {} was never written",
                                          byte / at.region->granule, at.region->name));
    }
  }
  const std::string race = machine.regions().Read(*at.region, at.byte, kSize * it.lanes);
  if (race.empty()) return;
  if (!at.region->lenient) return thread.Fault(it, race);
  for (int k = 0; k < it.lanes; ++k) thread.known[it.dest + k] = 0;
}

template <typename T>
void Store(Thread& thread, const Instruction& it) {
  constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
  const Access at = Find(thread, it, it.dest, it.a, kSize, it.c != 0, true);
  if (at.region == nullptr || (at.region->shared && thread.Yields())) return;
  Machine& machine = *thread.machine;
  CountStore(machine, *at.region, it.lanes, kSize * it.lanes);
  for (int k = 0; k < it.lanes; ++k) {
    const std::int64_t byte = at.byte + k * kSize;
    const T value = Get<T>(thread.cells[it.b + k]);
    const std::string race = machine.regions().Write(*at.region, byte, kSize, &value);
    if (!race.empty()) return thread.Fault(it, race);
    std::memcpy(at.region->bytes + byte, &value, sizeof(T));
    SetDefined(*at.region, byte, kSize, thread.known[it.b + k]);
    if (thread.known[it.b + k] == 0 && at.region->argument &&
        machine.options().unset != UnsetValues::Allow) {
      return thread.Fault(it, fmt::format("element {} of {} gets a value that is not set",
                                          byte / at.region->granule, at.region->name));
    }
  }
}

}  // namespace

void MoveAddress(Thread& thread, const Instruction& it) {
  const std::int64_t offset = thread.cells[it.b].integer;
  thread.known[it.dest] = thread.known[it.a] & thread.known[it.b];
  if (thread.known[it.dest] == 0) return;
  if (offset < -kFarthest || offset > kFarthest) {
    return thread.Fault(it, fmt::format("an address {} elements away", offset));
  }
  thread.cells[it.dest].integer = thread.cells[it.a].integer + offset * it.number;
}

Handler LoadHandler(Elementary type) {
  return WithType(type, [](auto zero) -> Handler { return &Load<decltype(zero)>; });
}

Handler StoreHandler(Elementary type) {
  return WithType(type, [](auto zero) -> Handler { return &Store<decltype(zero)>; });
}

void CopyAsync(Thread& thread, const Instruction& it) {
  Machine& machine = *thread.machine;
  if (thread.known[it.dest] == 0 || thread.known[it.a] == 0) {
    return thread.Fault(it, "the position depends on a value that is not set");
  }
  Regions& regions = machine.regions();
  AsyncCopy copy = {thread.cells[it.dest].integer, thread.cells[it.a].integer, it.number, it.stmt};
  for (const bool writes : {false, true}) {
    const std::string problem =
        regions.Check(writes ? copy.to : copy.from, copy.bytes, copy.bytes, writes);
    if (!problem.empty()) return thread.Fault(it, problem);
  }
  Region& to = regions[RegionOf(copy.to)];
  Region& from = regions[RegionOf(copy.from)];
  if (!to.shared || from.shared) {
    return thread.Fault(it, "asynchronous copies go from global to shared memory");
  }
  if (thread.Yields()) return;
  CountLoad(machine, from, 1, copy.bytes);
  CountStore(machine, to, 1, copy.bytes);
  std::string race = regions.Read(from, ByteOf(copy.from), copy.bytes);
  if (race.empty()) race = regions.Write(to, ByteOf(copy.to), copy.bytes, nullptr);
  if (!race.empty()) return thread.Fault(it, race);
  regions.BeginCopy(to, ByteOf(copy.to), copy.bytes);
  if (thread.copies.empty()) thread.copies.emplace_back();
  thread.copies.back().push_back(copy);
  if (!machine.orderer().CopyLandsAtOnce()) return;
  // The values are there; that nobody may rely on it stays noted.
  std::memcpy(to.bytes + ByteOf(copy.to), from.bytes + ByteOf(copy.from),
              static_cast<std::size_t>(copy.bytes));
}

void CommitCopies(Thread& thread, const Instruction&) {
  if (thread.copies.empty()) thread.copies.emplace_back();
  thread.copies.emplace_back();
}

void WaitForCopies(Thread& thread, const Instruction& it) {
  while (thread.copies.size() > 1) {
    for (const AsyncCopy& copy : thread.copies.front()) {
      Instruction landing = it;
      landing.stmt = copy.stmt;
      thread.machine->Land(copy);
      const std::string race = thread.machine->regions().Write(
          thread.machine->regions()[RegionOf(copy.to)], ByteOf(copy.to), copy.bytes, nullptr);
      if (!race.empty()) return thread.Fault(landing, race);
    }
    thread.copies.erase(thread.copies.begin());
  }
}

}  // namespace stencilgen::kernel::bytecode
