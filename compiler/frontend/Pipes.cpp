// Stages of pipes: permutations, funcs, nodes and algorithms applied to sequences.
//
// Every sequence carries tags that say what each digit of its program value is: a digit of the running algorithm or a
// batch digit of an algorithm applied `@` digits. Stages work on tags; places follow from them. Inputs of one step may
// lack digits (broadcasting), never have them in another order: a relabelling becomes a permutation step of its own.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace idc::frontend {

namespace {

std::string countDigits(int digits) { return std::to_string(digits) + " digit" + (digits == 1 ? "" : "s"); }

/// What someone who counts from 0 wants to know.
std::string numbering(Int digit) { return digit == 0 ? " (digits are numbered from 1)" : ""; }

/// The dimension that a part of a digit list names.
std::optional<size_t> dimensionNamed(const Expr &part, const Split &split) {
  auto named = std::find_if(split.rbegin(), split.rend(), [&](const auto &dimension) {
    return part.kind == Expr::Kind::Variable && dimension.first == part.name;
  });
  return named == split.rend() ? std::nullopt : std::optional<size_t>(split.rend() - named - 1);
}

/// The dimension of `other` that has the name of dimension `index`.
std::optional<size_t> namesake(const Split &split, size_t index, const Split &other) {
  const std::string &name = split[index].first;
  auto named = std::find_if(other.begin(), other.end(),
                            [&](const auto &dimension) { return !name.empty() && dimension.first == name; });
  return named == other.end() ? std::nullopt : std::optional<size_t>(named - other.begin());
}

} // namespace

//===----------------------------------------------------------------------===//
// Digit lists
//===----------------------------------------------------------------------===//

void Elaborator::appendDigits(const Expr &expr, Context &context, const Split &split, std::vector<int> &out) {
  switch (expr.kind) {
  case Expr::Kind::Tuple:
  case Expr::Kind::Array:
    for (const ExprPtr &argument : expr.arguments)
      appendDigits(*argument, context, split, out);
    return;
  case Expr::Kind::Range: {
    Int high = evalInteger(*expr.arguments[0], context, "a digit number");
    Int low = evalInteger(*expr.arguments[1], context, "a digit number");
    if (high < low - 1)
      fail(expr, "a range of digits is written from high to low: " + spell(low) + ".." + spell(high));
    if (high - low > 1000)
      fail(expr, "the range " + spell(high) + ".." + spell(low) + " has too many digits");
    for (Int digit = high; digit >= low; --digit)
      out.push_back(static_cast<int>(std::max<Int>(std::min<Int>(digit, 1000000), -1000000)));
    return;
  }
  case Expr::Kind::Variable: {
    if (std::optional<size_t> dimension = dimensionNamed(expr, split)) {
      int low = lowestDigit(split, *dimension);
      for (int digit = low + split[*dimension].second - 1; digit >= low; --digit)
        out.push_back(digit);
      return;
    }
    if (!context.find(expr.name) && !findConst(*context.file, expr.name))
      fail(expr, "'" + expr.name + "' is neither a dimension of the sequence nor a size or variable");
    break;
  }
  default:
    break;
  }
  Int digit = evalInteger(expr, context, "a digit number");
  out.push_back(static_cast<int>(std::max<Int>(std::min<Int>(digit, 1000000), -1000000)));
}

std::vector<int> Elaborator::digitList(const Expr &expr, Context &context, const Split &split, int limit) {
  std::vector<int> list;
  appendDigits(expr, context, split, list);
  for (int digit : list)
    if (digit < 1 || digit > limit)
      fail(expr, "digit " + std::to_string(digit) + " is out of range: the sequence has " + countDigits(limit) +
                     numbering(digit));
  std::vector<int> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    fail(expr, "digit " + std::to_string(*twice) + " is named twice");
  return list;
}

