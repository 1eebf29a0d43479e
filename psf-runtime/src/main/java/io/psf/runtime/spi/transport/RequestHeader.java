package io.psf.runtime.spi.transport;

import io.psf.api.spi.FunctionInfo;

/**
 * The fields in front of the body of a request.
 *
 * @param info the called function
 * @param target where the request runs
 * @param call the call's number; its slices share it
 * @param timeoutMillis until the deadline
 * @param attempt how often the request may have been sent before
 * @param priority requests of a higher one run first
 */
public record RequestHeader(FunctionInfo info, Target target, long call, int timeoutMillis, int attempt, int priority) {
    /**
     * The place that a request is for.
     *
     * @param tensor the number of the tensor's name; 0 for none
     * @param slice of the tensor; of a call to nodes, which of them it is for
     * @param layout which slice of which shape the caller takes it for; 0 for none
     */
    public record Target(int tensor, int slice, short layout) {}

    /**
     * The fields in front of a chain that say which step of a task its changing request is.
     *
     * @param task the task's number; 0 for no step
     * @param number the step's number among the steps of its task, from 1; 0 for no step
     * @param after the last step of the task that the caller knows to have run on the slice; 0 for none
     * @param attempt the number of the attempt, negated if the slice may have changes of no other attempt of the task;
     *     0 if it is not known
     */
    public record Step(long task, int number, int after, int attempt) {
        /** In front of a chain that is no step. */
        public static final Step NONE = new Step(0, 0, 0, 0);

        /** True if the chain is no step. */
        public boolean isNone() {
            return task == 0 && number == 0;
        }

        /** Returns the step of a chain; {@link #NONE} if it is none. */
        public static Step of(Frame chain) {
            long task = chain.call();
            int number = chain.bytes().getInt(FrameHeader.WORD);
            return task == 0 && number == 0 ? NONE : new Step(task, number, chain.slice(), chain.tensor());
        }
    }

    /** The header of a request to one of the nodes. */
    public static RequestHeader toNode(FunctionInfo info, int node, long call, int timeoutMillis) {
        return new RequestHeader(info, new Target(0, node, (short) 0), call, timeoutMillis, 0, 0);
    }
}
