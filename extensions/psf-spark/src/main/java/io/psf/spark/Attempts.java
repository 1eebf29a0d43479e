package io.psf.spark;

import io.psf.runtime.TaskCaller;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.TaskContext;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.util.TaskCompletionListener;

/** The callers of the attempts of tasks that run in this process, for {@link PsClient#task}. Thread-safe. */
final class Attempts {
    private static final Map<Attempt, TaskCaller> RUNNING = new ConcurrentHashMap<>();

    /**
     * An attempt that makes changes.
     *
     * @param number of all attempts of the application
     * @param work the name that the user has given its work; empty for none
     */
    private record Attempt(long number, String work) {}

    private Attempts() {}

    /**
     * Returns the caller of an attempt, the same one each time.
     *
     * @param work as {@link Attempt#work}
     * @param isRepeatable true if rows of a shuffle have the same order in each attempt
     */
    static TaskCaller caller(String work, TaskContext task, boolean isRepeatable) {
        return RUNNING.computeIfAbsent(
                new Attempt(task.taskAttemptId(), work), attempt -> begin(attempt, task, isRepeatable));
    }

    private static TaskCaller begin(Attempt attempt, TaskContext task, boolean isRepeatable) {
        boolean isNamed = !attempt.work.isEmpty();
        if (isNamed || task.attemptNumber() > 0 || task.stageAttemptNumber() > 0) {
            requireKnown(task);
        }
        String partition = "partition " + task.partitionId();
        long number = isNamed
                ? TaskCaller.number(attempt.work, partition)
                : TaskCaller.number(NodeClient.settings().application(), "stage " + task.stageId(), partition);
        TaskCaller caller = NodeClient.get().task(number, () -> !isRepeatable && hasReadShuffle(task.taskMetrics()));
        var unused = task.addTaskCompletionListener((TaskCompletionListener) ended -> {
            RUNNING.remove(attempt);
            if (!ended.isFailed() && !ended.isInterrupted()) {
                caller.awaitChanges(); // its failure is the task's
            }
        });
        return caller;
    }

    /** Checks that servers still know the changes of a task that may have run before. */
    private static void requireKnown(TaskContext task) {
        if (task.numPartitions() > TaskCaller.KNOWN_TASKS) {
            throw new IllegalStateException("partitions of stage " + task.stageId() + ", a task of which may have run"
                    + " before: " + task.numPartitions() + " (expected: at most " + TaskCaller.KNOWN_TASKS
                    + ", so that the servers know the changes of each)");
        }
    }

    /** True if the task has read a row of a shuffle: blocks of a shuffle come in another order each time. */
    private static boolean hasReadShuffle(TaskMetrics metrics) {
        metrics.mergeShuffleReadMetrics(); // else they count only what has been read to its end
        return metrics.shuffleReadMetrics().recordsRead() > 0;
    }
}