std::vector<size_t> Elaborator::dimensionList(const Expr &expr, const Split &split) {
  std::vector<const Expr *> parts = {&expr};
  if (expr.kind == Expr::Kind::Tuple || expr.kind == Expr::Kind::Array) {
    parts.clear();
    for (const ExprPtr &part : expr.arguments)
      parts.push_back(part.get());
  }
  std::vector<size_t> named;
  for (const Expr *part : parts) {
    std::optional<size_t> dimension = dimensionNamed(*part, split);
    if (!dimension)
      return {};
    if (std::find(named.begin(), named.end(), *dimension) != named.end()) // digits would show it, if it had any
      fail(*part, "dimension '" + part->name + "' is named twice");
    named.push_back(*dimension);
  }
  return named;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

SequenceView Elaborator::permuted(const SequenceView &view, const std::vector<int> &tags, llvm::SMLoc loc) {
  if (view.tags == tags)
    return view;
  std::vector<int> sources;
  std::vector<int> radices;
  for (int tag : tags) {
    sources.push_back(static_cast<int>(std::find(view.tags.begin(), view.tags.end(), tag) - view.tags.begin()) + 1);
    radices.push_back(sequence(view).radices[sources.back() - 1]);
  }
  Step step;
  step.kind = Step::Kind::Permute;
  step.permutation = digits::Permutation::fromSources(std::move(sources));
  step.inputs = {view.value};
  step.outputs = {static_cast<int>(program.values.size())};
  step.name = "relabel";
  step.loc = loc;
  program.values.push_back({std::move(radices), sequence(view).element, loc});
  program.steps.push_back(std::move(step));
  SequenceView result = view;
  result.tags = tags;
  result.value = program.steps.back().outputs[0];
  return result;
}

SequenceView Elaborator::output(const std::vector<int> &tags, const std::map<int, int> &radices, const TypeRef &element,
                                llvm::SMLoc loc, int anchor, Split split) {
  SequenceView view;
  view.tags = tags;
  view.value = static_cast<int>(program.values.size());
  view.anchor = anchor;
  view.split = std::move(split);
  Sequence value;
  for (int tag : tags)
    value.radices.push_back(radices.at(tag));
  value.element = element;
  value.loc = loc;
  program.values.push_back(std::move(value));
  return view;
}

/// `narrow` repeated along the digits of `wide` that it lacks.
SequenceView Elaborator::spread(const SequenceView &narrow, const SequenceView &wide, llvm::SMLoc loc) {
  std::vector<int> tags = narrow.tags;
  std::map<int, int> radices;
  for (size_t i = 0; i < narrow.tags.size(); ++i)
    radices[narrow.tags[i]] = sequence(narrow).radices[i];
  std::vector<int> missing;
  for (size_t i = 0; i < wide.tags.size(); ++i)
    if (wide.tags[i] < 0 && std::find(tags.begin(), tags.end(), wide.tags[i]) == tags.end()) {
      missing.push_back(wide.tags[i]);
      radices[wide.tags[i]] = sequence(wide).radices[i];
    }
  tags.insert(tags.end(), missing.begin(), missing.end());
  Step step;
  step.kind = Step::Kind::Pointwise;
  step.name = "repeat";
  step.loc = loc;
  std::vector<int> places;
  for (size_t i = 0; i < narrow.tags.size(); ++i)
    places.push_back(static_cast<int>(i) + 1);
  step.inputs = {narrow.value};
  step.broadcastDigits = {places};
  step.body.params = leaves(sequence(narrow).element);
  for (size_t i = 0; i < step.body.params.size(); ++i)
    step.body.results.push_back(static_cast<int>(i));
  SequenceView result = output(tags, radices, sequence(narrow).element, loc, narrow.anchor, narrow.split);
  step.outputs = {result.value};
  program.steps.push_back(std::move(step));
  return result;
}

std::vector<llvm::SMLoc> Elaborator::argumentPlaces(const Expr &expr, size_t piped) {
  std::vector<llvm::SMLoc> places(piped, expr.loc);
  for (const ExprPtr &argument : expr.stageArguments)
    places.push_back(argument->loc);
  return places;
}

std::vector<Value> Elaborator::stageArguments(const Expr &expr, Context &context, BodyBuilder &builder,
                                              const StageDigits &stage) {
  BodyBuilder *outerBuilder = context.builder;
  const StageDigits *outerStage = context.stage;
  context.builder = &builder;
  context.stage = &stage;
  std::vector<Value> arguments;
  for (const ExprPtr &argument : expr.stageArguments) {
    arguments.push_back(eval(*argument, context));
    if (arguments.back().kind == Value::Kind::Sequence)
      fail(*argument, "a sequence is no extra argument: pass it in front of the |>, as in (a, b) |> f");
  }
  context.builder = outerBuilder;
  context.stage = outerStage;
  return arguments;
}

int Elaborator::dimensionAlike(const SequenceView &view, size_t index, const SequenceView &other) const {
  const std::optional<size_t> named = namesake(view.split, index, other.split);
  const int count = view.split[index].second;
  if (!named || other.split[*named].second != count)
    return 0;
  const int low = lowestDigit(view.split, index), to = lowestDigit(other.split, *named);
  const std::vector<int> own = radicesOf(view), others = radicesOf(other);
  return std::equal(own.begin() + (low - 1), own.begin() + (low - 1 + count), others.begin() + (to - 1)) ? to : 0;
}

SequenceView Elaborator::alongNames(const Expr &expr, const std::string &name, const SequenceView &narrow,
                                    const SequenceView &wide) {
  std::vector<int> number(narrow.digits()); // in `wide`, by digit - 1
  bool byNames = true;
  const std::string *elsewhere = nullptr; // a dimension of both that does not lie where it is by position
  for (size_t i = 0; i < narrow.split.size(); ++i) {
    const auto &[dimension, count] = narrow.split[i];
    if (count == 0)
      continue;
    const int low = lowestDigit(narrow.split, i), to = dimensionAlike(narrow, i, wide);
    if (to == 0 && namesake(narrow.split, i, wide.split))
      failApart(expr, name, dimension, wide, narrow);
    byNames &= to != 0;
    if (to != 0 && to != low)
      elsewhere = &dimension;
    for (int digit = 0; digit < count; ++digit)
      number[low + digit - 1] = to + digit;
  }
  if (!byNames && elsewhere)
    fail(expr, "the sequences passed to '" + name + "' do not fit together: " + shapeOf(narrow) +
                   " has other dimensions than " + shapeOf(wide) + ", and by position '" + *elsewhere +
                   "' would lie elsewhere");
  SequenceView result = narrow;
  for (int &tag : result.tags)
    if (tag > 0 && byNames)
      tag = number[tag - 1];
  return result;
}

void Elaborator::failUnlike(const Expr &expr, const std::string &name, const SequenceView &first,
                            const SequenceView &second) {
  const int64_t length = lengthOf(first), other = lengthOf(second);
  fail(expr, "the sequences passed to '" + name + "' have different shapes: " + shapeOf(first) + " and " +
                 shapeOf(second) +
                 (length == other ? ", both of " + std::to_string(length) +
                                        " elements; crop to the same length gives one of them other digits"
                                  : ", of " + std::to_string(length) + " and " + std::to_string(other) +
                                        " elements; crop, pad or gather gives one of them another length"));
}

void Elaborator::failApart(const Expr &expr, const std::string &name, const std::string &dimension,
                           const SequenceView &first, const SequenceView &second) {
  fail(expr, "the sequences passed to '" + name + "' have different lengths of dimension '" + dimension +
                 "': " + shapeOf(first) + " and " + shapeOf(second));
}

Value Elaborator::applyPointwise(const Expr &expr, const std::string &name, std::vector<SequenceView> inputs,
                                 Context &context, const BodyMaker &make) {
  Arrangement full;
  size_t widest = 0, shaped = 0; // the most digits, the most own digits: a batch may have more than one of them lacks
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].tags.size() > inputs[widest].tags.size())
      widest = i;
    if (inputs[i].digits() > inputs[shaped].digits())
      shaped = i;
  }
  const SequenceView first = inputs[0]; // whose digits the arguments name
  for (SequenceView &input : inputs)
    if (input.digits() < inputs[shaped].digits())
      input = alongNames(expr, name, input, inputs[shaped]);
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t p = 0; p < inputs[i].tags.size(); ++p) {
      int radix = sequence(inputs[i]).radices[p];
      int known = full.radices.insert({inputs[i].tags[p], radix}).first->second;
      if (known != radix)
        failUnlike(expr, name, inputs[0], inputs[i]);
    }
  }
  full.tags = inputs[widest].tags;
  full.completeTags(inputs[widest].anchor);

  Step step;
  step.kind = Step::Kind::Pointwise;
  step.name = name;
  step.loc = expr.loc;
  builders.emplace_back();
  BodyBuilder &builder = builders.back();
  std::vector<Value> arguments;
  bool broadcast = false;
  for (const SequenceView &input : inputs) {
    SequenceView aligned = input.tags.size() == full.tags.size() ? permuted(input, full.tags, expr.loc) : input;
    std::vector<int> ids;
    for (const TypeRef &leaf : leaves(sequence(aligned).element))
      ids.push_back(builder.param(leaf));
    size_t next = 0;
    arguments.push_back(assemble(sequence(aligned).element, builder, ids, next));
    step.inputs.push_back(aligned.value);
    step.broadcastDigits.emplace_back();
    if (aligned.tags.size() < full.tags.size()) {
      broadcast = true;
      for (int tag : aligned.tags)
        step.broadcastDigits.back().push_back(full.place(tag));
    }
  }
  if (!broadcast)
    step.broadcastDigits.clear();
  for (int tag : full.tags)
    builder.radices.push_back(full.radices.at(tag));
  StageDigits stage;
  for (int digit = 1; digit <= first.digits(); ++digit) {
    const int tag = inputs[0].tags[static_cast<size_t>(first.place(digit)) - 1];
    stage.places.push_back(full.place(tag));
    stage.radices.push_back(full.radices.at(tag));
  }
  stage.split = first.split;
  for (Value &argument : stageArguments(expr, context, builder, stage))
    arguments.push_back(std::move(argument));

  Value result = make(builder, std::move(arguments));
  std::vector<Value> parts = result.kind == Value::Kind::Tuple ? result.members : std::vector<Value>{result};
  std::vector<Value> outputs;
  for (Value &part : parts) {
    if (part.kind == Value::Kind::Bool)
      part = coerce(part, boolType(), expr.loc, builder, "the result");
    TypeRef type = typeOf(part);
    if (!type || type->kind == Type::Kind::Array)
      fail(expr, "the result of '" + name + "' must be a scalar or a record, not " + describe(part));
    flatten(part, builder, step.body.results);
    outputs.push_back(
        Value::of(output(full.tags, full.radices, type, expr.loc, inputs[widest].anchor, inputs[shaped].split)));
    step.outputs.push_back(outputs.back().sequence->value);
  }
  std::vector<int> results = std::move(step.body.results);
  step.body = std::move(builder.body);
  step.body.results = std::move(results);
  program.steps.push_back(std::move(step));
  return outputs.size() == 1 ? outputs[0] : Value::group(Value::Kind::Tuple, std::move(outputs));
}

