// FFTW's interface, version 3.3, in the precision that IDC_SINGLE chooses: the functions of fftw3.h with their meaning.
// (M. Frigo, S. G. Johnson, "FFTW manual", version 3.3.10.)
#include "interfaces/fftw/FftwPlan.h"
#include "interfaces/fftw/Wisdom.h"

#include <cstdio>
#include <cstring>
#include <fftw3.h>

#ifdef IDC_SINGLE
#define X(name) FFTW_MANGLE_FLOAT(name)
using R = float;
using C = fftwf_complex;
static constexpr auto number = idc::interfaces::Number::Single;
#else
#define X(name) FFTW_MANGLE_DOUBLE(name)
using R = double;
using C = fftw_complex;
static constexpr auto number = idc::interfaces::Number::Double;
#endif

using namespace idc::interfaces;

/// fftw3.h declares the type of a plan, and that it is a pointer.
static X(plan) handleOf(std::unique_ptr<FftwPlan> plan) { return reinterpret_cast<X(plan)>(plan.release()); }
static FftwPlan &planOf(X(plan) handle) { return *reinterpret_cast<FftwPlan *>(handle); }

static Array joined(void *first) { return {first, nullptr}; }
static Array split(R *re, R *im) { return {re, im}; }

namespace {

/// The arrays of a call, and what they hold.
struct Arrays {
  Kind kind;
  Array in, out;
  bool splitIn = false, splitOut = false;
  int sign = FFTW_FORWARD;
  const X(r2r_kind) *realKinds = nullptr;
};

RealKind realKindOf(X(r2r_kind) kind) {
  switch (kind) {
  case FFTW_R2HC:
    return RealKind::ToHalfComplex;
  case FFTW_HC2R:
    return RealKind::FromHalfComplex;
  case FFTW_DHT:
    return RealKind::Hartley;
  case FFTW_REDFT00:
    return RealKind::Cosine1;
  case FFTW_REDFT01:
    return RealKind::Cosine3;
  case FFTW_REDFT10:
    return RealKind::Cosine2;
  case FFTW_REDFT11:
    return RealKind::Cosine4;
  case FFTW_RODFT00:
    return RealKind::Sine1;
  case FFTW_RODFT01:
    return RealKind::Sine3;
  case FFTW_RODFT10:
    return RealKind::Sine2;
  case FFTW_RODFT11:
    return RealKind::Sine4;
  }
  return RealKind::Hartley;
}

X(plan) planned(std::vector<Axis> axes, std::vector<Axis> batch, const Arrays &arrays, unsigned flags) {
  if (arrays.kind == Kind::ComplexToComplex && arrays.sign != FFTW_FORWARD && arrays.sign != FFTW_BACKWARD)
    return nullptr;
  Problem problem;
  problem.kind = arrays.kind;
  problem.number = number;
  problem.forward = arrays.sign == FFTW_FORWARD;
  problem.axes = std::move(axes);
  problem.batch = std::move(batch);
  problem.splitIn = arrays.splitIn, problem.splitOut = arrays.splitOut;
  if (arrays.kind == Kind::RealToReal)
    for (size_t i = 0; i < problem.axes.size(); ++i)
      problem.realKinds.push_back(realKindOf(arrays.realKinds[i]));
  return handleOf(FftwPlan::make(std::move(problem), arrays.in, arrays.out, flags));
}

/// Strides of rows of arrays of the sizes `embed`, whose elements are `stride` apart.
std::vector<int64_t> rowMajor(const std::vector<int64_t> &embed, int64_t stride) {
  std::vector<int64_t> strides(embed.size());
  for (size_t i = embed.size(); i-- > 0; stride *= embed[i])
    strides[i] = stride;
  return strides;
}

/// The basic and the advanced interface. Without `embed` an array has the transform's sizes: of the complex side the
/// last n/2 + 1, and of the real side of a transform in place twice as many.
X(plan)
many(int rank, const int *n, int howmany, const int *inembed, int istride, int idist, const int *onembed, int ostride,
     int odist, const Arrays &arrays, unsigned flags) {
  if (rank < 0 || howmany < 0 || (rank > 0 && !n))
    return nullptr;
  const std::vector<int64_t> sizes(n, n + rank);
  auto strides = [&](const int *embed, bool isComplex, int64_t stride) {
    std::vector<int64_t> own = embed ? std::vector<int64_t>(embed, embed + rank) : sizes;
    if (!embed && rank && (arrays.kind == Kind::RealToComplex || arrays.kind == Kind::ComplexToReal)) {
      if (isComplex)
        own.back() = own.back() / 2 + 1;
      else if (arrays.in.first == arrays.out.first)
        own.back() = own.back() / 2 * 2 + 2;
    }
    return rowMajor(own, stride);
  };
  const std::vector<int64_t> in = strides(inembed, arrays.kind != Kind::RealToComplex, istride);
  const std::vector<int64_t> out = strides(onembed, arrays.kind != Kind::ComplexToReal, ostride);
  std::vector<Axis> axes;
  for (size_t i = 0; i < sizes.size(); ++i)
    axes.push_back({sizes[i], in[i], out[i]});
  return planned(std::move(axes), {{howmany, idist, odist}}, arrays, flags);
}

X(plan) basic(int rank, const int *n, const Arrays &arrays, unsigned flags) {
  return many(rank, n, 1, nullptr, 1, 1, nullptr, 1, 1, arrays, flags);
}

template <typename Dimension> std::vector<Axis> axesOf(int rank, const Dimension *dimensions) {
  std::vector<Axis> axes;
  for (int i = 0; i < rank; ++i)
    axes.push_back({dimensions[i].n, dimensions[i].is, dimensions[i].os});
  return axes;
}

template <typename Dimension>
X(plan)
guru(int rank, const Dimension *dims, int howmany_rank, const Dimension *howmany_dims, const Arrays &arrays,
     unsigned flags) {
  if (rank < 0 || howmany_rank < 0)
    return nullptr;
  return planned(axesOf(rank, dims), axesOf(howmany_rank, howmany_dims), arrays, flags);
}

Arrays complexArrays(C *in, C *out, int sign) {
  return {Kind::ComplexToComplex, joined(in), joined(out), false, false, sign};
}
Arrays forwardArrays(R *in, C *out) { return {Kind::RealToComplex, joined(in), joined(out)}; }
Arrays backwardArrays(C *in, R *out) {
  return {Kind::ComplexToReal, joined(in), joined(out), false, false, FFTW_BACKWARD};
}
Arrays realArrays(R *in, R *out, const X(r2r_kind) * kind) {
  return {Kind::RealToReal, joined(in), joined(out), false, false, FFTW_FORWARD, kind};
}
Arrays splitArrays(R *ri, R *ii, R *ro, R *io) {
  return {Kind::ComplexToComplex, split(ri, ii), split(ro, io), true, true};
}
Arrays splitForward(R *in, R *ro, R *io) { return {Kind::RealToComplex, joined(in), split(ro, io), false, true}; }
Arrays splitBackward(R *ri, R *ii, R *out) {
  return {Kind::ComplexToReal, split(ri, ii), joined(out), true, false, FFTW_BACKWARD};
}

char *copyOf(const std::string &text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy)
    std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

} // namespace

