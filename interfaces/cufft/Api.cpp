// cuFFT's interface: the functions of cufft.h and cufftXt.h, with their arguments and codes. (NVIDIA, "cuFFT API
// Reference", CUDA 13.) What is not here returns CUFFT_NOT_IMPLEMENTED. Types are declared as that interface's ABI has
// them, so that CUDA's headers are not needed.
#include "interfaces/compiled/Target.h"
#include "interfaces/cufft/CufftPlan.h"

#include <map>
#include <mutex>

using namespace idc::interfaces;

extern "C" {

typedef int cufftHandle;

typedef enum cufftResult {
  CUFFT_SUCCESS = 0,
  CUFFT_INVALID_PLAN = 1,
  CUFFT_ALLOC_FAILED = 2,
  CUFFT_INVALID_TYPE = 3,
  CUFFT_INVALID_VALUE = 4,
  CUFFT_INTERNAL_ERROR = 5,
  CUFFT_EXEC_FAILED = 6,
  CUFFT_SETUP_FAILED = 7,
  CUFFT_INVALID_SIZE = 8,
  CUFFT_UNALIGNED_DATA = 9,
  CUFFT_NO_WORKSPACE = 13,
  CUFFT_NOT_IMPLEMENTED = 14,
  CUFFT_NOT_SUPPORTED = 16
} cufftResult;

typedef enum cufftType {
  CUFFT_C2C = 0x29,
  CUFFT_R2C = 0x2a,
  CUFFT_C2R = 0x2c,
  CUFFT_Z2Z = 0x69,
  CUFFT_D2Z = 0x6a,
  CUFFT_Z2D = 0x6c
} cufftType;

/// cudaDataType_t
typedef enum cudaDataType {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_C_16F = 6,
  CUDA_R_16BF = 14,
  CUDA_C_16BF = 15
} cudaDataType;

typedef enum cufftProperty { PatientJit = 1, MaxNumHostThreads = 2 } cufftProperty;

} // extern "C"

