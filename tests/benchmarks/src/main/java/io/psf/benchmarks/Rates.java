package io.psf.benchmarks;

/**
 * Measures throughput per second, with several outstanding calls.
 *
 * @param unit the amount of work of one repetition
 * @param least the minimum number of repetitions of a measurement
 * @param work the floor's work
 * @param outstanding the number of our outstanding calls
 * @param calls our calls
 */
record Rates(double unit, int least, Work work, int outstanding, Calls calls) implements Sides {
    /** Repeatable work. */
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
