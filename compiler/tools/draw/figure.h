#pragma once

#include <string>

#include "tools/draw/field.h"
#include "tools/draw/picture.h"

namespace stencilgen::draw {

/// One side of a field: what is beside it, and the coordinates of its two ends.
struct Axis {
  std::string name;
  double begin = 0;
  double end = 0;
};

/// What stands around a field.
struct Labels {
  std::string title;
  Axis down;    ///< from the top; of a line: not drawn, its values are
  Axis across;  ///< from the left
};

/// A field with a title, axes, and the colours of its values: enlarged, so that its longer side has
/// `fewest` pixels or more.
Picture DrawFigure(const Field& field, const Range& range, const Labels& labels, int fewest);

}  // namespace stencilgen::draw