Value Elaborator::applyNode(const Expr &expr, const Function &node, Bindings bindings,
                            const std::vector<SequenceView> &inputs, Context &context) {
  const std::string &name = node.name.text;
  if (!expr.digits)
    fail(expr, "node '" + name + "' needs the digits it works on: " + name + " @ digits");
  if (inputs.size() > node.params.size())
    fail(expr, "node '" + name + "' takes " + std::to_string(node.params.size()) + " values, but " +
                   std::to_string(inputs.size()) + " sequences are passed");

  auto isArray = [](const TypeExpr &type) { return !type.dimensions.empty(); };
  size_t firstArray = inputs.size();
  for (size_t i = inputs.size(); i > 0; --i)
    if (isArray(*node.params[i - 1].type))
      firstArray = i - 1;
  bool hasArray = firstArray < inputs.size();
  const SequenceView &reference = inputs[hasArray ? firstArray : 0];

  // The digits, numbered in the arrangement that has them all.
  std::vector<int> list;
  appendDigits(*expr.digits, context, reference.split, list);
  int own = reference.digits() + (hasArray ? 0 : static_cast<int>(list.size()));
  for (int digit : list)
    if (digit < 1 || digit > own)
      fail(*expr.digits, "digit " + std::to_string(digit) + " is out of range: the sequence has " + countDigits(own) +
                             (hasArray ? "" : " with the new one") + numbering(digit));
  std::vector<int> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    fail(*expr.digits, "digit " + std::to_string(*twice) + " is named twice");
  if (list.size() > 16)
    fail(*expr.digits, "a node works on at most 16 digits");

  // Radices of the digits and the length of the node's arrays.
  Context lengths; // names that are lengths of the node's arrays
  lengths.function = &node;
  lengths.file = node.file;
  builders.emplace_back();
  lengths.builder = &builders.back();
  lengths.scopes.emplace_back();
  take(bindings, lengths);
  bindNumbers(node, lengths, expr.loc);
  std::map<int, int> radixOf;
  Int size = 1;
  if (hasArray) {
    std::vector<int> radices = radicesOf(reference);
    for (int digit : list) {
      radixOf[digit] = radices[digit - 1];
      size *= radices[digit - 1];
      if (size > maxArrayElements)
        fail(*expr.digits, "these digits have more than " + spell(maxArrayElements) +
                               " values together, which is too much for a node");
    }
  } else {
    const TypeExpr *array = nullptr;
    for (const TypeExprPtr &result : node.results)
      if (!array && isArray(*result))
        array = result.get();
    if (!array)
      fail(expr, "node '" + name + "' has neither an array parameter nor an array result");
    std::set<std::string> open;
    freeNames(*array->dimensions[0].length, lengths, open);
    if (!open.empty())
      fail(array->range.Start, "the length '" + *open.begin() + "' is bound by no parameter of '" + name + "'",
           array->range);
    const Expr &length = *array->dimensions[0].length;
    size = evalInteger(length, lengths, "an array length");
    if (size < 1 || size > maxArrayElements)
      fail(length, "an array has 1 to " + spell(maxArrayElements) + " elements, not " + spell(size));
    int root = 1;
    auto power = [&](int base) {
      Int product = 1;
      for (size_t i = 0; i < list.size() && product <= size; ++i)
        product *= base;
      return product;
    };
    while (!list.empty() && power(root) < size)
      ++root;
    if (list.empty())
      fail(*expr.digits, "node '" + name + "' puts " + spell(size) +
                             " elements in place of one, and there are no digits here to number them: a range @ i..j "
                             "begins with the highest digit, and a dimension of length 1 has none");
    if (power(root) != size || root < 2)
      fail(*expr.digits, "node '" + name + "' puts " + spell(size) + " elements in place of one, which " +
                             countDigits(static_cast<int>(list.size())) + " of equal radix cannot hold");
    for (int digit : list)
      radixOf[digit] = root;
  }
  auto checkLength = [&](const TypeExpr &type, const std::string &what) {
    if (type.dimensions.size() > 1)
      fail(type.range.Start, what + " of a node has one dimension", type.range);
    const Expr &length = *type.dimensions[0].length;
    if (length.kind == Expr::Kind::Variable && !lengths.find(length.name) && !findConst(*node.file, length.name)) {
      lengths.scopes[0][length.name] = Value::integer(size, length.loc);
      return;
    }
    std::set<std::string> open;
    freeNames(length, lengths, open);
    if (!open.empty())
      fail(type.range.Start, "the length '" + *open.begin() + "' is bound by no parameter of '" + name + "'",
           type.range);
    Int declared = evalInteger(length, lengths, "an array length");
    if (declared != size) {
      std::string radices;
      for (int digit : list)
        radices += (radices.empty() ? "" : ", ") + ("digit " + std::to_string(digit)) + " has radix " +
                   std::to_string(radixOf[digit]);
      fail(*expr.digits, "node '" + name + "' works on " + spell(declared) + " elements (" + what + "), but " +
                             (list.empty() ? "no digits are named" : radices) +
                             (declared == 2 ? "; a radix-2 digit is needed" : ""));
    }
  };
  for (size_t i = 0; i < inputs.size(); ++i)
    if (isArray(*node.params[i].type))
      checkLength(*node.params[i].type, "parameter '" + node.params[i].name.text + "'");
  for (size_t i = inputs.size(); i < node.params.size(); ++i)
    if (isArray(*node.params[i].type))
      fail(expr, "parameter '" + node.params[i].name.text + "' of node '" + name +
                     "' is an array and must be passed in front of the |>");
  for (const TypeExprPtr &result : node.results)
    if (isArray(*result))
      checkLength(*result, "a result");

  // One arrangement with all digits; inputs without the node's digits are numbered as if they had them.
  Arrangement full;
  std::vector<std::vector<int>> tags;
  StageDigits stage;
  stage.split = reference.split;
  if (!hasArray)
    for (size_t i = 0; i < sorted.size();) { // digits that come side by side join one dimension
      int count = 1;
      while (i + count < sorted.size() && sorted[i + count] == sorted[i] + count)
        ++count;
      splitInsert(stage.split, sorted[i], count);
      i += count;
    }
  Split reducedSplit = stage.split; // without the node's digits
  for (auto digit = sorted.rbegin(); digit != sorted.rend(); ++digit)
    splitRemove(reducedSplit, *digit);
  size_t widest = hasArray ? firstArray : 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool array = isArray(*node.params[i].type);
    int missing = array ? 0 : static_cast<int>(list.size());
    const bool isOne = !array && inputs[i].digits() == 0; // repeated everywhere
    if (inputs[i].digits() + missing != own && !isOne)
      fail(expr, "the values passed to node '" + name + "' do not fit together: '" + node.params[i].name.text +
                     "' has " + countDigits(inputs[i].digits()) + " where " + countDigits(own - missing) +
                     " are needed");
    for (size_t d = 0; hasArray && !array && d < inputs[i].split.size(); ++d) {
      const std::optional<size_t> named = namesake(inputs[i].split, d, reference.split);
      if (named && inputs[i].split[d].second > 0 && reducedSplit[*named].second == 0)
        fail(expr, "the values passed to node '" + name + "' do not fit together: it takes all digits of dimension '" +
                       reducedSplit[*named].first + "' of " + shapeOf(reference) + ", but '" +
                       node.params[i].name.text + "' is " + shapeOf(inputs[i]));
    }
    tags.push_back(array ? inputs[i].tags : shiftedUp(inputs[i].tags, sorted));
    for (size_t p = 0; p < tags[i].size(); ++p) {
      int radix = sequence(inputs[i]).radices[p];
      if (full.radices.insert({tags[i][p], radix}).first->second != radix)
        failUnlike(expr, name, inputs[0], inputs[i]);
    }
    if (array == hasArray && tags[i].size() > tags[widest].size())
      widest = i;
  }
  for (int digit : list)
    full.radices[digit] = radixOf[digit];
  full.tags = tags[widest];
  int anchor = inputs[widest].anchor;
  full.completeTags(anchor);
  std::vector<int> reducedTags; // without the node's digits, still numbered with them
  for (int tag : full.tags)
    if (!std::binary_search(sorted.begin(), sorted.end(), tag))
      reducedTags.push_back(tag);

  Step step;
  step.kind = Step::Kind::Node;
  step.name = name;
  step.loc = expr.loc;
  builders.emplace_back();
  BodyBuilder &builder = builders.back();
  for (int tag : full.tags)
    builder.radices.push_back(full.radices.at(tag));
  for (int digit : list)
    step.digits.push_back(full.place(digit));
  std::vector<Value> arguments;
  bool broadcast = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    bool array = isArray(*node.params[i].type);
    SequenceView numbered = inputs[i];
    numbered.tags = tags[i];
    const std::vector<int> &wanted = array ? full.tags : reducedTags;
    if (numbered.tags.size() == wanted.size())
      numbered = permuted(numbered, wanted, expr.loc);
    TypeRef element = sequence(numbered).element;
    TypeRef type = array ? arrayType(element, static_cast<int64_t>(size)) : element;
    if (countLeaves(*type, maxArrayNumbers) > maxArrayNumbers)
      fail(*expr.digits,
           "these elements are made of more than " + std::to_string(maxArrayNumbers) + " numbers together");
    std::vector<int> ids;
    for (const TypeRef &leaf : leaves(type))
      ids.push_back(builder.param(leaf));
    size_t next = 0;
    arguments.push_back(assemble(type, builder, ids, next));
    step.inputs.push_back(numbered.value);
    step.arrayInput.push_back(array);
    step.broadcastDigits.emplace_back();
    if (numbered.tags.size() < wanted.size()) {
      broadcast = true;
      for (int tag : numbered.tags)
        step.broadcastDigits.back().push_back(full.place(tag));
    }
  }
  if (!broadcast)
    step.broadcastDigits.clear();

  for (int digit = 1; digit <= own; ++digit) {
    stage.places.push_back(full.place(digit));
    stage.radices.push_back(full.radices.at(digit));
  }
  stage.nodeDigits.insert(list.begin(), list.end());
  for (Value &argument : stageArguments(expr, context, builder, stage))
    arguments.push_back(std::move(argument));

  bindings.values = lengths.scopes[0];
  Value result = callFunction(node, std::move(arguments), argumentPlaces(expr, inputs.size()), expr.loc, builder,
                              std::move(bindings));
  std::vector<Value> parts = result.kind == Value::Kind::Tuple ? result.members : std::vector<Value>{result};
  std::vector<int> results;
  for (const Value &part : parts)
    flatten(part, builder, results);
  step.body = std::move(builder.body);
  step.body.results = std::move(results);
  std::vector<Value> outputs;
  for (size_t i = 0; i < parts.size(); ++i) {
    TypeRef type = typeOf(parts[i]);
    bool array = isArray(*node.results[i]);
    step.arrayOutput.push_back(array);
    SequenceView view = output(array ? full.tags : reducedTags, full.radices, array ? type->element : type, expr.loc,
                               anchor, array ? stage.split : reducedSplit);
    if (!array) {
      view.tags = shiftedDown(view.tags, sorted);
      if (view.digits() == 0 && !list.empty())
        view.anchor = full.place(sorted[0]);
    }
    outputs.push_back(Value::of(std::move(view)));
    step.outputs.push_back(outputs.back().sequence->value);
  }
  program.steps.push_back(std::move(step));
  return outputs.size() == 1 ? outputs[0] : Value::group(Value::Kind::Tuple, std::move(outputs));
}

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

