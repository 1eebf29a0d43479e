// Kernels of the tests of the driver that runs on the host.

/** Copies n floats. */
extern "C" __global__ void copy_floats(const float *from, float *to, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        to[i] = from[i];
    }
}

/** Writes one float, wherever that is. */
extern "C" __global__ void write_at(float *values, int index) {
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        values[index] = 1;
    }
}

/** Adds the numbers of each block's threads in two ways: by shared memory and barriers, and by shuffles. Whole warps. */
extern "C" __global__ void block_sums(int *byBarriers, int *byShuffles, int *ballots) {
    __shared__ int shared[1024];
    int t = threadIdx.x;
    shared[t] = t;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) {
            shared[t] += shared[t + half];
        }
        __syncthreads();
    }
    int sum = t;
    for (int by = 16; by > 0; by /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, by);
    }
    unsigned odd = __ballot_sync(0xffffffff, t % 2);
    if (t % 32 == 0) {
        atomicAdd(&byShuffles[blockIdx.x], sum);
        atomicAdd(&ballots[blockIdx.x], __popc(odd));
    }
    if (t == 0) {
        byBarriers[blockIdx.x] = shared[0];
    }
}
