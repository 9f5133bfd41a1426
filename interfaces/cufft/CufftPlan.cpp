#include "interfaces/cufft/CufftPlan.h"

#include <algorithm>
#include <functional>
#include <numeric>

using namespace idc::interfaces;

static int64_t product(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1), std::multiplies<int64_t>());
}

/// The sizes of the arrays that rows lie in, of the basic layout.
static std::vector<int64_t> basicEmbed(std::vector<int64_t> sizes, bool isComplex, Kind kind, bool inPlace) {
  if (kind == Kind::ComplexToComplex)
    return sizes;
  if (isComplex)
    sizes.back() = sizes.back() / 2 + 1;
  else if (inPlace)
    sizes.back() = sizes.back() / 2 * 2 + 2;
  return sizes;
}

static Problem problemOf(Kind kind, Number number, const std::vector<int64_t> &sizes, const ManyLayout &in,
                         const ManyLayout &out, int64_t batch, bool inPlace) {
  Problem problem;
  problem.kind = kind;
  problem.number = number;
  problem.inPlace = inPlace;
  const bool basic = in.embed.empty() || out.embed.empty();
  auto laidOut = [&](const ManyLayout &given, bool isComplex) {
    if (!basic)
      return given;
    ManyLayout layout{basicEmbed(sizes, isComplex, kind, inPlace), 1, 0};
    layout.distance = product(layout.embed);
    return layout;
  };
  const ManyLayout from = laidOut(in, kind != Kind::RealToComplex), to = laidOut(out, kind != Kind::ComplexToReal);
  int64_t inStride = from.stride, outStride = to.stride;
  for (size_t i = sizes.size(); i-- > 0;) {
    problem.axes.insert(problem.axes.begin(), {sizes[i], inStride, outStride});
    inStride *= from.embed[i];
    outStride *= to.embed[i];
  }
  problem.batch = {{batch, from.distance, to.distance}};
  return problem;
}

CufftPlan::Direction CufftPlan::makeDirection(const std::string &target, const Problem &apart,
                                              const Problem &inPlace) const {
  Direction direction;
  direction.apart = std::make_unique<Plan>(apart, target, "");
  auto same = [](const Axis &a, const Axis &b) { return a.in == b.in && a.out == b.out; };
  const bool alike = std::equal(apart.axes.begin(), apart.axes.end(), inPlace.axes.begin(), same) &&
                     std::equal(apart.batch.begin(), apart.batch.end(), inPlace.batch.begin(), same);
  if (!(alike && direction.apart->worksInPlace()))
    direction.inPlace = std::make_unique<Plan>(inPlace, target, "");
  return direction;
}

CufftPlan::CufftPlan(const std::string &target, Kind kind, Number number, std::vector<int64_t> sizes,
                     const ManyLayout &in, const ManyLayout &out, int64_t batch)
    : kind(kind), number(number) {
  Problem apart = problemOf(kind, number, sizes, in, out, batch, false);
  Problem inPlace = problemOf(kind, number, sizes, in, out, batch, true);
  directions.push_back(makeDirection(target, apart, inPlace));
  if (kind != Kind::ComplexToComplex)
    return;
  apart.forward = inPlace.forward = false;
  directions.push_back(makeDirection(target, apart, inPlace));
}

int64_t CufftPlan::size() const {
  int64_t bytes = 0;
  for (const Direction &direction : directions)
    for (const Plan *plan : {direction.apart.get(), direction.inPlace.get()})
      if (plan)
        bytes = std::max(bytes, plan->scratchBytes());
  return bytes;
}

void CufftPlan::run(void *in, void *out, bool forward, void *workArea, void *stream) const {
  const Direction &direction = directions[directions.size() > 1 && !forward];
  const Plan &plan = in == out && direction.inPlace ? *direction.inPlace : *direction.apart;
  plan.run({in, nullptr}, {out, nullptr}, workArea, stream);
}
