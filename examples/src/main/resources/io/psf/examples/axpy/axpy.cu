// y <- y + a x; sums[t] is the sum of the squares of the new elements of thread t.
extern "C" __global__ void axpy(float *y, float a, const float *x, int n, float *sums) {
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    for (int i = t; i < n; i += threads) {
        y[i] += a * x[i];
        sum += (double) y[i] * y[i];
    }
    sums[t] = (float) sum;
}
