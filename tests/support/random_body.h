#pragma once

#include <vector>

#include "kernel/body.h"
#include "support/prime_field.h"
#include "support/prng.h"

namespace stencilgen {

/// A random body of up to about `size` instructions: statements of sums, products and other
/// operations over a few elements, literals, and temporaries of statements before.
kernel::Body RandomBody(testing::Prng& random, int size);

/// The results of the body in exact arithmetic, by place in Body::results: elements and literals
/// are numbers that depend on `seed` and the value's name; operations beside + - * and / are
/// functions without any law.
std::vector<PrimeField> ExactResults(const kernel::Body& body, std::uint64_t seed);

}  // namespace stencilgen
