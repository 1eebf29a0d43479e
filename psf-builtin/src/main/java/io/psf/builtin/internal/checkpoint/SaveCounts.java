package io.psf.builtin.internal.checkpoint;

import io.psf.api.Metrics;

/** The saves of a model that a server has led: the newest one, and how many have failed. Used on the server's lane. */
final class SaveCounts {
    private long step = -1;
    private double time;
    private double seconds;
    private long bytes;
    private long failed;

    /**
     * Notes a checkpoint that is complete.
     *
     * @param bytes the bytes that it has written
     * @param nanos the time that it took
     */
    void saved(long step, long bytes, long nanos) {
        this.step = step;
        this.time = System.currentTimeMillis() / 1e3;
        this.seconds = nanos / 1e9;
        this.bytes = bytes;
    }

    void failed() {
        failed++;
    }

    void measure(Metrics to) {
        if (step >= 0) {
            to.highest("psf.checkpoint.step", "steps", "step of the newest checkpoint", step);
            to.highest("psf.checkpoint.time", "seconds", "when the newest checkpoint was complete, since 1970", time);
            to.highest("psf.checkpoint.duration", "seconds", "how long the newest save took", seconds);
            to.highest("psf.checkpoint.size", "bytes", "bytes that the newest save has written", bytes);
        }
        to.counter("psf.checkpoint.failures", "saves", "saves that have failed", failed);
    }
}
