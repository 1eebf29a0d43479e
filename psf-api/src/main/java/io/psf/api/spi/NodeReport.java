package io.psf.api.spi;

import java.util.List;

/**
 * What a node's process and its calls have taken since the node began to count.
 *
 * @param nanos the time since then
 * @param cpuNanos the time of processors that the process has used
 * @param collectNanos the time that the collector of the heap has stopped the process, or has worked in its place
 * @param heapUsed the bytes of the heap that are used
 * @param heapMost the most bytes of the heap
 * @param work what the threads did that make calls
 * @param calls the calls that the node has made, by function
 */
public record NodeReport(
        long nanos, long cpuNanos, long collectNanos, long heapUsed, long heapMost, Work work, List<Calls> calls) {
    /** The most functions of a report. */
    public static final int MOST_FUNCTIONS = 200;

    /**
     * Samples of the threads that have waited for calls.
     *
     * @param running the samples in which at least one of them ran, or was ready to run
     * @param idle the samples in which none of them ran, nor waited for a call: they slept, or waited for something else
     */
    public record Work(long running, long idle) {
        /** Returns the share of the samples without a wait for a call in which no thread ran; 0 without samples. */
        public double idleShare() {
            return (double) idle / Math.max(1, running + idle);
        }
    }

    /**
     * The calls of one function.
     *
     * @param function its name
     * @param calls the number of calls that have ended
     * @param nanos the sum of their times, from the call of the stub to the end
     * @param sent the bytes of their requests
     * @param received the bytes of their answers
     * @param awaitedNanos the time that threads were blocked in {@code await} for them
     */
    public record Calls(String function, long calls, long nanos, long sent, long received, long awaitedNanos) {
        /** Returns what was added since an earlier report. */
        Calls since(Calls before) {
            return new Calls(
                    function,
                    calls - before.calls,
                    nanos - before.nanos,
                    sent - before.sent,
                    received - before.received,
                    Math.max(0, awaitedNanos - before.awaitedNanos));
        }
    }

    public NodeReport {
        calls = List.copyOf(calls);
    }

    /** Returns the report of the time since an earlier one of the same node; this one if the node was started since. */
    public NodeReport since(NodeReport before) {
        if (before.nanos > nanos) {
            return this;
        }
        return new NodeReport(
                nanos - before.nanos,
                cpuNanos - before.cpuNanos,
                collectNanos - before.collectNanos,
                heapUsed,
                heapMost,
                new Work(work.running - before.work.running, work.idle - before.work.idle),
                calls.stream()
                        .map(now -> before.calls.stream()
                                .filter(each -> each.function.equals(now.function))
                                .findFirst()
                                .map(now::since)
                                .orElse(now))
                        .toList());
    }
}
