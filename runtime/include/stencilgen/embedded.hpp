#ifndef STENCILGEN_EMBEDDED_HPP
#define STENCILGEN_EMBEDDED_HPP

#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>

#include "stencilgen/error.hpp"
#include "stencilgen/shape.hpp"

/// How the names of a stencil program inside of C++ code are bound to the variables around it.
namespace stencilgen {
namespace embedded {

/// An array type whose elements lie inside of it.
template <typename T, typename = void>
struct IsStdArray : std::false_type {};
template <typename T>
struct IsStdArray<T, std::void_t<decltype(std::tuple_size<T>::value), typename T::value_type,
                                 decltype(std::declval<T&>().data())>> : std::true_type {};

/// A pointer however it is qualified: std::is_pointer knows no `double* __restrict`.
template <typename T>
T* PassPointer(T* pointer);
template <typename T, typename = void>
struct IsPointer : std::false_type {};
template <typename T>
struct IsPointer<T, std::void_t<decltype(PassPointer(std::declval<T&>()))>> : std::true_type {};

template <typename T, typename = void>
struct HasData : std::false_type {};
template <typename T>
struct HasData<T, std::void_t<decltype(PassPointer(std::declval<T&>().data()))>> : std::true_type {
};

template <typename T, typename = void>
struct HasSize : std::false_type {};
template <typename T>
struct HasSize<T, std::void_t<decltype(std::declval<T&>().size())>> : std::true_type {};

template <typename T, typename = void>
struct HasGet : std::false_type {};
template <typename T>
struct HasGet<T, std::void_t<decltype(PassPointer(std::declval<T&>().get()))>> : std::true_type {};

/// The first number of an array that may have arrays as elements.
template <typename T>
constexpr auto FirstElement(T* array) {
  if constexpr (std::is_array_v<T>) {
    return FirstElement(array == nullptr ? nullptr : &(*array)[0]);
  } else if constexpr (IsStdArray<T>::value) {
    return FirstElement(array == nullptr ? nullptr : array->data());
  } else {
    return array;
  }
}

/// The first number behind a pointer, in an array, in a container with data() or of an owner with
/// get(); nullptr of its own type where there is none.
template <typename T>
constexpr auto Begin(T&& variable) {
  using Type = std::remove_reference_t<T>;
  if constexpr (std::is_array_v<Type>) {
    return FirstElement(&variable);
  } else if constexpr (IsPointer<Type>::value) {
    return FirstElement(variable);
  } else if constexpr (HasData<Type>::value) {
    return FirstElement(variable.data());
  } else if constexpr (HasGet<Type>::value) {
    return FirstElement(variable.get());
  } else {
    return nullptr;
  }
}

template <typename T>
using ElementOf = std::remove_pointer_t<decltype(Begin(std::declval<T>()))>;

/// What an array of one element binds to: a pointer to a variable that is a number itself.
template <typename T>
constexpr decltype(auto) One(T&& variable) {
  if constexpr (std::is_same_v<decltype(Begin(variable)), std::nullptr_t>) {
    return &variable;
  } else {
    return std::forward<T>(variable);
  }
}

/// What a program calls elements of the type that lie in memory as its own do.
template <typename T>
struct ProgramType {
  using type = T;
};
/// `char` is a type of its own, and as large and as signed as one of two others, which may alias
/// it.
template <>
struct ProgramType<char> {
  using type = std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>;
};
template <typename T>
using Plain = typename ProgramType<std::remove_const_t<T>>::type;

/// The pointer, of which no compiler knows that it is another one's, so that other types may be at
/// its place.
template <typename Element, typename T>
Element* InPlace(T* pointer) {
  auto* place = reinterpret_cast<Element*>(pointer);
  __asm__ volatile("" : "+r"(place) : : "memory");
  return place;
}

/// Around what reads and writes elements of other types in place.
struct InPlaceUse {
  InPlaceUse() = default;
  ~InPlaceUse() { __asm__ volatile("" : : : "memory"); }
};

/// True where a variable of type T holds elements of type Element; const where they are only read.
template <typename Element, typename T>
inline constexpr bool kBindsArray = std::is_same_v<Plain<ElementOf<T>>, Plain<Element>> &&
                                    (std::is_const_v<Element> || !std::is_const_v<ElementOf<T>>);

/// The same for a variable, as the `value` of a type: an array of variable length, which some
/// compilers know, is no argument of a template, and binds to nothing.
template <typename Element, typename T>
std::bool_constant<kBindsArray<Element, T>> BindsArray(T&& variable);
template <typename Element>
std::false_type BindsArray(...);

template <typename T>
inline constexpr bool kBindsScalar = std::is_arithmetic_v<std::remove_reference_t<T>>;

template <typename T>
inline constexpr bool kBindsParameter =
    (std::is_integral_v<std::remove_reference_t<T>> &&
     !std::is_same_v<std::remove_cv_t<std::remove_reference_t<T>>, bool>) ||
    (std::is_enum_v<std::remove_reference_t<T>> &&
     std::is_convertible_v<std::remove_reference_t<T>, int>);

/// Elements of an array whose variable does not know them.
inline constexpr std::size_t kUnknownCount = SIZE_MAX;

template <typename T>
struct Array {
  T* data = nullptr;
  std::size_t count = kUnknownCount;
};

template <typename Element, typename T>
Array<Element> BindArray(T&& variable) {
  using Type = std::remove_reference_t<T>;
  Array<Element> array;
  if constexpr (kBindsArray<Element, T>) {
    if constexpr (std::is_same_v<std::remove_const_t<ElementOf<T>>, std::remove_const_t<Element>>) {
      array.data = Begin(variable);
    } else {
      array.data = InPlace<Element>(Begin(variable));
    }
    if constexpr (std::is_array_v<Type> && std::extent_v < Type >> 0) {
      array.count = sizeof(Type) / sizeof(Element);
    } else if constexpr (HasData<Type>::value && HasSize<Type>::value) {
      array.count =
          static_cast<std::size_t>(variable.size()) * (sizeof(*variable.data()) / sizeof(Element));
    }
  }
  return array;
}

template <typename Element>
Array<Element> BindArray(...) {
  return {};
}

template <typename Number, typename T>
constexpr Number BindScalar(const T& variable) {
  if constexpr (kBindsScalar<T>) return static_cast<Number>(variable);
  return Number();
}

template <typename T>
constexpr long long BindParameter(const T& variable) {
  if constexpr (std::is_enum_v<T>) {
    return BindParameter(static_cast<std::underlying_type_t<T>>(variable));
  } else if constexpr (kBindsParameter<T>) {
    if (variable > 0 && static_cast<unsigned long long>(variable) > LLONG_MAX) return LLONG_MAX;
    return static_cast<long long>(variable);
  }
  return 0;
}

/// Throws Error where `int`, the type of a program's parameters, does not hold the value.
inline int ToParameter(const char* place, const char* name, long long value) {
  if (value < INT_MIN || value > INT_MAX) {
    char message[320];
    std::snprintf(message, sizeof message, "%s: parameter %s is %lld, too large for an int", place,
                  name, value);
    ThrowError(message);
  }
  return static_cast<int>(value);
}

/// Throws Error where there are fewer elements, of so many bytes, than the program says.
inline void CheckCount(const char* place, const char* name, std::size_t count, std::size_t bytes,
                       const Shape& shape) {
  if (count == kUnknownCount) return;
  const bool fits = shape.Fits(bytes);
  if (fits && shape.Bytes(bytes) / bytes <= count) return;
  char message[320];
  if (fits) {
    std::snprintf(message, sizeof message,
                  "%s: array %s has %zu elements, fewer than the %zu of "
                  "the program",
                  place, name, count, shape.Bytes(bytes) / bytes);
  } else {
    std::snprintf(message, sizeof message,
                  "%s: array %s has %zu elements, far fewer than in the "
                  "program",
                  place, name, count);
  }
  ThrowError(message);
}
template <typename T>
void CheckSize(const char* place, const char* name, const Array<T>& array, const Shape& shape) {
  CheckCount(place, name, array.count, sizeof(T), shape);
}

/// Moves the contents of arrays on by `turns` places: what array k holds goes to the array
/// `(k + turns) % arrays`. Programs that exchange arrays at the end of each turn leave them where
/// they were; the code around them expects them where a pointer or a `t % 2` says.
template <typename T, std::size_t array_count>
void TurnContents(T* const (&arrays)[array_count], long long count, long long turns) {
  const std::size_t way = turns > 0 ? static_cast<std::size_t>(turns % array_count) : 0;
  if (way == 0) return;
  for (long long k = 0; k < count; ++k) {
    T values[array_count];
    for (std::size_t from = 0; from < array_count; ++from) values[from] = arrays[from][k];
    for (std::size_t from = 0; from < array_count; ++from) {
      arrays[(from + way) % array_count][k] = values[from];
    }
  }
}

/// Throws Error where the call of a host function failed.
inline void CheckStatus(const char* place, int status, const char* (*error)()) {
  if (status == 0) return;
  char message[320];
  std::snprintf(message, sizeof message, "%s: %s", place, error());
  ThrowError(message);
}

}  // namespace embedded
}  // namespace stencilgen

#endif  // STENCILGEN_EMBEDDED_HPP
