// The kernels of psf's device shards: rows by key, optimizers, initial values.
//
// Arithmetic is that of the handlers on the host, operation by operation: compile with -fmad=false, so that results are
// equal to the bit where no transcendental function is involved. Every kernel is a grid-stride loop: any grid is correct.
// A launch for rows by key has fewer than 2^31 floats, since divisions of 32 bits are a third of those of 64.
// Row numbers of items are int: a row from 0, NONE, or a number below NONE: LATER(row) for an item that repeats the row of
// an earlier one, OF_ENTRY(e) for the row of an entry of the index, which another item of the same call may be creating.

typedef unsigned long long u64;
typedef long long i64;
typedef unsigned short u16;

#define NONE (-1)
#define LATER(row) (-2 - (row))
#define OF_ENTRY(entry) (-2 - (int)(entry))
/** The most rows of a call that cannot exceed them. */
#define ANY 0x7fffffff

/** The state of a shard that kernels share. psf_end resets the first four words after each call. */
struct Status {
    int invalid;    // n minus the index of the first key that the shard does not own; 0 if there is none
    int full;       // 1 if a row was not created, since the table has its most rows
    int duplicates; // items of a push that repeat the row of an earlier item, not applied yet
    int missing;    // keys without a row
    int rows;       // rows of a growing table
    int used;       // entries of its index that are in use, those of removed keys included
    int ended;      // blocks of psf_end_steps that have ended; 0 between calls
};

/** An entry of the index of a growing table: open addressing, linear probing. */
struct Entry {
    u64 tag;  // the key's tag; 0 for an entry that was never used
    int row;  // the row plus 1; 0 while it is created; REMOVED
    int spare;
};

#define REMOVED (-1)

/** The items whose loads a thread has in flight at once. */
#define IN_FLIGHT 2

#define EACH(i, n) \
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x)

// ---- hashes ----

#define GAMMA 0x9E3779B97F4A7C15ull

