#include "tools/run/npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "graph/element_format.h"
#include "support/check.h"
#include "support/match.h"
#include "support/npy_type.h"

namespace stencilgen::driver {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMostHeader = std::size_t{1} << 20;
constexpr std::size_t kMostRank = 32;

using ElementType = std::pair<ScalarType, ElementFormat>;
constexpr std::array<ScalarType, 4> kTypes = {ScalarType::Bool, ScalarType::Int, ScalarType::Float,
                                              ScalarType::Double};

/// What the elements of files may be.
std::vector<ElementType> ElementTypes() {
  std::vector<ElementType> types;
  for (const ScalarType type : kTypes) types.emplace_back(type, ElementFormat::Plain);
  for (const ElementFormat format : kNarrowFormats) {
    if (format != ElementFormat::BFloat16) types.emplace_back(ValueTypeOf(format), format);
  }
  return types;
}

/// The dictionary of a header, a Python literal of three known keys.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  /// Empty where the text is no such dictionary.
  bool Parse() {
    if (!Take('{')) return false;
    while (!Take('}')) {
      const std::optional<std::string> key = String();
      if (!key || !Take(':') || !Value(*key)) return false;
      if (!Take(',') && Peek() != '}') return false;
    }
    return descr_ && fortran_ && shape_;
  }

  const std::string& descr() const { return *descr_; }
  bool fortran() const { return *fortran_; }
  const std::vector<std::int64_t>& shape() const { return *shape_; }

 private:
  char Peek() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      ++position_;
    }
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c || position_ >= text_.size()) return false;
    ++position_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    Peek();
    if (text_.substr(position_, word.size()) != word) return false;
    position_ += word.size();
    return true;
  }
  std::optional<std::string> String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return std::nullopt;
    const std::size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string value(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return value;
  }
  std::optional<std::int64_t> Integer() {
    Peek();
    std::int64_t value = 0;
    const char* begin = text_.data() + position_;
    const auto [stop, status] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (status != std::errc() || value < 0) return std::nullopt;
    position_ += static_cast<std::size_t>(stop - begin);
    return value;
  }
  bool Shape() {
    std::vector<std::int64_t> shape;
    if (!Take('(')) return false;
    while (!Take(')')) {
      const std::optional<std::int64_t> extent = Integer();
      if (!extent || shape.size() == kMostRank) return false;
      shape.push_back(*extent);
      if (!Take(',') && Peek() != ')') return false;
    }
    shape_ = std::move(shape);
    return true;
  }
  bool Value(const std::string& key) {
    if (key == "descr") {
      descr_ = String();
      return descr_.has_value();
    }
    if (key == "fortran_order") {
      const bool yes = TakeWord("True");
      if (!yes && !TakeWord("False")) return false;
      fortran_ = yes;
      return true;
    }
    return key == "shape" && Shape();
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_;
  std::optional<std::vector<std::int64_t>> shape_;
};

std::size_t LittleEndian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::variant<NpyHeader, UsageError> ReadHeaderText(std::string_view text) {
  HeaderParser parser(text);
  if (!parser.Parse()) return UsageError{"its header is damaged", ""};
  if (parser.fortran()) {
    return UsageError{"it is in Fortran order",
                      "save it with numpy.save(file, numpy.ascontiguousarray(a))"};
  }
  NpyHeader header;
  header.shape = parser.shape();
  const std::vector<ElementType> types = ElementTypes();
  const bool of_doubles = parser.descr() == "<c16";
  header.complex = of_doubles || parser.descr() == "<c8";
  const std::string part = of_doubles ? "<f8" : header.complex ? "<f4" : parser.descr();
  const auto found = std::find_if(types.begin(), types.end(), [&](const ElementType& type) {
    return NpyTypeOf(type.first, type.second) == part;
  });
  if (found == types.end()) {
    return UsageError{
        fmt::format("its elements are `{}`, which no type of the language is", parser.descr()),
        "bool is `|b1`, int `<i4`, float `<f4` and double `<f8`, narrower elements `|i1`, `|u1`, "
        "`<i2`, `<u2` and `<f2`, complex numbers `<c8` and `<c16`: convert with a.astype('<f8')"};
  }
  header.type = found->first;
  header.format = found->second;
  header.elements = 1;
  bool empty = false;
  for (const std::int64_t extent : header.shape) {
    empty = empty || extent == 0;
    if (__builtin_mul_overflow(header.elements, static_cast<std::size_t>(extent),
                               &header.elements)) {
      header.elements = SIZE_MAX;
    }
  }
  if (empty) header.elements = 0;
  if (header.elements > SIZE_MAX / 16) return UsageError{"its header is damaged", ""};
  return header;
}

}  // namespace