digits::Permutation Elaborator::permutation(const Expr &expr, const SequenceView &view, Context &context) {
  using digits::Permutation;
  int n = view.digits();
  size_t count = expr.stageArguments.size();
  auto number = [&](size_t i) { return evalInteger(*expr.stageArguments[i], context, "a digit number"); };
  auto inRange = [&](size_t i, Int digit, Int low) {
    if (digit < low || digit > n)
      fail(*expr.stageArguments[i],
           "digit " + spell(digit) + " is out of range: the sequence has " + countDigits(n) + numbering(digit));
  };
  if (expr.name == "permute") {
    if (count != 1 ||
        (expr.stageArguments[0]->kind != Expr::Kind::Array && expr.stageArguments[0]->kind != Expr::Kind::Tuple))
      fail(expr, "'permute' takes one list: for each place from the highest to 1 the digit that comes there");
    std::vector<int> list;
    appendDigits(*expr.stageArguments[0], context, view.split, list);
    std::reverse(list.begin(), list.end());
    for (int digit : list)
      if (digit < 1 || digit > n)
        fail(*expr.stageArguments[0], "digit " + std::to_string(digit) + " is out of range: the sequence has " +
                                          countDigits(n) + numbering(digit));
    if (static_cast<int>(list.size()) != n || !Permutation::isBijection(list)) {
      std::string wrong;
      auto say = [&](int digit, const char *what) {
        wrong += (wrong.empty() ? "digit " : ", digit ") + std::to_string(digit) + what;
      };
      for (int digit = 1; digit <= n; ++digit)
        if (auto times = std::count(list.begin(), list.end(), digit); times != 1)
          say(digit, times == 0 ? " is missing" : times == 2 ? " is named twice" : " is named several times");
      fail(*expr.stageArguments[0],
           "'permute' must name each of the " + countDigits(n) + " of the sequence once: " + wrong);
    }
    return Permutation::fromSources(std::move(list));
  }
  if (expr.name == "complement") {
    if (count != 1)
      fail(expr, "'complement' takes one digit");
    std::vector<int> list = digitList(*expr.stageArguments[0], context, view.split, n);
    Permutation result = Permutation::identity(n);
    for (int digit : list)
      result = result.then(Permutation::complement(n, digit));
    return result;
  }
  bool reverse = expr.name == "reverse" || expr.name == "ρ";
  if (count != 2 && (reverse || count != 4))
    fail(expr,
         "'" + expr.name + "' takes " + (reverse ? "two digits" : "two or four digits") + "; a power is written ^ m");
  std::vector<Int> d;
  for (size_t i = 0; i < count; ++i)
    d.push_back(number(i));
  for (size_t field = 0; field < count; field += 2) {
    Int high = d[field], low = d[field + 1];
    if (high == low - 1) { // an empty field moves nothing
      inRange(field, high, 0);
      continue;
    }
    inRange(field, high, 1);
    inRange(field + 1, low, 1);
    if (high < low)
      fail(*expr.stageArguments[field],
           "'" + expr.name + "' needs its digits from high to low, not " + spell(high) + ", " + spell(low));
  }
  auto digit = [&](size_t i) { return static_cast<int>(d[i]); };
  if (count == 4) {
    if (d[1] <= d[2])
      fail(*expr.stageArguments[2], "the second field of '" + expr.name + "' lies below the first");
    return Permutation::unshuffle(n, digit(0), digit(1), digit(2), digit(3));
  }
  return reverse ? Permutation::reverse(n, digit(0), digit(1)) : Permutation::unshuffle(n, digit(0), digit(1));
}

