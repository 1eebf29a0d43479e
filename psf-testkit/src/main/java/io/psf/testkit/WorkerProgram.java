package io.psf.testkit;

import io.psf.api.ClusterCaller;

/**
 * The program of a test's workers. All workers run the same code, as in a job.
 *
 * @param <T> the result of a worker
 */
@FunctionalInterface
public interface WorkerProgram<T> {
    /** Runs on a thread of its own, but never at the same time as another worker's program. */
    T run(ClusterCaller worker);
}
