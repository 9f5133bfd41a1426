// Where the lines of a program break. Knows tokens, comments and the places where a line may break; no grammar.
#pragma once

#include <string>
#include <vector>

namespace idc::frontend {

struct Comment {
  std::string text;
  bool startsLine = false;  // the author began a line with it
  bool blankBefore = false; // an empty line stood above it
};

/// A token, with what precedes it.
struct Piece {
  std::string text;
  std::vector<Comment> comments;
  bool space = true;        // a space before it when no line begins
  bool item = false;        // begins a declaration, or is the end of the file (without text)
  bool newline = false;     // the author began a line with it
  bool blankBefore = false; // an empty line stood above it
  int group = -1;           // the group that may begin a line with it
};

/// Pieces that may begin lines, for the same reason.
struct Group {
  enum class Kind {
    Pipe,  // all of them or none, aligned with the anchor
    Fill,  // where the author chose and where a line is full, aligned with the anchor
    Braces // what stands in braces: indented on its own lines, or behind the opening brace
  };
  Kind kind = Kind::Fill;
  int depth = 0;           // of the nesting; outer groups break first
  int anchor = 0;          // Braces: the opening one
  int closer = -1;         // Braces: the closing one
  int linked = -1;         // Braces: a group to be open together with
  std::vector<int> points; // the pieces in order; in Braces the first one too
};

/// The text. Breaks that the author made where a line may break stay, and others are added until every line has at most
/// 120 columns or nothing is left to break. The breaks of the result entail no others: formatting it changes nothing.
std::string layout(const std::vector<Piece> &pieces, const std::vector<Group> &groups);

} // namespace idc::frontend
