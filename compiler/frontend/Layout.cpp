#include "compiler/frontend/Layout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace idc::frontend {

namespace {

constexpr int maxColumns = 120;
constexpr int indent = 2;
constexpr int continuation = 4; // of a line that only a comment makes begin

/// Code points: close enough to columns.
int width(llvm::StringRef text) {
  return static_cast<int>(llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

class Layout {
public:
  Layout(const std::vector<Piece> &pieces, const std::vector<Group> &groups)
      : pieces(pieces), groups(groups), broken(pieces.size()), open(groups.size()), column(pieces.size()),
        line(pieces.size()) {
    for (size_t i = 0; i < pieces.size(); ++i)
      broken[i] = pieces[i].item || (pieces[i].newline && (pieces[i].group >= 0 || !pieces[i].comments.empty()));
    auto begins = [&](int i) {
      return broken[i] || llvm::any_of(pieces[i].comments, [](const Comment &comment) { return comment.startsLine; });
    };
    for (size_t g = 0; g < groups.size(); ++g) {
      if (groups[g].kind != Group::Kind::Braces)
        continue;
      bracesAt[groups[g].anchor] = bracesAt[groups[g].closer] = static_cast<int>(g);
      open[g] = begins(groups[g].closer) || llvm::any_of(groups[g].points, begins);
    }
  }

  std::string run() {
    do {
      settle();
      render();
    } while (openSpanning() || breakLongLines());
    return std::move(text);
  }

private:
  const Group *bracesOf(int piece) const {
    auto found = bracesAt.find(piece);
    return found == bracesAt.end() ? nullptr : &groups[found->second];
  }
  bool isOpen(const Group &group) const { return open[&group - groups.data()]; }
  void openUp(const Group &group) {
    open[&group - groups.data()] = true;
    for (int point : group.points)
      broken[point] = true;
  }

  /// What the breaks so far entail.
  void settle() {
    for (size_t g = 0; g < groups.size(); ++g) // a group is linked to an earlier one
      if (groups[g].linked >= 0 && open[g])
        open[groups[g].linked] = true;
    for (size_t g = 0; g < groups.size(); ++g) {
      const Group &group = groups[g];
      if (group.linked >= 0 && open[group.linked])
        open[g] = true;
      if (open[g]) {
        broken[group.closer] = true;
        if (!group.points.empty())
          broken[group.points.front()] = true;
      }
      if (group.kind == Group::Kind::Pipe && llvm::any_of(group.points, [&](int point) { return broken[point]; }))
        for (int point : group.points)
          broken[point] = true;
    }
  }

  void newLine(int to, bool blank) {
    if (!text.empty()) {
      text += blank ? "\n\n" : "\n";
      ++lineNumber;
    }
    text.append(to, ' ');
    at = to;
  }
  void put(llvm::StringRef word) {
    text += word;
    size_t lastBreak = word.rfind('\n');
    at = lastBreak == llvm::StringRef::npos ? at + width(word) : width(word.substr(lastBreak + 1));
    lineNumber += static_cast<int>(word.count('\n'));
  }

  void render() {
    text.clear();
    at = lineNumber = base = 0;
    bases.clear();
    for (int i = 0; i < static_cast<int>(pieces.size()); ++i)
      renderPiece(i);
    text += text.empty() ? "" : "\n";
  }

  void renderPiece(int i) {
    const Piece &piece = pieces[i];
    const Group *braces = bracesOf(i);
    const Group *closed = braces && braces->closer == i ? braces : nullptr;
    const Group *around =
        piece.group >= 0 && groups[piece.group].kind == Group::Kind::Braces ? &groups[piece.group] : nullptr;
    bool first = around && around->points.front() == i;
    int target = base + continuation;
    if (piece.item)
      target = base = 0;
    else if (closed)
      target = bases.back() + (isOpen(*closed) ? indent : 0);
    else if (around)
      target = base += first && isOpen(*around) ? indent : 0;
    else if (piece.group >= 0)
      target = column[groups[piece.group].anchor];

    bool blanks = piece.item || around || (closed && !closed->points.empty());
    for (size_t c = 0; c < piece.comments.size(); ++c) {
      const Comment &comment = piece.comments[c];
      if (comment.startsLine)
        newLine(target, comment.blankBefore && blanks && (c > 0 || !first));
      else if (!text.empty() && text.back() != ' ' && text.back() != '(' && text.back() != '[')
        put(" ");
      put(comment.text);
    }
    if (closed) {
      base = bases.back();
      bases.pop_back();
    }
    if (piece.text.empty())
      return;
    if (broken[i]) {
      bool blank = piece.blankBefore && (piece.item || (around && (!first || !piece.comments.empty())));
      newLine(closed ? base : target, blank);
    } else if (piece.space || (!piece.comments.empty() && piece.text != "," && piece.text != ";" && piece.text != ")" &&
                               piece.text != "]")) {
      put(" ");
    }
    column[i] = at;
    line[i] = lineNumber;
    put(piece.text);
    if (braces && !closed)
      bases.push_back(base);
  }

  /// Braces whose content takes several lines open, unless it is one statement that ends in such braces itself; and
  /// after a statement of several lines a new line begins.
  bool openSpanning() {
    bool changed = false;
    for (const Group &group : groups) {
      if (group.kind != Group::Kind::Braces || group.points.empty())
        continue;
      bool nests = group.points.size() == 1 && pieces[group.closer - 1].text == "}";
      if (!isOpen(group) && !nests && line[group.anchor] != line[group.closer]) {
        openUp(group);
        changed = true;
      }
      for (size_t k = 1; k < group.points.size(); ++k) {
        int point = group.points[k];
        if (!broken[point] && line[group.points[k - 1]] != line[point - 1])
          broken[point] = changed = true;
      }
    }
    return changed;
  }

  int end(int piece) const { return column[piece] + width(pieces[piece].text); }

  /// Breaks every line that is too long, as far as columns are known: what a break moves is out of date, and with it
  /// the lines that are aligned with it. In a list, each of whose lines begins in one column, all breaks are found at
  /// once.
  bool breakLongLines() {
    bool changed = false;
    moved.assign(pieces.size(), false);
    for (int i = 0, count = static_cast<int>(pieces.size()), next; i < count; i = next) {
      next = i + 1;
      while (next < count && line[next] == line[i])
        ++next;
      const Group *aligned = pieces[i].group >= 0 ? &groups[pieces[i].group] : nullptr;
      if (moved[i] || (aligned && aligned->kind != Group::Kind::Braces && moved[aligned->anchor])) {
        move(i, next);
        continue;
      }
      if (end(next - 1) <= maxColumns)
        continue;
      const std::vector<int> outermost = outermostFrom(i, next);
      for (int begin = i, shift = 0; end(next - 1) - shift > maxColumns;) {
        const Group *group = outermost[begin + 1 - i] < 0 ? nullptr : &groups[outermost[begin + 1 - i]];
        if (!group)
          break;
        changed = true;
        if (group->kind == Group::Kind::Braces && !isOpen(*group)) {
          openUp(*group);
          move(group->anchor + 1, std::max(next, group->closer + 1));
          break;
        }
        begin = breakBefore(*group, begin, next, shift);
        bool known = group->kind == Group::Kind::Fill && !moved[group->anchor];
        move(begin, next);
        if (!known)
          break;
        shift = column[begin] - column[group->anchor];
      }
    }
    return changed;
  }

  void move(int begin, int end) { std::fill(moved.begin() + begin, moved.begin() + end, true); }

  /// For each piece of the line [begin, next) and its end: the outermost group with a place from there on, braces
  /// first; -1: none.
  std::vector<int> outermostFrom(int begin, int next) const {
    auto rank = [&](int group) {
      return std::tuple(groups[group].kind != Group::Kind::Braces, groups[group].depth, group);
    };
    std::vector<int> result(next - begin + 1, -1);
    for (int i = next - 1; i >= begin; --i) {
      int below = result[i + 1 - begin], group = broken[i] ? -1 : pieces[i].group;
      result[i - begin] = group >= 0 && (below < 0 || rank(group) < rank(below)) ? group : below;
    }
    return result;
  }

  /// Begins a line with the last piece of the group that the line [begin, next), `shift` columns to the left of where
  /// it was, has room for what stands before.
  int breakBefore(const Group &group, int begin, int next, int shift) {
    int last = -1;
    for (auto point = std::upper_bound(group.points.begin(), group.points.end(), begin);
         point != group.points.end() && *point < next; ++point)
      if (!broken[*point]) {
        if (last >= 0 && end(*point - 1) - shift > maxColumns)
          break;
        last = *point;
      }
    broken[last] = true;
    return last;
  }

  const std::vector<Piece> &pieces;
  const std::vector<Group> &groups;
  std::map<int, int> bracesAt; // opening or closing piece to group
  std::vector<char> broken;    // a line begins with the piece
  std::vector<char> open;      // Braces: the content has its own lines

  // The latest rendering.
  std::string text;
  std::vector<int> column, line;
  std::vector<char> moved; // breakLongLines: out of date
  int at = 0, lineNumber = 0;
  int base = 0;           // indentation of the statement
  std::vector<int> bases; // of the statements around
};

} // namespace

std::string layout(const std::vector<Piece> &pieces, const std::vector<Group> &groups) {
  return Layout(pieces, groups).run();
}

} // namespace idc::frontend
