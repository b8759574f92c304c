#pragma once

#include "kernel/body.h"

namespace stencilgen::passes {

/// Takes contributions to one accumulation apart that follow each other too closely ([S] 5.3.4): a
/// contribution within `window` instructions of another to the same variable goes to one of at most
/// `window` shadows, which are added up after the last contribution. Accumulations are shadowed one
/// after the other as long as at most `most_live` values are live, each with as many shadows as
/// that allows.
/// Ensures: MAXLIVE is at most the larger of `most_live` and the input's; `window` 0 changes
/// nothing.
kernel::Body AddShadows(kernel::Body body, int window, int most_live);

}  // namespace stencilgen::passes
