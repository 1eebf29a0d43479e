// Executes the kernels of psf.cu on the host. Commands are read from standard input, answers are written to standard
// output, both in the byte order of the host:
//
//   'a' int64 bytes                           allocates zeros; answers int64 address
//   'w' int64 address, int64 n, n bytes       writes memory
//   'r' int64 address, int64 n                reads memory; answers n bytes
//   'l' string kernel, string types, int64 bits per argument, int32 blocks, int32 threads, int32 order, int64 seed
//                                             launches a kernel; answers string, which is empty or an error
//
// A string is an int32 length and its bytes. The letters of types: i int, l an integer of 64 bits or an address, f float,
// d double.

#include "host.h"

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

Index threadIdx, blockIdx, blockDim, gridDim;

#include "../../main/cuda/psf.cu"

// ---- orders of threads ----

enum Order { FORWARD, BACKWARD, SHUFFLED, INTERLEAVED };

namespace {

using Body = std::function<void()>;

struct Failure {
    std::string text;
};

void enter(unsigned thread) {
    blockIdx.x = thread / blockDim.x;
    threadIdx.x = thread % blockDim.x;
}

/** Threads with a stack of their own. */
class Interleaving {
public:
    Interleaving(unsigned threads, const Body &body, uint64_t seed) : body(body), random(seed), all(threads) {}

    void run() {
        for (unsigned i = 0; i < all.size(); i++) {
            all[i].stack.reset(new char[STACK]);
            getcontext(&all[i].context);
            all[i].context.uc_stack.ss_sp = all[i].stack.get();
            all[i].context.uc_stack.ss_size = STACK;
            all[i].context.uc_link = &scheduler;
            makecontext(&all[i].context, start, 0);
            ready.push_back(i);
        }
        while (!ready.empty()) {
            unsigned at = (unsigned)(random() % ready.size());
            current = ready[at];
            enter(current);
            swapcontext(&scheduler, &all[current].context);
            if (all[current].state != READY) {
                ready[at] = ready.back();
                ready.pop_back();
                releaseBlock(current / blockDim.x);
            }
        }
    }

    void yield() {
        if (random() % 2 == 0) {
            pause(READY);
        }
    }

    void barrier() {
        pause(WAITING);
    }

    static Interleaving *running;

private:
    static const size_t STACK = 64 << 10;

    enum State { READY, WAITING, ENDED };

    struct Thread {
        ucontext_t context;
        std::unique_ptr<char[]> stack;
        State state = READY;
    };

    static void start() {
        running->body();
        running->all[running->current].state = ENDED;
    }

    void pause(State state) {
        unsigned thread = current;
        all[thread].state = state;
        swapcontext(&all[thread].context, &scheduler);
    }

    /** Continues the threads of a block if all of them wait. */
    void releaseBlock(unsigned block) {
        unsigned first = block * blockDim.x;
        unsigned end = first + blockDim.x;
        for (unsigned i = first; i < end; i++) {
            if (all[i].state == READY) {
                return;
            }
        }
        for (unsigned i = first; i < end; i++) {
            if (all[i].state == WAITING) {
                all[i].state = READY;
                ready.push_back(i);
            }
        }
    }

    const Body &body;
    std::mt19937_64 random;
    std::vector<Thread> all;
    std::vector<unsigned> ready;
    unsigned current = 0;
    ucontext_t scheduler;
};

Interleaving *Interleaving::running = nullptr;

void runThreads(const Body &body, Order order, uint64_t seed) {
    unsigned threads = gridDim.x * blockDim.x;
    if (order == INTERLEAVED) {
        Interleaving interleaving(threads, body, seed);
        Interleaving::running = &interleaving;
        interleaving.run();
        Interleaving::running = nullptr;
        return;
    }
    std::vector<unsigned> sequence(threads);
    std::iota(sequence.begin(), sequence.end(), 0u);
    if (order == BACKWARD) {
        std::reverse(sequence.begin(), sequence.end());
    } else if (order == SHUFFLED) {
        std::mt19937_64 random(seed);
        std::shuffle(sequence.begin(), sequence.end(), random);
    }
    for (unsigned thread : sequence) {
        enter(thread);
        body();
    }
}

} // namespace

void yield() {
    if (Interleaving::running) {
        Interleaving::running->yield();
    }
}

void __syncthreads() {
    if (Interleaving::running) {
        Interleaving::running->barrier();
    } else if (blockDim.x > 1) {
        throw Failure{"a barrier of a block with several threads (expected: one thread a block, or INTERLEAVED)"};
    }
}

// ---- kernels by name ----

