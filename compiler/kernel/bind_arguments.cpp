#include <limits>

#include <fmt/format.h>

#include "kernel/machine.h"
#include "support/match.h"

namespace stencilgen::kernel::bytecode {
namespace {

struct Elements {
  unsigned char* bytes = nullptr;
  std::size_t count = 0;
  Elementary of = Elementary::Bool;
};

Elements ElementsOf(graph::Values& values) {
  const auto elements = [](auto& each, Elementary of) {
    return Elements{reinterpret_cast<unsigned char*>(each.data()), each.size(), of};
  };
  return Match(
      values, [&](std::vector<std::uint8_t>& each) { return elements(each, Elementary::Bool); },
      [&](std::vector<std::int32_t>& each) { return elements(each, Elementary::Int); },
      [&](std::vector<float>& each) { return elements(each, Elementary::Float); },
      [&](std::vector<double>& each) { return elements(each, Elementary::Double); });
}

}  // namespace

bool Machine::Bind(const std::vector<ExecuteArgument>& arguments) {
  if (!code_.error.empty()) Fail(code_.error);
  if (arguments.size() != function_.arguments.size()) {
    Fail(fmt::format("{} has {} arguments, not {}", function_.name, function_.arguments.size(),
                     arguments.size()));
  }
  if (failed()) return false;
  first_cells_.assign(code_.constants.rbegin(), code_.constants.rend());
  first_known_.assign(first_cells_.size(), 1);
  first_cells_.resize(first_cells_.size() + static_cast<std::size_t>(code_.argument_cells));
  first_known_.resize(first_cells_.size(), 1);
  Region shared;
  shared.name = "shared memory";
  shared.granule = code_.shared_granule;
  shared.size = is_grid() ? options_.shared_bytes / shared.granule * shared.granule : 0;
  shared_.assign(static_cast<std::size_t>(shared.size), 0xFF);
  shared_defined_.assign(static_cast<std::size_t>(shared.size / shared.granule), 0);
  shared.bytes = shared_.data();
  shared.defined = shared_defined_.data();
  shared.shared = shared.counted = true;
  shared.lenient = options_.races == DataRaces::Unset;
  if (options_.races != DataRaces::Ignore) shared.touches.resize(shared_defined_.size());
  regions_.all().push_back(std::move(shared));
  for (std::size_t n = 0; n < arguments.size() && !failed(); ++n) BindArgument(n, arguments[n]);
  for (std::size_t n = 0; n < options_.constants.size() && !failed(); ++n) {
    const auto& [var, memory] = options_.constants[n];
    BindArray({var, true, false}, *memory, code_.constants.size() + arguments.size() + n);
  }
  if (function_.vectors != nullptr) {
    first_cells_.back().integer = options_.rows_as_vectors ? 1 : 0;
  }
  BindTables();
  return !failed();
}

void Machine::BindArgument(std::size_t n, const ExecuteArgument& value) {
  const Argument& argument = function_.arguments[n];
  const Var& var = *argument.var;
  const std::size_t place = code_.constants.size() + n;
  Cell& cell = first_cells_[place];
  if (var.storage != Storage::Value) {
    Memory* const* memory = std::get_if<Memory*>(&value);
    if (memory == nullptr) return Fail(fmt::format("{} is an array", var.name));
    return BindArray(argument, **memory, place);
  }
  const auto set = [&](auto number) {
    WithType(var.type.of,
             [&](auto zero) { Set<decltype(zero)>(cell, static_cast<decltype(zero)>(number)); });
  };
  Match(
      value, [&](Memory*) { Fail(fmt::format("{} is a value", var.name)); },
      [&](std::int64_t number) { set(number); }, [&](double number) { set(number); });
}

void Machine::BindArray(const Argument& argument, Memory& memory, std::size_t place) {
  const Var& var = *argument.var;
  const Elements elements = ElementsOf(memory.values);
  if (elements.of != var.type.of || memory.defined.size() != elements.count) {
    return Fail(fmt::format("{} is an array of {}", var.name, ToString(var.type.of)));
  }
  Region region;
  region.name = var.name;
  region.bytes = elements.bytes;
  region.defined = memory.defined.data();
  region.granule = SizeInBytes(elements.of);
  region.size = static_cast<std::int64_t>(elements.count) * region.granule;
  region.counted = var.storage == Storage::Global;
  region.argument = true;
  region.readable = argument.read;
  region.writable = argument.written;
  region.lenient = options_.races == DataRaces::Unset;
  if (options_.races != DataRaces::Ignore && argument.written)
    region.touches.resize(elements.count);
  first_cells_[place].integer = MakeAddress(static_cast<std::int64_t>(regions_.all().size()), 0);
  regions_.all().push_back(std::move(region));
}

void Machine::BindTables() {
  tables_.resize(code_.tables.size());
  for (std::size_t n = 0; n < tables_.size(); ++n) {
    const Table& table = code_.tables[n];
    Region region;
    region.name = "a table";
    region.granule = SizeInBytes(table.of);
    region.size = static_cast<std::int64_t>(table.count) * region.granule;
    tables_[n].bytes.assign(static_cast<std::size_t>(region.size), 0xFF);
    tables_[n].defined.assign(table.count, 0);
    region.bytes = tables_[n].bytes.data();
    region.defined = tables_[n].defined.data();
    regions_.all().push_back(std::move(region));
  }
}

}  // namespace stencilgen::kernel::bytecode
