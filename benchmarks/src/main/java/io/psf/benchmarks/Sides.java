package io.psf.benchmarks;

/** The two sides of a case that has been set up; each does its work some times and answers a figure for each line. */
interface Sides extends AutoCloseable {
    /** What the machine can do; NaN for a line that has no floor. */
    double[] floor(int times) throws Exception;

    /** What psf does. */
    double[] ours(int times) throws Exception;

    /** The fewest times that make a figure. */
    default int least() {
        return 3;
    }

    @Override
    void close();
}
