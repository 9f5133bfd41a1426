#include "interfaces/transform/Schedule.h"

#include "interfaces/compiled/Failure.h"

#include <algorithm>
#include <numeric>

using namespace idc::interfaces;

namespace {

/// A value between steps: the sizes of all axes, those of the batch first, and where its elements are.
struct Value {
  Place place;
  std::vector<int64_t> sizes, strides;
  bool isComplex, isSplit;

  int64_t elements() const {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
  }
};

/// A program and the axes that it works along, among all axes; none: it copies.
struct Step {
  std::string stem, setting;
  std::vector<size_t> axes;
  bool halves = false, doubles = false; // the last of the axes becomes N / 2 + 1 of N, or the reverse
};

class Scheduler {
public:
  explicit Scheduler(const Problem &problem) : problem(problem), first(problem.batch.size()) {}
  Schedule make(Copies copies);

private:
  std::vector<Step> steps() const;
  Value given(bool isResult) const;
  Value own(const Value &like, size_t number);
  void append(const Step &step, const Value &in, const Value &out);

  const Problem &problem;
  const size_t first; // of the axes that are transformed
  Schedule schedule;
};

/// The axes are those of the caller's input or result.
Value Scheduler::given(bool isResult) const {
  Value value{isResult ? Place::Output : Place::Input,
              {},
              {},
              problem.isComplex(isResult),
              isResult ? problem.splitOut : problem.splitIn};
  for (const std::vector<Axis> *axes : {&problem.batch, &problem.axes})
    for (const Axis &axis : *axes) {
      value.sizes.push_back(axis.size);
      value.strides.push_back(isResult ? axis.out : axis.in);
    }
  if (problem.isHalved(isResult))
    value.sizes.back() = value.sizes.back() / 2 + 1;
  return value;
}

/// A dense array of the plan with the sizes and numbers of another value.
Value Scheduler::own(const Value &like, size_t number) {
  Value value{number % 2 ? Place::Second : Place::First, like.sizes, like.sizes, like.isComplex, false};
  int64_t stride = 1;
  for (size_t i = value.sizes.size(); i-- > 0; stride *= value.sizes[i])
    value.strides[i] = stride;
  int64_t &most = number % 2 ? schedule.secondElements : schedule.firstElements;
  most = std::max(most, value.elements() * (like.isComplex ? 2 : 1));
  return value;
}

/// Programs transform up to three axes at a time, the last ones; others follow one by one.
std::vector<Step> Scheduler::steps() const {
  std::vector<Step> result;
  std::vector<size_t> along(problem.axes.size()); // the axes that are transformed, those of one element left out
  std::iota(along.begin(), along.end(), first);
  const size_t last = along.empty() ? 0 : along.back();
  const bool halving = problem.kind == Kind::RealToComplex || problem.kind == Kind::ComplexToReal;
  if (problem.kind == Kind::RealToReal) {
    for (size_t axis : along)
      result.push_back({"r2r", "kind=" + std::to_string(int(problem.realKinds[axis - first])), {axis}});
    return result;
  }
  along.erase(
      std::remove_if(along.begin(), along.end(),
                     [&](size_t axis) { return problem.axes[axis - first].size == 1 && !(halving && axis == last); }),
      along.end());
  if (along.empty())
    return result;
  const bool forward = problem.kind == Kind::RealToComplex || (problem.kind != Kind::ComplexToReal && problem.forward);
  const std::string sign = forward ? "sign=1" : "sign=-1";
  const size_t together = along.size() - std::min<size_t>(along.size(), 3);
  Step main{"c2c", sign, {along.begin() + long(together), along.end()}};
  if (halving) {
    main.stem = forward ? "r2c" : "c2r";
    main.setting.clear();
    main.halves = forward;
    main.doubles = !forward;
  }
  for (size_t i = 0; i < together; ++i)
    result.push_back({"c2c", sign, {along[i]}});
  result.insert(main.doubles ? result.end() : result.begin(), main);
  return result;
}

void nest(std::vector<Axis> &axes) {
  std::stable_sort(axes.begin(), axes.end(),
                   [](const Axis &a, const Axis &b) { return std::max(a.in, a.out) > std::max(b.in, b.out); });
  for (size_t i = axes.size(); i-- > 1;) {
    Axis &outer = axes[i - 1];
    const Axis &inner = axes[i];
    if (outer.in != inner.in * inner.size || outer.out != inner.out * inner.size)
      continue;
    outer = {outer.size * inner.size, inner.in, inner.out};
    axes.erase(axes.begin() + long(i));
  }
}

/// Takes the axis with the most elements.
Axis takeLargest(std::vector<Axis> &axes) {
  if (axes.empty())
    return {1, 0, 0};
  auto largest =
      std::max_element(axes.begin(), axes.end(), [](const Axis &a, const Axis &b) { return a.size < b.size; });
  Axis axis = *largest;
  axes.erase(largest);
  return axis;
}

void Scheduler::append(const Step &step, const Value &in, const Value &out) {
  Pass pass;
  pass.in.place = in.place, pass.out.place = out.place;
  pass.in.isComplex = in.isComplex, pass.out.isComplex = out.isComplex;
  pass.in.isSplit = in.isSplit, pass.out.isSplit = out.isSplit;
  auto dimension = [&](int64_t inSize, int64_t inStride, int64_t outSize, int64_t outStride) {
    pass.in.sizes.push_back(inSize), pass.out.sizes.push_back(outSize);
    pass.in.strides.push_back(inSize == 1 ? 1 : inStride), pass.out.strides.push_back(outSize == 1 ? 1 : outStride);
  };
  std::vector<Axis> others;
  for (size_t axis = 0; axis < in.sizes.size(); ++axis)
    if (in.sizes[axis] != 1 && std::find(step.axes.begin(), step.axes.end(), axis) == step.axes.end())
      others.push_back({in.sizes[axis], in.strides[axis], out.strides[axis]});
  nest(others);
  pass.entry = step.stem;
  if (!step.setting.empty())
    pass.settings.push_back(step.setting);
  for (size_t i = 0; i < step.axes.size(); ++i) {
    const size_t axis = step.axes[i];
    dimension(in.sizes[axis], in.strides[axis], out.sizes[axis], out.strides[axis]);
    static const char *const names[] = {"L", "M", "N"};
    const int64_t size = step.doubles ? out.sizes[axis] : in.sizes[axis];
    pass.settings.push_back(names[3 - step.axes.size() + i] + ("=" + std::to_string(size)));
  }
  if (step.axes.size() > 1)
    pass.entry += "_" + std::to_string(step.axes.size()) + "d";
  if (step.axes.empty()) {
    const Axis copied = takeLargest(others);
    dimension(copied.size, copied.in, copied.size, copied.out);
    pass.settings.push_back("N=" + std::to_string(copied.size));
  }
  // Neighbours beside the axis are a dimension of the program.
  auto beside =
      std::find_if(others.begin(), others.end(), [](const Axis &axis) { return axis.in == 1 && axis.out == 1; });
  if (step.axes.size() <= 1 && beside != others.end()) {
    dimension(beside->size, 1, beside->size, 1);
    pass.entry += "_side";
    pass.settings.push_back("C=" + std::to_string(beside->size));
    others.erase(beside);
  }
  const Axis batch = takeLargest(others);
  pass.problems = batch.size;
  pass.in.batch = batch.in, pass.out.batch = batch.out;
  pass.loops = others;
  pass.copies = step.axes.empty();
  for (const Side *side : {&pass.in, &pass.out})
    for (int64_t stride : side->strides)
      if (stride < 1)
        throw Failure(IDC_ERROR_UNSUPPORTED, "elements of a transform at a distance of " + std::to_string(stride));
  pass.inPlace = in.place == Place::Input && out.place == Place::Output && problem.inPlace;
  schedule.passes.push_back(std::move(pass));
}

Schedule Scheduler::make(Copies copies) {
  std::vector<Axis> every = problem.batch;
  every.insert(every.end(), problem.axes.begin(), problem.axes.end());
  if (std::any_of(every.begin(), every.end(), [](const Axis &axis) { return axis.size == 0; }))
    return {};
  if (std::any_of(every.begin(), every.end(),
                  [](const Axis &axis) { return axis.size > 1 && (axis.in < 0 || axis.out < 1); }))
    throw Failure(IDC_ERROR_UNSUPPORTED, "negative distances, or results in one place");
  std::vector<Step> all = steps();
  const Value result = given(/*isResult=*/true);
  Value value = given(/*isResult=*/false);
  const bool alike =
      value.sizes == result.sizes && value.strides == result.strides && value.isComplex == result.isComplex;
  if (all.empty() && problem.inPlace && alike)
    return {}; // nothing moves
  const Step copy{"copied", "", {}};
  if (copies == Copies::OfBoth)
    all.insert(all.begin(), copy);
  if (all.empty() || copies != Copies::None || (all.size() == 1 && problem.inPlace && !alike))
    all.push_back(copy);
  for (size_t i = 0; i < all.size(); ++i) {
    Value next = value;
    if (all[i].halves)
      next.sizes[all[i].axes.back()] = next.sizes[all[i].axes.back()] / 2 + 1;
    if (all[i].doubles)
      next.sizes[all[i].axes.back()] = problem.axes.back().size;
    if (all[i].halves || all[i].doubles)
      next.isComplex = all[i].halves;
    next = i + 1 == all.size() ? result : own(next, i);
    append(all[i], value, next);
    value = next;
  }
  return std::move(schedule);
}

} // namespace

Schedule idc::interfaces::makeSchedule(const Problem &problem, Copies copies) {
  if (!problem.axes.empty() || problem.kind == Kind::ComplexToComplex || problem.kind == Kind::RealToReal)
    return Scheduler(problem).make(copies);
  // Along no axis every number is its own transform, as along one of one element.
  Problem ofOne = problem;
  ofOne.axes.push_back({1, 1, 1});
  return Scheduler(ofOne).make(copies);
}