extern "C" {

// Complex transforms.

X(plan) X(plan_dft)(int rank, const int *n, C *in, C *out, int sign, unsigned flags) {
  return basic(rank, n, complexArrays(in, out, sign), flags);
}
X(plan) X(plan_dft_1d)(int n, C *in, C *out, int sign, unsigned flags) {
  return X(plan_dft)(1, &n, in, out, sign, flags);
}
X(plan) X(plan_dft_2d)(int n0, int n1, C *in, C *out, int sign, unsigned flags) {
  const int n[] = {n0, n1};
  return X(plan_dft)(2, n, in, out, sign, flags);
}
X(plan) X(plan_dft_3d)(int n0, int n1, int n2, C *in, C *out, int sign, unsigned flags) {
  const int n[] = {n0, n1, n2};
  return X(plan_dft)(3, n, in, out, sign, flags);
}
X(plan)
X(plan_many_dft)
(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, C *out, const int *onembed,
 int ostride, int odist, int sign, unsigned flags) {
  return many(rank, n, howmany, inembed, istride, idist, onembed, ostride, odist, complexArrays(in, out, sign), flags);
}
X(plan)
X(plan_guru_dft)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, C *in, C *out, int sign,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, complexArrays(in, out, sign), flags);
}
X(plan)
X(plan_guru64_dft)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, C *in, C *out, int sign,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, complexArrays(in, out, sign), flags);
}
X(plan)
X(plan_guru_split_dft)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *ri, R *ii, R *ro, R *io,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitArrays(ri, ii, ro, io), flags);
}
X(plan)
X(plan_guru64_split_dft)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, R *ri, R *ii, R *ro, R *io,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitArrays(ri, ii, ro, io), flags);
}

