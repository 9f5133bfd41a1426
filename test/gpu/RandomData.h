// Random input, made on the GPU, and order-independent checksums of device memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>

namespace gpucheck {

/// Fills `count` (even) values with independent standard normal numbers. Value i depends on seed and i alone, so a
/// larger batch begins with the data of a smaller one.
void fillNormal(float *values, size_t count, uint64_t seed, cudaStream_t stream);
void fillNormal(double *values, size_t count, uint64_t seed, cudaStream_t stream);

/// Fills `count` values with independent numbers, uniform in [low, high].
void fillUniform(float *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream);
void fillUniform(double *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream);

/// Fills `count` values with independent uniform residues 0 .. modulus - 1.
void fillResidues(uint32_t *values, size_t count, uint32_t modulus, uint64_t seed, cudaStream_t stream);

/// A 64-bit sum over the words of [data, data + bytes), each hashed with its position: equal for equal memory whatever
/// the order of the additions. bytes is a multiple of 4. Waits for the stream.
uint64_t checksum(const void *data, size_t bytes, cudaStream_t stream);

} // namespace gpucheck
