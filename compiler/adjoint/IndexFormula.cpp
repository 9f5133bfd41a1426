#include "compiler/adjoint/IndexFormula.h"

#include "compiler/frontend/Value.h"

#include <algorithm>
#include <set>

using namespace idc;
using namespace idc::adjoint;
using frontend::Body;
using frontend::Instr;
using frontend::Op;

int IntegerCode::push(Instr instr) {
  body.instrs.push_back(std::move(instr));
  return static_cast<int>(body.params.size() + body.instrs.size()) - 1;
}

int IntegerCode::constant(int64_t value) {
  Instr instr;
  instr.op = Op::Constant;
  instr.type = frontend::i64Type();
  instr.intValue = value;
  return push(std::move(instr));
}

int IntegerCode::digit(int number) {
  Instr instr;
  instr.op = Op::Digit;
  instr.type = frontend::i64Type();
  instr.digit = number;
  return push(std::move(instr));
}

int IntegerCode::emit(Op op, int a, int b) {
  Instr instr;
  instr.op = op;
  instr.type = frontend::i64Type();
  instr.operands = {a, b};
  return push(std::move(instr));
}

int IntegerCode::less(int a, int b) {
  Instr instr;
  instr.op = Op::Lt;
  instr.type = frontend::boolType();
  instr.operands = {a, b};
  return push(std::move(instr));
}

int IntegerCode::atLeast(int a, int b) {
  const int made = less(a, b);
  body.instrs.back().op = Op::Ge;
  return made;
}

int IntegerCode::select(int condition, int yes, int no) {
  Instr instr;
  instr.op = Op::Select;
  instr.type = frontend::i64Type();
  instr.operands = {condition, yes, no};
  return push(std::move(instr));
}

int IntegerCode::index(const std::vector<int> &radices) {
  int sum = -1;
  int64_t weight = 1;
  for (size_t i = 0; i < radices.size(); ++i) {
    const int part = emit(Op::Mul, constant(weight), digit(static_cast<int>(i) + 1));
    sum = sum < 0 ? part : emit(Op::Add, sum, part);
    weight *= radices[i];
  }
  return sum < 0 ? constant(0) : sum;
}

int IntegerCode::append(const Body &other) {
  const int first = static_cast<int>(body.params.size() + body.instrs.size());
  for (Instr instr : other.instrs) {
    for (int &operand : instr.operands)
      operand += first;
    push(std::move(instr));
  }
  return first + other.results[0];
}

namespace {

/// A part of a period, from `low` on: base + slope · (period's number) + step · (place in the period - low).
struct Run {
  int64_t low, base, step, slope;
};

/// From `start` to before `end`: periods of runs; of one period there is one run.
struct Piece {
  int64_t start, end, period;
  std::vector<Run> runs;
};

class Finder {
public:
  Finder(const std::vector<int64_t> &numbers, const std::vector<int> &radices) : numbers(numbers), radices(radices) {}

  std::optional<Body> find() {
    if (ofDigits())
      return body;
    const int64_t length = static_cast<int64_t>(numbers.size());
    int64_t best = 0, modulus = 0;
    std::set<int64_t> candidates = {1, 2, 3, 4, 6, 8, 16};
    for (int64_t i = 0, product = 1; i < static_cast<int64_t>(radices.size()) && product <= maxPieces; ++i)
      candidates.insert(product *= radices[static_cast<size_t>(i)]);
    for (int64_t candidate : candidates) {
      if (candidate > length || candidate > maxPieces)
        break;
      int64_t pieces = 0;
      for (int64_t rest = 0; rest < candidate && pieces <= maxPieces; ++rest)
        pieces += static_cast<int64_t>(piecesOf(rest, candidate).size());
      if (pieces <= maxPieces && (modulus == 0 || pieces < best)) {
        best = pieces;
        modulus = candidate;
      }
    }
    if (modulus != 0 && (best <= 16 || length > maxTable))
      return ofPieces(modulus);
    if (length <= maxTable * maxTables)
      return ofTables();
    return std::nullopt;
  }

private:
  static constexpr int64_t maxPieces = 256, maxTable = 4096, maxTables = 8;
  static constexpr size_t maxRuns = 4; // of a period

