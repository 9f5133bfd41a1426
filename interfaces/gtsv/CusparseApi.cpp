// cuSPARSE's solvers of tridiagonal systems: gtsv2, gtsv2_nopivot, gtsv2StridedBatch and gtsvInterleavedBatch. (NVIDIA,
// "cuSPARSE API Reference", CUDA 13.) All of them pivot, so that no system is solved wrongly. Handles are cuSPARSE's
// own: the stream is asked of it.
#include "interfaces/compiled/Failure.h"
#include "interfaces/compiled/Target.h"
#include "interfaces/gtsv/Systems.h"

#include <algorithm>
#include <dlfcn.h>
#include <new>

using namespace idc::interfaces;

namespace {

/// cusparseStatus_t
enum Status {
  Success = 0,
  NotInitialized = 1,
  AllocFailed = 2,
  InvalidValue = 3,
  ExecutionFailed = 6,
  InternalError = 7,
  NotSupported = 10
};

int statusOf(const Failure &failure) {
  switch (failure.status) {
  case IDC_ERROR_OUT_OF_MEMORY:
    return AllocFailed;
  case IDC_ERROR_NO_DRIVER:
  case IDC_ERROR_NO_DEVICE:
    return NotInitialized;
  case IDC_ERROR_INVALID_ARGUMENT:
    return InvalidValue;
  case IDC_ERROR_UNSUPPORTED:
  case IDC_ERROR_TOO_LARGE:
    return NotSupported;
  case IDC_ERROR_DRIVER:
    return ExecutionFailed;
  default:
    return InternalError;
  }
}

template <typename Body> int guarded(Body body) {
  try {
    return body();
  } catch (const Failure &failure) {
    return statusOf(failure);
  } catch (const std::bad_alloc &) {
    return AllocFailed;
  } catch (const std::exception &) {
    return InternalError;
  }
}

/// The stream of a handle of cuSPARSE's.
int streamOf(void *handle, void *&stream) {
  using Function = int (*)(void *, void **);
  static const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "cusparseGetStream"));
  return handle && function ? function(handle, &stream) : NotInitialized;
}

int sizeOf(void *handle, const SystemsShape &shape, size_t *size) {
  void *stream = nullptr;
  if (int status = streamOf(handle, stream))
    return status;
  if (!size)
    return InvalidValue;
  return guarded([&] {
    // Never 0: some callers allocate what they are told, and pass a null pointer on.
    *size = size_t(std::max<int64_t>(Systems::find(shape, targetOfDevice())->scratchBytes(), 256));
    return Success;
  });
}

int solve(void *handle, const SystemsShape &shape, const void *below, const void *main, const void *above, void *x,
          void *buffer) {
  void *stream = nullptr;
  if (int status = streamOf(handle, stream))
    return status;
  if (!below || !main || !above || !x || !buffer)
    return InvalidValue;
  return guarded([&] {
    auto input = [](const void *pointer) { return const_cast<void *>(pointer); };
    Systems::find(shape, targetOfDevice())->solve(input(below), input(main), input(above), x, nullptr, buffer, stream);
    return Success;
  });
}

struct Number {
  const char *name;
  int64_t bytes;
};
constexpr Number S{"f32", 4}, D{"f64", 8}, C{"complex<f32>", 8}, Z{"complex<f64>", 16};

SystemsShape several(Number number, int m, int n, int ldb) { return {number.name, number.bytes, m, n, 1, 0, ldb}; }
SystemsShape strided(Number number, int m, int count, int stride) {
  return {number.name, number.bytes, m, count, 1, stride, stride};
}
SystemsShape interleaved(Number number, int m, int count) { return {number.name, number.bytes, m, count, count, 1, 1}; }

/// The least systems of cuSPARSE's have three equations; ones of nothing are solved.
bool fits(int m, int n) { return m >= 3 && n >= 0; }

} // namespace

#define IDC_GTSV(NUMBER)                                                                                               \
  int cusparse##NUMBER##gtsv2_bufferSizeExt(void *handle, int m, int n, const void *, const void *, const void *,      \
                                            const void *, int ldb, size_t *size) {                                     \
    return fits(m, n) && ldb >= m ? sizeOf(handle, several(NUMBER, m, n, ldb), size) : InvalidValue;                   \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsv2(void *handle, int m, int n, const void *dl, const void *d, const void *du, void *B,      \
                              int ldb, void *buffer) {                                                                 \
    return fits(m, n) && ldb >= m ? solve(handle, several(NUMBER, m, n, ldb), dl, d, du, B, buffer) : InvalidValue;    \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsv2_nopivot_bufferSizeExt(void *handle, int m, int n, const void *dl, const void *d,         \
                                                    const void *du, const void *B, int ldb, size_t *size) {            \
    return cusparse##NUMBER##gtsv2_bufferSizeExt(handle, m, n, dl, d, du, B, ldb, size);                               \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsv2_nopivot(void *handle, int m, int n, const void *dl, const void *d, const void *du,       \
                                      void *B, int ldb, void *buffer) {                                                \
    return cusparse##NUMBER##gtsv2(handle, m, n, dl, d, du, B, ldb, buffer);                                           \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsv2StridedBatch_bufferSizeExt(void *handle, int m, const void *, const void *, const void *, \
                                                        const void *, int count, int stride, size_t *size) {           \
    return fits(m, count) && stride >= m ? sizeOf(handle, strided(NUMBER, m, count, stride), size) : InvalidValue;     \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsv2StridedBatch(void *handle, int m, const void *dl, const void *d, const void *du, void *x, \
                                          int count, int stride, void *buffer) {                                       \
    return fits(m, count) && stride >= m ? solve(handle, strided(NUMBER, m, count, stride), dl, d, du, x, buffer)      \
                                         : InvalidValue;                                                               \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsvInterleavedBatch_bufferSizeExt(void *handle, int algo, int m, const void *, const void *,  \
                                                           const void *, const void *, int count, size_t *size) {      \
    return fits(m, count) && algo >= 0 && algo <= 2 ? sizeOf(handle, interleaved(NUMBER, m, count), size)              \
                                                    : InvalidValue;                                                    \
  }                                                                                                                    \
  int cusparse##NUMBER##gtsvInterleavedBatch(void *handle, int algo, int m, void *dl, void *d, void *du, void *x,      \
                                             int count, void *buffer) {                                                \
    return fits(m, count) && algo >= 0 && algo <= 2                                                                    \
               ? solve(handle, interleaved(NUMBER, m, count), dl, d, du, x, buffer)                                    \
               : InvalidValue;                                                                                         \
  }

extern "C" {
IDC_GTSV(S)
IDC_GTSV(D)
IDC_GTSV(C)
IDC_GTSV(Z)
}
