#include "compiler/frontend/Observe.h"

#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace idc::frontend {

namespace {

/// Names of the digits of every value, by place, least significant first.
class DigitNames {
public:
  const std::vector<std::string> &of(int value, const Program &program) {
    for (; next < program.steps.size(); ++next)
      take(program.steps[next], program);
    return names(value, program);
  }

private:
  std::map<int, std::vector<std::string>> known;
  size_t next = 0; // the first step that is not taken yet
  int fresh = 0;

  static size_t count(int value, const Program &program) { return program.values[value].radices.size(); }

  std::string newName() {
    const int letter = fresh % 26, round = fresh++ / 26;
    return std::string(1, static_cast<char>('a' + letter)) + (round ? std::to_string(round) : "");
  }

  /// What no step has made has its own digits.
  std::vector<std::string> &names(int value, const Program &program) {
    auto [entry, isNew] = known.try_emplace(value);
    for (size_t digit = 1; isNew && digit <= count(value, program); ++digit)
      entry->second.push_back(std::to_string(digit));
    return entry->second;
  }

  void take(const Step &step, const Program &program) {
    switch (step.kind) {
    case Step::Kind::Permute: {
      const std::vector<std::string> from = names(step.inputs[0], program);
      std::vector<std::string> &to = names(step.outputs[0], program);
      for (size_t place = 1; place <= to.size(); ++place) {
        const std::string &name = from[static_cast<size_t>(step.permutation.source(static_cast<int>(place))) - 1];
        const bool turned = step.permutation.complemented(static_cast<int>(place));
        to[place - 1] = !turned ? name : name[0] == '~' ? name.substr(1) : "~" + name;
      }
      return;
    }
    case Step::Kind::Resize:
    case Step::Kind::Gather:
    case Step::Kind::Scatter: {
      const std::vector<std::string> from = names(step.inputs[0], program);
      std::vector<std::string> &to = names(step.outputs[0], program);
      const size_t above = from.size() - static_cast<size_t>(step.lowest), lowest = to.size() - above;
      for (size_t place = 0; place < to.size(); ++place)
        to[place] = place < lowest ? newName() : from[static_cast<size_t>(step.lowest) + place - lowest];
      return;
    }
    case Step::Kind::Pointwise:
    case Step::Kind::Node:
      return takeBody(step, program);
    }
  }

  /// Places of a value in the arrangement that has all digits of the step, least significant first.
  static std::vector<size_t> fullPlaces(const Step &step, bool hasNodeDigits, size_t count,
                                        const std::vector<int> &broadcast) {
    std::vector<size_t> places(broadcast.begin(), broadcast.end());
    for (int place = 1; broadcast.empty() && places.size() < count; ++place)
      if (hasNodeDigits || std::find(step.digits.begin(), step.digits.end(), place) == step.digits.end())
        places.push_back(static_cast<size_t>(place));
    return places;
  }

  void takeBody(const Step &step, const Program &program) {
    std::map<size_t, std::string> full;
    auto at = [](const std::vector<bool> &list, size_t i) { return i < list.size() && list[i]; };
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      const std::vector<std::string> &from = names(step.inputs[i], program);
      const auto places = fullPlaces(step, at(step.arrayInput, i), from.size(),
                                     step.broadcastDigits.empty() ? std::vector<int>() : step.broadcastDigits[i]);
      for (size_t k = 0; k < places.size(); ++k)
        full.emplace(places[k], from[k]);
    }
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      std::vector<std::string> &to = names(step.outputs[i], program);
      const auto places = fullPlaces(step, at(step.arrayOutput, i), to.size(), {});
      for (size_t k = 0; k < places.size(); ++k) {
        if (!full.count(places[k]))
          full[places[k]] = newName();
        to[k] = full[places[k]];
      }
    }
  }
};

class Recorder final : public Observer {
public:
  Observations found;

  void saw(llvm::SMRange place, const Value &value, size_t depth, const Program &program) override {
    auto &list = (depth == 1 ? found.inEntry : found.inCalls)[{place.Start.getPointer(), place.End.getPointer()}];
    if (list.size() == keptObservations)
      return;
    Observation observation{spellValue(value, program), {}};
    if (value.kind == Value::Kind::Sequence) {
      const SequenceView &view = *value.sequence;
      const std::vector<std::string> &names = digits.of(view.value, program);
      for (int digit = view.digits(); digit > 0; --digit)
        observation.digits.push_back(names[static_cast<size_t>(view.place(digit)) - 1]);
    }
    list.push_back(std::move(observation));
  }

private:
  DigitNames digits;

  static std::string spellValue(const Value &value, const Program &program) {
    if (value.kind == Value::Kind::Sequence)
      return spell(*program.values[value.sequence->value].element) + shapeOf(*value.sequence, program);
    if (value.kind == Value::Kind::Tuple) {
      std::string text;
      for (const Value &member : value.members)
        text += (text.empty() ? "(" : ", ") + spellValue(member, program);
      return text + ")";
    }
    const TypeRef type = typeOf(value);
    return type ? spell(*type) : describe(value);
  }
};

/// Runs the algorithm with all that is open set to one size and one type; whether it is right.
bool run(const Source &source, const Function &algorithm, int64_t size, const std::string &type, Observations &found) {
  SizeMap sizes;
  TypeMap types;
  for (const Expr *named : sizesOf(algorithm))
    sizes[named->name] = size;
  for (const Generic &generic : algorithm.generics) {
    if (generic.hasDefault())
      continue;
    if (generic.kind == Generic::Kind::Integer)
      sizes[generic.name.text] = size;
    else
      types[generic.name.text] = generic.kind == Generic::Kind::Type      ? type
                                 : generic.kind == Generic::Kind::Boolean ? "true"
                                 : generic.kind == Generic::Kind::Real    ? "1.0"
                                                                          : "min";
  }
  Diagnostics unseen;
  Recorder recorder;
  Elaborator elaborator(source, unseen, &recorder);
  elaborator.most = Elaborator::tried;
  bool good = true;
  try {
    elaborator.run(algorithm, sizes, types, /*folds=*/false);
  } catch (const ElaborationFailed &) {
    good = false;
  }
  found = std::move(recorder.found);
  for (const auto &[name, value] : sizes)
    found.settings += (found.settings.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  for (const auto &[name, value] : types)
    found.settings += (found.settings.empty() ? "" : ", ") + name + " = " + value;
  return good;
}

} // namespace

Observations observe(const Source &source, const Function &algorithm) {
  const bool anyType = std::any_of(algorithm.generics.begin(), algorithm.generics.end(), [](const Generic &generic) {
    return generic.kind == Generic::Kind::Type && !generic.hasDefault();
  });
  std::vector<std::string> types = {"f32"};
  if (anyType)
    types.insert(types.end(), {"complex<f32>", "i32", "bool", "mod<17>"});
  std::optional<Observations> first;
  for (int64_t size : {3, 4, 2, 5, 6, 8, 1, 7, 12, 16, 20, 32, 64})
    for (const std::string &type : types) {
      Observations found;
      if (run(source, algorithm, size, type, found))
        return found;
      if (!first || found.inEntry.size() > first->inEntry.size())
        first = std::move(found);
    }
  return std::move(*first);
}

} // namespace idc::frontend
