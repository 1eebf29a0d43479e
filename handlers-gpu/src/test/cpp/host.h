// CUDA C as C++: the declarations that psf.cu needs of a CUDA compiler, for one processor of the host.
//
// threads.h runs the threads of a grid: each has a stack of its own, and another one may run at a barrier. In the order
// INTERLEAVED another one may also run before and after each atomic operation.

#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(...)
/** One block runs after the other, unless its grid is INTERLEAVED by host.cpp, whose kernels have no such memory. */
#define __shared__ static

struct float2 {
    float x, y;
};

struct alignas(16) double2 {
    double x, y;
};

struct alignas(8) ushort4 {
    unsigned short x, y, z, w;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

struct Index {
    unsigned x;
    static const unsigned y = 0, z = 0;
};

extern Index threadIdx, blockIdx, blockDim, gridDim;

/** Another thread may run here. */
void yield();

void __syncthreads();

inline void __threadfence() {}

// ---- warps ----

const int warpSize = 32;

/** Waits for the threads of the warp that are in the mask. Returns what each of them has given, by lane. */
const uint64_t *exchange(unsigned mask, uint64_t given);

/** The lanes that run together: CUDA promises no more than the caller's own. */
inline unsigned __activemask() {
    return 1u << threadIdx.x % 32;
}

inline void __syncwarp(unsigned mask = ~0u) {
    exchange(mask, 0);
}

inline unsigned __ballot_sync(unsigned mask, int predicate) {
    const uint64_t *given = exchange(mask, predicate != 0);
    unsigned ballot = 0;
    for (int lane = 0; lane < 32; lane++) {
        ballot |= (mask >> lane & 1 && given[lane]) ? 1u << lane : 0;
    }
    return ballot;
}

inline int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}

inline int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) == mask;
}

template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
    static_assert(sizeof(T) <= sizeof(uint64_t), "values of at most 8 bytes");
    uint64_t given = 0;
    memcpy(&given, &value, sizeof value);
    int first = (int)(threadIdx.x % 32) / width * width;
    T taken;
    memcpy(&taken, &exchange(mask, given)[first + (lane & (width - 1))], sizeof taken);
    return taken;
}

/** As __shfl_sync, from a lane that may be beyond the segment: then the value is the thread's own. */
template <class T>
T shuffled(unsigned mask, T value, int lane, int width) {
    int own = (int)(threadIdx.x % 32);
    bool inside = lane >= own / width * width && lane < own / width * width + width;
    return __shfl_sync(mask, value, inside ? lane : own, width);
}

template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    return shuffled(mask, value, (int)(threadIdx.x % 32 + by), width);
}

template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    return shuffled(mask, value, (int)(threadIdx.x % 32) - (int)by, width);
}

template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
    return shuffled(mask, value, (int)(threadIdx.x % 32) ^ bits, width);
}

inline int __popc(unsigned bits) {
    return __builtin_popcount(bits);
}

inline int __ffs(int bits) {
    return __builtin_ffs(bits);
}

// ---- atomic operations ----

template <class T>
T atomicCAS(T *at, T expected, T value) {
    yield();
    T before = *at;
    if (before == expected) {
        *at = value;
    }
    yield();
    return before;
}

template <class T, class F>
T atomicUpdate(T *at, F update) {
    yield();
    T before = *at;
    *at = update(before);
    yield();
    return before;
}

inline int atomicAdd(int *at, int value) {
    return atomicUpdate(at, [=](int before) { return before + value; });
}

inline int atomicSub(int *at, int value) {
    return atomicUpdate(at, [=](int before) { return before - value; });
}

inline unsigned atomicOr(unsigned *at, unsigned value) {
    return atomicUpdate(at, [=](unsigned before) { return before | value; });
}

inline int atomicExch(int *at, int value) {
    return atomicUpdate(at, [=](int) { return value; });
}

inline int atomicMax(int *at, int value) {
    return atomicUpdate(at, [=](int before) { return before > value ? before : value; });
}

/** As min.f32 of PTX: the number if one argument is none, and -0 is less than 0. */
inline float leastOf(float a, float b) {
    return std::isnan(a) ? b : std::isnan(b) ? a : a < b || (a == b && std::signbit(a)) ? a : b;
}

inline float greatestOf(float a, float b) {
    return -leastOf(-a, -b);
}

#define fminf leastOf
#define fmaxf greatestOf