  Body finished(int result) {
    body.results = {result};
    return body;
  }

  /// A constant and a multiple of each digit.
  bool ofDigits() {
    std::vector<int64_t> multiples;
    int64_t weight = 1;
    for (int radix : radices) {
      multiples.push_back(numbers[static_cast<size_t>(weight)] - numbers[0]);
      weight *= radix;
    }
    for (size_t i = 0; i < numbers.size(); ++i) {
      int64_t rest = static_cast<int64_t>(i), value = numbers[0];
      for (size_t d = 0; d < radices.size(); ++d) {
        value += rest % radices[d] * multiples[d];
        rest /= radices[d];
      }
      if (value != numbers[i])
        return false;
    }
    int sum = numbers[0] != 0 || radices.empty() ? code.constant(numbers[0]) : -1;
    for (size_t d = 0; d < radices.size(); ++d)
      if (multiples[d] != 0) {
        const int part = code.emit(Op::Mul, code.constant(multiples[d]), code.digit(static_cast<int>(d) + 1));
        sum = sum < 0 ? part : code.emit(Op::Add, sum, part);
      }
    finished(sum < 0 ? code.constant(0) : sum);
    return true;
  }

  /// The numbers at rest, rest + modulus, …, piece by piece, each as long as possible.
  std::vector<Piece> piecesOf(int64_t rest, int64_t modulus) const {
    const int64_t length = (static_cast<int64_t>(numbers.size()) - rest + modulus - 1) / modulus;
    auto at = [&](int64_t k) { return numbers[static_cast<size_t>(k * modulus + rest)]; };
    std::vector<Piece> pieces;
    for (int64_t start = 0; start < length && static_cast<int64_t>(pieces.size()) <= maxPieces;) {
      Piece best{start, start, 0, {}}, tried{start, start, 0, {}};
      for (int64_t next = start; tried.runs.size() < maxRuns && next < length;) {
        const int64_t first = next;
        auto isAlike = [&](int64_t k) { return k < length && (at(k) < 0) == (at(first) < 0); }; // none, or a place
        const int64_t step = isAlike(first + 1) ? at(first + 1) - at(first) : 0;
        while (isAlike(++next) && at(next) - at(next - 1) == step)
          ;
        tried.runs.push_back({first - start, at(first), step, 0});
        tried.period = next - start;
        // The same runs again, further on?
        for (Run &run : tried.runs)
          run.slope = start + tried.period + run.low < length ? at(start + tried.period + run.low) - run.base : 0;
        tried.end = next;
        for (size_t run = 0; tried.end < length; ++tried.end) {
          const int64_t local = tried.end - start, place = local % tried.period;
          run = place == 0 ? 0 : run + 1 < tried.runs.size() && place == tried.runs[run + 1].low ? run + 1 : run;
          const Run &own = tried.runs[run];
          if (at(tried.end) != own.base + own.slope * (local / tried.period) + own.step * (place - own.low))
            break;
        }
        const bool repeats = tried.end >= next + tried.period;
        if (best.runs.empty() || (repeats && tried.end > best.end)) {
          best = tried;
          if (!repeats) { // one run
            best.end = next;
            best.runs[0].slope = 0;
          }
        }
      }
      start = best.end;
      pieces.push_back(std::move(best));
    }
    return pieces;
  }

