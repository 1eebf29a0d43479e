// CUDA C as C++: the declarations that psf.cu needs of a CUDA compiler, for one processor of the host.
//
// Threads are functions that are called one after the other, in a chosen order. In the order INTERLEAVED each thread has
// a stack of its own, and another thread may run before and after each atomic operation.

#pragma once

#include <cmath>
#include <cstddef>

#define __global__
#define __device__
#define __noinline__

struct float2 {
    float x, y;
};

struct alignas(16) double2 {
    double x, y;
};

struct alignas(16) float4 {
    float x, y, z, w;
};

struct Index {
    unsigned x;
};

extern Index threadIdx, blockIdx, blockDim, gridDim;

/** Another thread may run here. */
void yield();

void __syncthreads();

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
