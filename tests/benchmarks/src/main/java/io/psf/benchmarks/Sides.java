package io.psf.benchmarks;

/** The two sides of a case that is set up. Each side repeats its work and returns a figure for each line. */
interface Sides extends AutoCloseable {
    /** Measures the floor: [lines]; NaN for a line without a floor. */
    double[] floor(int times) throws Exception;

    /** Measures psf: [lines]. */
    double[] ours(int times) throws Exception;

    /** Returns the minimum number of repetitions of a measurement. */
    default int least() {
        return 3;
    }

    @Override
    void close();
}
