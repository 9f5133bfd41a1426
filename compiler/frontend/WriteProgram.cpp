#include "compiler/frontend/WriteProgram.h"

#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/WriteBody.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace idc::frontend {

namespace {

/// Digits of these radices, least significant first, as a length: "2^3 * 3".
std::string length(const std::vector<int> &radices) {
  std::string text;
  for (size_t high = radices.size(); high > 0;) {
    const int radix = radices[high - 1];
    size_t low = high;
    while (low > 0 && radices[low - 1] == radix)
      --low;
    bool prime = true;
    for (int64_t factor = 2; factor * factor <= radix; ++factor)
      prime &= radix % factor != 0;
    text += (text.empty() ? "" : " * ") + std::to_string(radix);
    if (high - low > 1 || !prime)
      text += "^" + std::to_string(high - low);
    high = low;
  }
  return text.empty() ? "1" : text;
}

/// The shape "[y: 2^3][x: 5]" of such digits.
std::string shape(const std::vector<int> &radices, const WrittenShape &dimensions) {
  int digits = 0;
  for (const auto &dimension : dimensions)
    digits += dimension.second;
  if (dimensions.empty() || digits != static_cast<int>(radices.size()))
    return "[" + length(radices) + "]";
  std::string text;
  auto high = radices.end();
  for (const auto &[name, count] : dimensions) {
    text += "[" + (name.empty() ? "" : name + ": ") + length({high - count, high}) + "]";
    high -= count;
  }
  return text;
}

/// Digit numbers, most significant first, with ranges for runs: "4, 3..1".
std::string digitList(const std::vector<int> &digits) {
  std::string text;
  for (size_t i = 0; i < digits.size();) {
    size_t end = i + 1;
    while (end < digits.size() && digits[end] == digits[end - 1] - 1)
      ++end;
    text += (text.empty() ? "" : ", ") + std::to_string(digits[i]);
    text += end - i > 1 ? ".." + std::to_string(digits[end - 1]) : "";
    i = end;
  }
  return text;
}

/// The digits of a stage after "@".
std::string atDigits(const std::vector<int> &digits) {
  const std::string list = digitList(digits);
  return " @ " + (list.find(',') == std::string::npos && !list.empty() ? list : "(" + list + ")");
}

/// The lowest digits after "@"; of none the empty range at place 1.
std::string atLowest(int count) { return " @ " + std::to_string(count) + (count == 1 ? "" : "..1"); }

class ProgramWriter {
public:
  ProgramWriter(const Program &program, const ProgramText &about) : program(program), about(about) {}

  std::string write() {
    functionsTaken.insert(program.entry);
    nameParameters();
    for (const Step &step : program.steps)
      for (int value : step.inputs)
        ++uses[value];
    for (int value : program.outputs)
      uses[value] += 2; // has a name where it is one of several
    for (const Step &step : program.steps)
      writeStep(step);
    std::vector<std::string> results, declared;
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      const int value = program.outputs[i];
      results.push_back(program.outputs.size() == 1 ? text[value] : named(value));
      declared.push_back(typeOf(value, i < about.outputs.size() ? about.outputs[i] : WrittenShape()));
    }
    const bool one = results.size() == 1;
    const std::string value = llvm::join(results, ", "), type = llvm::join(declared, ", ");
    std::string doc;
    for (llvm::StringRef line : llvm::split(llvm::StringRef(about.doc), '\n'))
      doc += about.doc.empty() ? "" : ("/// " + line).str() + "\n";
    return types.declarations() + functions + doc + "algorithm " + program.entry + "(" + llvm::join(parameters, ", ") +
           ") -> " + (one ? type : "(" + type + ")") + " {\n" + statements + "  return " +
           (one ? value : "(" + value + ")") + ";\n}\n";
  }

private:
  const std::vector<int> &radices(int value) const { return program.values[value].radices; }
  std::string typeOf(int value, const WrittenShape &dimensions = {}) {
    return types.spell(program.values[value].element) + shape(radices(value), dimensions);
  }

