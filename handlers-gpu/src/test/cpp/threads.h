// Runs the threads of a grid on one processor.

#pragma once

#include <cstdint>
#include <functional>

enum Order { FORWARD, BACKWARD, SHUFFLED, INTERLEAVED };

/**
 * Runs the threads from `first` on, whole blocks of the grid that gridDim and blockDim say.
 *
 * @return false if threadsFailed() was called: then the threads have not ended
 */
bool runThreads(const std::function<void()> &body, unsigned first, unsigned n, Order order, uint64_t seed);

/** Leaves runThreads. Called on the stack of a thread of the grid, also by a handler of signals. */
[[noreturn]] void threadsFailed();