Value Elaborator::applyPermutation(const Expr &expr, const Value &piped, Context &context) {
  if (expr.digits)
    fail(*expr.digits, "a permutation takes no '@'");
  std::vector<Value> results;
  for (const Value &member : piped.kind == Value::Kind::Tuple ? piped.members : std::vector<Value>{piped}) {
    const SequenceView &view = *member.sequence;
    digits::Permutation own = permutation(expr, view, context);
    if (expr.power) {
      Int power = evalInteger(*expr.power, context, "the power of a permutation");
      if (power < -1000000 || power > 1000000)
        fail(*expr.power, "the power " + spell(power) + " is out of range");
      own = own.power(static_cast<int64_t>(power));
    }
    // The same on places: batch digits stay.
    int n = static_cast<int>(view.tags.size());
    std::vector<int> sources(n);
    digits::Permutation complements = digits::Permutation::identity(n);
    for (int place = 1; place <= n; ++place) {
      int tag = view.tags[place - 1];
      sources[place - 1] = tag > 0 ? view.place(own.source(tag)) : place;
      if (tag > 0 && own.complemented(tag))
        complements = complements.then(digits::Permutation::complement(n, place));
    }
    Step step;
    step.kind = Step::Kind::Permute;
    step.permutation = digits::Permutation::fromSources(std::move(sources)).then(complements);
    step.name = expr.name;
    step.loc = expr.loc;
    SequenceView result = view;
    std::vector<size_t> named;
    if (expr.name == "permute" && !expr.power)
      named = dimensionList(*expr.stageArguments[0], view.split);
    result.split = named.empty() ? splitPermuted(view.split, own) : splitReordered(view.split, named);
    if (!step.permutation.isIdentity()) {
      std::vector<int> radices = step.permutation.apply(sequence(view).radices);
      TypeRef element = sequence(view).element;
      step.inputs = {view.value};
      result.value = static_cast<int>(program.values.size());
      step.outputs = {result.value};
      program.values.push_back({std::move(radices), element, expr.loc});
      program.steps.push_back(std::move(step));
    }
    results.push_back(Value::of(std::move(result)));
  }
  return piped.kind == Value::Kind::Tuple ? Value::group(Value::Kind::Tuple, std::move(results)) : results[0];
}

