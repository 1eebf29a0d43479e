package io.psf.spark;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import org.apache.spark.SparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The tasks that run for the jobs of this thread and its children: also those of jobs that have failed, and of attempts
 * of stages that Spark has given up, which run on. Spark's status tracker knows the last attempt of a stage alone.
 * Thread-safe.
 */
final class RunningTasks extends SparkListener implements AutoCloseable {
    private static final String PROPERTY = ClusterSettings.PROPERTY + "training";
    private static final Duration POLL = Duration.ofMillis(20);
    /** For a task that is told to end and does not. */
    private static final Duration MOST_QUIET = Duration.ofMinutes(10);

    private final SparkContext context;
    private final String training = UUID.randomUUID().toString();
    private final @Nullable String outer;
    // Guarded by this.
    private final Set<Integer> stages = new HashSet<>();
    private final Set<Long> running = new HashSet<>();

    RunningTasks(SparkContext context) {
        this.context = context;
        this.outer = context.getLocalProperty(PROPERTY);
        context.addSparkListener(this);
        context.setLocalProperty(PROPERTY, training);
    }

    @Override
    public synchronized void onJobStart(SparkListenerJobStart start) {
        if (start.properties() != null && training.equals(start.properties().getProperty(PROPERTY))) {
            for (StageInfo stage : CollectionConverters.asJava(start.stageInfos())) {
                stages.add(stage.stageId());
            }
        }
    }

    @Override
    public synchronized void onTaskStart(SparkListenerTaskStart start) {
        if (stages.contains(start.stageId())) {
            running.add(start.taskInfo().taskId());
        }
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd end) {
        running.remove(end.taskInfo().taskId());
    }

    /** Tells all tasks to end. */
    void kill() throws InterruptedException {
        for (long task : now()) {
            boolean unused = context.killTaskAttempt(task, false, "the epoch of its job is repeated");
        }
    }

    /** Blocks until no task runs. */
    void await() throws InterruptedException {
        long until = System.nanoTime() + MOST_QUIET.toNanos();
        for (Set<Long> left = now(); !left.isEmpty(); left = now()) {
            if (System.nanoTime() > until) {
                throw new IllegalStateException("tasks " + left + " of Spark: still run after " + MOST_QUIET.toMinutes()
                        + " min (expected: tasks that end when they are told to)");
            }
            Thread.sleep(POLL.toMillis());
        }
    }

    /** Returns the running tasks, once this listener has heard of all events until now. */
    private Set<Long> now() throws InterruptedException {
        try {
            context.listenerBus().waitUntilEmpty(MOST_QUIET.toMillis());
        } catch (TimeoutException e) {
            throw new IllegalStateException("events of Spark: not heard within " + MOST_QUIET.toMinutes() + " min", e);
        }
        synchronized (this) {
            return Set.copyOf(running);
        }
    }

    @Override
    public void close() {
        context.setLocalProperty(PROPERTY, outer);
        context.removeSparkListener(this);
    }
}