namespace {

constexpr int forwardDirection = -1, inverseDirection = 1;
constexpr int reportedVersion[] = {12, 0, 0}; // whose interface this is

/// A handle's plan: what is set before it is made, and after it.
struct Handle {
  std::unique_ptr<CufftPlan> plan;
  std::unique_ptr<Scratch> ownArea;
  void *workArea = nullptr, *stream = nullptr;
  bool allocates = true;
  std::map<int, long long> properties;
  std::mutex mutex; // of all above
};

class Handles {
public:
  int add(std::shared_ptr<Handle> handle) {
    std::lock_guard<std::mutex> lock(mutex);
    handles[++last] = std::move(handle);
    return last;
  }
  std::shared_ptr<Handle> find(int number) {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = handles.find(number);
    return found == handles.end() ? nullptr : found->second;
  }
  bool remove(int number) {
    std::lock_guard<std::mutex> lock(mutex);
    return handles.erase(number) > 0;
  }

private:
  std::mutex mutex;
  std::map<int, std::shared_ptr<Handle>> handles;
  int last = 0;
};

Handles &handles() {
  static Handles *all = new Handles; // what programs leave is not freed after the driver has gone
  return *all;
}

cufftResult resultOf(const Failure &failure, cufftResult otherwise) {
  switch (failure.status) {
  case IDC_ERROR_OUT_OF_MEMORY:
    return CUFFT_ALLOC_FAILED;
  case IDC_ERROR_NO_DRIVER:
  case IDC_ERROR_NO_DEVICE:
    return CUFFT_SETUP_FAILED;
  case IDC_ERROR_TOO_LARGE:
    return CUFFT_INVALID_SIZE;
  case IDC_ERROR_UNSUPPORTED:
    return CUFFT_NOT_SUPPORTED;
  default:
    return otherwise;
  }
}

/// Calls `body` with the handle's plan and its lock held.
template <typename Body> cufftResult with(cufftHandle number, Body body, cufftResult otherwise = CUFFT_INTERNAL_ERROR) {
  std::shared_ptr<Handle> handle = handles().find(number);
  if (!handle)
    return CUFFT_INVALID_PLAN;
  std::lock_guard<std::mutex> lock(handle->mutex);
  try {
    return body(*handle);
  } catch (const Failure &failure) {
    return resultOf(failure, otherwise);
  } catch (const std::bad_alloc &) {
    return CUFFT_ALLOC_FAILED;
  } catch (const std::exception &) {
    return otherwise;
  }
}

struct Shape {
  Kind kind = Kind::ComplexToComplex;
  Number number = Number::Single;
  std::vector<int64_t> sizes;
  ManyLayout in, out;
  int64_t batch = 1;
};

cufftResult setType(int type, Shape &shape) {
  switch (type) {
  case CUFFT_C2C:
  case CUFFT_Z2Z:
    shape.kind = Kind::ComplexToComplex;
    break;
  case CUFFT_R2C:
  case CUFFT_D2Z:
    shape.kind = Kind::RealToComplex;
    break;
  case CUFFT_C2R:
  case CUFFT_Z2D:
    shape.kind = Kind::ComplexToReal;
    break;
  default:
    return CUFFT_INVALID_TYPE;
  }
  const bool isDouble = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
  shape.number = isDouble ? Number::Double : Number::Single;
  return CUFFT_SUCCESS;
}

/// The types of cufftXtMakePlanMany(): one precision for all three.
cufftResult setTypes(int in, int out, int execution, Shape &shape) {
  struct Precision {
    Number number;
    int real, complex;
  };
  for (const Precision &precision :
       {Precision{Number::Half, CUDA_R_16F, CUDA_C_16F}, Precision{Number::BFloat, CUDA_R_16BF, CUDA_C_16BF},
        Precision{Number::Single, CUDA_R_32F, CUDA_C_32F}, Precision{Number::Double, CUDA_R_64F, CUDA_C_64F}}) {
    if (execution != precision.complex && execution != precision.real)
      continue;
    shape.number = precision.number;
    if (in == precision.complex && out == precision.complex)
      shape.kind = Kind::ComplexToComplex;
    else if (in == precision.real && out == precision.complex)
      shape.kind = Kind::RealToComplex;
    else if (in == precision.complex && out == precision.real)
      shape.kind = Kind::ComplexToReal;
    else
      return CUFFT_NOT_SUPPORTED;
    return CUFFT_SUCCESS;
  }
  return CUFFT_NOT_SUPPORTED;
}

template <typename Integer>
cufftResult setSizes(int rank, const Integer *n, const Integer *inembed, Integer istride, Integer idist,
                     const Integer *onembed, Integer ostride, Integer odist, Integer batch, Shape &shape) {
  if (rank < 1 || rank > 3 || !n)
    return CUFFT_INVALID_VALUE;
  for (int i = 0; i < rank; ++i)
    if (n[i] < 1)
      return CUFFT_INVALID_SIZE;
  if (batch < 1)
    return CUFFT_INVALID_SIZE;
  shape.sizes.assign(n, n + rank);
  shape.batch = batch;
  if (!inembed || !onembed) // the basic layout, whatever the strides
    return CUFFT_SUCCESS;
  if (istride < 1 || ostride < 1 || idist < 0 || odist < 0)
    return CUFFT_INVALID_VALUE;
  for (int i = 1; i < rank; ++i)
    if (inembed[i] < 1 || onembed[i] < 1)
      return CUFFT_INVALID_VALUE;
  shape.in = {{inembed, inembed + rank}, istride, idist};
  shape.out = {{onembed, onembed + rank}, ostride, odist};
  return CUFFT_SUCCESS;
}

std::unique_ptr<CufftPlan> compiled(const Shape &shape) {
  return std::make_unique<CufftPlan>(targetOfDevice(), shape.kind, shape.number, shape.sizes, shape.in, shape.out,
                                     shape.batch);
}

cufftResult make(cufftHandle number, const Shape &shape, size_t *workSize) {
  return with(number, [&](Handle &handle) {
    if (handle.plan)
      return CUFFT_INVALID_PLAN; // it is made once
    std::unique_ptr<CufftPlan> plan = compiled(shape);
    if (handle.allocates) {
      handle.ownArea = std::make_unique<Scratch>(targetOfDevice(), plan->size());
      handle.workArea = handle.ownArea->data();
    }
    if (workSize)
      *workSize = size_t(plan->size());
    handle.plan = std::move(plan);
    return CUFFT_SUCCESS;
  });
}

/// The size of what was compiled, for sizes that another call compiles again, and finds.
cufftResult sizeOf(cufftHandle number, const Shape &shape, size_t *workSize) {
  if (!workSize)
    return CUFFT_INVALID_VALUE;
  return with(number, [&](Handle &) {
    *workSize = size_t(compiled(shape)->size());
    return CUFFT_SUCCESS;
  });
}

/// Before any code is there: the arrays' bytes.
cufftResult estimate(const Shape &shape, size_t *workSize) {
  if (!workSize)
    return CUFFT_INVALID_VALUE;
  size_t bytes = (shape.number == Number::Double ? 16 : 8) * size_t(shape.batch);
  for (int64_t size : shape.sizes)
    bytes *= size_t(size);
  *workSize = bytes;
  return CUFFT_SUCCESS;
}

/// The calls that make a plan, ask for its size, or estimate it, have their arguments in common: `then` goes on with
/// them.
template <typename Then> cufftResult dense(std::vector<int> sizes, int type, int batch, Then then) {
  Shape shape;
  if (cufftResult wrong = setType(type, shape))
    return wrong;
  if (cufftResult wrong = setSizes<int>(int(sizes.size()), sizes.data(), nullptr, 1, 0, nullptr, 1, 0, batch, shape))
    return wrong;
  return then(shape);
}

template <typename Integer, typename Then>
cufftResult many(int rank, const Integer *n, const Integer *inembed, Integer istride, Integer idist,
                 const Integer *onembed, Integer ostride, Integer odist, int type, Integer batch, Then then) {
  Shape shape;
  if (cufftResult wrong = setType(type, shape))
    return wrong;
  if (cufftResult wrong = setSizes(rank, n, inembed, istride, idist, onembed, ostride, odist, batch, shape))
    return wrong;
  return then(shape);
}

template <typename Then>
cufftResult typed(int rank, const long long *n, const long long *inembed, long long istride, long long idist, int in,
                  const long long *onembed, long long ostride, long long odist, int out, long long batch, int execution,
                  Then then) {
  Shape shape;
  if (cufftResult wrong = setTypes(in, out, execution, shape))
    return wrong;
  if (cufftResult wrong = setSizes(rank, n, inembed, istride, idist, onembed, ostride, odist, batch, shape))
    return wrong;
  return then(shape);
}

auto making(cufftHandle plan, size_t *workSize) {
  return [=](const Shape &shape) { return make(plan, shape, workSize); };
}
auto sizing(cufftHandle plan, size_t *workSize) {
  return [=](const Shape &shape) { return sizeOf(plan, shape, workSize); };
}
auto estimating(size_t *workSize) {
  return [=](const Shape &shape) { return estimate(shape, workSize); };
}

/// A new handle, and a plan for it; none when that fails.
template <typename Make> cufftResult create(cufftHandle *plan, Make makePlan) {
  if (!plan)
    return CUFFT_INVALID_VALUE;
  const cufftHandle number = handles().add(std::make_shared<Handle>());
  if (cufftResult wrong = makePlan(number)) {
    handles().remove(number);
    return wrong;
  }
  *plan = number;
  return CUFFT_SUCCESS;
}

/// `accepts`: whether the plan is of the call's kind.
template <typename Accepts> cufftResult run(cufftHandle number, void *in, void *out, int direction, Accepts accepts) {
  return with(
      number,
      [&](Handle &handle) {
        if (!handle.plan)
          return CUFFT_INVALID_PLAN;
        if (!accepts(*handle.plan))
          return CUFFT_INVALID_TYPE;
        if (!in || !out || (direction != forwardDirection && direction != inverseDirection))
          return CUFFT_INVALID_VALUE;
        if (!handle.workArea && handle.plan->size())
          return CUFFT_NO_WORKSPACE;
        handle.plan->run(in, out, direction == forwardDirection, handle.workArea, handle.stream);
        return CUFFT_SUCCESS;
      },
      CUFFT_EXEC_FAILED);
}

cufftResult run(cufftHandle number, void *in, void *out, int direction, Kind kind, Number precision) {
  return run(number, in, out, direction,
             [=](const CufftPlan &plan) { return plan.kind == kind && plan.number == precision; });
}

} // namespace

