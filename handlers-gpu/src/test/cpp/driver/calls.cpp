// Calls, the log, errors that are injected.

#include "driver.h"

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

namespace {

std::mutex theLock;

struct Injection {
    std::string function;
    long left;
    int result;
};

std::vector<Injection> injections;

/** Reads the file of errors again if it is another one than before. */
void readInjections() {
    static const char *path = getenv("HOST_CUDA_FAIL");
    static struct stat before = {};
    struct stat now = {};
    if (!path || stat(path, &now) != 0
        || (now.st_mtim.tv_nsec == before.st_mtim.tv_nsec && now.st_mtim.tv_sec == before.st_mtim.tv_sec
            && now.st_ino == before.st_ino && now.st_size == before.st_size)) {
        return;
    }
    before = now;
    injections.clear();
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        size_t last = line.rfind(':');
        size_t first = last == std::string::npos || last == 0 ? last : line.rfind(':', last - 1);
        if (line.empty()) {
            continue;
        }
        long n = first == std::string::npos ? 0 : atol(line.c_str() + first + 1);
        int result = first == std::string::npos ? 0 : atoi(line.c_str() + last + 1);
        if (n < 1 || result < 1) {
            report("error to inject: " + line + " (expected: FUNCTION:N:RESULT)");
            continue;
        }
        injections.push_back({line.substr(0, first), n, result});
    }
}

uint64_t seed() {
    static const uint64_t value = [] {
        const char *given = getenv("HOST_CUDA_SEED");
        return given ? strtoull(given, nullptr, 10) : std::random_device()();
    }();
    return value;
}

} // namespace

std::mt19937_64 &randomness() {
    static std::mt19937_64 random(seed());
    return random;
}

void report(const std::string &text) {
    std::ostringstream line;
    line << "host-cuda, seed " << seed() << ": " << text << "\n";
    std::cerr << line.str() << std::flush;
    if (const char *path = getenv("HOST_CUDA_LOG")) {
        std::ofstream(path, std::ios::app) << line.str();
    }
}

bool isSticky(int result) {
    static const std::set<int> sticky = {ECC_UNCORRECTABLE, ILLEGAL_ADDRESS, 702, 714, 715, 716, 717, 718, LAUNCH_FAILED};
    return sticky.count(result) != 0;
}

int injected(const std::string &function) {
    static const std::set<std::string> work = {
        "cuMemAlloc", "cuMemHostAlloc", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemAddressReserve",
        "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync", "cuMemsetD32Async", "cuMemsetD8Async",
        "cuLaunchKernel", "cuEventRecord", "cuStreamWaitEvent"};
    for (Injection &each : injections) {
        bool isMeant = each.function == "*" ? work.count(function) != 0 : each.function == function;
        if (each.left > 0 && isMeant && --each.left == 0) {
            std::cerr << "host-cuda: result " << each.result << " injected into " << function << std::endl;
            std::ofstream(std::string(getenv("HOST_CUDA_FAIL")) + ".done", std::ios::app) << function << "\n";
            return each.result;
        }
    }
    return 0;
}

int fail(Context *context, int result, const std::string &text) {
    report(text);
    context->error = result;
    return result;
}

Call::Call(const char *function, bool needsContext) : lock(theLock) {
    readInjections();
    Context *context = current();
    if (needsContext && !context) {
        failed = INVALID_CONTEXT;
        report(std::string(function) + ": the thread has no context");
        return;
    }
    if (needsContext && context->error) {
        failed = context->error;
        return;
    }
    failed = injected(function);
    if (context && isSticky(failed)) {
        context->error = failed;
    }
}
