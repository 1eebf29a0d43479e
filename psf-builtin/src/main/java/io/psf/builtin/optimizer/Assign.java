package io.psf.builtin.optimizer;

/** w = g. */
public record Assign() implements Kernel {
    @Override
    public boolean replaces() {
        return true;
    }

    @Override
    public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
        System.arraycopy(g, begin, w, begin, end - begin);
    }
}
