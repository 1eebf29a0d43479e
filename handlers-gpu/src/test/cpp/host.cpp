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
#include "kernels.h"
#include "threads.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

struct Failure {
    std::string text;
};

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
    auto found = kernels().find(name);
    if (found == kernels().end()) {
        return "no kernel " + name;
    }
    std::string expected;
    for (const Parameter &each : found->second.parameters) {
        expected += each.type;
    }
    if (types != expected) {
        return "arguments of " + name + ": " + types + " (expected: " + expected + ")";
    }
    std::vector<const void *> arguments;
    for (const int64_t &each : bits) {
        arguments.push_back(&each);
    }
    try {
        if (!runThreads([&] { found->second.call(arguments.data()); }, 0, gridDim.x * blockDim.x, order, seed)) {
            return name + ": threads of a warp wait for others that do not come";
        }
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
