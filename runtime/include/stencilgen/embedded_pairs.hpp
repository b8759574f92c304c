#ifndef STENCILGEN_EMBEDDED_PAIRS_HPP
#define STENCILGEN_EMBEDDED_PAIRS_HPP

#include <cstddef>
#include <type_traits>
#include <utility>

#include "stencilgen/array.hpp"
#include "stencilgen/embedded.hpp"
#include "stencilgen/shape.hpp"

/// How the complex names of a stencil program inside of C++ code are bound to the variables around
/// it: the program has an array for each part.
namespace stencilgen {
namespace embedded {

/// C's complex numbers, which compilers have in C++ too: `double _Complex`.
template <typename T>
struct IsComplexOfC : std::false_type {};
#if defined(__GNUC__)
__extension__ typedef float _Complex ComplexFloatOfC;
__extension__ typedef double _Complex ComplexDoubleOfC;
template <>
struct IsComplexOfC<ComplexFloatOfC> : std::true_type {
  using Number = float;
};
template <>
struct IsComplexOfC<ComplexDoubleOfC> : std::true_type {
  using Number = double;
};
#endif

/// True for std::complex<Number>, and for other classes of that name's members and size.
template <typename T, typename Number, typename = void>
struct IsPair : std::false_type {};
template <typename T, typename Number>
struct IsPair<T, Number, std::enable_if_t<IsComplexOfC<T>::value>>
    : std::is_same<typename IsComplexOfC<T>::Number, Number> {};
template <typename T, typename Number>
struct IsPair<T, Number,
              std::void_t<typename T::value_type, decltype(std::declval<const T&>().real()),
                          decltype(std::declval<const T&>().imag())>>
    : std::bool_constant<std::is_same_v<typename T::value_type, Number> &&
                         sizeof(T) == 2 * sizeof(Number)> {};

/// True where a variable of type T holds pairs of type Element; const where they are only read.
template <typename Element, typename T>
inline constexpr bool kBindsPairs =
    IsPair<std::remove_const_t<ElementOf<T>>, std::remove_const_t<Element>>::value &&
    (std::is_const_v<Element> || !std::is_const_v<ElementOf<T>>);

/// The same for a variable, as the `value` of a type.
template <typename Element, typename T>
std::bool_constant<kBindsPairs<Element, T>> BindsPairs(T&& variable);
template <typename Element>
std::false_type BindsPairs(...);

/// Complex numbers in memory, a real part and an imaginary one by turns.
template <typename T>
struct Pairs {
  T* data = nullptr;
  std::size_t count = kUnknownCount;
};

template <typename Element, typename T>
Pairs<Element> BindPairs(T&& variable) {
  using Type = std::remove_reference_t<T>;
  Pairs<Element> pairs;
  if constexpr (kBindsPairs<Element, T>) {
    pairs.data = reinterpret_cast<Element*>(Begin(variable));
    if constexpr (std::is_array_v<Type> && std::extent_v < Type >> 0) {
      pairs.count = sizeof(Type) / (2 * sizeof(Element));
    } else if constexpr (HasData<Type>::value && HasSize<Type>::value) {
      pairs.count = static_cast<std::size_t>(variable.size()) *
                    (sizeof(*variable.data()) / (2 * sizeof(Element)));
    }
  }
  return pairs;
}

template <typename Element>
Pairs<Element> BindPairs(...) {
  return {};
}

/// Throws Error where there are fewer of them than the program says.
template <typename T>
void CheckSize(const char* place, const char* name, const Pairs<T>& pairs, const Shape& shape) {
  CheckCount(place, name, pairs.count, 2 * sizeof(T), shape);
}

/// The parts of an array of pairs, in arrays of their own while a program runs.
template <typename Element>
class Parts {
 public:
  Parts(Pairs<Element> pairs, const Shape& shape) : pairs_(pairs) {
    if (pairs.data == nullptr || !shape.Fits(2 * sizeof(Element))) return;
    count_ = static_cast<long long>(shape.Bytes(1));
    re_ = ::stencilgen::Array<Number>(static_cast<std::size_t>(count_));
    im_ = ::stencilgen::Array<Number>(static_cast<std::size_t>(count_));
    Number* const re = re_.data();
    Number* const im = im_.data();
    Element* const pair = pairs.data;
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) if (count_ >= 16384)
#endif
    for (long long k = 0; k < count_; ++k) {
      re[k] = pair[2 * k];
      im[k] = pair[2 * k + 1];
    }
  }

  Element* re() {
    return re_.data();
  }
  Element* im() {
    return im_.data();
  }

  /// Brings them back to where they were.
  void Store() {
    const Number* const re = re_.data();
    const Number* const im = im_.data();
    Element* const pair = pairs_.data;
#if defined(_OPENMP)
#pragma omp parallel for schedule(static) if (count_ >= 16384)
#endif
    for (long long k = 0; k < count_; ++k) {
      pair[2 * k] = re[k];
      pair[2 * k + 1] = im[k];
    }
  }

 private:
  using Number = std::remove_const_t<Element>;
  Pairs<Element> pairs_;
  long long count_ = 0;
  ::stencilgen::Array<Number> re_, im_;
};

/// A number of any kind binds to a complex scalar.
template <typename T, typename = void>
struct HasParts : std::false_type {};
template <typename T>
struct HasParts<T, std::void_t<decltype(std::declval<const T&>().real() + 0.0),
                               decltype(std::declval<const T&>().imag() + 0.0)>> : std::true_type {
};
template <typename T>
struct HasParts<T, std::enable_if_t<IsComplexOfC<T>::value>> : std::true_type {};
template <typename T>
inline constexpr bool kBindsComplex =
    kBindsScalar<T> || HasParts<std::remove_cv_t<std::remove_reference_t<T>>>::value;

template <typename Number, typename T>
constexpr Number BindReal(const T& variable) {
  if constexpr (kBindsScalar<T>) {
    return static_cast<Number>(variable);
  } else if constexpr (IsComplexOfC<T>::value) {
    return static_cast<Number>(__real__ variable);
  } else if constexpr (kBindsComplex<T>) {
    return static_cast<Number>(variable.real());
  }
  return Number();
}

template <typename Number, typename T>
constexpr Number BindImaginary(const T& variable) {
  if constexpr (kBindsScalar<T>) {
    return Number();
  } else if constexpr (IsComplexOfC<T>::value) {
    return static_cast<Number>(__imag__ variable);
  } else if constexpr (kBindsComplex<T>) {
    return static_cast<Number>(variable.imag());
  }
  return Number();
}

}  // namespace embedded
}  // namespace stencilgen

#endif  // STENCILGEN_EMBEDDED_PAIRS_HPP