std::variant<NpyHeader, UsageError> DecodeNpyHeader(std::string_view bytes) {
  const UsageError no_npy{"it is no .npy file", "numpy.save(file, a) writes one"};
  const std::size_t version_at = kMagic.size();
  if (bytes.size() < version_at + 2 || bytes.substr(0, version_at) != kMagic) return no_npy;
  const int version = static_cast<unsigned char>(bytes[version_at]);
  if (version < 1 || version > 2) {
    return UsageError{fmt::format("its format is version {}, not 1 or 2", version),
                      "numpy.save(file, a) writes version 1"};
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t begin = version_at + 2 + length_bytes;
  const UsageError truncated{"it ends within its header", "the file is truncated"};
  if (bytes.size() < begin) return truncated;
  const std::size_t length = LittleEndian(bytes.substr(version_at + 2, length_bytes));
  if (length > kMostHeader) return UsageError{"its header is damaged", ""};
  if (bytes.size() - begin < length) return truncated;
  auto header = ReadHeaderText(bytes.substr(begin, length));
  if (auto* found = std::get_if<NpyHeader>(&header)) found->data_offset = begin + length;
  return header;
}

namespace {

/// What a file must hold.
struct Expected {
  ScalarType type = ScalarType::Double;
  ElementFormat format = ElementFormat::Plain;
  bool complex = false;

  /// As the language says it, and as NumPy does.
  std::string Name() const {
    return fmt::format("{}{}", complex ? "complex " : "", ToString(type, format));
  }
  std::string NpyType() const {
    if (complex) return type == ScalarType::Double ? "<c16" : "<c8";
    return std::string(NpyTypeOf(type, format));
  }
};

/// Of complex numbers both parts, one after the other.
std::variant<graph::Values, UsageError> ReadFile(const std::string& path, const Expected& expected,
                                                 const std::vector<std::int64_t>& shape) {
  const auto fail = [&](const std::string& what, const std::string& hint) {
    return UsageError{fmt::format("cannot use `{}`: {}", path, what), hint};
  };
  std::error_code status;
  if (!std::filesystem::exists(path, status)) return fail("there is no such file", "");
  if (!std::filesystem::is_regular_file(path, status)) return fail("it is no regular file", "");
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  std::ifstream file(path, std::ios::binary);
  if (status || !file) return fail("it cannot be read", "");

  std::string start(static_cast<std::size_t>(std::min<std::uintmax_t>(size, kMostHeader + 16)),
                    '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  if (!file) return fail("it cannot be read", "");
  const auto decoded = DecodeNpyHeader(start);
  if (const auto* error = std::get_if<UsageError>(&decoded))
    return fail(error->message, error->hint);
  const auto& header = std::get<NpyHeader>(decoded);

  const Expected held{header.type, header.format, header.complex};
  if (held.NpyType() != expected.NpyType()) {
    return fail(fmt::format("it holds {} and the array is {}", held.Name(), expected.Name()),
                fmt::format("convert it with a.astype('{}')", expected.NpyType()));
  }
  if (header.shape != shape) {
    return fail(fmt::format("its shape is {} and the array's is {}", ShapeText(header.shape),
                            ShapeText(shape)),
                "sizes are set with -D NAME=VALUE");
  }
  const std::size_t count = header.elements * (header.complex ? 2 : 1);
  const std::size_t bytes = count * static_cast<std::size_t>(ElementBytes(header));
  const auto [type, format, complex] = expected;
  if (size - header.data_offset < bytes) {
    return fail(fmt::format("it has {} of {} bytes of elements", size - header.data_offset, bytes),
                "the file is truncated");
  }
  graph::Values values = graph::MakeValues(type, count);
  file.seekg(static_cast<std::streamoff>(header.data_offset));
  // Narrow elements become values afterwards; others are read to where they stay.
  std::string narrow(format == ElementFormat::Plain ? 0 : bytes, '\0');
  char* const into = Match(values, [&](auto& elements) {
    return narrow.empty() ? reinterpret_cast<char*>(elements.data()) : narrow.data();
  });
  file.read(into, static_cast<std::streamsize>(bytes));
  if (!file) return fail("it cannot be read", "");
  if (!narrow.empty()) graph::LoadElements(narrow.data(), format, values);
  if (auto* flags = std::get_if<std::vector<std::uint8_t>>(&values)) {
    for (std::uint8_t& flag : *flags) flag = flag != 0 ? 1 : 0;
  }
  return values;
}

}  // namespace

std::variant<graph::Values, UsageError> ReadNpy(const std::string& path, ScalarType type,
                                                const std::vector<std::int64_t>& shape,
                                                ElementFormat format) {
  return ReadFile(path, {type, format}, shape);
}

std::variant<std::array<graph::Values, 2>, UsageError> ReadComplexNpy(
    const std::string& path, ScalarType type, const std::vector<std::int64_t>& shape) {
  auto read = ReadFile(path, {type, ElementFormat::Plain, true}, shape);
  if (auto* error = std::get_if<UsageError>(&read)) return *error;
  const auto& pairs = std::get<graph::Values>(read);
  const std::size_t count = graph::SizeOf(pairs) / 2;
  std::array<graph::Values, 2> parts = {graph::MakeValues(type, count),
                                        graph::MakeValues(type, count)};
  Match(pairs, [&](const auto& both) {
    for (std::size_t part = 0; part < 2; ++part) {
      auto& into = std::get<std::decay_t<decltype(both)>>(parts[part]);
      for (std::size_t n = 0; n < count; ++n) into[n] = both[2 * n + part];
    }
  });
  return parts;
}

namespace {

/// All before the elements.
std::string HeaderText(std::string_view type, const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kAlignment = 64;
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type,
                                 ShapeText(shape));
  const std::size_t before = kMagic.size() + 4;
  const std::size_t padding = kAlignment - (before + text.size() + 1) % kAlignment;
  text.append(padding % kAlignment, ' ');
  text += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace

std::string EncodeComplexNpy(const graph::Values& re, const graph::Values& im,
                             const std::vector<std::int64_t>& shape) {
  const bool doubles = std::holds_alternative<std::vector<double>>(re);
  const std::size_t count = graph::SizeOf(re);
  graph::Values pairs =
      graph::MakeValues(doubles ? ScalarType::Double : ScalarType::Float, 2 * count);
  Match(pairs, [&](auto& both) {
    const auto& real = std::get<std::decay_t<decltype(both)>>(re);
    const auto& imaginary = std::get<std::decay_t<decltype(both)>>(im);
    for (std::size_t n = 0; n < count; ++n) {
      both[2 * n] = real[n];
      both[2 * n + 1] = imaginary[n];
    }
  });
  std::string bytes = HeaderText(doubles ? "<c16" : "<c8", shape);
  const std::size_t header = bytes.size();
  bytes.resize(header + graph::BytesOf(pairs, ElementFormat::Plain));
  graph::StoreElements(pairs, ElementFormat::Plain, bytes.data() + header);
  return bytes;
}

std::string EncodeNpy(const graph::Values& values, const std::vector<std::int64_t>& shape,
                      ElementFormat format) {
  std::string bytes = HeaderText(NpyTypeOf(kTypes[values.index()], format), shape);
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  STENCILGEN_CHECK(count == graph::SizeOf(values));
  const std::size_t header = bytes.size();
  bytes.resize(header + graph::BytesOf(values, format));
  graph::StoreElements(values, format, bytes.data() + header);
  return bytes;
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  if (shape.size() == 1) return fmt::format("({},)", shape.front());
  return fmt::format("({})", fmt::join(shape, ", "));
}

}  // namespace stencilgen::driver
