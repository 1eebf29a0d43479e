package io.psf.benchmarks;

/**
 * How much is done in a second, with some calls under way at once.
 *
 * @param unit how much one time is
 * @param least the fewest times that make a figure
 * @param work the floor
 * @param outstanding of our calls
 * @param calls ours
 */
record Rates(double unit, int least, Work work, int outstanding, Calls calls) implements Sides {
    /** What is done some times. */
    @FunctionalInterface
    interface Work {
        void run(int times) throws Exception;
    }

    @Override
    public double[] floor(int times) throws Exception {
        return rate(times, work);
    }

    @Override
    public double[] ours(int times) throws Exception {
        return rate(times, n -> Calls.make(calls, n, outstanding));
    }

    private double[] rate(int times, Work done) throws Exception {
        long begin = System.nanoTime();
        done.run(times);
        return new double[] {unit * times / ((System.nanoTime() - begin) / 1e9)};
    }

    @Override
    public void close() {
        calls.close();
    }
}