// Real values to complex ones.

X(plan) X(plan_dft_r2c)(int rank, const int *n, R *in, C *out, unsigned flags) {
  return basic(rank, n, forwardArrays(in, out), flags);
}
X(plan) X(plan_dft_r2c_1d)(int n, R *in, C *out, unsigned flags) { return X(plan_dft_r2c)(1, &n, in, out, flags); }
X(plan) X(plan_dft_r2c_2d)(int n0, int n1, R *in, C *out, unsigned flags) {
  const int n[] = {n0, n1};
  return X(plan_dft_r2c)(2, n, in, out, flags);
}
X(plan) X(plan_dft_r2c_3d)(int n0, int n1, int n2, R *in, C *out, unsigned flags) {
  const int n[] = {n0, n1, n2};
  return X(plan_dft_r2c)(3, n, in, out, flags);
}
X(plan)
X(plan_many_dft_r2c)
(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist, C *out, const int *onembed,
 int ostride, int odist, unsigned flags) {
  return many(rank, n, howmany, inembed, istride, idist, onembed, ostride, odist, forwardArrays(in, out), flags);
}
X(plan)
X(plan_guru_dft_r2c)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *in, C *out, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, forwardArrays(in, out), flags);
}
X(plan)
X(plan_guru64_dft_r2c)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, R *in, C *out, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, forwardArrays(in, out), flags);
}
X(plan)
X(plan_guru_split_dft_r2c)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *in, R *ro, R *io,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitForward(in, ro, io), flags);
}
X(plan)
X(plan_guru64_split_dft_r2c)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, R *in, R *ro, R *io,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitForward(in, ro, io), flags);
}

// Complex values to real ones.

X(plan) X(plan_dft_c2r)(int rank, const int *n, C *in, R *out, unsigned flags) {
  return basic(rank, n, backwardArrays(in, out), flags);
}
X(plan) X(plan_dft_c2r_1d)(int n, C *in, R *out, unsigned flags) { return X(plan_dft_c2r)(1, &n, in, out, flags); }
X(plan) X(plan_dft_c2r_2d)(int n0, int n1, C *in, R *out, unsigned flags) {
  const int n[] = {n0, n1};
  return X(plan_dft_c2r)(2, n, in, out, flags);
}
X(plan) X(plan_dft_c2r_3d)(int n0, int n1, int n2, C *in, R *out, unsigned flags) {
  const int n[] = {n0, n1, n2};
  return X(plan_dft_c2r)(3, n, in, out, flags);
}
X(plan)
X(plan_many_dft_c2r)
(int rank, const int *n, int howmany, C *in, const int *inembed, int istride, int idist, R *out, const int *onembed,
 int ostride, int odist, unsigned flags) {
  return many(rank, n, howmany, inembed, istride, idist, onembed, ostride, odist, backwardArrays(in, out), flags);
}
X(plan)
X(plan_guru_dft_c2r)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, C *in, R *out, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, backwardArrays(in, out), flags);
}
X(plan)
X(plan_guru64_dft_c2r)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, C *in, R *out, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, backwardArrays(in, out), flags);
}
X(plan)
X(plan_guru_split_dft_c2r)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *ri, R *ii, R *out,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitBackward(ri, ii, out), flags);
}
X(plan)
X(plan_guru64_split_dft_c2r)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, R *ri, R *ii, R *out,
 unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, splitBackward(ri, ii, out), flags);
}

