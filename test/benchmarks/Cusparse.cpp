#include "Cusparse.h"
#include <cusparse.h>
#include <limits>

namespace gpucheck {
namespace {

template <class T> struct Routines;
template <> struct Routines<float> {
  static constexpr auto *oneBytes = cusparseSgtsv2_bufferSizeExt, *noPivotBytes = cusparseSgtsv2_nopivot_bufferSizeExt;
  static constexpr auto *one = cusparseSgtsv2, *noPivot = cusparseSgtsv2_nopivot;
  static constexpr auto *stridedBytes = cusparseSgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto *strided = cusparseSgtsv2StridedBatch;
  static constexpr auto *interleavedBytes = cusparseSgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto *interleaved = cusparseSgtsvInterleavedBatch;
};
template <> struct Routines<double> {
  static constexpr auto *oneBytes = cusparseDgtsv2_bufferSizeExt, *noPivotBytes = cusparseDgtsv2_nopivot_bufferSizeExt;
  static constexpr auto *one = cusparseDgtsv2, *noPivot = cusparseDgtsv2_nopivot;
  static constexpr auto *stridedBytes = cusparseDgtsv2StridedBatch_bufferSizeExt;
  static constexpr auto *strided = cusparseDgtsv2StridedBatch;
  static constexpr auto *interleavedBytes = cusparseDgtsvInterleavedBatch_bufferSizeExt;
  static constexpr auto *interleaved = cusparseDgtsvInterleavedBatch;
};

void require(cusparseStatus_t status, const char *routine) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw CudaError(std::string("cuSPARSE's ") + routine + ": " + cusparseGetErrorString(status));
}

int toInt(size_t number) {
  if (number > size_t(std::numeric_limits<int>::max()))
    throw CudaError("cuSPARSE takes sizes below 2^31");
  return int(number);
}

class Handle {
public:
  Handle() { require(cusparseCreate(&handle), "cusparseCreate"); }
  ~Handle() { cusparseDestroy(handle); }
  Handle(const Handle &) = delete;
  Handle &operator=(const Handle &) = delete;
  cusparseHandle_t on(cudaStream_t stream) const {
    require(cusparseSetStream(handle, stream), "cusparseSetStream");
    return handle;
  }

private:
  cusparseHandle_t handle = nullptr;
};

template <class T> class Typed : public CusparseSolver {
protected:
  Typed(size_t rows, size_t systems) : rows(toInt(rows)), systems(toInt(systems)) {}
  static T *of(void *array) { return static_cast<T *>(array); }
  /// An array for questions that do not look into it.
  T *any() const { return placeholder.as<T>(); }
  void allocate(size_t bytes) { buffer = std::make_unique<Buffer>(bytes); }

  Handle handle;
  int rows, systems;
  Buffer placeholder{256};
  std::unique_ptr<Buffer> buffer;
};

template <class T> class One : public Typed<T> {
public:
  One(size_t rows, bool pivoting) : Typed<T>(rows, 1), pivoting(pivoting) {
    size_t bytes = 0;
    require((pivoting ? Routines<T>::oneBytes
                      : Routines<T>::noPivotBytes)(this->handle.on(nullptr), this->rows, this->systems, this->any(),
                                                   this->any(), this->any(), this->any(), this->rows, &bytes),
            "buffer for gtsv2");
    this->allocate(bytes);
  }
  std::string name() const override { return pivoting ? "gtsv2" : "gtsv2_nopivot"; }
  std::vector<bool> overwrites() const override { return {false, false, false, true}; }
  void run(void *a, void *b, void *c, void *d, cudaStream_t stream) override {
    require((pivoting ? Routines<T>::one : Routines<T>::noPivot)(this->handle.on(stream), this->rows, this->systems,
                                                                 this->of(a), this->of(b), this->of(c), this->of(d),
                                                                 this->rows, this->buffer->data()),
            "gtsv2");
  }

private:
  bool pivoting;
};

template <class T> class Strided : public Typed<T> {
public:
  Strided(size_t rows, size_t systems) : Typed<T>(rows, systems) {
    size_t bytes = 0;
    require(Routines<T>::stridedBytes(this->handle.on(nullptr), this->rows, this->any(), this->any(), this->any(),
                                      this->any(), this->systems, this->rows, &bytes),
            "buffer for gtsv2StridedBatch");
    this->allocate(bytes);
  }
  std::string name() const override { return "gtsv2StridedBatch"; }
  std::vector<bool> overwrites() const override { return {false, false, false, true}; }
  void run(void *a, void *b, void *c, void *d, cudaStream_t stream) override {
    require(Routines<T>::strided(this->handle.on(stream), this->rows, this->of(a), this->of(b), this->of(c),
                                 this->of(d), this->systems, this->rows, this->buffer->data()),
            "gtsv2StridedBatch");
  }
};

enum class Elimination { Thomas = 0, LU = 1, QR = 2 }; // cuSPARSE's numbers

template <class T> class Interleaved : public Typed<T> {
public:
  Interleaved(size_t rows, size_t systems, Elimination elimination)
      : Typed<T>(rows, systems), elimination(elimination) {
    size_t bytes = 0;
    require(Routines<T>::interleavedBytes(this->handle.on(nullptr), int(elimination), this->rows, this->any(),
                                          this->any(), this->any(), this->any(), this->systems, &bytes),
            "buffer for gtsvInterleavedBatch");
    this->allocate(bytes);
  }
  std::string name() const override {
    static const char *const names[] = {"Thomas", "LU", "QR"};
    return std::string("gtsvInterleavedBatch ") + names[int(elimination)];
  }
  std::vector<bool> overwrites() const override { return {true, true, true, true}; }
  void run(void *a, void *b, void *c, void *d, cudaStream_t stream) override {
    require(Routines<T>::interleaved(this->handle.on(stream), int(elimination), this->rows, this->of(a), this->of(b),
                                     this->of(c), this->of(d), this->systems, this->buffer->data()),
            "gtsvInterleavedBatch");
  }

private:
  Elimination elimination;
};

using Solvers = std::vector<std::unique_ptr<CusparseSolver>>;

template <template <class> class Solver, class... Arguments>
std::unique_ptr<CusparseSolver> make(Real real, Arguments... arguments) {
  if (real == Real::F32)
    return std::make_unique<Solver<float>>(arguments...);
  return std::make_unique<Solver<double>>(arguments...);
}

} // namespace

Solvers solversOfOne(Real real, size_t rows) {
  Solvers solvers;
  for (bool pivoting : {false, true})
    solvers.push_back(make<One>(real, rows, pivoting));
  return solvers;
}

Solvers solversOfStrided(Real real, size_t rows, size_t systems) {
  Solvers solvers;
  solvers.push_back(make<Strided>(real, rows, systems));
  return solvers;
}

Solvers solversOfInterleaved(Real real, size_t rows, size_t systems) {
  Solvers solvers;
  for (Elimination elimination : {Elimination::Thomas, Elimination::LU, Elimination::QR})
    solvers.push_back(make<Interleaved>(real, rows, systems, elimination));
  return solvers;
}

} // namespace gpucheck
