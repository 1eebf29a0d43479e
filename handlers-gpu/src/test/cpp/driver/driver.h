// libcuda.so.1 of the processor: the functions of the CUDA driver API that psf calls, for tests. It runs no PTX: kernels
// are CUDA C that is compiled as C++.
//
// It takes the liberties that CUDA allows, and more of them than a card does:
//
// - The work of a stream runs when a call waits for it, or earlier, in an order that events alone restrict.
// - Memory has a content of NaNs at first. It ends at a page that cannot be accessed. No address is used twice.
// - Copies use the memory of the host when they run, also if it is not page-locked.
//
// What is wrong is an error of the call, and a line in the log. Settings are variables of the environment:
//
//   HOST_CUDA_DEVICES  number of devices, default 1
//   HOST_CUDA_MEMORY   bytes of each device, default 1 GiB
//   HOST_CUDA_SEED     seed of the order of work
//   HOST_CUDA_LOG      file to which a line is added for each violation
//   HOST_CUDA_WITHOUT_MAPPING  if it is set, memory cannot be mapped to reserved addresses
//   HOST_CUDA_FAIL     file of errors to inject, read again when it changes: lines FUNCTION:N:RESULT. The N-th call from
//                      now on has that result. FUNCTION is one of the API without its version, such as cuMemAlloc;
//                      cuLaunchKernel(KERNEL); run(KERNEL), for an error that is found when the kernel runs; or *, for
//                      any function that allocates memory or queues work. The file with .done behind its name gets the
//                      names of the functions that have failed so.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

// ---- results ----

enum Result : int {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    ECC_UNCORRECTABLE = 214,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    LAUNCH_OUT_OF_RESOURCES = 701,
    LAUNCH_FAILED = 719,
    NOT_SUPPORTED = 801,
};

/** True if a result fails all later calls of its context. */
bool isSticky(int result);

// ---- devices and streams ----

struct Context {
    int device;
    /** The error that all calls return; 0 if there is none. */
    int error = 0;
};

/** A record of an event: a point in a stream. */
struct Mark {
    bool hasOccurred = false;
    double millis = 0;
};

struct Event {
    Context *context;
    bool isTimed;
    /** Null if it was never recorded. */
    std::shared_ptr<Mark> last;
};

struct Operation {
    std::string name;
    /** Returns a result: an error is the context's from then on. */
    std::function<int()> run;
    /** What it waits for; null if nothing. */
    std::shared_ptr<Mark> awaited;
    /** What it records; null if nothing. */
    std::shared_ptr<Mark> recorded;
};

struct Stream {
    Context *context;
    bool waitsForDefault;
    bool isDestroyed = false;
    std::deque<Operation> queue;
};

/** The context of the calling thread; null if it has none. */
Context *current();

/** Fails a context for good. */
int fail(Context *context, int result, const std::string &text);

/** Adds a line to the log. */
void report(const std::string &text);

std::mt19937_64 &randomness();

/** The context of a device that exists. */
Context *contextOf(int device);

/** Returns a stream of the current context, which is the default one for null; null if there is no such stream. */
std::shared_ptr<Stream> streamOf(void *handle);

/** Adds work to a stream. May run some. */
int enqueue(Stream &stream, Operation operation);

/** Runs the work of a stream, and what it waits for. */
int drain(Stream &stream);

// ---- calls ----

/** A call of the API: one at a time. */
class Call {
public:
    /** Counts the call. `needsContext` if it fails without a context, or with one that has failed. */
    Call(const char *function, bool needsContext);

    /** The result if the call fails before it begins; else 0. */
    int failed = 0;

private:
    std::unique_lock<std::mutex> lock;
};

/** The result to inject for a call or a run of a kernel; 0 if none. */
int injected(const std::string &function);

#define API extern "C" __attribute__((visibility("default"))) int

#define BEGIN(function)          \
    Call call(#function, true);  \
    if (call.failed) {           \
        return call.failed;      \
    }

#define BEGIN_WITHOUT_CONTEXT(function) \
    Call call(#function, false);        \
    if (call.failed) {                  \
        return call.failed;             \
    }

// ---- memory ----

typedef unsigned long long Address;

size_t totalMemory();

size_t usedMemory(int device);

/** Returns why devices cannot access n bytes from an address on; empty if they can: page-locked memory has one address. */
std::string wrongMemory(Address address, size_t n);

/** Returns why a copy cannot use memory of the host; empty if it can. */
std::string wrongHostMemory(const void *address, size_t n);

/** Returns why a kernel of a device cannot have a pointer; empty if it can. */
std::string wrongPointer(Address address, int device);

/** Returns the change that was made outside the memory that has an address; empty if there is none. */
std::string damage(Address address);

/** Describes an address that was accessed: where it is from memory that is or was there. */
std::string describe(Address address);

/** Sets n bytes, a multiple of the size of the pattern. */
void fill(char *at, size_t n, const void *pattern, size_t size);