// Real values to real ones.

X(plan) X(plan_r2r)(int rank, const int *n, R *in, R *out, const X(r2r_kind) * kind, unsigned flags) {
  return basic(rank, n, realArrays(in, out, kind), flags);
}
X(plan) X(plan_r2r_1d)(int n, R *in, R *out, X(r2r_kind) kind, unsigned flags) {
  return X(plan_r2r)(1, &n, in, out, &kind, flags);
}
X(plan) X(plan_r2r_2d)(int n0, int n1, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, unsigned flags) {
  const int n[] = {n0, n1};
  const X(r2r_kind) kinds[] = {kind0, kind1};
  return X(plan_r2r)(2, n, in, out, kinds, flags);
}
X(plan)
X(plan_r2r_3d)
(int n0, int n1, int n2, R *in, R *out, X(r2r_kind) kind0, X(r2r_kind) kind1, X(r2r_kind) kind2, unsigned flags) {
  const int n[] = {n0, n1, n2};
  const X(r2r_kind) kinds[] = {kind0, kind1, kind2};
  return X(plan_r2r)(3, n, in, out, kinds, flags);
}
X(plan)
X(plan_many_r2r)
(int rank, const int *n, int howmany, R *in, const int *inembed, int istride, int idist, R *out, const int *onembed,
 int ostride, int odist, const X(r2r_kind) * kind, unsigned flags) {
  return many(rank, n, howmany, inembed, istride, idist, onembed, ostride, odist, realArrays(in, out, kind), flags);
}
X(plan)
X(plan_guru_r2r)
(int rank, const X(iodim) * dims, int howmany_rank, const X(iodim) * howmany_dims, R *in, R *out,
 const X(r2r_kind) * kind, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, realArrays(in, out, kind), flags);
}
X(plan)
X(plan_guru64_r2r)
(int rank, const X(iodim64) * dims, int howmany_rank, const X(iodim64) * howmany_dims, R *in, R *out,
 const X(r2r_kind) * kind, unsigned flags) {
  return guru(rank, dims, howmany_rank, howmany_dims, realArrays(in, out, kind), flags);
}

// Execution.

void X(execute)(const X(plan) p) { planOf(p).run(); }
void X(execute_dft)(const X(plan) p, C *in, C *out) { planOf(p).run(joined(in), joined(out)); }
void X(execute_split_dft)(const X(plan) p, R *ri, R *ii, R *ro, R *io) { planOf(p).run(split(ri, ii), split(ro, io)); }
void X(execute_dft_r2c)(const X(plan) p, R *in, C *out) { planOf(p).run(joined(in), joined(out)); }
void X(execute_split_dft_r2c)(const X(plan) p, R *in, R *ro, R *io) { planOf(p).run(joined(in), split(ro, io)); }
void X(execute_dft_c2r)(const X(plan) p, C *in, R *out) { planOf(p).run(joined(in), joined(out)); }
void X(execute_split_dft_c2r)(const X(plan) p, R *ri, R *ii, R *out) { planOf(p).run(split(ri, ii), joined(out)); }
void X(execute_r2r)(const X(plan) p, R *in, R *out) { planOf(p).run(joined(in), joined(out)); }

