// Devices, contexts, texts of errors.

#include "driver.h"

#include <cstdlib>
#include <cstring>

namespace {

thread_local std::vector<Context *> contexts;

std::vector<std::unique_ptr<Context>> &devices() {
    static std::vector<std::unique_ptr<Context>> all = [] {
        const char *given = getenv("HOST_CUDA_DEVICES");
        std::vector<std::unique_ptr<Context>> made;
        for (int i = 0; i < (given ? atoi(given) : 1); i++) {
            made.push_back(std::make_unique<Context>(Context{i}));
        }
        return made;
    }();
    return all;
}

bool isThere(int device) {
    return device >= 0 && device < (int)devices().size();
}

struct Text {
    int result;
    const char *name;
    const char *sentence;
};

const Text TEXTS[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {ECC_UNCORRECTABLE, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_OUT_OF_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

const Text *textOf(int result) {
    for (const Text &each : TEXTS) {
        if (each.result == result) {
            return &each;
        }
    }
    return nullptr;
}

/** The compute capability, and what else psf or its tests ask for. */
int attribute(int number) {
    switch (number) {
        case 1: return 1024;  // threads of a block
        case 2: return 1024;  // its x
        case 5: return 0x7fffffff; // blocks of a grid
        case 8: return 48 << 10; // shared memory of a block
        case 10: return 32;   // threads of a warp
        case 13: return 1000000; // clock rate
        case 16: return 2;    // multiprocessors
        case 39: return 2048; // threads of a multiprocessor
        case 40: return 1;    // engines for copies
        case 41: return 1;    // unified addressing
        case 75: return 9;    // compute capability
        case 76: return 0;
        case 97: return 48 << 10;
        case 102: return 1;   // management of virtual memory
        default: return 0;
    }
}

} // namespace

Context *current() {
    return contexts.empty() ? nullptr : contexts.back();
}

Context *contextOf(int device) {
    return devices()[device].get();
}

API cuInit(unsigned) {
    BEGIN_WITHOUT_CONTEXT(cuInit)
    return devices().empty() ? NO_DEVICE : SUCCESS;
}

API cuDriverGetVersion(int *version) {
    *version = 12060;
    return SUCCESS;
}

API cuGetErrorName(int result, const char **text) {
    const Text *found = textOf(result);
    *text = found ? found->name : nullptr;
    return found ? SUCCESS : INVALID_VALUE;
}

API cuGetErrorString(int result, const char **text) {
    const Text *found = textOf(result);
    *text = found ? found->sentence : nullptr;
    return found ? SUCCESS : INVALID_VALUE;
}

API cuDeviceGetCount(int *count) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceGetCount)
    *count = (int)devices().size();
    return SUCCESS;
}

API cuDeviceGet(int *device, int number) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceGet)
    *device = number;
    return isThere(number) ? SUCCESS : INVALID_DEVICE;
}

API cuDeviceGetName(char *name, int n, int device) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceGetName)
    if (!isThere(device)) {
        return INVALID_DEVICE;
    }
    strncpy(name, "processor of the host", n);
    return SUCCESS;
}

API cuDeviceGetAttribute(int *value, int number, int device) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceGetAttribute)
    *value = attribute(number);
    return isThere(device) ? SUCCESS : INVALID_DEVICE;
}

API cuDeviceComputeCapability(int *major, int *minor, int device) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceComputeCapability)
    *major = attribute(75);
    *minor = attribute(76);
    return isThere(device) ? SUCCESS : INVALID_DEVICE;
}

API cuDeviceTotalMem_v2(size_t *bytes, int device) {
    BEGIN_WITHOUT_CONTEXT(cuDeviceTotalMem)
    *bytes = totalMemory();
    return isThere(device) ? SUCCESS : INVALID_DEVICE;
}

API cuDevicePrimaryCtxRetain(void **context, int device) {
    BEGIN_WITHOUT_CONTEXT(cuDevicePrimaryCtxRetain)
    if (!isThere(device)) {
        return INVALID_DEVICE;
    }
    *context = contextOf(device);
    return SUCCESS;
}

API cuDevicePrimaryCtxRelease_v2(int device) {
    BEGIN_WITHOUT_CONTEXT(cuDevicePrimaryCtxRelease)
    return isThere(device) ? SUCCESS : INVALID_DEVICE;
}

static bool isContext(void *context) {
    for (auto &each : devices()) {
        if (each.get() == context) {
            return true;
        }
    }
    return false;
}

API cuCtxSetCurrent(void *context) {
    BEGIN_WITHOUT_CONTEXT(cuCtxSetCurrent)
    if (context && !isContext(context)) {
        return INVALID_CONTEXT;
    }
    if (!contexts.empty()) {
        contexts.pop_back();
    }
    if (context) {
        contexts.push_back((Context *)context);
    }
    return SUCCESS;
}

API cuCtxPushCurrent_v2(void *context) {
    BEGIN_WITHOUT_CONTEXT(cuCtxPushCurrent)
    if (!isContext(context)) {
        return INVALID_CONTEXT;
    }
    contexts.push_back((Context *)context);
    return SUCCESS;
}

API cuCtxPopCurrent_v2(void **context) {
    BEGIN_WITHOUT_CONTEXT(cuCtxPopCurrent)
    if (contexts.empty()) {
        return INVALID_CONTEXT;
    }
    *context = contexts.back();
    contexts.pop_back();
    return SUCCESS;
}

API cuCtxGetCurrent(void **context) {
    BEGIN_WITHOUT_CONTEXT(cuCtxGetCurrent)
    *context = current();
    return SUCCESS;
}

API cuCtxGetDevice(int *device) {
    BEGIN(cuCtxGetDevice)
    *device = current()->device;
    return SUCCESS;
}
