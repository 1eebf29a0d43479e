// Modules and kernels. A module has the kernels of this library that its PTX names; a binary one has all.

#include "driver.h"

#include "../host.h"
#include "../kernels.h"
#include "../threads.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <numeric>

namespace {

struct Module {
    Context *context;
    /** The PTX; empty if it is a binary. */
    std::string text;
};

struct Function {
    Module *module;
    std::string name;
    const Kernel *kernel;
};

std::map<void *, std::unique_ptr<Module>> modules;
std::map<std::pair<Module *, std::string>, std::unique_ptr<Function>> functions;

// ---- accesses to memory that is not there ----

std::atomic<bool> isRunning;
std::atomic<pthread_t> runner;
std::atomic<Address> accessed;
struct sigaction before[2];

/** A kernel's access is its error; others belong to the JVM, which uses such signals itself. */
void onSignal(int signal, siginfo_t *info, void *context) {
    if (isRunning && pthread_equal(runner, pthread_self())) {
        accessed = (Address)info->si_addr;
        isRunning = false;
        threadsFailed();
    }
    struct sigaction &other = before[signal == SIGBUS];
    if (other.sa_flags & SA_SIGINFO) {
        other.sa_sigaction(signal, info, context);
    } else if (other.sa_handler != SIG_DFL && other.sa_handler != SIG_IGN) {
        other.sa_handler(signal);
    } else {
        sigaction(signal, &other, nullptr); // the access is repeated, and ends the process
    }
}

void handleSignals() {
    static bool isDone = false;
    if (isDone) {
        return;
    }
    isDone = true;
    for (int signal : {SIGSEGV, SIGBUS}) {
        sigaction(signal, nullptr, &before[signal == SIGBUS]);
        struct sigaction own = before[signal == SIGBUS];
        own.sa_flags |= SA_SIGINFO;
        own.sa_sigaction = onSignal;
        sigaction(signal, &own, nullptr);
    }
}

// ---- launches ----

struct Launch {
    const Function *function;
    unsigned blocks;
    unsigned threads;
    std::vector<std::vector<char>> arguments;
};

Address pointerOf(const Launch &launch, size_t i) {
    if (!launch.function->kernel->parameters[i].isPointer) {
        return 0;
    }
    Address address;
    memcpy(&address, launch.arguments[i].data(), sizeof address);
    return address;
}

std::string wrongArgument(const Launch &launch) {
    for (size_t i = 0; i < launch.arguments.size(); i++) {
        std::string wrong = wrongPointer(pointerOf(launch, i), launch.function->module->context->device);
        if (!wrong.empty()) {
            return "argument " + std::to_string(i) + ": " + wrong;
        }
    }
    return "";
}

/** Psf's kernels are correct on any grid: a small one, of whole warps, is fast. */
void setGrid(const Launch &launch) {
    bool any = launch.function->name.rfind("psf_", 0) == 0;
    gridDim.x = any ? std::min(launch.blocks, (unsigned)(1 + randomness()() % 3)) : launch.blocks;
    blockDim.x = any ? std::min(launch.threads, 32u) : launch.threads;
}

int run(const Launch &launch) {
    const std::string &name = launch.function->name;
    Context *context = launch.function->module->context;
    if (int result = injected("run(" + name + ")")) {
        return context->error = result;
    }
    std::string wrong = wrongArgument(launch);
    if (!wrong.empty()) {
        return fail(context, ILLEGAL_ADDRESS, "kernel " + name + ", when it runs: " + wrong);
    }
    handleSignals();
    setGrid(launch);
    std::vector<const void *> arguments;
    for (auto &each : launch.arguments) {
        arguments.push_back(each.data());
    }
    std::vector<unsigned> blocks(gridDim.x);
    std::iota(blocks.begin(), blocks.end(), 0u);
    std::shuffle(blocks.begin(), blocks.end(), randomness());
    auto order = (Order)(randomness()() % 4);
    std::function<void()> body = [&] { launch.function->kernel->call(arguments.data()); };
    for (unsigned block : blocks) {
        accessed = 0;
        runner = pthread_self();
        isRunning = true;
        bool ended = runThreads(body, block * blockDim.x, blockDim.x, order, randomness()());
        isRunning = false;
        if (!ended) {
            return fail(
                context, accessed ? ILLEGAL_ADDRESS : LAUNCH_FAILED,
                "kernel " + name + ": "
                    + (accessed ? "access to " + describe(accessed)
                                : "threads of a warp wait for others that do not come"));
        }
    }
    for (size_t i = 0; i < launch.arguments.size(); i++) {
        std::string damaged = damage(pointerOf(launch, i));
        if (!damaged.empty()) {
            return fail(context, ILLEGAL_ADDRESS, "kernel " + name + ", argument " + std::to_string(i) + ": " + damaged);
        }
    }
    return SUCCESS;
}

// ---- modules ----

/** Returns what the compiler says of PTX; empty if it takes it. */
std::string refusal(const std::string &text) {
    if (text.find(".version") == std::string::npos) {
        return "ptxas application ptx input, line 1; fatal   : Missing .version directive at start of file '<unknown>'";
    }
    if (text.find(".target") == std::string::npos) {
        return "ptxas application ptx input, line 2; fatal   : Missing .target directive at start of file '<unknown>'";
    }
    return "";
}

bool isBinary(const char *image) {
    const unsigned char fat[] = {0x50, 0xed, 0x55, 0xba};
    return memcmp(image, "\177ELF", 4) == 0 || memcmp(image, fat, 4) == 0;
}

int load(void **handle, const void *image, std::string *said) {
    auto module = std::make_unique<Module>(Module{current()});
    if (!isBinary((const char *)image)) {
        module->text = (const char *)image;
        *said = refusal(module->text);
        if (!said->empty()) {
            return INVALID_PTX;
        }
    }
    *handle = module.get();
    modules[*handle] = std::move(module);
    return SUCCESS;
}

bool hasEntry(const std::string &text, const std::string &name) {
    for (size_t at = 0; (at = text.find(".entry " + name, at)) != std::string::npos; at++) {
        char next = text[at + 7 + name.size()];
        if (next == '(' || isspace((unsigned char)next)) {
            return true;
        }
    }
    return false;
}

} // namespace