void X(destroy_plan)(X(plan) p) { delete reinterpret_cast<FftwPlan *>(p); }
void X(cleanup)(void) { forgetWisdom(); }

// Threads. Plans may be made and run by any thread at any time.

int X(init_threads)(void) { return 1; }
void X(plan_with_nthreads)(int nthreads) { setPlannerThreads(nthreads); }
int X(planner_nthreads)(void) { return plannerThreads(); }
void X(cleanup_threads)(void) { X(cleanup)(); }
void X(make_planner_thread_safe)(void) {}
/// Loops are this library's own: there is nothing to give to another one.
void X(threads_set_callback)(void (*)(void *(*)(char *), char *, size_t, int, void *), void *) {}

// Wisdom.

void X(set_timelimit)(double seconds) { setTimeLimit(seconds); }
void X(forget_wisdom)(void) { forgetWisdom(); }
char *X(export_wisdom_to_string)(void) { return copyOf(wisdomText()); }
void X(export_wisdom)(X(write_char_func) write_char, void *data) {
  for (char c : wisdomText())
    write_char(c, data);
}
void X(export_wisdom_to_file)(FILE *output_file) { std::fputs(wisdomText().c_str(), output_file); }
int X(export_wisdom_to_filename)(const char *filename) {
  FILE *file = std::fopen(filename, "w");
  if (!file)
    return 0;
  X(export_wisdom_to_file)(file);
  const bool whole = !std::ferror(file);
  return (std::fclose(file) == 0 && whole) ? 1 : 0;
}
int X(import_wisdom)(X(read_char_func) read_char, void *data) {
  return readWisdom([&] { return read_char(data); });
}
int X(import_wisdom_from_string)(const char *input_string) {
  return readWisdom([&] { return *input_string ? static_cast<unsigned char>(*input_string++) : EOF; });
}
int X(import_wisdom_from_file)(FILE *input_file) {
  return readWisdom([&] { return std::fgetc(input_file); });
}
int X(import_wisdom_from_filename)(const char *filename) {
  FILE *file = std::fopen(filename, "r");
  if (!file)
    return 0;
  const int read = X(import_wisdom_from_file)(file);
  std::fclose(file);
  return read;
}
/// FFTW's is of its own plans.
int X(import_system_wisdom)(void) { return 0; }

// What plans are.

char *X(sprint_plan)(const X(plan) p) { return copyOf("(idc " + planOf(p).describe() + ")"); }
void X(fprint_plan)(const X(plan) p, FILE *output_file) {
  std::fprintf(output_file, "(idc %s)", planOf(p).describe().c_str());
}
void X(print_plan)(const X(plan) p) { X(fprint_plan)(p, stdout); }
void X(flops)(const X(plan) p, double *add, double *mul, double *fmas) {
  *add = planOf(p).additions(), *mul = planOf(p).multiplications(), *fmas = 0;
}
double X(estimate_cost)(const X(plan) p) { return planOf(p).additions() + planOf(p).multiplications(); }
double X(cost)(const X(plan) p) { return X(estimate_cost)(p); }

// Memory.

void *X(malloc)(size_t n) {
  void *memory = nullptr;
  return posix_memalign(&memory, 64, n) ? nullptr : memory;
}
R *X(alloc_real)(size_t n) { return static_cast<R *>(X(malloc)(n * sizeof(R))); }
C *X(alloc_complex)(size_t n) { return static_cast<C *>(X(malloc)(n * sizeof(C))); }
void X(free)(void *p) { std::free(p); }
/// Code for the CPU takes arrays at any number.
int X(alignment_of)(R *) { return 0; }

extern const char X(version)[] = "fftw-3.3-idc-" IDC_VERSION;
extern const char X(cc)[] = "idc";
extern const char X(codelet_optim)[] = "";

} // extern "C"
