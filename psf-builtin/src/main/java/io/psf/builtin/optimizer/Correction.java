package io.psf.builtin.optimizer;

/**
 * Adam's bias corrections, by number of steps. Two powers for each row would be most of the computation of a sparse
 * step, so the corrections of small numbers of steps are cached. Thread-safe.
 */
public final class Correction {
    /**
     * The corrections of fewer steps than this are cached. With the usual arguments both are negligible from here on.
     */
    private static final int MOST = 1 << 14;

    private final float lr;
    private final float b1;
    private final float b2;
    /**
     * The rate and the root of 0 steps, of 1 step, and so on. The array is never modified; a longer one replaces it.
     */
    private volatile float[] known = new float[0];

    Correction(float lr, float b1, float b2) {
        this.lr = lr;
        this.b1 = b1;
        this.b2 = b2;
    }

    /** Returns lr / (1 - b1^steps). */
    public float rate(int steps) {
        return steps < MOST ? known(steps)[2 * steps] : computeRate(steps);
    }

    /** Returns 1 / sqrt(1 - b2^steps). */
    public float root(int steps) {
        return steps < MOST ? known(steps)[2 * steps + 1] : computeRoot(steps);
    }

    private float[] known(int steps) {
        float[] now = known;
        return 2 * steps < now.length ? now : grow(steps);
    }

    private float[] grow(int steps) {
        float[] more = new float[4 * Math.max(8, Integer.highestOneBit(steps))];
        for (int i = 0; i < more.length / 2; i++) {
            more[2 * i] = computeRate(i);
            more[2 * i + 1] = computeRoot(i);
        }
        known = more;
        return more;
    }

    private float computeRate(int steps) {
        return (float) (lr / (1 - Math.pow(b1, steps)));
    }

    private float computeRoot(int steps) {
        return (float) (1 / Math.sqrt(1 - Math.pow(b2, steps)));
    }
}