  //===--- names ------------------------------------------------------------------------------------------------===//

  void nameParameters() {
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const Parameter &input = program.inputs[i];
      taken.insert(input.name);
      text[input.value] = input.name;
      parameters.push_back(input.name + ": " +
                           typeOf(input.value, i < about.inputs.size() ? about.inputs[i] : WrittenShape()));
    }
    for (const ScalarParameter &scalar : program.scalars) {
      std::string name;
      for (char c : scalar.name)
        name += llvm::isAlnum(c) || c == '_' ? c : '_';
      name = llvm::StringRef(name).rtrim('_').str();
      while (!taken.insert(name).second)
        name += "_";
      for (const Requirement &required : scalar.required)
        statements +=
            "  require " + writeRequirement(required, name, *scalar.type) + ", \"" + required.message + "\";\n";
      names.scalars.push_back(name);
      parameters.push_back(name + ": " + types.spell(scalar.type));
    }
  }

  std::string freshName(const char *prefix) {
    std::string name;
    do
      name = prefix + std::to_string(++numbers[prefix]);
    while (!taken.insert(name).second);
    return name;
  }

  void let(const std::string &name, const std::string &value) { statements += "  let " + name + " = " + value + ";\n"; }

  /// The value by a name.
  std::string named(int value) {
    std::string &known = text[value];
    if (known.find(' ') != std::string::npos) { // a pipe
      const std::string name = freshName("v");
      let(name, known);
      known = name;
    }
    return known;
  }

  /// `stage` after `piped`; a value that one step takes alone goes on in its pipe.
  void make(int value, std::string made) {
    text[value] = std::move(made);
    if (uses[value] != 1 && !isResult(value))
      named(value);
  }
  bool isResult(int value) const {
    return program.outputs.size() == 1 && program.outputs[0] == value && uses.at(value) == 2;
  }

  /// The name of a func, node or algorithm with this text behind its name, declared once.
  std::string function(const char *kind, const std::string &wanted, const std::string &behind) {
    std::string &known = functionNames[kind + behind];
    if (!known.empty())
      return known;
    std::string plain;
    for (char c : wanted)
      plain += llvm::isAlnum(c) || c == '_' ? c : '_';
    if (plain.empty() || llvm::isDigit(plain[0]) || isReserved(plain))
      plain = "step_" + plain;
    std::string name = plain;
    for (int number = 2; !functionsTaken.insert(name).second; ++number)
      name = plain + "_" + std::to_string(number);
    known = name;
    functions += std::string(kind) + " " + name + behind;
    return name;
  }
  static bool isReserved(const std::string &name) {
    static const std::set<std::string> words = {
        "algorithm", "complex", "const",    "downto", "else",   "false",   "for",    "func",    "if",    "import",
        "in",        "let",     "mod",      "node",   "true",   "type",    "return", "require", "omega", "digit",
        "digits",    "index",   "generate", "radix",  "gather", "scatter", "pad",    "crop"};
    return words.count(name) || scalarType(name) || isBuiltinFunction(name) || isBuiltinPermutation(name) ||
           isBuiltinResize(name) || isBuiltinMove(name) || isDigitFunction(name) || isTypeFunction(name);
  }

  /// Names for the body of a step whose digits are numbered by `number`.
  BodyNames bodyNames(const std::function<int(int)> &number) {
    BodyNames result = names;
    result.digit = [number](int digit) { return "digit(" + std::to_string(number(digit)) + ")"; };
    return result;
  }
  static std::string called(const std::string &name, const std::vector<std::string> &arguments) {
    return arguments.empty() ? name : name + "(" + llvm::join(arguments, ", ") + ")";
  }

  //===--- steps ------------------------------------------------------------------------------------------------===//

  void writeStep(const Step &step) {
    switch (step.kind) {
    case Step::Kind::Permute:
      return make(step.outputs[0], text[step.inputs[0]] + permutation(step.permutation));
    case Step::Kind::Resize:
      return writeResize(step);
    case Step::Kind::Gather:
    case Step::Kind::Scatter:
      return writeMove(step);
    case Step::Kind::Pointwise:
      return step.inputs.empty() ? writeGenerate(step) : writePointwise(step);
    case Step::Kind::Node:
      return writeNode(step);
    }
  }

  static std::string permutation(const digits::Permutation &permutation) {
    std::vector<int> digits;
    std::string complements;
    bool moves = false;
    for (int place = permutation.size(); place > 0; --place) {
      digits.push_back(permutation.source(place));
      moves |= digits.back() != place;
      if (permutation.complemented(place))
        complements += " |> complement(" + std::to_string(place) + ")";
    }
    return (moves ? " |> permute([" + digitList(digits) + "])" : "") + complements;
  }

  void writeResize(const Step &step) {
    const std::vector<int> &from = radices(step.inputs[0]), &to = radices(step.outputs[0]);
    const size_t batch = from.size() - static_cast<size_t>(step.lowest);
    const std::vector<int> before(from.begin(), from.end() - batch), after(to.begin(), to.end() - batch);
    const bool pads = !step.body.results.empty();
    std::string stage = (pads ? "pad(" : "crop(") + length(after);
    if (pads)
      stage += ", " + writeValue(step.body, program.values[step.inputs[0]].element, names, types);
    stage += ")";
    if (batch > 0) { // an algorithm on the lowest digits
      const std::string element = types.spell(program.values[step.inputs[0]].element);
      std::string params = "(x: " + element + shape(before, {});
      std::vector<std::string> arguments;
      for (const Instr &instr : step.body.instrs)
        if (instr.op == Op::ScalarParam && pads) {
          const std::string &name = names.scalars[static_cast<size_t>(instr.digit)];
          if (!llvm::is_contained(arguments, name)) {
            params += ", " + name + ": " + types.spell(instr.type);
            arguments.push_back(name);
          }
        }
      const std::string name =
          function("algorithm", pads ? "padded" : "cropped",
                   params + ") -> " + element + shape(after, {}) + " {\n  return x |> " + stage + ";\n}\n");
      stage = called(name, arguments) + atLowest(step.lowest);
    }
    make(step.outputs[0], text[step.inputs[0]] + " |> " + stage);
  }

  void writeMove(const Step &step) {
    const std::vector<int> &from = radices(step.inputs[0]), &to = radices(step.outputs[0]);
    const size_t batch = from.size() - static_cast<size_t>(step.lowest);
    BodyNames index = bodyNames([](int digit) { return digit; });
    index.name = [&](const std::string &value) {
      std::string name = freshName("e");
      let(name, value);
      return name;
    };
    const std::string place = writeIndex(step.body, index);
    std::string stage = step.kind == Step::Kind::Gather ? "gather(" : "scatter(";
    stage += length({to.begin(), to.end() - batch}) + ", " + place + ")";
    make(step.outputs[0], text[step.inputs[0]] + " |> " + stage + (batch > 0 ? atLowest(step.lowest) : ""));
  }

  /// The types of the values that a body gives, or takes, in turn.
  std::vector<TypeRef> typesOf(const std::vector<int> &values, const std::vector<bool> &arrays, int64_t size) {
    std::vector<TypeRef> result;
    for (size_t i = 0; i < values.size(); ++i) {
      const TypeRef &element = program.values[values[i]].element;
      result.push_back(i < arrays.size() && arrays[i] ? arrayType(element, size) : element);
    }
    return result;
  }

  void writeGenerate(const Step &step) {
    const int value = step.outputs[0];
    const WrittenFunction made = writeFunction(step.body, {}, {}, typesOf(step.outputs, {}, 1),
                                               bodyNames([](int digit) { return digit; }), types);
    const std::string name = function("func", step.name == "generate" ? "generated" : step.name, made.text);
    const std::string known = text[value] = freshName("v");
    let(known + ": " + typeOf(value), "generate(" + name + "(" + llvm::join(made.arguments, ", ") + "))");
  }

  void writeStage(const Step &step, const std::string &piped, const std::string &stage) {
    if (step.outputs.size() == 1)
      return make(step.outputs[0], piped + " |> " + stage);
    std::vector<std::string> made;
    for (int value : step.outputs)
      made.push_back(text[value] = freshName("v"));
    let("(" + llvm::join(made, ", ") + ")", piped + " |> " + stage);
  }

  std::string pipedValues(const std::vector<std::string> &values) {
    return values.size() == 1 ? values[0] : "(" + llvm::join(values, ", ") + ")";
  }

  /// Which digits of the full arrangement, of `digits`, input `i` has, the lowest first; empty: all but for a node's.
  static std::vector<int> broadcast(const Step &step, size_t i) {
    return i < step.broadcastDigits.size() ? step.broadcastDigits[i] : std::vector<int>();
  }

  /// `value`, whose digits are `own` of an arrangement, with these in ascending order.
  std::string ascending(int value, const std::vector<int> &own) {
    std::vector<int> sources(own.size());
    for (size_t place = 0; place < own.size(); ++place)
      sources[place] = static_cast<int>(place) + 1;
    std::sort(sources.begin(), sources.end(),
              [&](int a, int b) { return own[static_cast<size_t>(a) - 1] < own[static_cast<size_t>(b) - 1]; });
    return named(value) + permutation(digits::Permutation::fromSources(std::move(sources)));
  }

  /// `value`, whose digits are `own` of those of `wanted` (ascending), repeated along all others.
  std::string repeated(int value, const std::vector<int> &own, const std::vector<int> &wanted,
                       const std::vector<int> &full) {
    std::string result = ascending(value, own);
    const std::string element = types.spell(program.values[value].element);
    for (size_t place = 0; place < wanted.size(); ++place) {
      if (llvm::is_contained(own, wanted[place]))
        continue;
      const int radix = full[static_cast<size_t>(wanted[place]) - 1];
      std::vector<std::string> copies(static_cast<size_t>(radix), "x");
      const std::string name = function("node", "copies",
                                        "(x: " + element + ") -> " + element + "[" + std::to_string(radix) +
                                            "] {\n  return [" + llvm::join(copies, ", ") + "];\n}\n");
      result += " |> " + name + " @ " + std::to_string(place + 1);
    }
    const std::string name = freshName("v");
    let(name, result);
    return name;
  }

  void writePointwise(const Step &step) {
    const std::vector<int> &full = radices(step.outputs[0]);
    std::vector<int> all;
    for (size_t digit = 1; digit <= full.size(); ++digit)
      all.push_back(static_cast<int>(digit));
    std::vector<std::string> piped(step.inputs.size());
    std::vector<size_t> narrow;
    std::vector<int> order; // inputs with all digits first: digits are numbered as in the first
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (!broadcast(step, i).empty())
        narrow.push_back(i);
      else if (radices(step.inputs[i]).size() == full.size())
        order.push_back(static_cast<int>(i));
    }
    if (order.empty()) {
      const size_t first = narrow.empty() ? 0 : narrow[0];
      piped[first] = repeated(step.inputs[first], broadcast(step, first), all, full);
      order.push_back(static_cast<int>(first));
      llvm::erase(narrow, first);
    }
    const size_t main = static_cast<size_t>(order[0]);
    for (size_t i = 0; i < step.inputs.size(); ++i)
      if (!llvm::is_contained(order, static_cast<int>(i)))
        order.push_back(static_cast<int>(i));
    if (!narrow.empty())
      nameDimensions(step, narrow, main, piped);
    std::vector<std::string> ordered;
    for (int i : order) {
      std::string &value = piped[static_cast<size_t>(i)];
      ordered.push_back(value.empty() ? order.size() == 1 ? text[step.inputs[i]] : named(step.inputs[i]) : value);
    }
    const WrittenFunction made =
        writeFunction(step.body, typesOf(step.inputs, {}, 1), order, typesOf(step.outputs, {}, 1),
                      bodyNames([](int digit) { return digit; }), types);
    writeStage(step, pipedValues(ordered), called(function("func", step.name, made.text), made.arguments));
  }

  /// Gives values that lack digits, and one that has all, dimensions whose names say which digits they have.
  void nameDimensions(const Step &step, const std::vector<size_t> &narrow, size_t main,
                      std::vector<std::string> &piped) {
    const std::vector<int> &full = radices(step.outputs[0]);
    auto owners = [&](size_t digit) {
      std::vector<size_t> result;
      for (size_t i : narrow)
        if (llvm::is_contained(step.broadcastDigits[i], static_cast<int>(digit)))
          result.push_back(i);
      return result;
    };
    WrittenShape dimensions;
    std::vector<std::vector<size_t>> owned;
    for (size_t digit = full.size(); digit > 0; --digit) {
      std::vector<size_t> now = owners(digit);
      if (owned.empty() || owned.back() != now) {
        dimensions.push_back({"d" + std::to_string(dimensions.size() + 1), 0});
        owned.push_back(std::move(now));
      }
      ++dimensions.back().second;
    }
    auto give = [&](size_t i, const std::string &value, const WrittenShape &own) {
      const std::string name = freshName("v");
      std::vector<int> digits = radices(step.inputs[i]);
      if (i == main)
        digits = full;
      else {
        digits.clear();
        std::vector<int> sorted = step.broadcastDigits[i];
        std::sort(sorted.begin(), sorted.end());
        for (int digit : sorted)
          digits.push_back(full[static_cast<size_t>(digit) - 1]);
      }
      let(name + ": " + types.spell(program.values[step.inputs[i]].element) + shape(digits, own), value);
      piped[i] = name;
    };
    give(main, piped[main].empty() ? named(step.inputs[main]) : piped[main], dimensions);
    for (size_t i : narrow) {
      WrittenShape own;
      for (size_t d = 0; d < dimensions.size(); ++d)
        if (llvm::is_contained(owned[d], i))
          own.push_back(dimensions[d]);
      give(i, ascending(step.inputs[i], step.broadcastDigits[i]), own);
    }
  }

  void writeNode(const Step &step) {
    size_t digits = 0;
    for (size_t i = 0; i < step.outputs.size(); ++i)
      digits = std::max(digits, radices(step.outputs[i]).size() + (step.arrayOutput[i] ? 0 : step.digits.size()));
    std::vector<int> full(digits, 0), all, outside;
    for (size_t digit = 1; digit <= digits; ++digit) {
      all.push_back(static_cast<int>(digit));
      if (!llvm::is_contained(step.digits, static_cast<int>(digit)))
        outside.push_back(static_cast<int>(digit));
    }
    auto learn = [&](int value, bool array, const std::vector<int> &own) {
      const std::vector<int> &places = own.empty() ? (array ? all : outside) : own;
      for (size_t i = 0; i < radices(value).size(); ++i)
        full[static_cast<size_t>(places[i]) - 1] = radices(value)[i];
    };
    for (size_t i = 0; i < step.inputs.size(); ++i)
      learn(step.inputs[i], step.arrayInput[i], broadcast(step, i));
    for (size_t i = 0; i < step.outputs.size(); ++i)
      learn(step.outputs[i], step.arrayOutput[i], {});

    std::vector<std::string> piped;
    std::vector<int> order, ones; // what is one element for the whole step does not say how many digits there are
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const std::vector<int> own = broadcast(step, i);
      piped.push_back(own.empty() ? step.inputs.size() == 1 ? text[step.inputs[i]] : named(step.inputs[i])
                                  : repeated(step.inputs[i], own, step.arrayInput[i] ? all : outside, full));
      const bool isOne = !step.arrayInput[i] && radices(step.inputs[i]).empty() && !outside.empty();
      (isOne ? ones : order).push_back(static_cast<int>(i));
    }
    const bool hasArray = llvm::is_contained(step.arrayInput, true);
    if (order.empty() && !hasArray) {
      piped[0] = repeated(step.inputs[0], {}, outside, full);
      order.push_back(0);
      ones.erase(ones.begin());
    }
    order.insert(order.end(), ones.begin(), ones.end());
    int64_t size = 1;
    for (int digit : step.digits)
      size *= full[static_cast<size_t>(digit) - 1];
    bool equal = true;
    for (int digit : step.digits)
      equal &= full[static_cast<size_t>(digit) - 1] == full[static_cast<size_t>(step.digits[0]) - 1];
    std::vector<std::string> ordered;
    for (int i : order)
      ordered.push_back(piped[static_cast<size_t>(i)]);
    const std::vector<TypeRef> params = typesOf(step.inputs, step.arrayInput, size),
                               results = typesOf(step.outputs, step.arrayOutput, size);
    if (hasArray || equal) {
      const WrittenFunction made =
          writeFunction(step.body, params, order, results, bodyNames([](int digit) { return digit; }), types);
      const std::string name = function("node", step.name, made.text);
      return writeStage(step, pipedValues(ordered), called(name, made.arguments) + atDigits(step.digits));
    }
    writeUnequal(step, full, outside, params, order, results, pipedValues(ordered));
  }

  /// A node that puts in digits of several radices: one digit at the lowest place, which is taken apart.
  void writeUnequal(const Step &step, const std::vector<int> &full, const std::vector<int> &outside,
                    const std::vector<TypeRef> &params, const std::vector<int> &order,
                    const std::vector<TypeRef> &results, const std::string &piped) {
    auto number = [&](int digit) { return static_cast<int>(llvm::find(outside, digit) - outside.begin()) + 2; };
    const WrittenFunction made = writeFunction(step.body, params, order, results, bodyNames(number), types);
    const std::string name = function("node", step.name, made.text);
    std::vector<std::string> values;
    for (size_t i = 0; i < step.outputs.size(); ++i)
      values.push_back(freshName("v"));
    const bool one = values.size() == 1;
    let(one ? values[0] : "(" + llvm::join(values, ", ") + ")", piped + " |> " + called(name, made.arguments) + " @ 1");
    std::vector<int> inner; // radices of the node's digits, least significant first
    for (int digit : llvm::reverse(step.digits))
      inner.push_back(full[static_cast<size_t>(digit) - 1]);
    int64_t size = 1;
    for (int radix : inner)
      size *= radix;
    std::vector<int> places; // what is where, least significant first
    places.assign(step.digits.rbegin(), step.digits.rend());
    places.insert(places.end(), outside.begin(), outside.end());
    std::vector<int> sources;
    for (int digit = 1; digit <= static_cast<int>(full.size()); ++digit)
      sources.push_back(static_cast<int>(llvm::find(places, digit) - places.begin()) + 1);
    const std::string sorted = permutation(digits::Permutation::fromSources(sources));
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      if (!step.arrayOutput[i]) {
        text[step.outputs[i]] = values[i];
        continue;
      }
      const std::string element = types.spell(program.values[step.outputs[i]].element);
      const std::string taken =
          outside.empty() ? "crop(" + length(inner) + ")"
                          : function("algorithm", "split",
                                     "(x: " + element + "[" + std::to_string(size) + "^1]) -> " + element + "[" +
                                         length(inner) + "] {\n  return x |> crop(" + length(inner) + ");\n}\n") +
                                " @ 1";
      make(step.outputs[i], values[i] + " |> " + taken + sorted);
    }
  }

  const Program &program;
  const ProgramText &about;
  TypeWriter types;
  BodyNames names;
  std::map<int, std::string> text; // of each value: a name, or a pipe that goes on
  std::map<int, int> uses;
  std::set<std::string> taken, functionsTaken;
  std::map<std::string, int> numbers;
  std::map<std::string, std::string> functionNames;
  std::vector<std::string> parameters;
  std::string functions, statements;
};

} // namespace

std::string writeProgram(const Program &program, const ProgramText &about) {
  return ProgramWriter(program, about).write();
}

} // namespace idc::frontend
