// Drawing with SVG: shapes in pixels, text escaped, the picture as large as what is drawn.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace idc::explain {

class Svg {
public:
  /// `style` names a class of the style sheet: wire, node, step, note, field names …
  void line(double x1, double y1, double x2, double y2, llvm::StringRef style);
  /// A curve to the right of two points on a vertical, `reach` pixels out.
  void arc(double x, double y1, double y2, double reach, llvm::StringRef style);
  void circle(double x, double y, double radius, llvm::StringRef style);
  /// With `hint` shown when the pointer rests on it.
  void box(double x, double y, double width, double height, llvm::StringRef style, llvm::StringRef hint = "");
  enum class Align { Left, Middle, Right };
  /// `hint` as for a box; `link` is where a click leads.
  void text(double x, double y, llvm::StringRef text, Align align = Align::Left, llvm::StringRef style = "note",
            llvm::StringRef hint = "", llvm::StringRef link = "");

  double right() const { return width; }
  double bottom() const { return height; }

  /// A whole document with its style sheet; `title` is what the picture is called.
  std::string document(llvm::StringRef title) const;

private:
  std::string shapes;
  double width = 0, height = 0;

  void reach(double x, double y);
};

/// The text with what XML gives a meaning escaped.
std::string escaped(llvm::StringRef text);

} // namespace idc::explain