  Body ofPieces(int64_t modulus) {
    const int index = code.index(radices);
    const int k = modulus == 1 ? index : code.emit(Op::Div, index, code.constant(modulus));
    const int rest = modulus == 1 ? -1 : code.emit(Op::Rem, index, code.constant(modulus));
    std::vector<std::pair<int64_t, int>> byRest; // where a value ends, and the value
    for (int64_t r = 0; r < modulus; ++r) {
      std::vector<std::pair<int64_t, int>> byPlace;
      for (const Piece &piece : piecesOf(r, modulus))
        byPlace.emplace_back(piece.end, valueOf(piece, k));
      byRest.emplace_back(r + 1, chosen(k, byPlace, 0, byPlace.size()));
    }
    return finished(chosen(rest, byRest, 0, byRest.size()));
  }

  /// Of the values from `first` to before `last`, the first one that ends beyond `place`.
  int chosen(int place, const std::vector<std::pair<int64_t, int>> &values, size_t first, size_t last) {
    if (last - first == 1)
      return values[first].second;
    const size_t middle = (first + last) / 2;
    return code.select(code.atLeast(place, code.constant(values[middle - 1].first)),
                       chosen(place, values, middle, last), chosen(place, values, first, middle));
  }

  int plus(int64_t number, int value) { return number == 0 ? value : code.emit(Op::Add, code.constant(number), value); }
  int times(int64_t number, int value) {
    return number == 1 ? value : code.emit(Op::Mul, code.constant(number), value);
  }

  int valueOf(const Piece &piece, int k) {
    const bool repeats = piece.end > piece.start + piece.period;
    if (!repeats) {
      const Run &run = piece.runs[0];
      return run.step == 0 ? code.constant(run.base) : plus(run.base - piece.start * run.step, times(run.step, k));
    }
    // Where the piece does not hold, what is divided may be negative; nobody takes that.
    const int local = code.emit(Op::Max, plus(-piece.start, k), code.constant(0)), period = code.constant(piece.period);
    const int number = code.emit(Op::Div, local, period), place = code.emit(Op::Rem, local, period);
    std::vector<std::pair<int64_t, int>> values;
    for (size_t i = 0; i < piece.runs.size(); ++i) {
      const Run &run = piece.runs[i];
      int value = -1;
      if (run.slope != 0)
        value = times(run.slope, number);
      if (run.step != 0) {
        const int within = times(run.step, place);
        value = value < 0 ? within : code.emit(Op::Add, value, within);
      }
      const int64_t base = run.base - run.step * run.low;
      value = value < 0 ? code.constant(base) : plus(base, value);
      values.emplace_back(i + 1 < piece.runs.size() ? piece.runs[i + 1].low : piece.period, value);
    }
    return chosen(place, values, 0, values.size());
  }

  Body ofTables() {
    const int64_t length = static_cast<int64_t>(numbers.size());
    const int index = code.index(radices);
    int result = -1;
    for (int64_t first = (length - 1) / maxTable * maxTable; first >= 0; first -= maxTable) {
      const int64_t count = std::min(maxTable, length - first);
      std::vector<int> entries;
      for (int64_t i = 0; i < count; ++i)
        entries.push_back(code.constant(numbers[static_cast<size_t>(first + i)]));
      int place = first == 0 ? index : code.emit(Op::Add, code.constant(-first), index);
      if (length > maxTable)
        place = code.emit(Op::Rem, code.emit(Op::Max, place, code.constant(0)), code.constant(count));
      Instr lookup;
      lookup.op = Op::Lookup;
      lookup.type = frontend::i64Type();
      lookup.operands = {place};
      lookup.operands.insert(lookup.operands.end(), entries.begin(), entries.end());
      body.instrs.push_back(std::move(lookup));
      const int part = static_cast<int>(body.instrs.size()) - 1;
      result = result < 0 ? part : code.select(code.atLeast(index, code.constant(first + maxTable)), result, part);
    }
    return finished(result);
  }

  const std::vector<int64_t> &numbers;
  const std::vector<int> &radices;
  Body body;
  IntegerCode code{body};
};

} // namespace

std::optional<Body> adjoint::findFormula(const std::vector<int64_t> &numbers, const std::vector<int> &radices) {
  return Finder(numbers, radices).find();
}