/** SplitMix64's finalizer, as TensorLayout.hash: a bijection. */
__device__ inline u64 mix(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/** True if a slice of the given positions owns the key: positions are the hash's upper 62 bits. */
__device__ inline bool owns(i64 key, i64 begin, i64 end) {
    i64 position = (i64)(mix((u64)key) >> 2);
    return position >= begin && position < end;
}

/** The entry at which a search begins, and the tag. One key has tag 0: it has an entry of its own behind the others. */
__device__ inline u64 home(i64 key, u64 mask, u64 *tag) {
    *tag = mix((u64)key) ^ GAMMA;
    if (*tag == 0) {
        *tag = 1;
        return mask + 1;
    }
    return *tag & mask;
}

/** The entry after one of another key. The last entry has no other key. */
__device__ inline u64 next(u64 at, u64 mask) {
    return (at + 1) & mask;
}

/** The entry of a key; -1 if there is none. */
__device__ inline i64 find(const Entry *entries, u64 mask, i64 key) {
    u64 tag;
    for (u64 at = home(key, mask, &tag);; at = next(at, mask)) {
        u64 seen = entries[at].tag;
        if (seen == tag) {
            return (i64)at;
        }
        if (seen == 0) {
            return -1;
        }
    }
}

// ---- values of 16 bits ----
//
// The values of a shard may be float16 or bfloat16 in memory; all arithmetic is in float32. A kernel branches on the format,
// which is the same for all threads. Conversions are those of the host (io.psf.api.array.Halves), to the nearest, ties to even.

enum { FLOAT32, FLOAT16, BFLOAT16 };

__device__ inline unsigned bitsOf(float value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

__device__ inline float ofBits(unsigned bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

__device__ inline float decode(unsigned half, int storage) {
    if (storage == BFLOAT16) {
        return ofBits(half << 16);
    }
    unsigned magnitude = half & 0x7fff;
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"((u16)half));
    return magnitude > 0x7c00 ? ofBits((half & 0x8000) << 16 | 0x7f800000u | (half & 0x3ff) << 13) : value;
#else
    float value = magnitude < 0x7c00 ? ofBits(magnitude << 13) * 5.192296858534828e33f // 2^112
                                     : ofBits(0x7f800000u | (half & 0x3ff) << 13);
    return ofBits(bitsOf(value) | (half & 0x8000) << 16);
#endif
}

__device__ inline u16 encode(float value, int storage) {
    unsigned bits = bitsOf(value);
    unsigned magnitude = bits & 0x7fffffff;
    if (storage == BFLOAT16) {
        return (u16)(magnitude > 0x7f800000 ? bits >> 16 | 0x40 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    }
#ifdef __CUDA_ARCH__
    u16 half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return magnitude > 0x7f800000 ? (u16)((bits >> 16 & 0x8000) | 0x7e00) : half;
#else
    unsigned rounded;
    if (magnitude > 0x7f800000) {
        rounded = 0x7e00;
    } else if (magnitude < 0x38800000) { // below the normal ones: multiples of 2^-24, as beside 0.5
        rounded = bitsOf(ofBits(magnitude) + 0.5f) - 0x3f000000;
    } else {
        unsigned normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
        rounded = normal < 0x7c00 ? normal : 0x7c00;
    }
    return (u16)((bits >> 16 & 0x8000) | rounded);
#endif
}

/** The float32 of a value that is stored. */
__device__ inline float stored(float value, int storage) {
    return storage ? decode(encode(value, storage), storage) : value;
}

/** Converts what is read. */
struct Decode {
    int storage;
    __device__ float operator()(float value) const {
        return value;
    }
    __device__ float4 operator()(float4 values) const {
        return values;
    }
    __device__ float operator()(u16 value) const {
        return decode(value, storage);
    }
    __device__ float4 operator()(ushort4 values) const {
        float4 floats = {
            decode(values.x, storage), decode(values.y, storage), decode(values.z, storage), decode(values.w, storage)};
        return floats;
    }
};

/** The address of an element. */
__device__ inline float *elementAt(float *values, i64 i, int storage) {
    return storage ? (float *)((u16 *)values + i) : values + i;
}

__device__ inline float load(const float *values, i64 i, int storage) {
    return storage ? decode(((const u16 *)values)[i], storage) : values[i];
}

__device__ inline void store(float *values, i64 i, float value, int storage) {
    if (storage) {
        ((u16 *)values)[i] = encode(value, storage);
    } else {
        values[i] = value;
    }
}

/** Group i of four elements. */
__device__ inline float4 loadFour(const float *values, i64 i, int storage) {
    if (storage) {
        Decode decoded = {storage};
        return decoded(((const ushort4 *)values)[i]);
    }
    return ((const float4 *)values)[i];
}

__device__ inline void storeFour(float *values, i64 i, float4 four, int storage) {
    if (storage) {
        ushort4 halves = {
            encode(four.x, storage), encode(four.y, storage), encode(four.z, storage), encode(four.w, storage)};
        ((ushort4 *)values)[i] = halves;
    } else {
        ((float4 *)values)[i] = four;
    }
}

/** Stores n elements of float32, from element `first` on. */
extern "C" __global__ void psf_encode(float *values, i64 first, const float *from, i64 n, int storage) {
    EACH(i, n) {
        store(values, first + i, from[i], storage);
    }
}

/** Reads n elements, from element `first` on, as float32. */
extern "C" __global__ void psf_decode(const float *values, i64 first, float *into, i64 n, int storage) {
    EACH(i, n) {
        into[i] = load(values, first + i, storage);
    }
}

// ---- formats of the wire ----

/** The bits of a NaN that no arithmetic has made, as Java has it. */
#define NAN_BITS 0x7fc00000u

/** Reads n values of INT8: block is the number of values that share a factor, first the place of the first one in its block. */
extern "C" __global__ void psf_decode_bytes(
        const signed char *values, const float *factors, int block, int first, float *into, i64 n) {
    EACH(i, n) {
        float factor = factors[(first + i) / block];
        into[i] = factor != factor ? ofBits(bitsOf(factor) | 0x400000) : (float)values[i] * factor;
    }
}

/** The int8 of a value. Not a number gives -128, as the conversions of Java do. */
__device__ inline signed char rounded(float scaled) {
    float moved = scaled + 128.5f; // positive, so that truncating rounds to the nearest
    return (signed char)((moved != moved ? 0 : (int)moved) - 128);
}

/** Converts n values to INT8: the factor of each block, and its values, as io.psf.api.spi.WireFloats does. */
extern "C" __global__ void psf_encode_bytes(const float *from, i64 n, int block, float *factors, signed char *values) {
    i64 blocks = (n + block - 1) / block;
    EACH(b, blocks) {
        i64 begin = b * block;
        i64 end = begin + block < n ? begin + block : n;
        unsigned largest = 0;
        for (i64 i = begin; i < end; i++) {
            unsigned magnitude = bitsOf(from[i]) & 0x7fffffff;
            largest = magnitude > largest ? magnitude : largest;
        }
        float factor = ofBits(largest) / 127.0f;
        float inverse = 1.0f / factor;
        if (largest >= 0x7f800000) { // one is not finite
            factor = ofBits(NAN_BITS);
            inverse = 0;
        }
        if (bitsOf(inverse) << 1 < 0xff000000u) {
            for (i64 i = begin; i < end; i++) {
                values[i] = rounded(from[i] * inverse);
            }
        } else { // the inverse is no float32; the factor is rounded up, so that no value exceeds 127 times the factor
            float nearest = factor;
            factor = (double)nearest * 127 < (double)ofBits(largest) ? ofBits(bitsOf(nearest) + 1) : nearest;
            for (i64 i = begin; i < end; i++) {
                values[i] = factor == 0 ? 0 : (signed char)rint((double)from[i] / (double)factor);
            }
        }
        factors[b] = factor;
    }
}

// ---- initial values ----

/** A distribution of initial values, as the records of io.psf.builtin.initializer. */
struct Generator {
    int kind;
    double a;
    double b;
    u64 key;
    float least;
    float greatest;
};

enum { ZEROS = -1, CONSTANT, UNIFORM, NORMAL, TRUNCATED_NORMAL };

__device__ inline double draw(u64 stream, int number) {
    u64 bits = mix(stream + (u64)(number + 1) * GAMMA);
    return ((double)(bits >> 12) + 0.5) * 2.220446049250313e-16; // 2^-52
}

__device__ inline double polynomial(
        double c0, double c1, double c2, double c3, double c4, double c5, double c6, double c7, double x) {
    return ((((((c7 * x + c6) * x + c5) * x + c4) * x + c3) * x + c2) * x + c1) * x + c0;
}

/** The quantile of the standard normal distribution: algorithm AS 241, PPND16 (Wichura, 1988). */
__device__ __noinline__ double quantile(double p) {
    double q = p - 0.5;
    if (fabs(q) <= 0.425) {
        double r = 0.180625 - q * q;
        return q
                * polynomial(3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
                        1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                        3.3430575583588128105e+4, 2.5090809287301226727e+3, r)
                / polynomial(1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
                        2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
                        5.2264952788528545610e+3, r);
    }
    double r = sqrt(-log(q < 0 ? p : 1 - p));
    double z;
    if (r <= 5) {
        double t = r - 1.6;
        z = polynomial(1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
                    3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
                    2.27238449892691845833e-2, 7.74545014278341407640e-4, t)
                / polynomial(1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
                        1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
                        1.05075007164441684324e-9, t);
    } else {
        double t = r - 5;
        z = polynomial(6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
                    2.96560571828505891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                    2.71155556874348757815e-5, 2.01033439929228813265e-7, t)
                / polynomial(1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
                        7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
                        2.04426310338993978564e-15, t);
    }
    return q < 0 ? -z : z;
}

__device__ inline float bounded(double value, float least, float greatest) {
    float rounded = (float)value;
    return fmaxf(least, fminf(greatest, rounded));
}

/** The value of an element, by its index in the whole tensor. */
__device__ __noinline__ float generate(const Generator g, u64 element) {
    if (g.kind == CONSTANT) {
        return (float)g.a;
    }
    u64 stream = mix(g.key + (element + 1) * GAMMA);
    double u = draw(stream, 0);
    if (g.kind == UNIFORM) {
        return bounded(g.a + (g.b - g.a) * u, g.least, g.greatest);
    }
    double z = quantile(u);
    if (g.kind == NORMAL) {
        return (float)(g.a + g.b * z);
    }
    for (int number = 1; fabs(z) > 2; number++) {
        z = quantile(draw(stream, number));
    }
    return bounded(g.a + g.b * z, g.least, g.greatest);
}

/** The index of the first element of a key's row in a growing table. */
__device__ inline u64 firstElement(i64 key, int width) {
    bool likeAFixedTable = key >= 0 && key < 0x7fffffffffffffffll / width;
    return (likeAFixedTable ? (u64)key : mix((u64)key)) * (u64)width;
}

#define GENERATOR int kind, double a, double b, u64 seed, float least, float greatest
#define THE_GENERATOR {kind, a, b, seed, least, greatest}

/** Writes the initial values of consecutive elements. */
extern "C" __global__ void psf_fill(float *values, i64 first, i64 n, int storage, GENERATOR) {
    Generator g = THE_GENERATOR;
    EACH(i, n) {
        store(values, i, generate(g, (u64)first + (u64)i), storage);
    }
}

// ---- rows by key ----

/** Adds one to a counter for each thread of a warp that is here, with one atomic operation. */
__device__ inline void increment(int *counter) {
#ifdef __CUDA_ARCH__
    unsigned here = __activemask();
    if (threadIdx.x % 32 == __ffs(here) - 1) {
        atomicAdd(counter, __popc(here));
    }
#else
    atomicAdd(counter, 1);
#endif
}

/**
 * Adds one to each of two counters for each thread of the block that says so, with one atomic operation for the block:
 * millions of them on one address take longer than all else that an insertion does. All threads of the block call it.
 * Returns, to a thread that adds to the first counter, its value before.
 */
__device__ inline int allot(int *first, bool addsToFirst, int *second, bool addsToSecond) {
#ifdef __CUDA_ARCH__
    __shared__ int before[32];
    __shared__ int ofSecond[32];
    unsigned all = __ballot_sync(~0u, addsToFirst);
    unsigned others = __ballot_sync(~0u, addsToSecond);
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == 0) {
        before[warp] = __popc(all);
        ofSecond[warp] = __popc(others);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        int sumOfSecond = 0;
        int warps = (blockDim.x + 31) / 32;
        for (int i = 0; i < warps; i++) {
            int n = before[i];
            before[i] = sum;
            sum += n;
            sumOfSecond += ofSecond[i];
        }
        int begin = sum ? atomicAdd(first, sum) : 0;
        if (sumOfSecond) {
            atomicAdd(second, sumOfSecond);
        }
        for (int i = 0; i < warps; i++) {
            before[i] += begin;
        }
    }
    __syncthreads();
    int value = before[warp] + __popc(all & ((1u << lane) - 1));
    __syncthreads(); // before the next call writes
    return value;
#else
    if (addsToSecond) {
        atomicAdd(second, 1);
    }
    return addsToFirst ? atomicAdd(first, 1) : 0;
#endif
}

__device__ inline void refuse(Status *status, i64 i, int n) {
    atomicMax(&status->invalid, n - (int)i);
}

// The claims of a push by key tell which item steps a row, where keys are repeated: the first. They are a hash table of
// the rows of one call, with open addressing, zeros before the call: small enough for the cache of a device, where an array
// with an entry for each row of the shard would be read at random from its memory. An entry is the row plus 1 in the upper
// half, and the least item that has it in the lower. Null: no key is repeated. In a growing table an entry of the index
// stands for its row, which may not exist yet.

__device__ inline u64 claimOf(int row, int item) {
    return ((u64)(unsigned)(row + 1) << 32) | (unsigned)item;
}

__device__ inline unsigned homeOfClaim(int row, unsigned mask) {
    unsigned z = (unsigned)row * 0x9E3779B1u;
    return (z ^ (z >> 15)) & mask;
}

/** Claims a row for an item, unless an earlier item has claimed it. */
__device__ inline void claim(u64 *claims, unsigned mask, int row, int item) {
    u64 mine = claimOf(row, item);
    for (unsigned at = homeOfClaim(row, mask);; at = (at + 1) & mask) {
        u64 seen = atomicCAS(&claims[at], 0ull, mine);
        if (seen == 0) {
            return;
        }
        while (seen >> 32 == mine >> 32) {
            if (seen <= mine) {
                return;
            }
            u64 before = atomicCAS(&claims[at], seen, mine);
            if (before == seen) {
                return;
            }
            seen = before;
        }
    }
}

/** True if an item is the first of its row. */
__device__ inline bool isFirst(const u64 *claims, unsigned mask, int row, int item) {
    if (!claims) {
        return true;
    }
    u64 mine = claimOf(row, item);
    for (unsigned at = homeOfClaim(row, mask);; at = (at + 1) & mask) {
        u64 seen = claims[at];
        if (seen >> 32 == mine >> 32 || seen == 0) {
            return seen == mine;
        }
    }
}

/** The rows of keys of a table that does not grow. Claims each row for the first item that has it; claims may be null. */
extern "C" __global__ void psf_rows_in_range(
        const i64 *keys, int n, i64 begin, i64 end, int *rows, u64 *claims, int mask, Status *status) {
    EACH(i, n) {
        i64 key = keys[i];
        if (key < begin || key >= end) {
            rows[i] = NONE;
            refuse(status, i, n);
            continue;
        }
        int row = (int)(key - begin);
        rows[i] = row;
        if (claims) {
            claim(claims, (unsigned)mask, row, (int)i);
        }
    }
}

/** Checks that a slice of a growing table owns all keys, and empties the claims of the call; claims may be null. */
extern "C" __global__ void psf_check(
        const i64 *keys, int n, i64 begin, i64 end, Status *status, u64 *claims, int mask) {
    if (claims) {
        EACH(i, (i64)mask + 1) {
            claims[i] = 0;
        }
    }
    EACH(i, n) {
        if (!owns(keys[i], begin, end)) {
            refuse(status, i, n);
        }
    }
}

/** The rows of keys of a growing table; NONE for a key without one, and counts those. */
extern "C" __global__ void psf_find(
        const i64 *keys, int n, i64 begin, i64 end, const Entry *entries, u64 mask, int *rows, Status *status) {
    EACH(i, n) {
        i64 key = keys[i];
        int row = NONE;
        if (!owns(key, begin, end)) {
            refuse(status, i, n);
        } else {
            i64 at = find(entries, mask, key);
            int entry = at < 0 ? REMOVED : entries[at].row;
            row = entry > 0 ? entry - 1 : NONE;
        }
        rows[i] = row;
        if (row == NONE) {
            increment(&status->missing);
        }
    }
}

/**
 * Writes the initial values of the rows that threads have created; all threads of the block call it. The rows of a warp are
 * one after the other, from the row of its first thread that creates one.
 */
__device__ inline void fillCreated(
        float *values, int width, int storage, const i64 *keysOfRows, int row, bool creates, int most,
        const Generator &g) {
    if (g.kind == ZEROS) {
        return;
    }
#ifdef __CUDA_ARCH__
    unsigned all = __ballot_sync(~0u, creates);
    if (!all) {
        return;
    }
    int first = __shfl_sync(~0u, row, __ffs(all) - 1);
    int end = min(most - first, __popc(all));
    __syncwarp(); // the keys of the rows are written
    i64 n = end * (i64)width;
    for (i64 i = threadIdx.x % 32; i < n; i += 32) {
        i64 item = n >> 32 ? i / width : (unsigned)i / (unsigned)width;
        i64 column = i - item * width;
        u64 element = firstElement(keysOfRows[first + item], width) + (u64)column;
        store(values, (first + item) * width + column, generate(g, element), storage);
    }
#else
    for (int column = 0; creates && row < most && column < width; column++) {
        float initial = generate(g, firstElement(keysOfRows[row], width) + (u64)column);
        store(values, (i64)row * width + column, initial, storage);
    }
#endif
}

/**
 * The rows of keys of a growing table; creates missing ones, with their initial values. Does nothing if psf_check has found
 * a key that is not owned. A key whose row another thread is creating gets OF_ENTRY, which psf_resolve or psf_mark
 * replaces: no thread waits for another one. With claims, each key gets OF_ENTRY, and claims its entry; claims may be null.
 * The index has at most 2^30 entries, more than those in use and n together: a search ends at an unused entry.
 */
extern "C" __global__ void psf_find_or_insert(
        const i64 *keys, int n, Entry *entries, u64 mask, i64 *keysOfRows, int most, int *rows, u64 *claims,
        int maskOfClaims, Status *status, float *values, int width, int storage, GENERATOR) {
    Generator g = THE_GENERATOR;
    if (status->invalid) {
        EACH(i, n) {
            rows[i] = NONE;
        }
        return;
    }
    i64 stride = (i64)gridDim.x * blockDim.x;
    for (i64 first = blockIdx.x * (i64)blockDim.x; first < n; first += stride) { // for all threads of a block
        i64 i = first + threadIdx.x;
        i64 key = 0;
        u64 at = 0;
        int row = NONE;
        bool creates = false;
        bool uses = false; // an entry that was never used
        bool fits = true;
        if (i < n) {
            key = keys[i];
            u64 tag;
            for (at = home(key, mask, &tag);; at = next(at, mask)) {
                u64 seen = *(volatile u64 *)&entries[at].tag;
                if (seen == 0) {
                    if (most != ANY && *(volatile int *)&status->rows >= most) {
                        fits = false; // no entry for a key that cannot have a row
                        break;
                    }
                    seen = atomicCAS(&entries[at].tag, 0ull, tag);
                    if (seen == 0) {
                        uses = creates = true;
                        break;
                    }
                }
                if (seen == tag) {
                    int there = *(volatile int *)&entries[at].row;
                    if (there == REMOVED) {
                        there = atomicCAS(&entries[at].row, REMOVED, 0);
                        creates = there == REMOVED;
                    }
                    row = creates ? NONE : there > 0 ? there - 1 : OF_ENTRY(at);
                    break;
                }
            }
        }
        int created = allot(&status->rows, creates, &status->used, uses);
        if (creates) {
            fits = created < most;
            row = fits ? created : NONE;
            if (fits) {
                keysOfRows[row] = key;
            } else {
                atomicSub(&status->rows, 1);
            }
            atomicExch(&entries[at].row, fits ? row + 1 : REMOVED);
        }
        if (!fits) {
            atomicExch(&status->full, 1);
        }
        fillCreated(values, width, storage, keysOfRows, created, creates, most, g);
        if (i < n) {
            if (claims && fits) {
                claim(claims, (unsigned)maskOfClaims, (int)at, (int)i);
                row = OF_ENTRY(at);
            }
            rows[i] = row;
        }
    }
}

/** The row of an entry, which exists now; NONE if it could not be created. */
__device__ inline int rowOf(const Entry *entries, int ofEntry) {
    int row = entries[-2 - ofEntry].row;
    return row > 0 ? row - 1 : NONE;
}

/** Replaces OF_ENTRY by the row. */
extern "C" __global__ void psf_resolve(int *rows, int n, const Entry *entries) {
    EACH(i, n) {
        if (rows[i] < NONE) {
            rows[i] = rowOf(entries, rows[i]);
        }
    }
}

/**
 * Tells the first item of each row, which steps it: counts the step; `rows` has its row. The other items of the
 * row get LATER, and are counted. `entries` is null unless rows are OF_ENTRY. All items of a call that has failed get NONE.
 */
extern "C" __global__ void psf_mark(
        int *rows, int n, const Entry *entries, const u64 *claims, int mask, float *steps, Status *status) {
    bool failed = status->invalid || status->full;
    EACH(i, n) {
        int claimed = rows[i];
        if (claimed == NONE || failed) {
            rows[i] = NONE;
            continue;
        }
        int row = entries ? rowOf(entries, claimed) : claimed;
        if (isFirst(claims, (unsigned)mask, entries ? -2 - claimed : claimed, (int)i)) {
            if (entries) {
                rows[i] = row;
            }
            if (steps) {
                steps[row] = steps[row] + 1;
            }
        } else {
            rows[i] = LATER(row);
            increment(&status->duplicates);
        }
    }
}

/** Enters the keys of all rows into an empty index. */
extern "C" __global__ void psf_index(const i64 *keys, int n, Entry *entries, u64 mask) {
    EACH(i, n) {
        u64 tag;
        for (u64 at = home(keys[i], mask, &tag);; at = next(at, mask)) {
            if (atomicCAS(&entries[at].tag, 0ull, tag) == 0) {
                entries[at].row = (int)i + 1;
                break;
            }
        }
    }
}

// Rows are removed in steps: one kernel tells which ones, a bit for each row; psf_plan_moves which of the last rows take
// their numbers; psf_remove_rows takes the keys out of the index, and from then on the removal is decided; then rows move.

/** What is known of a removal, zeros before it. */
struct Removal {
    int doomed; // the rows that are removed
    int holes;  // those of them whose number another row takes
    int movers; // the rows that take their numbers, as many
    int spare;
};

__device__ inline bool isDoomed(const unsigned *doomed, i64 row) {
    return doomed[row >> 5] >> (row & 31) & 1;
}

__device__ inline void doom(unsigned *doomed, i64 row, Removal *removal) {
    unsigned bit = 1u << (row & 31);
    if (!(atomicOr(&doomed[row >> 5], bit) & bit)) {
        increment(&removal->doomed);
    }
}

/** Tells the rows of keys. A key without a row is passed over. */
extern "C" __global__ void psf_doom_keys(
        const i64 *keys, int n, const Entry *entries, u64 mask, unsigned *doomed, Removal *removal) {
    EACH(i, n) {
        i64 at = find(entries, mask, keys[i]);
        int row = at < 0 ? REMOVED : entries[at].row;
        if (row > 0) {
            doom(doomed, row - 1, removal);
        }
    }
}

/** Plans the removal of rows of n: the last ones, `from`, take the numbers `to`. */
extern "C" __global__ void psf_plan_moves(const unsigned *doomed, int n, int *from, int *to, Removal *removal) {
    int tail = n - removal->doomed; // the rows from here on move, or are removed
    i64 stride = (i64)gridDim.x * blockDim.x;
    for (i64 first = blockIdx.x * (i64)blockDim.x; first < n; first += stride) { // for all threads of a block
        i64 row = first + threadIdx.x;
        bool is = row < n && isDoomed(doomed, row);
        if (first < tail) {
            bool hole = is && row < tail;
            int at = allot(&removal->holes, hole, &removal->spare, false);
            if (hole) {
                to[at] = (int)row;
            }
        }
        if (first + blockDim.x > tail) {
            bool mover = row < n && row >= tail && !is;
            int at = allot(&removal->movers, mover, &removal->spare, false);
            if (mover) {
                from[at] = (int)row;
            }
        }
    }
}

/** Removes the keys of rows of n from the index. */
extern "C" __global__ void psf_remove_rows(
        const unsigned *doomed, int n, const i64 *keysOfRows, Entry *entries, u64 mask) {
    EACH(row, n) {
        if (isDoomed(doomed, row)) {
            i64 at = find(entries, mask, keysOfRows[row]);
            if (at >= 0) {
                entries[at].row = REMOVED;
            }
        }
    }
}

/** The keys of rows. */
extern "C" __global__ void psf_keys_of(const i64 *keysOfRows, const int *rows, int n, i64 *keys) {
    EACH(i, n) {
        keys[i] = keysOfRows[rows[i]];
    }
}

/** Gives the keys of rows `from` the row numbers `to`; no row is in both. */
extern "C" __global__ void psf_move_keys(i64 *keys, const int *from, const int *to, int n, Entry *entries, u64 mask) {
    EACH(i, n) {
        i64 key = keys[from[i]];
        keys[to[i]] = key;
        i64 at = find(entries, mask, key);
        if (at >= 0) {
            entries[at].row = to[i] + 1;
        }
    }
}

/** Copies rows `from` to the rows `to` of the same array; no row is in both. */
extern "C" __global__ void psf_move_rows(
        float *values, const int *from, const int *to, int n, int width, int storage) {
    EACH(i, (i64)n * width) {
        i64 item = i / width;
        i64 column = i % width;
        i64 target = (i64)to[item] * width + column;
        i64 source = (i64)from[item] * width + column;
        if (storage) {
            ((u16 *)values)[target] = ((const u16 *)values)[source];
        } else {
            values[target] = values[source];
        }
    }
}

// ---- marks of rows ----
//
// A table with a policy has three numbers for each row, as io.psf.builtin.policy.MarkMemory.

struct Mark {
    int step;   // the push that has touched the row last
    int second; // the second in which it has
    int count;  // the pushes that have touched it; stays at the greatest int
};

/**
 * Marks the rows of keys as touched. Writes their rows, NONE for a key without one, and counts those; `rows` may be null. Does
 * nothing if psf_check has found a key that is not owned.
 */
extern "C" __global__ void psf_touch(
        const i64 *keys, int n, const Entry *entries, u64 mask, Mark *marks, int step, int second, int *rows,
        Status *status) {
    if (status->invalid) {
        return;
    }
    EACH(i, n) {
        i64 at = find(entries, mask, keys[i]);
        int row = at < 0 ? REMOVED : entries[at].row;
        if (row > 0) {
            Mark *mark = &marks[row - 1];
            mark->step = step;
            mark->second = second;
            int count = mark->count;
            while (count != 0x7fffffff) { // two items may have one key
                int before = atomicCAS(&mark->count, count, count + 1);
                if (before == count) {
                    break;
                }
                count = before;
            }
        } else {
            increment(&status->missing);
        }
        if (rows) {
            rows[i] = row > 0 ? row - 1 : NONE;
        }
    }
}

/** Marks the rows [begin, end) as touched once. */
extern "C" __global__ void psf_set_marks(Mark *marks, int begin, int end, int step, int second) {
    EACH(i, end - begin) {
        Mark mark = {step, second, 1};
        marks[begin + i] = mark;
    }
}

/** Replaces the marks of the rows of keys. */
extern "C" __global__ void psf_write_marks(
        const i64 *keys, int n, const Entry *entries, u64 mask, Mark *marks, const Mark *from) {
    EACH(i, n) {
        i64 at = find(entries, mask, keys[i]);
        int row = at < 0 ? REMOVED : entries[at].row;
        if (row > 0) {
            marks[row - 1] = from[i];
        }
    }
}

/** Lowers the numbers of pushes of n rows, to at least 0. */
extern "C" __global__ void psf_lower_marks(Mark *marks, int n, int by) {
    EACH(i, n) {
        int step = marks[i].step;
        marks[i].step = step > by ? step - by : 0;
    }
}

/** Tells the rows of n that were last touched before a push, or before a second. */
extern "C" __global__ void psf_doom_idle(
        const Mark *marks, int n, i64 beforeStep, i64 beforeSecond, unsigned *doomed, Removal *removal) {
    EACH(row, n) {
        if (marks[row].step < beforeStep || marks[row].second < beforeSecond) {
            doom(doomed, row, removal);
        }
    }
}

// The rows that were touched least recently, or least often, are found by counting digits of 8 bits, from the highest on: those
// of the rank of a row, then those of its key, for the rows of one rank. Two kernels for each digit, without a round trip to
// the host: they do nothing once the rows are known.

#define DIGITS 256

/** The first digits of the rows' ranks and keys, up to which they are chosen. Zeros before the choice. */
struct Choice {
    u64 rank;
    u64 key;
    int digits;  // known so far
    int left;    // the rows to choose among those that have these digits
    int decided; // 1 if all of these are chosen, or none is left
    int spare;
    int counts[DIGITS]; // of the rows that have the digits so far, by their next one
};

__device__ inline u64 rankOf(const Mark &mark, int byCount) {
    return byCount ? (u64)(unsigned)mark.count << 32 | (unsigned)mark.step : (u64)(unsigned)mark.step;
}

#define DIGITS_OF_RANK(byCount) ((byCount) ? 8 : 4)
#define DIGITS_OF_KEY 8

/** The order of keys, which are signed, as one of numbers without a sign. */
__device__ inline u64 orderOf(i64 key) {
    return (u64)key ^ 1ull << 63;
}

/** Compares the first digits of a row with those of the choice. */
__device__ inline int compared(const Choice *choice, u64 rank, i64 key, int ofRank, int digits) {
    int n = digits < ofRank ? digits : ofRank;
    u64 prefix = n ? rank >> 8 * (ofRank - n) : 0;
    if (prefix != choice->rank) {
        return prefix < choice->rank ? -1 : 1;
    }
    n = digits - ofRank;
    prefix = n > 0 ? orderOf(key) >> 8 * (DIGITS_OF_KEY - n) : 0;
    return prefix < choice->key ? -1 : prefix > choice->key;
}

/** Counts the next digit of the rows of n that have the digits so far. The rows of the push `leftOut` stay. */
extern "C" __global__ void psf_count_digit(
        const Mark *marks, const i64 *keysOfRows, int n, int byCount, int leftOut, Choice *choice) {
    if (choice->decided) {
        return;
    }
    int *counts = choice->counts;
#ifdef __CUDA_ARCH__
    __shared__ int ofBlock[DIGITS]; // few addresses of memory: most rows of a table have the same first digits
    for (int i = threadIdx.x; i < DIGITS; i += blockDim.x) {
        ofBlock[i] = 0;
    }
    __syncthreads();
    counts = ofBlock;
#endif
    int digits = choice->digits;
    int ofRank = DIGITS_OF_RANK(byCount);
    EACH(row, n) {
        Mark mark = marks[row];
        u64 rank = rankOf(mark, byCount);
        i64 key = digits < ofRank ? 0 : keysOfRows[row];
        if (mark.step != leftOut && compared(choice, rank, key, ofRank, digits) == 0) {
            u64 number = digits < ofRank ? rank >> 8 * (ofRank - 1 - digits)
                                         : orderOf(key) >> 8 * (DIGITS_OF_KEY - 1 - (digits - ofRank));
            atomicAdd(&counts[number & (DIGITS - 1)], 1);
        }
    }
#ifdef __CUDA_ARCH__
    __syncthreads();
    for (int i = threadIdx.x; i < DIGITS; i += blockDim.x) {
        if (ofBlock[i]) {
            atomicAdd(&choice->counts[i], ofBlock[i]);
        }
    }
#endif
}

/** Chooses the next digit of at most `most` rows, and empties the counts. One block does so. */
extern "C" __global__ void psf_pick_digit(int byCount, int most, Choice *choice) {
    if (blockIdx.x != 0 || choice->decided) {
        return;
    }
    int digits = choice->digits;
    int picked = -1;
    int left = 0;
    int same = 0;
    bool hasNone = false;
    for (int digit = threadIdx.x; digit < DIGITS; digit += blockDim.x) {
        int before = 0;
        int all = 0;
        for (int each = 0; each < DIGITS; each++) {
            int n = choice->counts[each];
            before += each < digit ? n : 0;
            all += n;
        }
        int wanted = digits ? choice->left : most < all ? most : all;
        int here = choice->counts[digit];
        hasNone = wanted == 0;
        if (before < wanted && wanted <= before + here) {
            picked = digit;
            left = wanted - before;
            same = here;
        }
    }
    __syncthreads();
    if (picked >= 0) {
        u64 *of = digits < DIGITS_OF_RANK(byCount) ? &choice->rank : &choice->key;
        *of = *of << 8 | (u64)picked;
        choice->digits = digits + 1;
        choice->left = left;
        choice->decided = same == left;
    } else if (hasNone && threadIdx.x == 0) {
        choice->decided = 1;
    }
    for (int digit = threadIdx.x; digit < DIGITS; digit += blockDim.x) {
        choice->counts[digit] = 0;
    }
}

/** Tells the rows of n that are chosen. */
extern "C" __global__ void psf_doom_lowest(
        const Mark *marks, const i64 *keysOfRows, int n, int byCount, int leftOut, const Choice *choice,
        unsigned *doomed, Removal *removal) {
    if (!choice->left) {
        return;
    }
    int digits = choice->digits;
    int ofRank = DIGITS_OF_RANK(byCount);
    EACH(row, n) {
        Mark mark = marks[row];
        i64 key = digits > ofRank ? keysOfRows[row] : 0;
        if (mark.step != leftOut && compared(choice, rankOf(mark, byCount), key, ofRank, digits) <= 0) {
            doom(doomed, row, removal);
        }
    }
}

/** Some of the parts of the rows of all items, which are numbered one row after the other. */
struct Parts {
    unsigned first; // of this thread
    unsigned end;
    unsigned stride;
};

/** The parts of a thread, if the grid copies all. */
__device__ inline Parts ofGrid() {
    Parts parts = {
        blockIdx.x * blockDim.x * IN_FLIGHT + threadIdx.x, 0xffffffffu, gridDim.x * blockDim.x * IN_FLIGHT};
    return parts;
}

/**
 * Copies parts of the rows of n items to an array, one after the other. Does nothing for an item without a row.
 * `rowOf(item)` is the row of an item, NONE if it has none; each thread that copies a part of the row asks for it.
 */
template <class T, class Into, class RowOf>
__device__ inline void copyRows(
        const T *values, int n, unsigned ofRow, Into *into, Decode decoded, Parts parts, RowOf rowOf) {
    unsigned all = (unsigned)n * ofRow;
    unsigned total = all < parts.end ? all : parts.end;
    for (unsigned first = parts.first; first < total; first += parts.stride) {
        int row[IN_FLIGHT];
        unsigned part[IN_FLIGHT];
        T value[IN_FLIGHT];
        for (int k = 0; k < IN_FLIGHT; k++) {
            unsigned i = first + k * blockDim.x;
            unsigned item = i / ofRow;
            part[k] = i - item * ofRow;
            row[k] = i < total ? rowOf((int)item, part[k] == 0) : NONE;
        }
        for (int k = 0; k < IN_FLIGHT; k++) {
            if (row[k] >= 0) {
                value[k] = values[(i64)row[k] * ofRow + part[k]];
            }
        }
        for (int k = 0; k < IN_FLIGHT; k++) {
            if (row[k] >= 0) {
                into[first + k * blockDim.x] = decoded(value[k]);
            }
        }
    }
}

/** Copies parts of the rows of n items: four elements each, or one if the width is no multiple of four. */
template <class RowOf>
__device__ inline void pull(
        const float *values, int n, int width, int storage, float *into, Parts parts, RowOf rowOf) {
    Decode decoded = {storage};
    if (width % 4 == 0 && storage) {
        copyRows((const ushort4 *)values, n, (unsigned)width / 4, (float4 *)into, decoded, parts, rowOf);
    } else if (width % 4 == 0) {
        copyRows((const float4 *)values, n, (unsigned)width / 4, (float4 *)into, decoded, parts, rowOf);
    } else if (storage) {
        copyRows((const u16 *)values, n, (unsigned)width, into, decoded, parts, rowOf);
    } else {
        copyRows(values, n, (unsigned)width, into, decoded, parts, rowOf);
    }
}

/** The row of a key of a growing table; NONE if there is none. */
__device__ inline int rowIn(const Entry *entries, u64 mask, i64 key) {
    i64 at = find(entries, mask, key);
    int entry = at < 0 ? REMOVED : entries[at].row;
    return entry > 0 ? entry - 1 : NONE;
}

/** Copies the rows of the items [first, first + n) of all keys of a table that does not grow. */
extern "C" __global__ void psf_pull_range(
        const float *values, const i64 *keys, int all, int first, int n, i64 begin, i64 end, int width,
        int storage, float *into, Status *status) {
    pull(values, n, width, storage, into, ofGrid(), [=](int item, bool) {
        i64 key = keys[first + item];
        if (key < begin || key >= end) {
            refuse(status, first + item, all);
            return NONE;
        }
        return (int)(key - begin);
    });
}

/**
 * Copies the rows of the items [first, first + n) of all keys of a growing table. Writes the row of each item, NONE where
 * there is none, and counts those.
 */
extern "C" __global__ void psf_pull_index(
        const float *values, const i64 *keys, int all, int first, int n, i64 begin, i64 end, const Entry *entries,
        u64 mask, int width, int storage, float *into, int *rows, Status *status) {
    pull(values, n, width, storage, into, ofGrid(), [=](int item, bool isPartZero) {
        i64 key = keys[first + item];
        int row = NONE;
        if (!owns(key, begin, end)) {
            refuse(status, first + item, all);
        } else {
            row = rowIn(entries, mask, key);
        }
        if (isPartZero) {
            rows[first + item] = row;
            if (row == NONE) {
                increment(&status->missing);
            }
        }
        return row;
    });
}

/** The parts that a block copies at once, where one launch does several pulls. */
#define CHUNK 512

/** One of several pulls. */
struct Pull {
    const float *values;
    const i64 *keys;      // null: the first n rows
    const Entry *entries; // null: the table does not grow
    u64 mask;
    i64 begin;
    i64 end;
    float *into;
    int *isOdd; // 1 afterwards if a key has no row or is not owned
    int n;
    int width;
    int storage;
    int firstChunk; // chunks are numbered one pull after the other
};

/** Copies the parts of the rows of a pull that a thread copies. */
__device__ inline void pull(const Pull &p, Parts parts) {
    pull(p.values, p.n, p.width, p.storage, p.into, parts, [=](int item, bool) {
        if (!p.keys) {
            return item;
        }
        i64 key = p.keys[item];
        int row = NONE;
        if (p.entries) {
            row = owns(key, p.begin, p.end) ? rowIn(p.entries, p.mask, key) : NONE;
        } else if (key >= p.begin && key < p.end) {
            row = (int)(key - p.begin);
        }
        if (row == NONE) {
            *p.isOdd = 1;
        }
        return row;
    });
}

/** Copies the rows of one pull. */
extern "C" __global__ void psf_pull_one(
        const float *values, const i64 *keys, const Entry *entries, u64 mask, i64 begin, i64 end, float *into,
        int *isOdd, int n, int width, int storage) {
    Pull p = {values, keys, entries, mask, begin, end, into, isOdd, n, width, storage, 0};
    pull(p, ofGrid());
}

/** Copies the rows of several pulls, also of different tables. */
extern "C" __global__ void psf_pull_each(const Pull *pulls, int count, int chunks) {
    for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        int which = 0; // the last one that begins at the chunk or before
        for (int end = count; end - which > 1;) {
            int middle = (which + end) / 2;
            bool isBehind = pulls[middle].firstChunk > chunk;
            end = isBehind ? middle : end;
            which = isBehind ? which : middle;
        }
        const Pull p = pulls[which];
        unsigned begin = (unsigned)(chunk - p.firstChunk) * CHUNK;
        Parts parts = {begin + threadIdx.x, begin + CHUNK, blockDim.x * IN_FLIGHT};
        pull(p, parts);
    }
}

/** Writes the initial values of the items [first, first + n) that have no row, if there is such an item. */
extern "C" __global__ void psf_pull_missing(
        const int *rows, const i64 *keys, int first, int n, int width, int storage, float *into, const Status *status,
        GENERATOR) {
    if (!status->missing) {
        return;
    }
    Generator g = THE_GENERATOR;
    EACH(i, (i64)n * width) {
        unsigned item = (unsigned)i / (unsigned)width;
        if (rows[first + item] < 0) {
            unsigned column = (unsigned)i - item * (unsigned)width;
            into[i] = stored(generate(g, firstElement(keys[first + item], width) + column), storage);
        }
    }
}

/** Ends a call: copies the status to memory of the host, and resets the words of the call. */
extern "C" __global__ void psf_end(Status *status, int *into) {
    int *words = (int *)status;
    EACH(i, 6) {
        into[i] = words[i];
        if (i < 4) {
            words[i] = 0;
        }
    }
}

/**
 * Counts the steps of the rows of n items, none of which is repeated, unless the call has failed. Then ends the call, as
 * psf_end does: the last block does so.
 */
extern "C" __global__ void psf_end_steps(const int *rows, int n, float *steps, Status *status, int *into) {
    bool failed = status->invalid || status->full;
    EACH(i, n) {
        int row = rows[i];
        if (row >= 0 && !failed) {
            steps[row] = steps[row] + 1;
        }
    }
#ifdef __CUDA_ARCH__
    __shared__ bool isLast;
    __syncthreads(); // no thread of the block reads the status any more
    if (threadIdx.x == 0) {
        __threadfence();
        isLast = atomicAdd(&status->ended, 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (!isLast) {
        return;
    }
    int first = threadIdx.x;
    int stride = blockDim.x;
#else
    if (atomicAdd(&status->ended, 1) != (int)(gridDim.x * blockDim.x) - 1) {
        return;
    }
    int first = 0;
    int stride = 1;
#endif
    int *words = (int *)status;
    for (int i = first; i < 7; i += stride) {
        if (i < 6) {
            into[i] = words[i];
        }
        if (i < 4 || i == 6) {
            words[i] = 0;
        }
    }
}

/** Copies the rows of an array to rows by number, none of which is repeated; items of NONE are left. */
extern "C" __global__ void psf_scatter(
        float *values, const int *rows, int n, int width, const float *from, int storage) {
    if (width % 4 == 0) {
        unsigned quads = (unsigned)width / 4;
        EACH(i, (i64)n * quads) {
            unsigned item = (unsigned)i / quads;
            i64 row = rows[item];
            if (row >= 0) {
                storeFour(values, row * quads + ((unsigned)i - item * quads), ((const float4 *)from)[i], storage);
            }
        }
        return;
    }
    EACH(i, (i64)n * width) {
        unsigned item = (unsigned)i / (unsigned)width;
        i64 row = rows[item];
        if (row >= 0) {
            store(values, row * width + ((unsigned)i - item * (unsigned)width), from[i], storage);
        }
    }
}

/** The items of a bag whose loads a thread has in flight at once. */
#define ROWS_AHEAD 4

/** The initial values of a row that a growing table does not have. */
struct Initial {
    Generator generator;
    int width;
    int storage;
    __device__ void read(i64 key, unsigned column, float &into) const {
        into = stored(generate(generator, firstElement(key, width) + column), storage);
    }
    __device__ void read(i64 key, unsigned quad, float4 &into) const {
        read(key, 4 * quad, into.x);
        read(key, 4 * quad + 1, into.y);
        read(key, 4 * quad + 2, into.z);
        read(key, 4 * quad + 3, into.w);
    }
};

__device__ inline void addTo(float &sum, float value) {
    sum += value;
}

__device__ inline void addTo(float4 &sum, float4 values) {
    sum.x += values.x;
    sum.y += values.y;
    sum.z += values.z;
    sum.w += values.w;
}

/** Adds the rows of the items of each bag. A thread adds one part of the rows of a bag, in the order of the items. */
template <class T, class Sum>
__device__ inline void sumRows(const T *values, const int *rows, const i64 *keys, const int *ends, int first, int n,
        unsigned parts, Sum *into, Decode decoded, Initial initial) {
    EACH(i, (i64)n * parts) {
        unsigned bag = (unsigned)i / parts;
        unsigned part = (unsigned)i - bag * parts;
        int begin = first + (int)bag == 0 ? 0 : ends[first + (int)bag - 1];
        int end = ends[first + (int)bag];
        Sum sum = {};
        for (int item = begin; item < end; item += ROWS_AHEAD) {
            int row[ROWS_AHEAD];
            T value[ROWS_AHEAD];
            for (int k = 0; k < ROWS_AHEAD; k++) {
                row[k] = item + k < end ? rows[item + k] : NONE;
            }
            for (int k = 0; k < ROWS_AHEAD; k++) {
                if (row[k] >= 0) {
                    value[k] = values[(i64)row[k] * parts + part];
                }
            }
            for (int k = 0; k < ROWS_AHEAD; k++) {
                if (row[k] >= 0) {
                    addTo(sum, decoded(value[k]));
                } else if (item + k < end) {
                    Sum missing;
                    initial.read(keys[item + k], part, missing);
                    addTo(sum, missing);
                }
            }
        }
        into[i] = sum;
    }
}

/**
 * Writes the sums of the rows of bags, from zero in the order of the items: those of the bags [first, first + n). An item of
 * NONE has the initial values of its key's row.
 *
 * @param ends the index behind the last item of each bag
 */
extern "C" __global__ void psf_sum_rows(
        const float *values, const int *rows, const i64 *keys, const int *ends, int first, int n, int width,
        int storage, float *into, GENERATOR) {
    Decode decoded = {storage};
    Initial initial = {THE_GENERATOR, width, storage};
    unsigned quads = (unsigned)width / 4;
    if (width % 4 == 0 && storage) {
        sumRows((const ushort4 *)values, rows, keys, ends, first, n, quads, (float4 *)into, decoded, initial);
    } else if (width % 4 == 0) {
        sumRows((const float4 *)values, rows, keys, ends, first, n, quads, (float4 *)into, decoded, initial);
    } else if (storage) {
        sumRows((const u16 *)values, rows, keys, ends, first, n, (unsigned)width, into, decoded, initial);
    } else {
        sumRows(values, rows, keys, ends, first, n, (unsigned)width, into, decoded, initial);
    }
}

// ---- optimizers ----

/** The arguments of a rule, as RuleKernel has them, and Adam's corrections by number of steps: mean, root. */
struct Rule {
    float p0, p1, p2, p3, p4;
    const double2 *corrections;
    int known;
    /** 1 if gradients change before the formula: limited to [-clip, clip], scaled, then the decayed weights are added. */
    int changes;
    float clip, scale, decay;
    /** The number of steps of all rows with this one, where no array has those of each. */
    float stepsOfAll;
    /** The format of the values. */
    int storage;
};

/** A rule without factors of each row. Rules hide what they have: the number of states, whether they count, factors. */
struct Elementwise {
    static const int states = 0;
    /** True if gradients may change before the formula. */
    static const bool options = true;
    /** True if the rule has factors of each row, which depend on one float of the row. */
    static const bool byRow = false;
    /** True if that float is the number of steps of the row, which each step counts. */
    static const bool counts = false;
    /** The factors of a row, by its float: if it is counted, with the coming step. */
    __device__ static float2 factors(const Rule &, float) {
        float2 none = {0, 0};
        return none;
    }
};

struct Add : Elementwise {
    __device__ static void step(const Rule &r, float &w, float g, float &, float &, float2) {
        w = w + r.p0 * g;
    }
};

struct Assign : Elementwise {
    static const bool options = false;
    __device__ static void step(const Rule &, float &w, float g, float &, float &, float2) {
        w = g;
    }
};

struct Sgd : Elementwise {
    __device__ static void step(const Rule &r, float &w, float g, float &, float &, float2) {
        w = w - r.p0 * g;
    }
};

struct Momentum : Elementwise {
    static const int states = 1;
    __device__ static void step(const Rule &r, float &w, float g, float &v, float &, float2) {
        v = r.p1 * v - r.p0 * g;
        w = w + v;
    }
};

struct Nesterov : Elementwise {
    static const int states = 1;
    __device__ static void step(const Rule &r, float &w, float g, float &v, float &, float2) {
        float t = -r.p0 * g;
        v = r.p1 * (v + t);
        w = w + (v + t);
    }
};

struct AdaGrad : Elementwise {
    static const int states = 1;
    __device__ static void step(const Rule &r, float &w, float g, float &a, float &, float2) {
        a = a + g * g;
        w = w - r.p0 * g / (sqrtf(r.p1 + a) + r.p2);
    }
};

struct RmsProp : Elementwise {
    static const int states = 1;
    __device__ static void step(const Rule &r, float &w, float g, float &a, float &, float2) {
        float fresh = (float)(1.0 - (double)r.p1);
        a = r.p1 * a + fresh * g * g;
        w = w - r.p0 * g / (sqrtf(a) + r.p2);
    }
};

struct AdaDelta : Elementwise {
    static const int states = 2;
    __device__ static void step(const Rule &r, float &w, float g, float &a, float &x, float2) {
        float fresh = (float)(1.0 - (double)r.p1);
        a = r.p1 * a + fresh * g * g;
        float d = sqrtf((x + r.p2) / (a + r.p2)) * g;
        x = r.p1 * x + fresh * d * d;
        w = w - r.p0 * d;
    }
};

struct Ftrl : Elementwise {
    static const int states = 2;
    __device__ static void step(const Rule &r, float &w, float g, float &z, float &n, float2) {
        float perRate = r.p0;
        float before = sqrtf(n);
        n = n + g * g;
        float root = sqrtf(n);
        z = z + (g - (root - before) * perRate * w);
        float beyond = fabsf(z) - r.p2;
        float divisor = (r.p1 + root) * perRate + r.p3;
        w = beyond <= 0 ? 0 : -copysignf(beyond, z) / divisor; // a NaN stays one
    }
};

/** Computes Adam's corrections, mean and root. Not inlined: two powers take many registers. */
__device__ __noinline__ double2 computeCorrection(float b1, float b2, int count) {
    double2 computed;
    computed.x = 1 / (1 - pow((double)b1, (double)count));
    computed.y = 1 / sqrt(1 - pow((double)b2, (double)count));
    return computed;
}

/** Adam's factors of a row: lr times the mean's correction, and the root's. */
__device__ inline float2 corrected(const Rule &r, float lr, float steps) {
    int count = (int)steps;
    double2 correction = count < r.known ? r.corrections[count] : computeCorrection(r.p1, r.p2, count);
    float2 factors;
    factors.x = (float)((double)lr * correction.x);
    factors.y = (float)correction.y;
    return factors;
}

/** Adam's moments. Returns m / (root sqrt(v) + eps), m multiplied before. */
__device__ inline float moments(const Rule &r, float g, float &m, float &v, float2 c) {
    float newM = (float)(1.0 - (double)r.p1);
    float newV = (float)(1.0 - (double)r.p2);
    m = r.p1 * m + newM * g;
    v = r.p2 * v + newV * g * g;
    return c.x * m / (sqrtf(v) * c.y + r.p3);
}

struct Adam : Elementwise {
    static const int states = 2;
    static const bool byRow = true;
    static const bool counts = true;
    __device__ static float2 factors(const Rule &r, float steps) {
        return corrected(r, r.p0, steps);
    }
    __device__ static void step(const Rule &r, float &w, float g, float &m, float &v, float2 c) {
        w = w - moments(r, g, m, v, c);
    }
};

/** p4 is the factor of the weights. */
struct AdamW : Adam {
    __device__ static void step(const Rule &r, float &w, float g, float &m, float &v, float2 c) {
        w = w * r.p4;
        Adam::step(r, w, g, m, v, c);
    }
};

/** The factors, p0 and p4, are of the steps of the tensor: the host computes them for each step. */
struct LazyAdam : Elementwise {
    static const int states = 2;
    __device__ static void step(const Rule &r, float &w, float g, float &m, float &v, float2) {
        float2 c = {r.p0, r.p4};
        w = w - moments(r, g, m, v, c);
    }
};

/** Limits an element to [-limit, limit]; a NaN stays one. */
__device__ inline float clipped(float g, float limit) {
    return g > limit ? limit : g < -limit ? -limit : g;
}

/** The gradient that reaches the formula, as of Gradients. */
__device__ inline float changed(const Rule &r, float w, float g) {
    float scaled = clipped(g, r.clip) * r.scale;
    return r.decay == 0 ? scaled : scaled + r.decay * w;
}

/** True if gradients change: the same for all threads, an argument that no memory is read for. */
template <class R>
__device__ inline bool changes(const Rule &r) {
    return R::options && r.changes;
}

/** p0 is the rate, multiplied by the ratio of the norms; p4 the weight decay. */
struct Lamb : Elementwise {
    static const int states = 2;
    static const bool byRow = true;
    static const bool counts = true;
    __device__ static float2 factors(const Rule &r, float steps) {
        return corrected(r, 1, steps);
    }
    /** The step before it is multiplied by the rate. */
    __device__ static float direction(const Rule &r, float w, float g, float &m, float &v, float2 c) {
        return moments(r, g, m, v, c) + r.p4 * w;
    }
    __device__ static void step(const Rule &r, float &w, float g, float &m, float &v, float2 c) {
        w = w - r.p0 * direction(r, w, g, m, v, c);
    }
};

/** The float of the row is its accumulator, to which addSquares has added the squares of the coming step. */
struct RowAdaGrad : Elementwise {
    static const bool byRow = true;
    __device__ static float2 factors(const Rule &r, float a) {
        float2 factors = {r.p0 / (sqrtf(r.p1 + a) + r.p2), 0};
        return factors;
    }
    __device__ static void step(const Rule &, float &w, float g, float &, float &, float2 c) {
        w = w - c.x * g;
    }
};

/** Reads what no thread reads again: it need not stay in the cache. */
template <class T>
__device__ inline T once(const T *at) {
#ifdef __CUDA_ARCH__
    return __ldcs(at);
#else
    return *at;
#endif
}

/** Steps element i of w, s and t by element j of g. */
template <class R>
__device__ inline void stepOne(
        const Rule &r, float *w, const float *g, float *s, float *t, i64 i, i64 j, float2 c) {
    float weight = load(w, i, r.storage);
    float gradient = once(&g[j]);
    gradient = changes<R>(r) ? changed(r, weight, gradient) : gradient;
    float first = R::states > 0 ? s[i] : 0;
    float second = R::states > 1 ? t[i] : 0;
    R::step(r, weight, gradient, first, second, c);
    store(w, i, weight, r.storage);
    if (R::states > 0) {
        s[i] = first;
    }
    if (R::states > 1) {
        t[i] = second;
    }
}

/** Steps four elements: those of group i of w, s and t by group j of g, each with its factors. */
template <class R>
__device__ inline void stepFour(
        const Rule &r, float *w, const float *g, float *s, float *t, i64 i, i64 j, float2 c, float2 c1, float2 c2,
        float2 c3) {
    float4 weight = loadFour(w, i, r.storage);
    float4 gradient = once((const float4 *)g + j);
    float4 first;
    float4 second;
    if (R::states > 0) {
        first = ((const float4 *)s)[i];
    }
    if (R::states > 1) {
        second = ((const float4 *)t)[i];
    }
    if (changes<R>(r)) {
        gradient.x = changed(r, weight.x, gradient.x);
        gradient.y = changed(r, weight.y, gradient.y);
        gradient.z = changed(r, weight.z, gradient.z);
        gradient.w = changed(r, weight.w, gradient.w);
    }
    R::step(r, weight.x, gradient.x, first.x, second.x, c);
    R::step(r, weight.y, gradient.y, first.y, second.y, c1);
    R::step(r, weight.z, gradient.z, first.z, second.z, c2);
    R::step(r, weight.w, gradient.w, first.w, second.w, c3);
    storeFour(w, i, weight, r.storage);
    if (R::states > 0) {
        ((float4 *)s)[i] = first;
    }
    if (R::states > 1) {
        ((float4 *)t)[i] = second;
    }
}

/** The factors of an element, by the float of its row. */
template <class R>
__device__ inline float2 factorsAt(const Rule &r, const float *ofRows, i64 row) {
    return R::factors(r, R::byRow ? ofRows[row] : 0);
}

/** The factors of a row's coming step. */
template <class R>
__device__ inline float2 comingFactors(const Rule &r, const float *ofRows, i64 row) {
    return R::factors(r, R::counts ? ofRows[row] + 1 : R::byRow ? ofRows[row] : 0);
}

/** Steps n elements, from the row `row` on, whose factors differ from row to row. */
template <class R>
__device__ inline void stepAllByRow(
        float *w, const float *g, float *s, float *t, const float *ofRows, i64 row, unsigned n, unsigned width,
        const Rule &r) {
    ofRows += row;
    unsigned fours = n / 4;
    unsigned quads = width / 4;
    EACH(i, fours) {
        float2 c;
        float2 c1;
        float2 c2;
        float2 c3;
        if (width % 4 == 0) {
            c = c1 = c2 = c3 = factorsAt<R>(r, ofRows, (unsigned)i / quads);
        } else { // four elements may be of several rows
            unsigned at = (unsigned)i * 4;
            c = factorsAt<R>(r, ofRows, at / width);
            c1 = factorsAt<R>(r, ofRows, (at + 1) / width);
            c2 = factorsAt<R>(r, ofRows, (at + 2) / width);
            c3 = factorsAt<R>(r, ofRows, (at + 3) / width);
        }
        stepFour<R>(r, w, g, s, t, i, i, c, c1, c2, c3);
    }
    EACH(i, n - fours * 4) {
        i64 at = (i64)fours * 4 + i;
        stepOne<R>(r, w, g, s, t, at, at, factorsAt<R>(r, ofRows, at / width));
    }
}

/**
 * Steps n elements of a shard, from the row `row` on, by the n elements of g. The float of each row is its number of steps
 * with this one, or its state; null if the rule needs none, or all rows have the same number of steps, which the rule has.
 * The elements begin at a multiple of 16 bytes.
 */
template <class R>
__device__ inline void stepAll(
        float *w, const float *g, float *s, float *t, const float *ofRows, i64 row, i64 n, int width, const Rule &r) {
    i64 first = row * width;
    w = elementAt(w, first, r.storage);
    if (R::states > 0) {
        s += first;
    }
    if (R::states > 1) {
        t += first;
    }
    if (R::byRow && ofRows) {
        stepAllByRow<R>(w, g, s, t, ofRows, row, (unsigned)n, (unsigned)width, r);
        return;
    }
    float2 c = R::factors(r, r.stepsOfAll);
    i64 fours = n / 4;
    EACH(i, fours) {
        stepFour<R>(r, w, g, s, t, i, i, c, c, c, c);
    }
    EACH(i, n - fours * 4) {
        stepOne<R>(r, w, g, s, t, fours * 4 + i, fours * 4 + i, c);
    }
}

/** The factors of the row of an item. */
template <class R>
__device__ inline float2 factorsOfItem(const Rule &r, const float *ofRows, i64 row) {
    return R::factors(r, R::counts ? ofRows[row] + r.stepsOfAll : R::byRow ? ofRows[row] : 0);
}

/**
 * Steps the rows of the items [first, first + n) by an update of n rows; items without a row are left. The float of each
 * row, null if the rule needs none, is its state, or its number of steps: with this one, or without if the rule has one as
 * the steps of all.
 */
template <class R>
__device__ inline void stepRows(
        float *w, const float *g, float *s, float *t, const float *ofRows, const int *rows, int first, int n, int width,
        const Status *status, const Rule &r) {
    if (status->invalid || status->full) {
        return;
    }
    if (width % 4 == 0) {
        unsigned quads = (unsigned)width / 4;
        EACH(i, (i64)n * quads) {
            unsigned item = (unsigned)i / quads;
            i64 row = rows[first + item];
            if (row >= 0) {
                unsigned quad = (unsigned)i - item * quads;
                float2 c = factorsOfItem<R>(r, ofRows, row);
                stepFour<R>(r, w, g, s, t, row * quads + quad, i, c, c, c, c);
            }
        }
        return;
    }
    EACH(i, (i64)n * width) {
        unsigned item = (unsigned)i / (unsigned)width;
        i64 row = rows[first + item];
        if (row >= 0) {
            float2 c = factorsOfItem<R>(r, ofRows, row);
            stepOne<R>(r, w, g, s, t, row * width + ((unsigned)i - item * (unsigned)width), i, c);
        }
    }
}

/**
 * Adds the mean of the squares of a row's gradients to the row's accumulator. One thread adds them, in the order of the
 * row, so that the sum is that of the host.
 */
__device__ inline void addSquares(
        const Rule &r, const float *w, const float *g, float *a, i64 row, i64 item, int width) {
    i64 begin = row * width;
    const float *gradients = g + item * width;
    float sum = 0;
    int column = 0;
    if (width % 4 == 0 && !r.changes) {
        for (; column < width; column += 4) {
            float4 four = *(const float4 *)(gradients + column);
            sum = sum + four.x * four.x;
            sum = sum + four.y * four.y;
            sum = sum + four.z * four.z;
            sum = sum + four.w * four.w;
        }
    }
    for (; column < width; column++) {
        float gradient = r.changes ? changed(r, load(w, begin + column, r.storage), gradients[column]) : gradients[column];
        sum = sum + gradient * gradient;
    }
    a[row] = a[row] + sum / (float)width;
}

/**
 * Steps the items that psf_mark has left, by their rows. A row is of one block, which steps its items in order, so any number of blocks
 * is correct. Each thread of a block has its own columns.
 */
template <class R>
__device__ inline void stepRest(
        float *w, const float *g, float *s, float *t, float *ofRows, const int *rows, int n, int width,
        const Rule &r) {
    int following = n > 0 ? rows[0] : NONE;
    for (int item = 0; item < n; item++) {
        int number = following;
        following = item + 1 < n ? rows[item + 1] : NONE; // read ahead: most items are of another block
        if (number < 0 || (unsigned)number % gridDim.x != blockIdx.x) {
            continue;
        }
        i64 row = number;
        if (R::byRow && !R::counts) {
            if (threadIdx.x == 0) {
                addSquares(r, w, g, ofRows, row, item, width);
            }
            __syncthreads();
        }
        float2 c = comingFactors<R>(r, ofRows, row);
        __syncthreads();
        if (R::counts && threadIdx.x == 0) {
            ofRows[row] = ofRows[row] + 1;
        }
        for (int column = threadIdx.x; column < width; column += blockDim.x) {
            stepOne<R>(r, w, g, s, t, row * width + column, (i64)item * width + column, c);
        }
        __syncthreads();
    }
}

#define ARGUMENTS                                                                                                    \
    float p0, float p1, float p2, float p3, float p4, const double2 *corrections, int known, int changes, float clip, \
            float scale, float decay, float stepsOfAll, int storage
#define THE_ARGUMENTS {p0, p1, p2, p3, p4, corrections, known, changes, clip, scale, decay, stepsOfAll, storage}

#define KERNELS(name, R)                                                                                              \
    extern "C" __global__ void psf_##name##_all(float *w, const float *g, float *s, float *t, const float *ofRows,     \
            i64 row, i64 n, int width, ARGUMENTS) {                                                                   \
        Rule r = THE_ARGUMENTS;                                                                                       \
        stepAll<R>(w, g, s, t, ofRows, row, n, width, r);                                                              \
    }                                                                                                                 \
    extern "C" __global__ void psf_##name##_rows(float *w, const float *g, float *s, float *t, const float *ofRows,    \
            const int *rows, int first, int n, int width, const Status *status, ARGUMENTS) {                          \
        Rule r = THE_ARGUMENTS;                                                                                       \
        stepRows<R>(w, g, s, t, ofRows, rows, first, n, width, status, r);                                             \
    }                                                                                                                 \
    extern "C" __global__ void psf_##name##_rest(float *w, const float *g, float *s, float *t, float *ofRows,          \
            const int *rows, int n, int width, ARGUMENTS) {                                                           \
        Rule r = THE_ARGUMENTS;                                                                                       \
        stepRest<R>(w, g, s, t, ofRows, rows, n, width, r);                                                            \
    }

KERNELS(add, Add)
KERNELS(assign, Assign)
KERNELS(sgd, Sgd)
KERNELS(momentum, Momentum)
KERNELS(nesterov, Nesterov)
KERNELS(adagrad, AdaGrad)
KERNELS(adam, Adam)
KERNELS(rmsprop, RmsProp)
KERNELS(adadelta, AdaDelta)
KERNELS(adamw, AdamW)
KERNELS(lazyadam, LazyAdam)
KERNELS(ftrl, Ftrl)
KERNELS(rowadagrad, RowAdaGrad)
KERNELS(lamb, Lamb)

/** Adds to the accumulators of the rows [first, first + n), before psf_rowadagrad_all steps them by g. */
extern "C" __global__ void psf_add_squares_all(
        const float *w, const float *g, float *a, i64 first, i64 n, int width, ARGUMENTS) {
    Rule r = THE_ARGUMENTS;
    EACH(i, n) {
        addSquares(r, w, g, a, first + i, i, width);
    }
}

/** Adds to the accumulators of the rows that psf_rowadagrad_rows steps. */
extern "C" __global__ void psf_add_squares_rows(const float *w, const float *g, float *a, const int *rows,
        int first, int n, int width, const Status *status, ARGUMENTS) {
    Rule r = THE_ARGUMENTS;
    if (status->invalid || status->full) {
        return;
    }
    EACH(i, n) {
        i64 row = rows[first + i];
        if (row >= 0) {
            addSquares(r, w, g, a, row, i, width);
        }
    }
}

// ---- sums over all elements ----
//
// Each thread adds to sums of its own, so that a grid gives the same sums each time; psf_add_up adds those of the threads.

#define THREAD (blockIdx.x * (i64)blockDim.x + threadIdx.x)

/** Adds the squares of n elements of g, each limited to [-clip, clip], to one sum a thread. */
extern "C" __global__ void psf_squared_norm(const float *g, i64 n, float clip, double *sums) {
    double sum = 0;
    EACH(i, n) {
        double each = clipped(g[i], clip);
        sum = sum + each * each;
    }
    sums[THREAD] = sums[THREAD] + sum;
}

/** The squares of the weight and of LAMB's direction, of element i of w, m and v by element j of g. */
__device__ inline void addNorms(
        const Rule &r, const float *w, const float *g, const float *m, const float *v, i64 i, i64 j, float2 c,
        double2 &sums) {
    float weight = load(w, i, r.storage);
    float gradient = r.changes ? changed(r, weight, g[j]) : g[j];
    float mean = m[i];
    float square = v[i];
    double direction = Lamb::direction(r, weight, gradient, mean, square, c);
    sums.x = sums.x + (double)weight * weight;
    sums.y = sums.y + direction * direction;
}

__device__ inline void addToThread(double *sums, double2 added) {
    sums[2 * THREAD] = sums[2 * THREAD] + added.x;
    sums[2 * THREAD + 1] = sums[2 * THREAD + 1] + added.y;
}

/** Adds the norms of the elements that psf_lamb_all steps, before it and before their rows are counted. */
extern "C" __global__ void psf_lamb_sums_all(const float *w, const float *g, const float *m, const float *v,
        const float *steps, i64 first, i64 n, int width, ARGUMENTS, double *sums) {
    Rule r = THE_ARGUMENTS;
    double2 added = {0, 0};
    EACH(i, n) {
        i64 at = first + i;
        float2 c = steps ? comingFactors<Lamb>(r, steps, at / width) : Lamb::factors(r, r.stepsOfAll);
        addNorms(r, w, g, m, v, at, i, c, added);
    }
    addToThread(sums, added);
}

/** Adds the norms of the rows of the items [first, first + n), also of items that repeat a row. */
extern "C" __global__ void psf_lamb_sums_rows(const float *w, const float *g, const float *m, const float *v,
        const float *steps, const int *rows, int first, int n, int width, ARGUMENTS, double *sums) {
    Rule r = THE_ARGUMENTS;
    double2 added = {0, 0};
    EACH(i, (i64)n * width) {
        i64 item = i / width;
        i64 row = rows[first + item];
        if (row >= 0) {
            addNorms(r, w, g, m, v, row * width + (i - item * width), i, comingFactors<Lamb>(r, steps, row), added);
        }
    }
    addToThread(sums, added);
}

/** Adds n sums to m sums: sum i takes each sum whose index is i modulo m. */
extern "C" __global__ void psf_add_up(const double *sums, i64 n, double *into, int m) {
    EACH(i, m) {
        double sum = 0;
        for (i64 each = i; each < n; each += m) {
            sum = sum + sums[each];
        }
        into[i] = sum;
    }
}

/** Counts a step of every row. */
extern "C" __global__ void psf_count(float *steps, int n) {
    EACH(i, n) {
        steps[i] = steps[i] + 1;
    }
}
