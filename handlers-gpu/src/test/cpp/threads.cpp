#include "threads.h"

#include "host.h"
#include "kernels.h"

#include <setjmp.h>
#ifndef __x86_64__
#include <ucontext.h>
#endif

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

Index threadIdx, blockIdx, blockDim, gridDim;

std::map<std::string, Kernel> &kernels() {
    static std::map<std::string, Kernel> all;
    return all;
}

// ---- stacks ----

#ifdef __x86_64__
/** Leaves the stack pointer of the current stack at `from`, and continues on the other one. */
extern "C" void psf_switch_stacks(void **from, void *to);

__asm__(R"(
.text
.globl psf_switch_stacks
.hidden psf_switch_stacks
.type psf_switch_stacks, @function
psf_switch_stacks:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size psf_switch_stacks, .-psf_switch_stacks
)");
#endif

namespace {

const size_t STACK = 64 << 10;

/** A stack on which a function runs. It continues and is left by one scheduler. */
class Fiber {
public:
    void prepare(char *stack, void (*start)()) {
#ifdef __x86_64__
        void **top = (void **)(((uintptr_t)stack + STACK) & ~(uintptr_t)15);
        *--top = nullptr; // the function never returns
        *--top = (void *)start;
        for (int i = 0; i < 6; i++) {
            *--top = nullptr;
        }
        pointer = top;
#else
        getcontext(&context);
        context.uc_stack.ss_sp = stack;
        context.uc_stack.ss_size = STACK;
        context.uc_link = nullptr;
        makecontext(&context, start, 0);
#endif
    }

    void resume() {
#ifdef __x86_64__
        psf_switch_stacks(&scheduler, pointer);
#else
        swapcontext(&scheduler, &context);
#endif
    }

    void pause() {
#ifdef __x86_64__
        psf_switch_stacks(&pointer, scheduler);
#else
        swapcontext(&context, &scheduler);
#endif
    }

private:
#ifdef __x86_64__
    void *pointer;
    static void *scheduler;
#else
    ucontext_t context;
    static ucontext_t scheduler;
#endif
};

#ifdef __x86_64__
void *Fiber::scheduler;
#else
ucontext_t Fiber::scheduler;
#endif

// ---- threads ----

/** What the threads of a warp exchange. */
struct Warp {
    unsigned arrived = 0;
    uint64_t generation = 0;
    uint64_t given[32];
    uint64_t taken[32];
};

class Threads {
public:
    static Threads *running;

    Threads(const std::function<void()> &body, unsigned first, unsigned n, Order order, uint64_t seed)
        : body(body), first(first), order(order), random(seed), all(n), active(n / blockDim.x, blockDim.x) {
        std::vector<unsigned> sequence(n);
        std::iota(sequence.begin(), sequence.end(), 0u);
        if (order == BACKWARD) {
            std::reverse(sequence.begin(), sequence.end());
        } else if (order == SHUFFLED) {
            std::shuffle(sequence.begin(), sequence.end(), random);
        }
        ready.assign(sequence.begin(), sequence.end());
        static std::vector<std::unique_ptr<char[]>> stacks;
        while (stacks.size() < n) {
            stacks.emplace_back(new char[STACK]);
        }
        for (unsigned i = 0; i < n; i++) {
            all[i].fiber.prepare(stacks[i].get(), start);
        }
    }

    bool run() {
        running = this;
        bool ended = sigsetjmp(failed, 1) == 0;
        if (ended) {
            schedule();
        }
        running = nullptr;
        return ended;
    }

    void yield() {
        if (order == INTERLEAVED && random() % 2 == 0) {
            pause(READY);
        }
    }

    void barrier() {
        pause(WAITING);
    }

    const uint64_t *exchange(unsigned mask, uint64_t given) {
        unsigned lane = threadIdx.x % 32;
        Warp &warp = warps[blockIdx.x * 32 + threadIdx.x / 32]; // a block has at most 32
        uint64_t generation = warp.generation;
        warp.given[lane] = given;
        warp.arrived |= 1u << lane;
        if ((warp.arrived & mask) == mask) {
            std::copy(warp.given, warp.given + 32, warp.taken);
            warp.arrived &= ~mask;
            warp.generation++;
        }
        for (int turns = 0; warp.generation == generation; turns++) {
            if (turns == MOST_TURNS) {
                threadsFailed();
            }
            pause(READY);
        }
        // The next exchange overwrites it when all lanes have arrived there: each has a copy of its own.
        Thread &own = all[current];
        std::copy(warp.taken, warp.taken + 32, own.taken);
        return own.taken;
    }

    [[noreturn]] void fail() {
        siglongjmp(failed, 1);
    }

private:
    enum State { READY, WAITING, ENDED };

    static const int MOST_TURNS = 1000000;

    struct Thread {
        Fiber fiber;
        State state = READY;
        uint64_t taken[32];
    };

    static void start() {
        running->body();
        running->pause(ENDED);
    }

    void pause(State state) {
        Thread &thread = all[current];
        thread.state = state;
        thread.fiber.pause();
    }

    void schedule() {
        while (!ready.empty()) {
            if (order == INTERLEAVED) {
                std::swap(ready[random() % ready.size()], ready.front());
            }
            current = ready.front();
            ready.pop_front();
            unsigned number = first + current;
            blockIdx.x = number / blockDim.x;
            threadIdx.x = number % blockDim.x;
            all[current].fiber.resume();
            if (all[current].state == READY) {
                ready.push_back(current);
            } else if (--active[current / blockDim.x] == 0) {
                releaseBlock(current / blockDim.x);
            }
        }
    }

    /** Continues the threads of a block all of which wait or have ended. */
    void releaseBlock(unsigned block) {
        for (unsigned i = 0; i < blockDim.x; i++) {
            unsigned thread = block * blockDim.x + (order == BACKWARD ? blockDim.x - 1 - i : i);
            if (all[thread].state == WAITING) {
                all[thread].state = READY;
                ready.push_back(thread);
                active[block]++;
            }
        }
    }

    const std::function<void()> &body;
    const unsigned first;
    const Order order;
    std::mt19937_64 random;
    std::vector<Thread> all;
    /** The number of threads that are ready, by block. */
    std::vector<unsigned> active;
    std::deque<unsigned> ready;
    std::map<unsigned, Warp> warps;
    unsigned current = 0;
    sigjmp_buf failed;
};

Threads *Threads::running = nullptr;

} // namespace

bool runThreads(const std::function<void()> &body, unsigned first, unsigned n, Order order, uint64_t seed) {
    return std::make_unique<Threads>(body, first, n, order, seed)->run();
}

void threadsFailed() {
    Threads::running->fail();
}

void yield() {
    Threads::running->yield();
}

void __syncthreads() {
    Threads::running->barrier();
}

const uint64_t *exchange(unsigned mask, uint64_t given) {
    return Threads::running->exchange(mask, given);
}