//===----------------------------------------------------------------------===//
// Other lengths
//===----------------------------------------------------------------------===//

SequenceView Elaborator::replaceDigits(const SequenceView &view, Step step, const std::vector<int> &radices,
                                       Split split) {
  // Own digits go below those of the batch, and back to where they were.
  std::vector<int> own = radicesOf(view), tags, batch;
  for (size_t digit = 1; digit <= own.size(); ++digit)
    tags.push_back(static_cast<int>(digit));
  std::map<int, int> radixOf;
  for (size_t place = 0; place < view.tags.size(); ++place)
    if (view.tags[place] < 0) {
      batch.push_back(view.tags[place]);
      radixOf[view.tags[place]] = sequence(view).radices[place];
    }
  tags.insert(tags.end(), batch.begin(), batch.end());
  SequenceView sorted = permuted(view, tags, step.loc);
  step.inputs = {sorted.value};
  step.lowest = static_cast<int>(own.size());
  tags.clear();
  for (size_t digit = 1; digit <= radices.size(); ++digit) {
    tags.push_back(static_cast<int>(digit));
    radixOf[static_cast<int>(digit)] = radices[digit - 1];
  }
  tags.insert(tags.end(), batch.begin(), batch.end());
  const llvm::SMLoc loc = step.loc;
  TypeRef element = sequence(sorted).element;
  SequenceView result = output(tags, radixOf, element, loc, 1, std::move(split));
  step.outputs = {result.value};
  program.steps.push_back(std::move(step));
  auto isOwn = [](int tag) { return tag > 0; };
  auto lowest = std::find_if(view.tags.begin(), view.tags.end(), isOwn) - view.tags.begin();
  auto below = static_cast<size_t>(own.empty() ? std::min<std::ptrdiff_t>(view.anchor - 1, lowest) : lowest);
  std::vector<int> home = batch;
  home.insert(home.begin() + static_cast<std::ptrdiff_t>(below), tags.begin(),
              tags.begin() + static_cast<std::ptrdiff_t>(radices.size()));
  result.anchor = static_cast<int>(below) + 1;
  return permuted(result, home, loc);
}

