// Memory of devices, and page-locked memory of the host: allocated, mapped, copied, filled.

#include "driver.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

const size_t PAGE = 4096;
const size_t GRANULARITY = 2 << 20;
/** All addresses that this library gives, none twice, besides those that a caller has reserved and given back. */
const size_t ADDRESSES = (size_t)32 << 40;
const size_t ALIGNMENT = 256;

const uint32_t POISON = 0x7fc0dead; // a NaN
const unsigned char GUARD = 0xA5;

enum Kind { DEVICE, HOST, MAPPED };

struct Region {
    Kind kind;
    int device;
    size_t size;
    /** The pages that it is in; more than those are not accessible. */
    Address pages;
    size_t sizeOfPages;
    bool isAccessible = true;
    /** The handle of what is mapped. */
    void *physical = nullptr;
};

struct Physical {
    int file;
    size_t size;
    int device;
    int mappings = 0;
    bool isReleased = false;
};

std::map<Address, Region> regions;
/** The sizes of memory that is no more. */
std::map<Address, size_t> freed;
std::map<Address, size_t> reserved;
std::multimap<size_t, Address> unreserved;
std::map<void *, std::unique_ptr<Physical>> physicals;
std::map<int, size_t> used;

struct Addresses {
    Address begin;
    Address next;