extern "C" {

// Plans.

cufftResult cufftCreate(cufftHandle *plan) {
  return create(plan, [](cufftHandle) { return CUFFT_SUCCESS; });
}
cufftResult cufftDestroy(cufftHandle plan) { return handles().remove(plan) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult cufftMakePlan1d(cufftHandle plan, int nx, int type, int batch, size_t *workSize) {
  return dense({nx}, type, batch, making(plan, workSize));
}
cufftResult cufftMakePlan2d(cufftHandle plan, int nx, int ny, int type, size_t *workSize) {
  return dense({nx, ny}, type, 1, making(plan, workSize));
}
cufftResult cufftMakePlan3d(cufftHandle plan, int nx, int ny, int nz, int type, size_t *workSize) {
  return dense({nx, ny, nz}, type, 1, making(plan, workSize));
}
cufftResult cufftMakePlanMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                              int ostride, int odist, int type, int batch, size_t *workSize) {
  return many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, making(plan, workSize));
}
cufftResult cufftMakePlanMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, long long *onembed, long long ostride, long long odist, int type,
                                long long batch, size_t *workSize) {
  return many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, making(plan, workSize));
}
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, int inputtype, long long *onembed, long long ostride, long long odist,
                                int outputtype, long long batch, size_t *workSize, int executiontype) {
  return typed(rank, n, inembed, istride, idist, inputtype, onembed, ostride, odist, outputtype, batch, executiontype,
               making(plan, workSize));
}

