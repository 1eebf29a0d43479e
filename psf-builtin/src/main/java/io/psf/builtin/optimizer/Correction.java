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

    private final float b1;
    private final float b2;
    /**
     * The two factors of 0 steps, of 1 step, and so on. The array is never modified; a longer one replaces it.
     */
    private volatile double[] known = new double[0];

    Correction(float b1, float b2) {
        this.b1 = b1;
        this.b2 = b2;
    }

    /** Returns the exponential decay rate of the mean. */
    public float b1() {
        return b1;
    }

    /** Returns the exponential decay rate of the mean of squares. */
    public float b2() {
        return b2;
    }

    /** Returns lr / (1 - b1^steps). */
    public float rate(float lr, int steps) {
        return (float) (lr * (steps < MOST ? known(steps)[2 * steps] : ofMean(steps)));
    }

    /** Returns 1 / sqrt(1 - b2^steps). */
    public float root(int steps) {
        return (float) (steps < MOST ? known(steps)[2 * steps + 1] : ofRoot(steps));
    }

    /** Returns 1 / (1 - b1^steps), computed anew. */
    public double ofMean(int steps) {
        return 1 / (1 - Math.pow(b1, steps));
    }

    /** Returns 1 / sqrt(1 - b2^steps), computed anew. */
    public double ofRoot(int steps) {
        return 1 / Math.sqrt(1 - Math.pow(b2, steps));
    }

    private double[] known(int steps) {
        double[] now = known;
        return 2 * steps < now.length ? now : grow(steps);
    }

    private double[] grow(int steps) {
        double[] more = new double[4 * Math.max(8, Integer.highestOneBit(steps))];
        for (int i = 0; i < more.length / 2; i++) {
            more[2 * i] = ofMean(i);
            more[2 * i + 1] = ofRoot(i);
        }
        known = more;
        return more;
    }

    @Override
    public String toString() {
        return "cached";
    }
}