    Addresses() {
        void *hint = (void *)0x200000000000;
        void *at = mmap(hint, ADDRESSES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        begin = at == MAP_FAILED ? 0 : (Address)at;
        next = begin + PAGE;
        if (!begin) {
            report("addresses: the system reserves none");
        }
    }

    /** Returns addresses, and leaves one page behind them; 0 if there are no more. */
    Address take(size_t size, size_t alignment) {
        Address at = (next + alignment - 1) / alignment * alignment;
        if (!begin || at + size + PAGE > begin + ADDRESSES) {
            return 0;
        }
        next = at + size + PAGE;
        return at;
    }

    bool has(Address address) {
        return address >= begin && address < begin + ADDRESSES;
    }
};

Addresses &addresses() {
    static Addresses all;
    return all;
}

size_t roundUp(size_t n, size_t to) {
    return (n + to - 1) / to * to;
}

/** The region that an address is in or at the end of; end() if none. */
std::map<Address, Region>::iterator regionOf(Address address) {
    auto next = regions.upper_bound(address);
    if (next == regions.begin()) {
        return regions.end();
    }
    --next;
    return address <= next->first + next->second.size ? next : regions.end();
}

std::string hex(Address address) {
    char text[32];
    snprintf(text, sizeof text, "0x%llx", address);
    return text;
}

/** Allocates memory that ends at a page which is not accessible, as nearly as its alignment allows. */
Address allocate(Kind kind, int device, size_t size) {
    size_t rounded = roundUp(size, ALIGNMENT);
    size_t sizeOfPages = roundUp(rounded, PAGE);
    Address pages = addresses().take(sizeOfPages, PAGE);
    if (!pages || mprotect((void *)pages, sizeOfPages, PROT_READ | PROT_WRITE) != 0) {
        return 0;
    }
    Address begin = pages + sizeOfPages - rounded;
    memset((void *)pages, GUARD, begin - pages);
    fill((char *)begin, roundUp(size, 4), &POISON, 4);
    memset((void *)(begin + size), GUARD, pages + sizeOfPages - begin - size);
    regions[begin] = {kind, device, size, pages, sizeOfPages};
    return begin;
}

bool isGuard(Address from, Address to) {
    for (; from < to; from++) {
        if (*(unsigned char *)from != GUARD) {
            return false;
        }
    }
    return true;
}

void hide(Address pages, size_t size) {
    mmap((void *)pages, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

int release(Kind kind, Address address) {
    auto found = regions.find(address);
    if (found == regions.end() || found->second.kind != kind) {
        report("free of " + describe(address));
        return INVALID_VALUE;
    }
    std::string damaged = damage(address);
    Region region = found->second;
    regions.erase(found);
    hide(region.pages, region.sizeOfPages);
    freed[address] = region.size;
    if (kind == DEVICE) {
        used[region.device] -= roundUp(region.size, ALIGNMENT);
    }
    return damaged.empty() ? SUCCESS : fail(current(), ILLEGAL_ADDRESS, damaged + ", found when it is freed");
}

int refuse(const std::string &text) {
    report(text);
    return INVALID_VALUE;
}

/** Queues an operation whose arguments are checked now, and once more when it runs. */
int transfer(void *stream, const std::string &name, std::function<std::string()> wrong, std::function<void()> run) {
    std::string now = wrong();
    if (!now.empty()) {
        return refuse(name + ": " + now);
    }
    std::shared_ptr<Stream> queue = streamOf(stream);
    if (!queue) {
        return INVALID_HANDLE;
    }
    Context *context = queue->context;
    return enqueue(*queue, {name, [=] {
                                std::string later = wrong();
                                if (!later.empty()) {
                                    return fail(context, ILLEGAL_ADDRESS, name + ", when it runs: " + later);
                                }
                                run();
                                return (int)SUCCESS;
                            }, nullptr, nullptr});
}

int copyIn(void *stream, Address to, const void *from, size_t n) {
    return transfer(
        stream, "copy of " + std::to_string(n) + " bytes to the device",
        [=] {
            std::string wrong = wrongMemory(to, n);
            return wrong.empty() ? wrongHostMemory(from, n) : wrong;
        },
        [=] { memcpy((void *)to, from, n); });
}

int copyOut(void *stream, void *to, Address from, size_t n) {
    return transfer(
        stream, "copy of " + std::to_string(n) + " bytes from the device",
        [=] {
            std::string wrong = wrongMemory(from, n);
            return wrong.empty() ? wrongHostMemory(to, n) : wrong;
        },
        [=] { memcpy(to, (void *)from, n); });
}

int copyWithin(void *stream, Address to, Address from, size_t n) {
    return transfer(
        stream, "copy of " + std::to_string(n) + " bytes on the device",
        [=] {
            std::string wrong = wrongMemory(from, n);
            if (wrong.empty() && n > 0 && from < to + n && to < from + n) {
                wrong = "from and to overlap";
            }
            return wrong.empty() ? wrongMemory(to, n) : wrong;
        },
        [=] { memcpy((void *)to, (void *)from, n); });
}

int set(void *stream, Address at, uint32_t pattern, size_t size, size_t n) {
    return transfer(
        stream, "fill of " + std::to_string(n * size) + " bytes on the device",
        [=] { return at % size != 0 ? "address " + hex(at) + " is not aligned" : wrongMemory(at, n * size); },
        [=] { fill((char *)at, n * size, &pattern, size); });
}

/** Ends a synchronous call, which has queued work on the default stream. */
int waited(int result) {
    return result ? result : drain(*streamOf(nullptr));
}

} // namespace

size_t totalMemory() {
    static const char *given = getenv("HOST_CUDA_MEMORY");
    return given ? strtoull(given, nullptr, 10) : (size_t)1 << 30;
}

size_t usedMemory(int device) {
    return used[device];
}

void fill(char *at, size_t n, const void *pattern, size_t size) {
    uint32_t bits = 0;
    memcpy(&bits, pattern, size);
    if (bits == 0 && n >= 4 * PAGE) { // pages that are given back are zeros, and take no memory until they are written
        auto found = regionOf((Address)at);
        Address begin = roundUp((Address)at, PAGE);
        Address end = ((Address)at + n) / PAGE * PAGE;
        if (found != regions.end() && found->second.kind != MAPPED
            && madvise((void *)begin, end - begin, MADV_DONTNEED) == 0) {
            memset(at, 0, begin - (Address)at);
            memset((void *)end, 0, (Address)at + n - end);
            return;
        }
    }
    if (size == 4 && (uintptr_t)at % 4 == 0) {
        std::fill_n((uint32_t *)at, n / 4, bits);
        return;
    }
    for (size_t done = 0; done + size <= n; done += size) {
        memcpy(at + done, pattern, size);
    }
}

std::string describe(Address address) {
    if (!address) {
        return "address 0";
    }
    auto found = regionOf(address);
    if (found != regions.end()) {
        return "address " + hex(address) + ", at " + std::to_string(address - found->first) + " of "
               + std::to_string(found->second.size) + " bytes of "
               + (found->second.kind == HOST ? "the host" : "device " + std::to_string(found->second.device));
    }
    auto gone = freed.upper_bound(address);
    if (gone != freed.begin() && address < (--gone)->first + gone->second) {
        return "address " + hex(address) + ", of memory that was freed";
    }
    if (!addresses().has(address)) {
        return "address " + hex(address) + ", which this driver did not give";
    }
    auto next = regions.upper_bound(address);
    std::string text = "address " + hex(address) + ", outside all memory";
    if (next != regions.begin()) {
        auto before = std::prev(next);
        text += ", " + std::to_string(address - before->first - before->second.size) + " bytes behind "
                + std::to_string(before->second.size) + " bytes";
    }
    return text;
}

std::string wrongMemory(Address address, size_t n) {
    Address at = address;
    while (true) {
        auto found = regionOf(at);
        if (found == regions.end()) {
            return describe(at) + " (expected: memory of a device)";
        }
        Region &region = found->second;
        if (!region.isAccessible) {
            return describe(at) + ": mapped, but no access was set";
        }
        Address end = found->first + region.size;
        if (address + n <= end) {
            return "";
        }
        if (region.kind != MAPPED || regions.find(end) == regions.end()) {
            return std::to_string(n) + " bytes from " + describe(address) + " (expected: memory of a device)";
        }
        at = end;
    }
}

std::string wrongHostMemory(const void *address, size_t n) {
    if (n == 0 || !addresses().has((Address)address)) {
        return address || n == 0 ? "" : "the host's address is null";
    }
    auto found = regionOf((Address)address);
    if (found == regions.end() || found->second.kind != HOST) {
        return "the host's " + describe((Address)address) + " (expected: memory of the host)";
    }
    if ((Address)address + n > found->first + found->second.size) {
        return std::to_string(n) + " bytes from the host's " + describe((Address)address);
    }
    return "";
}

std::string wrongPointer(Address address, int device) {
    if (!address) {
        return "";
    }
    auto found = regionOf(address);
    if (found == regions.end()) {
        return describe(address);
    }
    if (found->second.kind == HOST) {
        return "";
    }
    if (!found->second.isAccessible) {
        return describe(address) + ": mapped, but no access was set";
    }
    return found->second.device == device ? "" : describe(address) + " (expected: device " + std::to_string(device) + ")";
}

std::string damage(Address address) {
    auto found = regionOf(address);
    if (found == regions.end() || found->second.kind == MAPPED) {
        return "";
    }
    Region &region = found->second;
    if (!isGuard(region.pages, found->first)) {
        return "memory of " + std::to_string(region.size) + " bytes: written before its begin";
    }
    if (!isGuard(found->first + region.size, region.pages + region.sizeOfPages)) {
        return "memory of " + std::to_string(region.size) + " bytes: written behind its end";
    }
    return "";
}

// ---- allocation ----

API cuMemAlloc_v2(Address *address, size_t n) {
    BEGIN(cuMemAlloc)
    if (n == 0) {
        return INVALID_VALUE;
    }
    int device = current()->device;
    if (n > totalMemory() || used[device] + roundUp(n, ALIGNMENT) > totalMemory()) {
        return OUT_OF_MEMORY;
    }
    *address = allocate(DEVICE, device, n);
    if (*address) {
        used[device] += roundUp(n, ALIGNMENT);
    }
    return *address ? SUCCESS : OUT_OF_MEMORY;
}

API cuMemFree_v2(Address address) {
    BEGIN(cuMemFree)
    return address ? release(DEVICE, address) : SUCCESS;
}

API cuMemGetInfo_v2(size_t *free, size_t *total) {
    BEGIN(cuMemGetInfo)
    *total = totalMemory();
    *free = *total - used[current()->device];
    return SUCCESS;
}

API cuMemGetAddressRange_v2(Address *begin, size_t *size, Address address) {
    BEGIN(cuMemGetAddressRange)
    auto found = regionOf(address);
    if (found == regions.end()) {
        return NOT_FOUND;
    }
    if (begin) {
        *begin = found->first;
    }
    if (size) {
        *size = found->second.size;
    }
    return SUCCESS;
}

API cuMemHostAlloc(void **address, size_t n, unsigned) {
    BEGIN(cuMemHostAlloc)
    *address = n == 0 ? nullptr : (void *)allocate(HOST, -1, n);
    return *address ? SUCCESS : OUT_OF_MEMORY;
}

API cuMemAllocHost_v2(void **address, size_t n) {
    return cuMemHostAlloc(address, n, 0);
}

API cuMemFreeHost(void *address) {
    BEGIN(cuMemFreeHost)
    return release(HOST, (Address)address);
}

API cuMemHostGetDevicePointer_v2(Address *device, void *address, unsigned) {
    BEGIN(cuMemHostGetDevicePointer)
    auto found = regionOf((Address)address);
    if (found == regions.end() || found->second.kind != HOST) {
        return refuse("pointer of a device to the host's " + describe((Address)address));
    }
    *device = (Address)address;
    return SUCCESS;
}

// ---- virtual memory ----

namespace {

struct Location {
    int type;
    int id;
};

struct Properties {
    int type;
    int handleTypes;
    Location location;
    void *handle;
    unsigned char flags[8];
};

struct Access {
    Location location;
    int flags;
};

/** The regions that fill a range exactly; none if there is a gap. */
std::vector<Address> mappingsOf(Address begin, size_t size) {
    std::vector<Address> all;
    Address at = begin;
    while (at < begin + size) {
        auto found = regions.find(at);
        if (found == regions.end() || found->second.kind != MAPPED || at + found->second.size > begin + size) {
            return {};
        }
        all.push_back(at);
        at += found->second.size;
    }
    return all;
}

void forgetPhysical(void *handle) {
    Physical &physical = *physicals[handle];
    if (physical.isReleased && physical.mappings == 0) {
        close(physical.file);
        used[physical.device] -= physical.size;
        physicals.erase(handle);
    }
}

} // namespace

API cuMemGetAllocationGranularity(size_t *granularity, const Properties *, int) {
    BEGIN_WITHOUT_CONTEXT(cuMemGetAllocationGranularity)
    if (getenv("HOST_CUDA_WITHOUT_MAPPING")) {
        return NOT_SUPPORTED;
    }
    *granularity = GRANULARITY;
    return SUCCESS;
}

API cuMemAddressReserve(Address *address, size_t size, size_t alignment, Address, unsigned long long) {
    BEGIN_WITHOUT_CONTEXT(cuMemAddressReserve)
    if (size == 0 || size % GRANULARITY != 0 || (alignment & (alignment - 1)) != 0) {
        return refuse("addresses to reserve: " + std::to_string(size) + " (expected: a multiple of 2 MiB)");
    }
    auto same = unreserved.find(size);
    if (same != unreserved.end() && alignment <= GRANULARITY) {
        *address = same->second;
        unreserved.erase(same);
    } else {
        *address = addresses().take(size, std::max(alignment, GRANULARITY));
    }
    if (!*address) {
        return OUT_OF_MEMORY;
    }
    reserved[*address] = size;
    return SUCCESS;
}

API cuMemAddressFree(Address address, size_t size) {
    BEGIN_WITHOUT_CONTEXT(cuMemAddressFree)
    auto found = reserved.find(address);
    if (found == reserved.end() || found->second != size) {
        return refuse("addresses to give back: " + std::to_string(size) + " from " + describe(address)
                      + " (expected: as they were reserved)");
    }
    auto inside = regions.lower_bound(address);
    if (inside != regions.end() && inside->first < address + size) {
        return refuse("addresses to give back: memory is mapped there");
    }
    reserved.erase(found);
    unreserved.insert({size, address});
    return SUCCESS;
}

API cuMemCreate(void **handle, size_t size, const Properties *properties, unsigned long long) {
    BEGIN_WITHOUT_CONTEXT(cuMemCreate)
    if (size == 0 || size % GRANULARITY != 0 || properties->type != 1 || properties->location.type != 1) {
        return refuse("memory to create: " + std::to_string(size)
                      + " bytes (expected: a multiple of 2 MiB; pinned, at a device)");
    }
    int device = properties->location.id;
    if (size > totalMemory() || used[device] + size > totalMemory()) {
        return OUT_OF_MEMORY;
    }
    int file = memfd_create("device", 0);
    if (file < 0 || ftruncate(file, (off_t)size) != 0) {
        return OUT_OF_MEMORY;
    }
    void *at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    fill((char *)at, size, &POISON, 4);
    munmap(at, size);
    used[device] += size;
    auto physical = std::make_unique<Physical>(Physical{file, size, device});
    *handle = physical.get();
    physicals[*handle] = std::move(physical);
    return SUCCESS;
}

API cuMemRelease(void *handle) {
    BEGIN_WITHOUT_CONTEXT(cuMemRelease)
    auto found = physicals.find(handle);
    if (found == physicals.end() || found->second->isReleased) {
        return refuse("memory to release: no handle");
    }
    found->second->isReleased = true;
    forgetPhysical(handle);
    return SUCCESS;
}

API cuMemMap(Address address, size_t size, size_t offset, void *handle, unsigned long long) {
    BEGIN_WITHOUT_CONTEXT(cuMemMap)
    auto physical = physicals.find(handle);
    auto reservation = reserved.upper_bound(address);
    bool isReserved = reservation != reserved.begin()
                      && address + size <= std::prev(reservation)->first + std::prev(reservation)->second;
    if (physical == physicals.end() || !isReserved || offset != 0 || size != physical->second->size
        || address % GRANULARITY != 0) {
        return refuse("memory to map: " + std::to_string(size) + " bytes at " + hex(address)
                      + " (expected: a handle's whole memory, at a multiple of 2 MiB of reserved addresses)");
    }
    auto next = regions.lower_bound(address);
    if ((next != regions.end() && next->first < address + size)
        || (next != regions.begin() && std::prev(next)->first + std::prev(next)->second.size > address)) {
        return refuse("memory to map: there is some at " + hex(address));
    }
    void *at = mmap((void *)address, size, PROT_NONE, MAP_SHARED | MAP_FIXED, physical->second->file, 0);
    if (at == MAP_FAILED) {
        return OUT_OF_MEMORY;
    }
    physical->second->mappings++;
    regions[address] = {MAPPED, physical->second->device, size, address, size, false, handle};
    return SUCCESS;
}

API cuMemSetAccess(Address address, size_t size, const Access *accesses, size_t n) {
    BEGIN_WITHOUT_CONTEXT(cuMemSetAccess)
    std::vector<Address> mappings = mappingsOf(address, size);
    if (mappings.empty()) {
        return refuse("access to " + std::to_string(size) + " bytes from " + describe(address) + " (expected: mapped memory)");
    }
    for (size_t i = 0; i < n; i++) {
        if (accesses[i].flags != 3 || accesses[i].location.type != 1) {
            return refuse("access " + std::to_string(accesses[i].flags) + " of a location of type "
                          + std::to_string(accesses[i].location.type) + " (expected: access 3 of a device, type 1)");
        }
        for (Address each : mappings) {
            Region &region = regions[each];
            if (region.device == accesses[i].location.id) {
                region.isAccessible = true;
                mprotect((void *)each, region.size, PROT_READ | PROT_WRITE);
            }
        }
    }
    return SUCCESS;
}

API cuMemUnmap(Address address, size_t size) {
    BEGIN_WITHOUT_CONTEXT(cuMemUnmap)
    std::vector<Address> mappings = mappingsOf(address, size);
    if (mappings.empty()) {
        return refuse("memory to unmap: " + std::to_string(size) + " bytes from " + describe(address)
                      + " (expected: whole mappings)");
    }
    for (Address each : mappings) {
        Region region = regions[each];
        regions.erase(each);
        hide(each, region.size);
        physicals[region.physical]->mappings--;
        forgetPhysical(region.physical);
    }
    return SUCCESS;
}

// ---- copies ----

API cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t n, void *stream) {
    BEGIN(cuMemcpyHtoDAsync)
    return copyIn(stream, to, from, n);
}

API cuMemcpyHtoD_v2(Address to, const void *from, size_t n) {
    BEGIN(cuMemcpyHtoD)
    return waited(copyIn(nullptr, to, from, n));
}

API cuMemcpyDtoHAsync_v2(void *to, Address from, size_t n, void *stream) {
    BEGIN(cuMemcpyDtoHAsync)
    return copyOut(stream, to, from, n);
}

API cuMemcpyDtoH_v2(void *to, Address from, size_t n) {
    BEGIN(cuMemcpyDtoH)
    return waited(copyOut(nullptr, to, from, n));
}

API cuMemcpyDtoDAsync_v2(Address to, Address from, size_t n, void *stream) {
    BEGIN(cuMemcpyDtoDAsync)
    return copyWithin(stream, to, from, n);
}

API cuMemcpyDtoD_v2(Address to, Address from, size_t n) {
    BEGIN(cuMemcpyDtoD)
    return waited(copyWithin(nullptr, to, from, n));
}

API cuMemsetD32Async(Address at, unsigned value, size_t n, void *stream) {
    BEGIN(cuMemsetD32Async)
    return set(stream, at, value, 4, n);
}

API cuMemsetD32_v2(Address at, unsigned value, size_t n) {
    BEGIN(cuMemsetD32)
    return waited(set(nullptr, at, value, 4, n));
}

API cuMemsetD8Async(Address at, unsigned char value, size_t n, void *stream) {
    BEGIN(cuMemsetD8Async)
    return set(stream, at, value, 1, n);
}

API cuMemsetD8_v2(Address at, unsigned char value, size_t n) {
    BEGIN(cuMemsetD8)
    return waited(set(nullptr, at, value, 1, n));
}
