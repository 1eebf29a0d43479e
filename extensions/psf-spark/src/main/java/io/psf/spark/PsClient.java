package io.psf.spark;

import io.psf.api.ClusterCaller;
import io.psf.api.spi.ForwardingCaller;
import io.psf.runtime.Client;
import io.psf.runtime.TaskCaller;
import java.io.Serial;
import java.io.Serializable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.util.TaskCompletionListener;

/**
 * The client of this process: of the driver, or of an executor and all its tasks. It can be serialized, and is the
 * client of the process in which it is used. It makes the calls of a {@link Client}. A call that changes something is
 * made again by each attempt of a task, except through {@link #task}. Thread-safe.
 */
public final class PsClient extends ForwardingCaller implements Serializable {
    @Serial
    private static final long serialVersionUID = 1;

    static final PsClient HERE = new PsClient();

    /** By the number of the attempt. */
    private static final Map<Long, TaskCaller> TASKS = new ConcurrentHashMap<>();

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
     * <p>A task is a partition of a stage of the application. It is the same task in all attempts of the stage, so that
     * a stage that is run again, since the files of its shuffle are lost, changes nothing twice. An action that is
     * called twice has two stages: each changes the tensors. Where a partition is computed differently the second time,
     * such as a partition that is drawn at random without a seed, a step has the change of the attempt that came first.
     *
     * @param task {@code TaskContext.get()}, of the running task
     */
    public TaskCaller task(TaskContext task) {
        return TASKS.computeIfAbsent(task.taskAttemptId(), attempt -> begin(task));
    }

    private static TaskCaller begin(TaskContext task) {
        TaskCaller caller = here().task(TaskCaller.number(
                SparkEnv.get().conf().getAppId(), "stage " + task.stageId(), "partition " + task.partitionId()));
        var unused = task.addTaskCompletionListener((TaskCompletionListener) ended -> {
            TASKS.remove(ended.taskAttemptId());
            if (!ended.isFailed() && !ended.isInterrupted()) {
                caller.awaitChanges(); // its failure is the task's
            }
        });
        return caller;
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
