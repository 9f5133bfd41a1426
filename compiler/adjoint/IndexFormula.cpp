#include "compiler/adjoint/IndexFormula.h"

#include "compiler/frontend/Value.h"

#include <algorithm>

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

/// From `start` to before `end`: base + slope · ((k - start) / period) + step · ((k - start) % period).
struct Piece {
  int64_t start, end, base, step, period, slope;
};

class Finder {
public:
  Finder(const std::vector<int64_t> &numbers, const std::vector<int> &radices) : numbers(numbers), radices(radices) {}

  std::optional<Body> find() {
    if (ofDigits())
      return body;
    const int64_t length = static_cast<int64_t>(numbers.size());
    int64_t best = 0, modulus = 0;
    for (int64_t candidate : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 32, 64}) {
      if (candidate > length)
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
      const int64_t step = start + 1 < length ? at(start + 1) - at(start) : 0;
      int64_t end = start + 1;
      while (end < length && at(end) - at(end - 1) == step)
        ++end;
      Piece piece{start, end, at(start), step, end - start, 0};
      if (end < length) { // the same again, further on?
        const int64_t period = end - start, slope = at(end) - at(start);
        int64_t further = end;
        while (further < length &&
               at(further) == at(start) + slope * ((further - start) / period) + step * ((further - start) % period))
          ++further;
        if (further >= end + period) {
          piece.end = further;
          piece.slope = slope;
        }
      }
      pieces.push_back(piece);
      start = piece.end;
    }
    return pieces;
  }

  Body ofPieces(int64_t modulus) {
    const int index = code.index(radices);
    const int k = modulus == 1 ? index : code.emit(Op::Div, index, code.constant(modulus));
    const int rest = modulus == 1 ? -1 : code.emit(Op::Rem, index, code.constant(modulus));
    int result = -1;
    for (int64_t r = modulus; r-- > 0;) {
      const std::vector<Piece> pieces = piecesOf(r, modulus);
      int value = -1;
      for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        const int part = valueOf(*piece, k);
        value = value < 0 ? part : code.select(code.less(k, code.constant(piece->end)), part, value);
      }
      result = result < 0 ? value : code.select(code.less(rest, code.constant(r + 1)), value, result);
    }
    return finished(result);
  }

  int plus(int64_t number, int value) { return number == 0 ? value : code.emit(Op::Add, code.constant(number), value); }

  int valueOf(const Piece &piece, int k) {
    if (piece.slope == 0) {
      if (piece.step == 0)
        return code.constant(piece.base);
      return plus(piece.base - piece.start * piece.step, code.emit(Op::Mul, code.constant(piece.step), k));
    }
    // Where the piece does not hold, what is divided may be negative; nobody takes that.
    const int local = code.emit(Op::Max, plus(-piece.start, k), code.constant(0)), period = code.constant(piece.period);
    const int quotient = code.emit(Op::Mul, code.constant(piece.slope), code.emit(Op::Div, local, period));
    if (piece.step == 0)
      return plus(piece.base, quotient);
    const int remainder = code.emit(Op::Mul, code.constant(piece.step), code.emit(Op::Rem, local, period));
    return plus(piece.base, code.emit(Op::Add, quotient, remainder));
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
      result = result < 0 ? part : code.select(code.less(index, code.constant(first + maxTable)), part, result);
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
