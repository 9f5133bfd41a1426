#include "Check.h"

#include "compiler/adjoint/WriteAdjoint.h"

#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/Parse.h"
#include "compiler/frontend/Value.h"
#include "compiler/frontend/WriteProgram.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <random>

using namespace idc;
using namespace idc::test;
using frontend::Program;
using frontend::Scalar;
using frontend::Type;
using frontend::TypeRef;

using Numbers = std::vector<Scalar>;

static bool isContinuous(const Type &leaf) { return frontend::isReal(leaf) || leaf.kind == Type::Kind::Complex; }

static size_t elementsOf(const frontend::Sequence &sequence) {
  size_t count = 1;
  for (int radix : sequence.radices)
    count *= static_cast<size_t>(radix);
  return count;
}

namespace {

class Comparison {
public:
  Comparison(const Program &forward, const Program &adjoint, uint64_t seed)
      : forward(forward), adjoint(adjoint), engine(seed) {}

  /// Whether another program makes the same of random inputs.
  bool isSame(const Program &other, std::string &error) {
    std::vector<Numbers> x, left, right;
    Numbers parameters;
    for (const frontend::Parameter &input : forward.inputs)
      x.push_back(draw(forward.values[input.value], true, true));
    for (const frontend::ScalarParameter &scalar : forward.scalars)
      parameters.push_back(draw({{}, scalar.type, {}}, true, true)[0]);
    if (!frontend::evaluate(forward, x, parameters, left, error))
      return true; // a division by zero
    if (!frontend::evaluate(other, x, parameters, right, error) || left.size() != right.size())
      return false;
    auto near = [](long double a, long double b) {
      return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-12L * (std::fabs(a) + 1);
    };
    for (size_t i = 0; i < left.size(); ++i)
      if (!std::equal(left[i].begin(), left[i].end(), right[i].begin(), right[i].end(),
                      [&](const Scalar &a, const Scalar &b) {
                        return near(a.re, b.re) && near(a.im, b.im) && a.integer == b.integer;
                      }))
        return error = "result " + std::to_string(i) + " differs", false;
    return true;
  }

