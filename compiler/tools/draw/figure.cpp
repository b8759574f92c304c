#include "tools/draw/figure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tools/draw/text.h"
#include "tools/draw/ticks.h"

namespace stencilgen::draw {

namespace {

constexpr int kGap = 8;     // between text and what it stands beside
constexpr int kTick = 4;    // the length of a tick
constexpr int kBar = 16;    // the width of the colours' bar
constexpr int kApart = 60;  // pixels between ticks, at least
constexpr int kFrame = 1;   // the width of the line around

/// Where a figure's parts are.
struct Layout {
  int top = 0, left = 0;  ///< of the field
  int height = 0, width = 0;
  std::vector<Tick> down, across, values;
  int values_width = 0;
};

int Widest(const std::vector<Tick>& ticks) {
  int widest = 0;
  for (const Tick& tick : ticks) widest = std::max(widest, TextWidth(tick.label));
  return widest;
}

std::vector<Tick> TicksAlong(double begin, double end, int pixels) {
  return TicksOf(std::min(begin, end), std::max(begin, end), std::max(2, pixels / kApart + 1));
}

/// The part of the way from begin to end.
double PartOf(double value, double begin, double end) {
  return begin == end ? 0.5 : (value / 2 - begin / 2) / (end / 2 - begin / 2);
}

int PixelAt(double value, double begin, double end, int pixels) {
  return static_cast<int>(std::lround(PartOf(value, begin, end) * (pixels - 1)));
}

/// A line's values run up its left side.
Axis ValuesUp(const Range& range) {
  return {"", range.high, range.low};
}

Layout LayOut(const Field& field, const Picture& inside, const Range& range, const Labels& labels) {
  Layout layout;
  layout.height = inside.height;
  layout.width = inside.width;
  layout.values =
      range.empty() ? std::vector<Tick>{} : TicksAlong(range.low, range.high, inside.height);
  layout.across = TicksAlong(labels.across.begin, labels.across.end, inside.width);
  layout.down =
      field.line ? layout.values : TicksAlong(labels.down.begin, labels.down.end, inside.height);
  layout.values_width = field.line ? 0 : Widest(layout.values);
  const int name = field.line || labels.down.name.empty() ? 0 : TextWidth(labels.down.name) + kGap;
  layout.left = kGap + name + Widest(layout.down) + kGap + kTick + kFrame;
  layout.top = kGap + TextHeight() + kGap + kFrame;
  return layout;
}

void DrawFrame(Picture& picture, int row, int column, int rows, int columns) {
  picture.Fill(row - kFrame, column - kFrame, kFrame, columns + 2 * kFrame, kBlack);
  picture.Fill(row + rows, column - kFrame, kFrame, columns + 2 * kFrame, kBlack);
  picture.Fill(row, column - kFrame, rows, kFrame, kBlack);
  picture.Fill(row, column + columns, rows, kFrame, kBlack);
}

void DrawLeftAxis(Picture& picture, const Layout& layout, const Axis& axis) {
  const int right = layout.left - kFrame;
  for (const Tick& tick : layout.down) {
    const int row = layout.top + PixelAt(tick.value, axis.begin, axis.end, layout.height);
    picture.Fill(row, right - kTick, 1, kTick, kBlack);
    DrawText(picture, row + TextHeight() / 2, right - kTick - kGap / 2, tick.label, Align::Right);
  }
  DrawText(picture, layout.top + (layout.height + TextHeight()) / 2, kGap, axis.name, Align::Left);
}

void DrawBottomAxis(Picture& picture, const Layout& layout, const Axis& axis) {
  const int top = layout.top + layout.height + kFrame;
  const int base = top + kTick + kGap / 2 + TextHeight();
  for (const Tick& tick : layout.across) {
    const int column = layout.left + PixelAt(tick.value, axis.begin, axis.end, layout.width);
    picture.Fill(top, column, kTick, 1, kBlack);
    DrawText(picture, base, column, tick.label, Align::Middle);
  }
  DrawText(picture, base + kGap + TextHeight(), layout.left + layout.width / 2, axis.name,
           Align::Middle);
}

void DrawBar(Picture& picture, const Layout& layout, const Range& range) {
  const int left = layout.left + layout.width + 2 * kGap;
  for (int row = 0; row < layout.height; ++row) {
    const double position = 1 - PartOf(row, 0, std::max(1, layout.height - 1));
    picture.Fill(layout.top + row, left, 1, kBar, InkAt(position));
  }
  DrawFrame(picture, layout.top, left, layout.height, kBar);
  const int right = left + kBar + kFrame;
  for (const Tick& tick : layout.values) {
    const int row = layout.top + PixelAt(tick.value, range.high, range.low, layout.height);
    picture.Fill(row, right, 1, kTick, kBlack);
    DrawText(picture, row + TextHeight() / 2, right + kTick + kGap / 2, tick.label, Align::Left);
  }
}

}  // namespace

Picture DrawFigure(const Field& field, const Range& range, const Labels& labels, int fewest) {
  const auto longest = static_cast<int>(std::max(field.rows, field.columns));
  const Picture inside = DrawField(field, range, std::max(1, (fewest + longest - 1) / longest));
  const Layout layout = LayOut(field, inside, range, labels);
  const int bar = field.line ? kGap : 3 * kGap + kBar + kTick + layout.values_width + kGap;
  // The last label below may stand out to the right by half its width.
  const int beyond = Widest(layout.across) / 2 + kGap;
  const int title = TextWidth(labels.title) + 2 * kGap;
  const int name = labels.across.name.empty() ? 0 : TextHeight() + kGap;
  Picture picture(std::max(layout.left + layout.width + std::max(bar, beyond), title),
                  layout.top + layout.height + kFrame + kTick + TextHeight() + 2 * kGap + name);
  picture.Paste(layout.top, layout.left, inside);
  DrawFrame(picture, layout.top, layout.left, layout.height, layout.width);
  DrawText(picture, kGap + TextHeight(), std::max(kGap, (picture.width - title) / 2 + kGap),
           labels.title, Align::Left);
  DrawLeftAxis(picture, layout, field.line ? ValuesUp(range) : labels.down);
  DrawBottomAxis(picture, layout, labels.across);
  if (!field.line) DrawBar(picture, layout, range);
  return picture;
}

}  // namespace stencilgen::draw
