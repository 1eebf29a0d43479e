package io.psf.examples.spark;

import io.psf.spark.PsfPlugin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.SparkSession;
import scala.Tuple2;

/** Spark on this machine, with executors in processes of their own, one of which can be killed. */
final class DemoSpark implements AutoCloseable {
    private final SparkSession session;
    private final Path checkpoints;
    private final long begin = System.nanoTime();

    private DemoSpark(SparkSession session, Path checkpoints) {
        this.session = session;
        this.checkpoints = checkpoints;
        session.sparkContext().addSparkListener(new SparkListener() {
            @Override
            public void onExecutorAdded(SparkListenerExecutorAdded added) {
                say("executor " + added.executorId() + " has started");
            }

            @Override
            public void onExecutorRemoved(SparkListenerExecutorRemoved removed) {
                say("executor " + removed.executorId() + " is gone: " + removed.reason());
            }
        });
    }

    /**
     * Starts Spark.
     *
     * @param executors the number of executors; 0 to run all in this process
     * @param megabytes the heap of an executor
     */
    static DemoSpark start(String name, int executors, int megabytes) throws IOException {
        Path checkpoints = Files.createTempDirectory("psf-spark-demo");
        SparkSession session = SparkSession.builder()
                .master(executors == 0 ? "local[2]" : "local-cluster[" + executors + ",1," + megabytes + "]")
                .appName(name)
                .config("spark.plugins", PsfPlugin.class.getName())
                .config("spark.psf.servers", executors == 0 ? 2 : executors)
                .config("spark.psf.checkpoints", checkpoints.toString())
                .config("spark.executor.memory", megabytes + "m")
                .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
                .config("spark.ui.enabled", false)
                .getOrCreate();
        return new DemoSpark(session, checkpoints);
    }

    SparkSession session() {
        return session;
    }

    /** Prints what has happened, with the time since the start. */
    void say(String what) {
        System.out.printf("%6.1f s  %s%n", (System.nanoTime() - begin) / 1e9, what);
    }

    /**
     * Kills an executor, and with it a server, in the middle of a later job: once a task of it has ended.
     *
     * @param number of the job, from 1 for the next one
     */
    void killOneInJob(int number) {
        Map.Entry<String, Long> first = oneExecutor();
        long now = System.currentTimeMillis();
        session.sparkContext().addSparkListener(new SparkListener() {
            private int jobs;
            private boolean killed;

            @Override
            public void onJobStart(SparkListenerJobStart start) {
                jobs += start.time() >= now ? 1 : 0; // the listener hears of earlier ones, too
            }

            @Override
            public void onTaskEnd(SparkListenerTaskEnd end) {
                if (jobs == number && !killed) {
                    killed = true;
                    kill(first);
                }
            }
        });
    }

    /** Returns the id and the process of an executor. */
    private Map.Entry<String, Long> oneExecutor() {
        return new TreeMap<>(new JavaSparkContext(session.sparkContext())
                        .parallelize(Collections.nCopies(8, 0), 8)
                        .mapToPair(ignored -> {
                            Thread.sleep(50); // so that each executor runs one
                            return new Tuple2<>(
                                    SparkEnv.get().executorId(),
                                    ProcessHandle.current().pid());
                        })
                        .collectAsMap())
                .firstEntry();
    }

    private void kill(Map.Entry<String, Long> executor) {
        say("kill -9 of executor " + executor.getKey() + ", with its server");
        ProcessHandle.of(executor.getValue()).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Override
    public void close() throws IOException {
        session.close();
        try (var files = Files.walk(checkpoints)) {
            files.sorted(Collections.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        }
    }
}