  /// The relative error at random inputs, or nothing with `error` set where something cannot be evaluated; not finite
  /// where there is no limit. `positive`: inputs from 0.5 to 1.5, for functions that are not defined everywhere.
  std::optional<double> run(bool positive, std::string &error) {
    std::vector<Numbers> x, v, scalars{{}};
    for (const frontend::Parameter &input : forward.inputs) {
      x.push_back(draw(forward.values[input.value], positive, true));
      v.push_back(draw(forward.values[input.value], false, false));
    }
    Numbers parameters;
    for (const frontend::ScalarParameter &scalar : forward.scalars)
      parameters.push_back(draw({{}, scalar.type, {}}, positive, true)[0]);
    std::vector<Numbers> g;
    for (int output : forward.outputs)
      g.push_back(draw(forward.values[output], false, false));

    // Forwards: two step widths say whether there is a limit, and whether it is one from both sides: second differences
    // become smaller with the step, unless there is a kink.
    double derivatives[2] = {}, kinks[2] = {}, norm = 0, magnitude = 0;
    std::vector<Numbers> here;
    if (!frontend::evaluate(forward, x, parameters, here, error))
      return std::nullopt;
    for (int k : {0, 1}) {
      const long double h = std::ldexp(1.0L, k == 0 ? -19 : -22);
      std::vector<Numbers> above, below;
      if (!frontend::evaluate(forward, moved(x, v, h), parameters, above, error) ||
          !frontend::evaluate(forward, moved(x, v, -h), parameters, below, error))
        return std::nullopt;
      long double sum = 0, squares = 0, weights = 0, bends = 0, values = 0;
      for (size_t i = 0; i < above.size(); ++i)
        eachContinuous(forward.values[forward.outputs[i]], [&](size_t leaf) {
          const long double re = (above[i][leaf].re - below[i][leaf].re) / (2 * h),
                            im = (above[i][leaf].im - below[i][leaf].im) / (2 * h);
          const long double bend = above[i][leaf].re - 2 * here[i][leaf].re + below[i][leaf].re,
                            turn = above[i][leaf].im - 2 * here[i][leaf].im + below[i][leaf].im;
          values += here[i][leaf].re * here[i][leaf].re + here[i][leaf].im * here[i][leaf].im;
          bends += (bend * bend + turn * turn) / (h * h);
          sum += g[i][leaf].re * re + g[i][leaf].im * im;
          squares += re * re + im * im;
          weights += g[i][leaf].re * g[i][leaf].re + g[i][leaf].im * g[i][leaf].im;
        });
      derivatives[k] = static_cast<double>(sum);
      magnitude = static_cast<double>(std::sqrt(values) * std::sqrt(weights));
      kinks[k] = static_cast<double>(std::sqrt(bends) * std::sqrt(weights));
      norm = static_cast<double>(std::sqrt(squares) * std::sqrt(weights));
    }

    std::vector<Numbers> inputs, gradients;
    for (const frontend::Parameter &input : adjoint.inputs) {
      const auto named = llvm::find_if(forward.inputs, [&](const auto &other) { return other.name == input.name; });
      size_t number = 0;
      if (named != forward.inputs.end())
        inputs.push_back(x[static_cast<size_t>(named - forward.inputs.begin())]);
      else if (llvm::StringRef(input.name).rtrim('_').drop_front(3).getAsInteger(10, number) || number >= g.size())
        return (error = "an input '" + input.name + "'", std::nullopt);
      else
        inputs.push_back(g[number]);
    }
    Numbers taken;
    for (const frontend::ScalarParameter &scalar : adjoint.scalars)
      for (size_t i = 0; i < forward.scalars.size(); ++i)
        if (plain(forward.scalars[i].name) == scalar.name)
          taken.push_back(parameters[i]);
    if (!frontend::evaluate(adjoint, inputs, taken, gradients, error))
      return std::nullopt;
    long double product = 0;
    size_t next = 0;
    for (size_t i = 0; i < forward.inputs.size(); ++i) {
      const frontend::Sequence &sequence = forward.values[forward.inputs[i].value];
      if (llvm::none_of(frontend::leaves(sequence.element), [](const TypeRef &leaf) { return isContinuous(*leaf); }))
        continue;
      if (next >= gradients.size() || gradients[next].size() != v[i].size())
        return (error = "the gradients have other shapes than the inputs", std::nullopt);
      eachContinuous(sequence, [&](size_t leaf) {
        product += gradients[next][leaf].re * v[i][leaf].re + gradients[next][leaf].im * v[i][leaf].im;
      });
      ++next;
    }
    // A derivative that is small beside what is rounded is not seen in differences.
    const double scale = std::max({norm, 1e-6 * magnitude, 1e-12}),
                 rough = std::fabs(derivatives[0] - derivatives[1]) / scale;
    const double apart = std::fabs(static_cast<double>(product) - derivatives[1]) / scale;
    const bool hasLimit = std::isfinite(derivatives[0]) && std::isfinite(derivatives[1]) && std::isfinite(norm) &&
                          rough < 1e-7 && norm < 1e9 && (kinks[1] < kinks[0] / 2 || kinks[1] < 1e-8 * scale);
    return hasLimit ? apart : std::nan("");
  }

private:
  static std::string plain(const std::string &name) {
    std::string result;
    for (char c : name)
      result += llvm::isAlnum(c) || c == '_' ? c : '_';
    return llvm::StringRef(result).rtrim('_').str();
  }

  template <class Visit> static void eachContinuous(const frontend::Sequence &sequence, Visit visit) {
    const std::vector<TypeRef> parts = frontend::leaves(sequence.element);
    for (size_t i = 0, count = elementsOf(sequence) * parts.size(); i < count; ++i)
      if (isContinuous(*parts[i % parts.size()]))
        visit(i);
  }

