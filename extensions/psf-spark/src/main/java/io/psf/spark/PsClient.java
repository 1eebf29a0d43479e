package io.psf.spark;

import io.psf.api.ClusterCaller;
import io.psf.api.spi.ForwardingCaller;
import io.psf.runtime.Client;
import io.psf.runtime.TaskCaller;
import java.io.Serial;
import java.io.Serializable;
import org.apache.spark.TaskContext;

/**
 * The client of this process: of the driver, or of an executor and all its tasks. It can be serialized, and is the
 * client of the process in which it is used. It makes the calls of a {@link Client}. A call that changes something is
 * made again by each attempt of a task, except through {@link #task}. Thread-safe.
 */
public final class PsClient extends ForwardingCaller implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    static final PsClient HERE = new PsClient();

    private PsClient() {}

    @Serial
    private Object readResolve() {
        return HERE;
    }

    /**
     * Returns the caller of a running task, the same one each time. Its changes are steps of the task: each is made
     * once, though Spark runs the task again after a failure, or a second time elsewhere because it is slow. {@link
     * TaskCaller} has the guarantees. A task with a failed change fails.
     *
     * <p>A task is a partition of a stage of the application. An action that is called twice has two stages: each
     * changes the tensors. So has a transformation, such as {@code mapPartitions}, that two jobs compute.
     *
     * <p>Rows of a shuffle come in another order in each attempt. An attempt that has read such rows fails with {@code
     * OTHER_ATTEMPT} where another one has changed something, and so do all later attempts; {@link PsSpark#train}
     * repeats the epoch then. Where a partition is computed differently for another reason, such as a partition that is
     * drawn at random without a seed, a step has the change of the attempt that came first.
     *
     * @param task {@code TaskContext.get()}, of the running task
     */
    public TaskCaller task(TaskContext task) {
        return Attempts.caller("", task, false);
    }

    /**
     * As {@link #task(TaskContext)}, for a task that makes the same changes in the same order in each attempt though it
     * reads rows of a shuffle: its user has sorted them, by columns of which no two rows have equal values.
     */
    public TaskCaller repeatableTask(TaskContext task) {
        return Attempts.caller("", task, true);
    }

    /**
     * As {@link #task(TaskContext)}, for work with a name: a task is a partition of the work, whichever job, stage or
     * application runs it.
     *
     * @param work for example {@code "day-17"}: of work with the same partitions each time, at most {@link
     *     TaskCaller#KNOWN_TASKS}; not empty
     */
    public TaskCaller task(String work, TaskContext task) {
        if (work.isEmpty()) {
            throw new IllegalArgumentException("name of work: empty (expected: at least one character)");
        }
        return Attempts.caller(work, task, false);
    }

    private static Client here() {
        return NodeClient.get();
    }

    @Override
    protected ClusterCaller to() {
        return here();
    }

    /** As {@link Client#rollback()}. */
    public long rollback() {
        return here().rollback();
    }

    /** Returns the number of servers. */
    public int servers() {
        return here().servers();
    }

    @Override
    public String toString() {
        return "the client of this process";
    }
}