API cuModuleLoadData(void **module, const void *image) {
    BEGIN(cuModuleLoadData)
    std::string said;
    return load(module, image, &said);
}

API cuModuleLoadFatBinary(void **module, const void *image) {
    BEGIN(cuModuleLoadFatBinary)
    std::string said;
    return load(module, image, &said);
}

API cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values) {
    BEGIN(cuModuleLoadDataEx)
    const int infoLog = 3, sizeOfInfoLog = 4, errorLog = 5, sizeOfErrorLog = 6;
    std::string said;
    int result = load(module, image, &said);
    std::string info = result ? "" : "ptxas info    : 0 bytes gmem";
    for (unsigned i = 0; i < n; i++) {
        if (options[i] != infoLog && options[i] != errorLog) {
            continue;
        }
        const std::string &text = options[i] == infoLog ? info : said;
        for (unsigned j = 0; j < n; j++) {
            if (options[j] == (options[i] == infoLog ? sizeOfInfoLog : sizeOfErrorLog)) {
                auto size = (size_t)(unsigned)(uintptr_t)values[j];
                size_t written = size == 0 ? 0 : std::min(size - 1, text.size());
                if (size > 0 && values[i]) {
                    memcpy(values[i], text.data(), written);
                    ((char *)values[i])[written] = 0;
                }
                values[j] = (void *)(uintptr_t)written;
            }
        }
    }
    return result;
}

API cuModuleUnload(void *module) {
    BEGIN(cuModuleUnload)
    for (auto each = functions.begin(); each != functions.end();) {
        each = each->first.first == module ? functions.erase(each) : std::next(each);
    }
    return modules.erase(module) ? SUCCESS : INVALID_HANDLE;
}

API cuModuleGetFunction(void **handle, void *ofModule, const char *name) {
    BEGIN(cuModuleGetFunction)
    auto module = modules.find(ofModule);
    if (module == modules.end()) {
        return INVALID_HANDLE;
    }
    const std::string &text = module->second->text;
    if (!text.empty() && !hasEntry(text, name)) {
        return NOT_FOUND;
    }
    auto found = kernels().find(name);
    if (found == kernels().end()) {
        report("kernel " + std::string(name) + ": in the module, but this driver was built without its source");
        return NOT_FOUND;
    }
    std::unique_ptr<Function> &function = functions[{module->second.get(), name}];
    if (!function) {
        function = std::make_unique<Function>(Function{module->second.get(), name, &found->second});
    }
    *handle = function.get();
    return SUCCESS;
}

static Function *functionOf(void *handle) {
    for (auto &each : functions) {
        if (each.second.get() == handle) {
            return each.second.get();
        }
    }
    return nullptr;
}

API cuFuncGetAttribute(int *value, int attribute, void *handle) {
    BEGIN(cuFuncGetAttribute)
    if (!functionOf(handle)) {
        return INVALID_HANDLE;
    }
    const int threads = 0, registers = 4, ptxVersion = 5, binaryVersion = 6;
    *value = attribute == threads         ? 1024
             : attribute == registers     ? 32
             : attribute == ptxVersion    ? 75
             : attribute == binaryVersion ? 90
                                          : 0;
    return SUCCESS;
}

API cuFuncSetAttribute(void *handle, int, int) {
    BEGIN(cuFuncSetAttribute)
    return functionOf(handle) ? SUCCESS : INVALID_HANDLE;
}

API cuLaunchKernel(void *handle, unsigned x, unsigned y, unsigned z, unsigned threadsX, unsigned threadsY,
        unsigned threadsZ, unsigned sharedBytes, void *onStream, void **parameters, void **extra) {
    BEGIN(cuLaunchKernel)
    Function *function = functionOf(handle);
    std::shared_ptr<Stream> stream = streamOf(onStream);
    if (!function || !stream || function->module->context != stream->context) {
        return INVALID_HANDLE;
    }
    if (int result = injected("cuLaunchKernel(" + function->name + ")")) {
        return isSticky(result) ? stream->context->error = result : result;
    }
    if (extra || y != 1 || z != 1 || threadsY != 1 || threadsZ != 1) {
        report("kernel " + function->name + ": grids of one dimension, and arguments by address, are all that is supported");
        return NOT_SUPPORTED;
    }
    if (x < 1 || x > 0x7fffffff || threadsX < 1 || threadsX > 1024 || sharedBytes > 48 << 10) {
        return INVALID_VALUE;
    }
    Launch launch{function, x, threadsX, {}};
    for (size_t i = 0; i < function->kernel->parameters.size(); i++) {
        const char *from = (const char *)parameters[i];
        launch.arguments.emplace_back(from, from + function->kernel->parameters[i].size);
    }
    return enqueue(*stream, {"kernel " + function->name, [launch] { return run(launch); }, nullptr, nullptr});
}