cufftResult cufftPlan1d(cufftHandle *plan, int nx, int type, int batch) {
  return create(plan, [=](cufftHandle own) { return cufftMakePlan1d(own, nx, type, batch, nullptr); });
}
cufftResult cufftPlan2d(cufftHandle *plan, int nx, int ny, int type) {
  return create(plan, [=](cufftHandle own) { return cufftMakePlan2d(own, nx, ny, type, nullptr); });
}
cufftResult cufftPlan3d(cufftHandle *plan, int nx, int ny, int nz, int type) {
  return create(plan, [=](cufftHandle own) { return cufftMakePlan3d(own, nx, ny, nz, type, nullptr); });
}
cufftResult cufftPlanMany(cufftHandle *plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                          int ostride, int odist, int type, int batch) {
  return create(plan, [=](cufftHandle own) {
    return cufftMakePlanMany(own, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, nullptr);
  });
}

// The work area.

cufftResult cufftEstimate1d(int nx, int type, int batch, size_t *workSize) {
  return dense({nx}, type, batch, estimating(workSize));
}
cufftResult cufftEstimate2d(int nx, int ny, int type, size_t *workSize) {
  return dense({nx, ny}, type, 1, estimating(workSize));
}
cufftResult cufftEstimate3d(int nx, int ny, int nz, int type, size_t *workSize) {
  return dense({nx, ny, nz}, type, 1, estimating(workSize));
}
cufftResult cufftEstimateMany(int rank, int *n, int *inembed, int istride, int idist, int *onembed, int ostride,
                              int odist, int type, int batch, size_t *workSize) {
  return many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, estimating(workSize));
}
cufftResult cufftGetSize1d(cufftHandle plan, int nx, int type, int batch, size_t *workSize) {
  return dense({nx}, type, batch, sizing(plan, workSize));
}
cufftResult cufftGetSize2d(cufftHandle plan, int nx, int ny, int type, size_t *workSize) {
  return dense({nx, ny}, type, 1, sizing(plan, workSize));
}
cufftResult cufftGetSize3d(cufftHandle plan, int nx, int ny, int nz, int type, size_t *workSize) {
  return dense({nx, ny, nz}, type, 1, sizing(plan, workSize));
}
cufftResult cufftGetSizeMany(cufftHandle plan, int rank, int *n, int *inembed, int istride, int idist, int *onembed,
                             int ostride, int odist, int type, int batch, size_t *workSize) {
  return many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, sizing(plan, workSize));
}
cufftResult cufftGetSizeMany64(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, long long *onembed, long long ostride, long long odist, int type,
                               long long batch, size_t *workSize) {
  return many(rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, sizing(plan, workSize));
}
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, int inputtype, long long *onembed, long long ostride, long long odist,
                               int outputtype, long long batch, size_t *workSize, int executiontype) {
  return typed(rank, n, inembed, istride, idist, inputtype, onembed, ostride, odist, outputtype, batch, executiontype,
               sizing(plan, workSize));
}
cufftResult cufftGetSize(cufftHandle plan, size_t *workSize) {
  return with(plan, [&](Handle &handle) {
    if (!workSize)
      return CUFFT_INVALID_VALUE;
    if (!handle.plan)
      return CUFFT_INVALID_PLAN;
    *workSize = size_t(handle.plan->size());
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftSetWorkArea(cufftHandle plan, void *workArea) {
  return with(plan, [&](Handle &handle) {
    handle.ownArea.reset();
    handle.workArea = workArea;
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftSetAutoAllocation(cufftHandle plan, int autoAllocate) {
  return with(plan, [&](Handle &handle) {
    if (handle.plan)
      return CUFFT_INVALID_PLAN; // it is too late
    handle.allocates = autoAllocate != 0;
    return CUFFT_SUCCESS;
  });
}
/// 0, the least, and 2, the fastest, work area are one; 1, a limit, is not there.
cufftResult cufftXtSetWorkAreaPolicy(cufftHandle plan, int policy, size_t *) {
  return with(plan, [&](Handle &) { return policy == 0 || policy == 2 ? CUFFT_SUCCESS : CUFFT_NOT_IMPLEMENTED; });
}

// Execution.

cufftResult cufftSetStream(cufftHandle plan, void *stream) {
  return with(plan, [&](Handle &handle) {
    handle.stream = stream;
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftExecC2C(cufftHandle plan, void *in, void *out, int direction) {
  return run(plan, in, out, direction, Kind::ComplexToComplex, Number::Single);
}
cufftResult cufftExecZ2Z(cufftHandle plan, void *in, void *out, int direction) {
  return run(plan, in, out, direction, Kind::ComplexToComplex, Number::Double);
}
cufftResult cufftExecR2C(cufftHandle plan, void *in, void *out) {
  return run(plan, in, out, forwardDirection, Kind::RealToComplex, Number::Single);
}
cufftResult cufftExecD2Z(cufftHandle plan, void *in, void *out) {
  return run(plan, in, out, forwardDirection, Kind::RealToComplex, Number::Double);
}
cufftResult cufftExecC2R(cufftHandle plan, void *in, void *out) {
  return run(plan, in, out, inverseDirection, Kind::ComplexToReal, Number::Single);
}
cufftResult cufftExecZ2D(cufftHandle plan, void *in, void *out) {
  return run(plan, in, out, inverseDirection, Kind::ComplexToReal, Number::Double);
}
/// Of real values the direction is the plan's, whatever is said.
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction) {
  return run(plan, in, out, direction, [](const CufftPlan &) { return true; });
}

// What it is.

cufftResult cufftGetVersion(int *version) {
  if (!version)
    return CUFFT_INVALID_VALUE;
  *version = 1000 * reportedVersion[0] + 100 * reportedVersion[1] + reportedVersion[2];
  return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(int type, int *value) {
  if (!value || type < 0 || type > 2)
    return CUFFT_INVALID_VALUE;
  *value = reportedVersion[type];
  return CUFFT_SUCCESS;
}

/// What is said about compiling is kept, and changes nothing.
cufftResult cufftSetPlanPropertyInt64(cufftHandle plan, int property, long long value) {
  return with(plan, [&](Handle &handle) {
    if (handle.plan)
      return CUFFT_INVALID_PLAN;
    if (property != PatientJit && property != MaxNumHostThreads)
      return CUFFT_NOT_SUPPORTED;
    handle.properties[property] = value;
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftGetPlanPropertyInt64(cufftHandle plan, int property, long long *value) {
  return with(plan, [&](Handle &handle) {
    if (!value)
      return CUFFT_INVALID_VALUE;
    if (property != PatientJit && property != MaxNumHostThreads)
      return CUFFT_NOT_SUPPORTED;
    auto found = handle.properties.find(property);
    *value = found == handle.properties.end() ? 0 : found->second;
    return CUFFT_SUCCESS;
  });
}
cufftResult cufftResetPlanProperty(cufftHandle plan, int property) {
  return with(plan, [&](Handle &handle) {
    if (handle.plan)
      return CUFFT_INVALID_PLAN;
    handle.properties.erase(property);
    return CUFFT_SUCCESS;
  });
}

// Several GPUs, callbacks, and asking what a plan does are not here. One GPU is what plans are for anyway.

cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *) {
  return with(plan, [&](Handle &) { return count == 1 ? CUFFT_SUCCESS : CUFFT_NOT_IMPLEMENTED; });
}
cufftResult cufftXtMalloc(cufftHandle, void **, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtMemcpy(cufftHandle, void *, void *, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtFree(void *) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtSetWorkArea(cufftHandle plan, void **workArea) {
  return workArea ? cufftSetWorkArea(plan, workArea[0]) : CUFFT_INVALID_VALUE;
}
cufftResult cufftXtExecDescriptor(cufftHandle, void *, void *, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorC2C(cufftHandle, void *, void *, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorR2C(cufftHandle, void *, void *) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorC2R(cufftHandle, void *, void *) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle, void *, void *, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorD2Z(cufftHandle, void *, void *) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtExecDescriptorZ2D(cufftHandle, void *, void *) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtQueryPlan(cufftHandle, void *, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtSetCallback(cufftHandle, void **, int, void **) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtClearCallback(cufftHandle, int) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtSetCallbackSharedSize(cufftHandle, int, size_t) { return CUFFT_NOT_IMPLEMENTED; }
cufftResult cufftXtSetJITCallback(cufftHandle, const char *, const void *, size_t, int, void **) {
  return CUFFT_NOT_IMPLEMENTED;
}

} // extern "C"