Value Elaborator::applyResize(const Expr &expr, const Value &piped, Context &context) {
  bool pads = expr.name == "pad";
  std::vector<int> radices;
  Int length = 1;
  appendRadices(*expr.stageArguments[0], context, radices, length);
  std::reverse(radices.begin(), radices.end()); // least significant first
  std::vector<Value> members = piped.kind == Value::Kind::Tuple ? piped.members : std::vector<Value>{piped};

  // What new elements are, for each member.
  builders.emplace_back();
  BodyBuilder &outer = builders.back();
  std::vector<Value> fills;
  if (pads) {
    BodyBuilder *before = context.builder;
    context.builder = &outer;
    Value fill = eval(*expr.stageArguments[1], context);
    context.builder = before;
    fills = fill.kind == Value::Kind::Tuple ? fill.members : std::vector<Value>(members.size(), fill);
    if (fills.size() != members.size())
      fail(*expr.stageArguments[1], "'pad' is given " + std::to_string(fills.size()) + " values for " +
                                        std::to_string(members.size()) +
                                        (members.size() == 1 ? " sequence" : " sequences"));
    for (const Value &value : fills)
      if (value.kind == Value::Kind::Sequence)
        fail(*expr.stageArguments[1], "new elements are a value of their own, not those of a sequence");
  }

  std::vector<Value> results;
  for (size_t i = 0; i < members.size(); ++i) {
    const SequenceView &view = *members[i].sequence;
    std::vector<int> own = radicesOf(view);
    Int before = 1;
    for (int radix : own)
      before *= radix;
    if (pads ? length < before : length > before)
      fail(*expr.stageArguments[0],
           std::string("'") + expr.name + "' makes a sequence " + (pads ? "longer" : "shorter") + ", but " +
               spell(length) + (pads ? " elements are fewer than " : " elements are more than ") + spell(before));
    if (radices == own) {
      results.push_back(members[i]);
      continue;
    }
    Step step;
    step.kind = Step::Kind::Resize;
    step.name = expr.name;
    step.loc = expr.loc;
    if (pads) {
      builders.emplace_back();
      BodyBuilder &builder = builders.back();
      Value fill =
          coerce(fills[i], sequence(view).element, expr.stageArguments[1]->loc, builder, "the value of new elements");
      std::vector<int> leaves;
      flatten(fill, builder, leaves);
      if (length > before) {
        step.body = std::move(builder.body);
        step.body.results = std::move(leaves);
      }
    }
    std::string dimension = view.split.size() == 1 ? view.split[0].first : "";
    results.push_back(
        Value::of(replaceDigits(view, std::move(step), radices, {{dimension, static_cast<int>(radices.size())}})));
  }
  return piped.kind == Value::Kind::Tuple ? Value::group(Value::Kind::Tuple, std::move(results)) : results[0];
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

Value Elaborator::applyAlgorithm(const Expr &expr, const Function &algorithm, const std::vector<Value> &inputs,
                                 Context &context) {
  std::vector<Value> arguments = inputs;
  for (const ExprPtr &argument : expr.stageArguments) {
    Value value = eval(*argument, context);
    if (value.kind == Value::Kind::Tuple)
      arguments.insert(arguments.end(), value.members.begin(), value.members.end());
    else
      arguments.push_back(std::move(value));
  }
  if (!expr.digits)
    return callAlgorithm(algorithm, bind(algorithm, expr.settings, context), std::move(arguments), expr.loc);
  return applyAt(
      expr, algorithm.name.text, std::move(arguments), inputs.size(), context, [&](std::vector<Value> inside) {
        return callAlgorithm(algorithm, bind(algorithm, expr.settings, context), std::move(inside), expr.loc);
      });
}

/// Where digits go that come into an empty list: to the place of an empty range, else to the top.
int Elaborator::emptyPlace(const Expr &list, Context &context, int digits) {
  if (list.kind != Expr::Kind::Range)
    return digits + 1;
  Int low = evalInteger(*list.arguments[1], context, "a digit number");
  if (low < 1 || low > digits + 1)
    fail(list, "the empty range " + spell(low - 1) + ".." + spell(low) + " has no place in a sequence of " +
                   countDigits(digits));
  return static_cast<int>(low);
}

std::map<int, int> Elaborator::batchDigits(const SequenceView &view, const SequenceView &main,
                                           const std::map<int, int> &inner) const {
  std::map<int, int> tags;
  for (size_t i = 0; i < view.split.size(); ++i) {
    const int count = view.split[i].second, low = lowestDigit(view.split, i), to = dimensionAlike(view, i, main);
    std::map<int, int> found;
    for (int digit = 0; to > 0 && digit < count; ++digit)
      if (inner.at(to + digit) < 0)
        found[low + digit] = inner.at(to + digit);
    if (static_cast<int>(found.size()) == count)
      tags.insert(found.begin(), found.end());
  }
  return tags;
}

Value Elaborator::applyAt(const Expr &expr, const std::string &name, std::vector<Value> arguments, size_t piped,
                          Context &context, const Application &apply) {
  const SequenceView main = *arguments[0].sequence;
  int n = main.digits();
  std::vector<int> list = digitList(*expr.digits, context, main.split, n);
  int k = static_cast<int>(list.size());

  // Own digits become the callee's (the first named is the highest) or batch digits.
  std::map<int, int> inner; // own digit → tag inside
  std::vector<int> batchOwn, batchTags;
  for (int i = 0; i < k; ++i)
    inner[list[i]] = k - i;
  for (int digit = 1; digit <= n; ++digit)
    if (!inner.count(digit)) {
      inner[digit] = nextBatchTag--;
      batchOwn.push_back(digit);
      batchTags.push_back(inner[digit]);
    }
  const std::vector<size_t> named = dimensionList(*expr.digits, main.split);
  Split dimensions;
  for (size_t dimension : named)
    dimensions.push_back(main.split[dimension]);
  auto isPassed = [&](size_t dimension) { // a digit of it, or it has none and is named
    const int low = lowestDigit(main.split, dimension), end = low + main.split[dimension].second;
    return llvm::is_contained(named, dimension) ||
           llvm::any_of(list, [&](int digit) { return low <= digit && digit < end; });
  };
  const std::vector<int> all = radicesOf(main);
  std::vector<int> passed; // radices
  for (int digit : llvm::reverse(list))
    passed.push_back(all[digit - 1]);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind != Value::Kind::Sequence)
      continue;
    SequenceView view = *arguments[i].sequence;
    const std::vector<int> radices = radicesOf(view);
    std::map<int, int> along = batchDigits(view, main, inner);
    const bool isWhole =
        radices == all && llvm::all_of(along, [&](auto digit) { return inner[digit.first] == digit.second; });
    if (isWhole)
      along = inner;
    bool hasOwn = !along.empty(); // values along what is not named, be it one
    for (size_t d = 0; !isWhole && d < view.split.size(); ++d) {
      const std::optional<size_t> same = namesake(view.split, d, main.split);
      hasOwn |= same && view.split[d].second == 0 && main.split[*same].second == 0 && !isPassed(*same);
      if (same && view.split[d].second > 0 && dimensionAlike(view, d, main) == 0 && !isPassed(*same))
        failApart(expr, name, view.split[d].first, main, view);
    }
    if (!isWhole && !hasOwn && !radices.empty() && radices != passed)
      fail(expr, "the sequences passed to '" + name + "' have different shapes, " + shapeOf(main) + " and " +
                     shapeOf(view) + ": " + (i < piped ? "a piped value" : "an argument") +
                     " has the digits of the first one, exactly the " + countDigits(k) +
                     " named after '@', or a dimension of the first one, by its name, that is not named there");
    int own = 0;
    std::map<int, int> tags;
    for (int digit = 1; digit <= view.digits(); ++digit)
      tags[digit] = along.count(digit) ? along.at(digit) : ++own;
    for (int &tag : view.tags)
      if (tag > 0)
        tag = tags[tag];
    view.split = {{"", isWhole ? k : own}};
    if (named.size() > 1 && (isWhole || radices == passed)) // passed on dimension by dimension
      view.split = dimensions;
    arguments[i] = Value::of(std::move(view));
  }
  SequenceView batched = *arguments[0].sequence;
  Value result = apply(std::move(arguments));

  std::vector<Value> outputs;
  std::vector<int> sorted = list;
  std::sort(sorted.begin(), sorted.end());
  std::vector<int> natural(n);
  std::iota(natural.begin(), natural.end(), 1);
  for (const Value &part : result.kind == Value::Kind::Tuple ? result.members : std::vector<Value>{result}) {
    if (part.kind != Value::Kind::Sequence)
      fail(expr, "an algorithm applied '@' digits returns sequences, not " + describe(part));
    SequenceView view = *part.sequence;
    bool lacksBatch = false;
    for (int tag : batched.tags)
      lacksBatch |= tag < 0 && std::find(view.tags.begin(), view.tags.end(), tag) == view.tags.end();
    if (lacksBatch)
      view = spread(view, batched, expr.loc);
    // The result's dimensions stand where the named ones were; else its digits take the place of the old ones.
    int now = view.digits();
    Replacement own;
    if (named.size() == 1 || (named.size() > 1 && view.split.size() == named.size())) {
      std::vector<int> counts = {now};
      if (named.size() > 1) {
        counts.clear();
        for (const auto &dimension : view.split)
          counts.push_back(dimension.second);
      }
      own = replaceDimensions(main.split, named, counts);
    } else if (now == k) {
      own.fresh.assign(list.rbegin(), list.rend());
      own.kept = natural;
      own.split = main.split;
    } else if (now == 0) {
      own = replaceByNone(main.split, sorted);
    } else {
      if (k > 0 && sorted.back() - sorted.front() != k - 1)
        fail(*expr.digits, "'" + name + "' changes the number of digits from " + std::to_string(k) + " to " +
                               std::to_string(now) + ", so the digits after '@' must be adjacent");
      own = replaceRun(main.split, k > 0 ? sorted.front() : emptyPlace(*expr.digits, context, n), k, now);
    }
    std::map<int, int> outer;
    for (int digit = 1; digit <= now; ++digit)
      outer[digit] = own.fresh[digit - 1];
    for (size_t i = 0; i < batchOwn.size(); ++i)
      outer[batchTags[i]] = own.kept[batchOwn[i] - 1];
    for (int &tag : view.tags) {
      auto known = outer.find(tag);
      if (known != outer.end())
        tag = known->second;
    }
    view.split = own.split;
    outputs.push_back(Value::of(std::move(view)));
  }
  return result.kind == Value::Kind::Tuple ? Value::group(Value::Kind::Tuple, std::move(outputs)) : outputs[0];
}

