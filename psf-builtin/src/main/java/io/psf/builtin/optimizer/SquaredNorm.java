package io.psf.builtin.optimizer;

/** The sum of g^2, for the option {@code clipNorm}. */
public record SquaredNorm() implements TensorKernel {
    @Override
    public int sums() {
        return 1;
    }

    @Override
    public boolean sumsWeights() {
        return false;
    }

    @Override
    public void sum(float[] w, float[] g, float[][] state, int begin, int end, int steps, double[] sums) {
        double sum = 0;
        for (int i = begin; i < end; i++) {
            sum += (double) g[i] * g[i];
        }
        sums[0] += sum;
    }

    @Override
    public Kernel with(double[] totals) {
        throw new UnsupportedOperationException("with: a norm steps nothing");
    }
}
