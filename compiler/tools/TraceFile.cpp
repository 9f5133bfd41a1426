#include "compiler/tools/TraceFile.h"

#include "compiler/frontend/ScalarArrays.h"

#include "host/ArrayNumbers.h"
#include "runtime/lib/WholeFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace idc;
using namespace idc::tools;
using frontend::Scalar;
using llvm::json::Path;
using llvm::json::Value;

static constexpr int version = 1;
static constexpr int64_t mostNumbers = int64_t(1) << 22; // some hundred megabytes of text
static constexpr int64_t mostBytes = int64_t(1) << 28;

//===--- writing ------------------------------------------------------------------------------------------------===//

static void writeReal(llvm::json::OStream &json, double number) {
  if (std::isfinite(number))
    json.value(number);
  else
    json.value(std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf");
}

static void writeNumbers(llvm::json::OStream &json, const npy::Array &values) {
  const std::vector<npy::Field> fields = host::numbersOf(values);
  for (int64_t element = 0; element < values.elements(); ++element)
    for (const npy::Field &field : fields) {
      auto part = [&](int which) { return host::part(values, field, element, which); };
      if (host::isComplex(field.type)) {
        writeReal(json, static_cast<double>(part(0)));
        writeReal(json, static_cast<double>(part(1)));
      } else if (host::isReal(field.type)) {
        writeReal(json, static_cast<double>(part(0)));
      } else if (field.type == npy::DType::U8) {
        json.value(static_cast<uint64_t>(part(0)));
      } else {
        json.value(static_cast<int64_t>(part(0)));
      }
    }
}

static void writeSequence(llvm::json::OStream &json, const TracedSequence &sequence, llvm::StringRef name = {}) {
  json.object([&] {
    if (!name.empty())
      json.attribute("name", name);
    json.attribute("type", sequence.type);
    json.attributeArray("radices", [&] {
      for (int radix : sequence.radices)
        json.value(radix);
    });
    json.attributeArray("numbers", [&] { writeNumbers(json, sequence.values); });
  });
}

void tools::writeTrace(const std::string &path, const Trace &trace) {
  int64_t numbers = 0;
  auto count = [&](const std::vector<TracedSequence> &sequences) {
    for (const TracedSequence &sequence : sequences)
      numbers += sequence.values.elements() * static_cast<int64_t>(host::numbersOf(sequence.values).size());
  };
  count(trace.inputs);
  for (const TracedStep &step : trace.steps)
    count(step.results);
  if (numbers > mostNumbers)
    throw host::Error("the values of all steps are more than 2^22 numbers; record a smaller size");
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream);
  auto writeResults = [&](const TracedStep &step) {
    json.attributeArray("results", [&] {
      for (const TracedSequence &result : step.results)
        writeSequence(json, result);
    });
  };
  json.object([&] {
    json.attribute("trace", version);
    json.attributeArray("inputs", [&] {
      for (const auto &[name, input] : llvm::zip(trace.names, trace.inputs))
        writeSequence(json, input, name);
    });
    json.attributeArray("steps", [&] {
      for (const TracedStep &step : llvm::ArrayRef(trace.steps).drop_back())
        json.object([&] {
          json.attribute("step", step.what);
          json.attribute("place", step.where);
          writeResults(step);
        });
    });
    writeResults(trace.steps.back());
  });
  runtime::writeFile(path, text + "\n");
}

//===--- reading ------------------------------------------------------------------------------------------------===//

namespace idc::tools { // where LLVM's JSON looks for them

static bool readReal(const Value &value, long double &number) {
  if (std::optional<double> read = value.getAsNumber())
    number = *read;
  else if (std::optional<llvm::StringRef> word = value.getAsString(); word == "nan")
    number = std::nan("");
  else if (word == "inf" || word == "-inf")
    number = word == "inf" ? HUGE_VAL : -HUGE_VAL;
  else
    return false;
  return true;
}

static bool readInteger(const Value &value, int64_t &number) {
  if (std::optional<uint64_t> read = value.getAsUINT64())
    number = static_cast<int64_t>(*read);
  else if (std::optional<int64_t> read = value.getAsInteger())
    number = *read;
  else
    return false;
  return true;
}

/// The leaves of elements of this type, from their numbers.
static bool readLeaves(const llvm::json::Array &numbers, const host::ElementType &type, std::vector<Scalar> &leaves,
                       Path path) {
  for (size_t next = 0; next < numbers.size();) {
    const host::Field &field = type.fields[leaves.size() % type.fields.size()];
    Scalar &leaf = leaves.emplace_back();
    const bool isReal = host::isReal(field.kind);
    if (!(isReal ? readReal(numbers[next], leaf.re) : readInteger(numbers[next], leaf.integer))) {
      path.index(next).report(isReal ? llvm::StringLiteral("expected a number, \"nan\", \"inf\" or \"-inf\"")
                                     : llvm::StringLiteral("expected an integer"));
      return false;
    }
    ++next;
    if (field.complex && (next == numbers.size() || !readReal(numbers[next++], leaf.im))) {
      path.index(next - 1).report("expected the imaginary part");
      return false;
    }
  }
  return true;
}

static bool fromJSON(const Value &value, TracedSequence &sequence, Path path) {
  llvm::json::ObjectMapper object(value, path);
  if (!object || !object.map("type", sequence.type) || !object.map("radices", sequence.radices))
    return false;
  const llvm::json::Array *numbers = value.getAsObject()->getArray("numbers");
  if (!numbers) {
    path.field("numbers").report("expected array");
    return false;
  }
  host::ElementType type;
  try {
    type = host::ElementType::parse(sequence.type);
  } catch (const host::Error &) {
    path.field("type").report("expected the type of an element");
    return false;
  }
  size_t elements = 1;
  for (int radix : sequence.radices)
    if (radix < 1 || (elements *= static_cast<size_t>(radix)) > numbers->size()) {
      path.field("radices").report("expected radices of as many elements as there are");
      return false;
    }
  std::vector<Scalar> leaves;
  if (!readLeaves(*numbers, type, leaves, path.field("numbers")))
    return false;
  if (leaves.size() != elements * type.fields.size()) {
    path.field("numbers").report("expected as many as the elements have");
    return false;
  }
  sequence.values = frontend::toArray(leaves, type);
  return true;
}

static bool fromJSON(const Value &value, TracedStep &step, Path path) {
  llvm::json::ObjectMapper object(value, path);
  return object && object.map("step", step.what) && object.map("place", step.where) &&
         object.map("results", step.results);
}

static bool fromJSON(const Value &value, Trace &trace, Path path) {
  llvm::json::ObjectMapper object(value, path);
  int written = 0;
  if (!object || !object.map("trace", written))
    return false;
  if (written != version) {
    path.field("trace").report("expected 1, the version of the format that this idc reads");
    return false;
  }
  TracedStep last{"the results", "", {}};
  if (!object.map("inputs", trace.inputs) || !object.map("steps", trace.steps) || !object.map("results", last.results))
    return false;
  trace.steps.push_back(std::move(last));
  return true;
}

} // namespace idc::tools

Trace tools::readTrace(const std::string &path) {
  auto wrong = [&](llvm::Error error) {
    return host::Error(path +
                       " is no trace that 'idc run --trace=FILE' has written: " + llvm::toString(std::move(error)));
  };
  llvm::Expected<Value> value = llvm::json::parse(runtime::readFile(path, mostBytes));
  if (!value)
    throw wrong(value.takeError());
  Trace trace;
  Path::Root root("trace");
  if (!fromJSON(*value, trace, root))
    throw wrong(root.getError());
  return trace;
}