namespace {

template <class T>
struct Letter {
    static const char value = 'l';
};
template <>
struct Letter<int> {
    static const char value = 'i';
};
template <>
struct Letter<float> {
    static const char value = 'f';
};
template <>
struct Letter<double> {
    static const char value = 'd';
};

template <class T>
T argument(const int64_t *bits) {
    T value;
    memcpy(&value, bits, sizeof value);
    return value;
}

struct Kernel {
    std::string types;
    std::function<void(const int64_t *)> call;
};

template <class... P, size_t... I>
Kernel kernel(void (*function)(P...), std::index_sequence<I...>) {
    return {std::string{Letter<P>::value...}, [=](const int64_t *bits) { function(argument<P>(bits + I)...); }};
}

template <class... P>
Kernel kernel(void (*function)(P...)) {
    return kernel(function, std::index_sequence_for<P...>());
}

#define NAMED(name) {#name, kernel(name)}
#define RULE(rule) NAMED(psf_##rule##_all), NAMED(psf_##rule##_rows), NAMED(psf_##rule##_rest)

const std::map<std::string, Kernel> kernels = {
    NAMED(psf_fill), NAMED(psf_rows_in_range), NAMED(psf_check), NAMED(psf_find),
    NAMED(psf_find_or_insert), NAMED(psf_resolve), NAMED(psf_index), NAMED(psf_remove), NAMED(psf_move_keys),
    NAMED(psf_move_rows), NAMED(psf_pull_range), NAMED(psf_pull_index), NAMED(psf_pull_missing), NAMED(psf_end), NAMED(psf_scatter), NAMED(psf_count), NAMED(psf_mark), RULE(add),
    RULE(assign), RULE(sgd), RULE(momentum), RULE(nesterov), RULE(adagrad), RULE(adam),
    RULE(rmsprop), RULE(adadelta), RULE(adamw), RULE(lazyadam), RULE(ftrl), RULE(rowadagrad), RULE(lamb),
    NAMED(psf_add_squares_all), NAMED(psf_add_squares_rows), NAMED(psf_squared_norm),
    NAMED(psf_lamb_sums_all), NAMED(psf_lamb_sums_rows), NAMED(psf_add_up)};

// ---- memory ----

/** The bytes before and behind a buffer, which no kernel may change. */
const size_t GUARD = 256;
const unsigned char GUARD_BYTE = 0xA5;

struct Buffer {
    unsigned char *bytes;
    size_t n;
};

std::vector<Buffer> buffers;

int64_t allocate(size_t n) {
    size_t padded = (n + 2 * GUARD + 255) & ~(size_t)255;
    auto *bytes = (unsigned char *)std::aligned_alloc(256, padded);
    memset(bytes, GUARD_BYTE, padded);
    memset(bytes + GUARD, 0, n);
    buffers.push_back({bytes, n});
    return (int64_t)(bytes + GUARD);
}

void checkGuards(const std::string &name) {
    for (const Buffer &buffer : buffers) {
        for (size_t i = 0; i < GUARD; i++) {
            if (buffer.bytes[i] != GUARD_BYTE || buffer.bytes[GUARD + buffer.n + i] != GUARD_BYTE) {
                throw Failure{name + " has written outside a buffer of " + std::to_string(buffer.n) + " bytes"};
            }
        }
    }
}

// ---- commands ----

bool readAll(void *into, size_t n) {
    return fread(into, 1, n, stdin) == n;
}

template <class T>
T read() {
    T value;
    if (!readAll(&value, sizeof value)) {
        exit(1);
    }
    return value;
}

std::string readString() {
    std::string text(read<int32_t>(), ' ');
    if (!readAll(&text[0], text.size())) {
        exit(1);
    }
    return text;
}

template <class T>
void write(T value) {
    fwrite(&value, sizeof value, 1, stdout);
}

std::string launch() {
    std::string name = readString();
    std::string types = readString();
    std::vector<int64_t> bits(types.size());
    for (int64_t &each : bits) {
        each = read<int64_t>();
    }
    gridDim.x = read<int32_t>();
    blockDim.x = read<int32_t>();
    auto order = (Order)read<int32_t>();
    auto seed = read<int64_t>();
    auto found = kernels.find(name);
    if (found == kernels.end()) {
        return "no kernel " + name;
    }
    if (types != found->second.types) {
        return "arguments of " + name + ": " + types + " (expected: " + found->second.types + ")";
    }
    try {
        runThreads([&] { found->second.call(bits.data()); }, order, seed);
        checkGuards(name);
        return "";
    } catch (const Failure &failure) {
        return failure.text;
    }
}

} // namespace

int main() {
    for (int command; (command = getchar()) != EOF; fflush(stdout)) {
        if (command == 'a') {
            write(allocate(read<int64_t>()));
        } else if (command == 'w') {
            auto address = read<int64_t>();
            auto n = read<int64_t>();
            readAll((void *)address, n);
        } else if (command == 'r') {
            auto address = read<int64_t>();
            auto n = read<int64_t>();
            fwrite((void *)address, 1, n, stdout);
        } else if (command == 'l') {
            std::string error = launch();
            write((int32_t)error.size());
            fwrite(error.data(), 1, error.size(), stdout);
        } else {
            return 1;
        }
    }
    return 0;
}
