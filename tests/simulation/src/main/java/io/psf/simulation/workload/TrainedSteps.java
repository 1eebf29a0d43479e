package io.psf.simulation.workload;

import java.util.List;

/** The steps that a job has trained. A later job goes on behind its checkpoint, and may train its last steps again. */
final class TrainedSteps {
    private final int workers;
    private long first = Long.MAX_VALUE;
    private long last;
    private long failed = Long.MAX_VALUE;

    TrainedSteps(int workers) {
        this.workers = workers;
    }

    /** Returns the job that has trained a step last. */
    static TrainedSteps of(List<TrainedSteps> jobs, long step) {
        return jobs.stream()
                .filter(each -> each.first <= step)
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new IllegalStateException("step " + step + ": trained by no job"));
    }

    void begun(long step) {
        first = Math.min(first, step);
        last = Math.max(last, step);
    }

    /** A worker has given up in a step: the others may train on without it. */
    void failed(long step) {
        failed = Math.min(failed, step);
    }

    boolean mayLack(long step) {
        return step >= failed;
    }

    int workers() {
        return workers;
    }

    long reached() {
        return last;
    }
}