  /// Random numbers; `all`: integers too, which else are 0.
  Numbers draw(const frontend::Sequence &sequence, bool positive, bool all) {
    std::uniform_real_distribution<double> unit(-1, 1);
    const std::vector<TypeRef> parts = frontend::leaves(sequence.element);
    Numbers numbers(elementsOf(sequence) * parts.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      const Type &leaf = *parts[i % parts.size()];
      if (isContinuous(leaf)) {
        numbers[i].re = positive ? 1 + unit(engine) / 2 : unit(engine);
        if (leaf.kind == Type::Kind::Complex)
          numbers[i].im = unit(engine);
      } else if (all) {
        const uint64_t bits = engine();
        numbers[i].integer = leaf.kind == Type::Kind::Bool  ? static_cast<int64_t>(bits & 1)
                             : leaf.kind == Type::Kind::Mod ? static_cast<int64_t>(bits % leaf.modulus)
                             : frontend::isSigned(leaf)     ? static_cast<int64_t>(bits % 9) - 4
                                                            : static_cast<int64_t>(bits % 9);
      }
    }
    return numbers;
  }

  static std::vector<Numbers> moved(const std::vector<Numbers> &x, const std::vector<Numbers> &v, long double h) {
    std::vector<Numbers> result = x;
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t k = 0; k < x[i].size(); ++k) {
        result[i][k].re += h * v[i][k].re;
        result[i][k].im += h * v[i][k].im;
      }
    return result;
  }

  const Program &forward, &adjoint;
  std::mt19937_64 engine;
};

} // namespace

Verdict test::checkAdjoint(const Instance &instance, uint64_t seed, double tolerance) {
  frontend::Diagnostics diagnostics;
  const std::unique_ptr<frontend::Source> source =
      instance.text.empty() ? frontend::parseFile(instance.file, instance.folders, diagnostics)
                            : frontend::parseText(instance.text, instance.file, instance.folders, diagnostics);
  if (!source)
    return {Verdict::Kind::Broken, 0, diagnostics.str()};
  const std::optional<Program> forward =
      frontend::elaborate(*source, instance.entry, instance.sizes, instance.types, diagnostics);
  if (!forward)
    return {Verdict::Kind::Broken, 0, diagnostics.str()};

  // The program itself, as text.
  frontend::Diagnostics ofText;
  const std::string rewritten = frontend::writeProgram(
      *frontend::elaborateUnfolded(*source, instance.entry, instance.sizes, instance.types, diagnostics), {});
  const std::unique_ptr<frontend::Source> again = frontend::parseText(rewritten, "again.id", {}, ofText);
  const std::optional<Program> same =
      again ? frontend::elaborate(*again, instance.entry, {}, {}, ofText) : std::nullopt;
  if (!same)
    return {Verdict::Kind::Broken, 0, ofText.str() + rewritten};
  if (std::string error; !Comparison(*forward, *same, seed).isSame(*same, error))
    return {Verdict::Kind::Broken, 0, "as text the program is another: " + error + "\n" + rewritten};

  const std::optional<std::string> text =
      adjoint::writeAdjoint(*source, instance.entry, instance.sizes, instance.types, {}, diagnostics);
  if (!text) {
    const auto messages = diagnostics.messages();
    const bool wrong = messages.empty() || messages[0].file == instance.entry + "_adjoint.id";
    return {wrong ? Verdict::Kind::Broken : Verdict::Kind::Refused, 0, wrong ? diagnostics.str() : messages[0].text};
  }
  frontend::Diagnostics own;
  const std::unique_ptr<frontend::Source> written = frontend::parseText(*text, "adjoint.id", {}, own);
  const std::optional<Program> backward =
      written ? frontend::elaborate(*written, instance.entry + "_adjoint", {}, {}, own) : std::nullopt;
  if (!backward)
    return {Verdict::Kind::Broken, 0, own.str() + *text};

  Verdict verdict{Verdict::Kind::Rough, 0, ""};
  Comparison comparison(*forward, *backward, seed);
  for (int trial = 0, compared = 0; trial < 8 && compared < 2; ++trial) {
    std::string error;
    const std::optional<double> apart = comparison.run(/*positive=*/trial % 2 == 1, error);
    if (!apart) {
      verdict.detail = error;
      continue;
    }
    if (!std::isfinite(*apart))
      continue;
    ++compared;
    verdict.kind = Verdict::Kind::Same;
    verdict.error = std::max(verdict.error, *apart);
    if (!(*apart <= tolerance))
      return {Verdict::Kind::Different, *apart, *text};
  }
  return verdict;
}