//===----------------------------------------------------------------------===//
// The pipe
//===----------------------------------------------------------------------===//

/// What the pipe gives; the steps that it is made of know where it stands.
Value Elaborator::evalPipe(const Expr &expr, Context &context) {
  Value piped = eval(*expr.arguments[0], context);
  const size_t first = program.steps.size();
  Value result = applyStage(expr, piped, context);
  std::string iteration;
  for (const auto &[variable, value] : loops)
    iteration += (iteration.empty() ? "" : ", ") + variable + " = " + spell(value);
  for (size_t i = first; i < program.steps.size(); ++i)
    if (Step &step = program.steps[i]; !step.stage.isValid()) { // else a stage of an algorithm that this one applies
      step.stage = expr.range;
      step.iteration = iteration;
    }
  return result;
}

Value Elaborator::applyStage(const Expr &expr, const Value &piped, Context &context) {
  if (!context.isAlgorithm() || context.stage)
    fail(expr, "a pipe may stand only in the body of an algorithm, outside the arguments of funcs and nodes");
  std::vector<Value> members = piped.kind == Value::Kind::Tuple ? piped.members : std::vector<Value>{piped};
  std::vector<SequenceView> inputs;
  bool sequences = true;
  for (const Value &member : members)
    sequences &= member.kind == Value::Kind::Sequence;
  if (members[0].kind != Value::Kind::Sequence)
    fail(*expr.arguments[0], "only sequences are piped, not " + describe(members[0]));

  const Callable callee = expr.type ? Callable() : this->callee(expr.name, context);
  const Function *function = callee.function;
  if (function && function->kind == Function::Kind::Algorithm) {
    if (expr.power)
      fail(*expr.power, "'^' after a stage is the power of a permutation");
    return applyAlgorithm(expr, *function, members, context);
  }
  if (!sequences)
    fail(*expr.arguments[0], "only sequences are piped into '" + expr.name + "'");
  for (const Value &member : members)
    inputs.push_back(*member.sequence);
  if (!function && !expr.type && isBuiltinPermutation(expr.name))
    return applyPermutation(expr, piped, context);
  if (expr.power)
    fail(*expr.power, "'^' after a stage is the power of a permutation");
  if (!function && !expr.type && isBuiltinResize(expr.name))
    return applyResize(expr, piped, context);
  if (!function && !expr.type && isBuiltinMove(expr.name))
    return applyMove(expr, members, context);
  if (function && function->kind == Function::Kind::Node)
    return applyNode(expr, *function, bind(callee, expr, context), inputs, context);

  std::string name = expr.type ? printType(*expr.type) : expr.name;
  if (expr.digits)
    fail(*expr.digits, "'" + name + "' works on single elements and takes no '@'");
  if (function || callee.signature) {
    Bindings bindings = bind(callee, expr, context);
    return applyPointwise(expr, name, inputs, context, [&](BodyBuilder &builder, std::vector<Value> arguments) {
      return callFunc(expr, callee, std::move(bindings), std::move(arguments), argumentPlaces(expr, inputs.size()),
                      builder, context);
    });
  }
  return applyPointwise(expr, name, inputs, context, [&](BodyBuilder &builder, std::vector<Value> arguments) {
    if (expr.type) {
      TypeRef type = resolveType(*expr.type, context, true);
      if (arguments.size() != 1)
        fail(expr, "a conversion takes one value, not " + std::to_string(arguments.size()));
      return convert(arguments[0], type, expr.loc, builder);
    }
    BodyBuilder *outer = context.builder;
    context.builder = &builder;
    Value value = evalBuiltin(expr, expr.name, std::move(arguments), context);
    context.builder = outer;
    return value;
  });
}

} // namespace idc::frontend
