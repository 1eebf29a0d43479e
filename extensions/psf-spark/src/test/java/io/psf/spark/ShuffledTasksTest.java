package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.TaskCaller;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.VoidFunction;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that are run again, and whose rows come from a shuffle, in another order each time. */
@Timeout(180)
class ShuffledTasksTest {
    private static final int KEYS = 1000;
    private static final int PARTS = 4;
    private static final int BATCH = 10;

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = LocalCluster.of(2, 1024)
                .config("spark.psf.servers", 1)
                .config("spark.psf.checkpoints", folder.toString())
                .getOrCreate();
    }

    @AfterAll
    static void stop() throws IOException {
        spark.close();
    }

    private static TensorId counts(String name) {
        return Tensors.init(
                PsSpark.client(),
                TensorSpec.table(name, KEYS, 1).optimizer(Optimizers.add()).slices(4));
    }

    /** Returns each key once, in an order that is another one in each attempt. */
    private static JavaRDD<Integer> keys() {
        return new JavaSparkContext(spark.sparkContext())
                .parallelize(IntStream.range(0, KEYS).boxed().toList(), PARTS)
                .repartition(PARTS)
                .mapPartitions(rows -> {
                    List<Integer> all = new ArrayList<>();
                    rows.forEachRemaining(all::add);
                    Collections.shuffle(all, new Random(TaskContext.get().taskAttemptId()));
                    return all.iterator();
                });
    }

    /** Happens in the midst of a task. */
    private interface Event extends Serializable {
        void happen();
    }

    private static void fail() {
        if (TaskContext.get().attemptNumber() == 0) {
            throw new IllegalStateException("the first attempt fails");
        }
    }

    /** Ends an executor without a server. Another one takes part then. */
    private static void halt() {
        if (CountedKill.handled() == 0) {
            Runtime.getRuntime().halt(1);
        }
    }

    private static VoidFunction<Iterator<Integer>> adding(TensorId tensor) {
        return adding(tensor, () -> {});
    }

    /** Adds 1 to each key, in batches. */
    private static VoidFunction<Iterator<Integer>> adding(TensorId tensor, Event event) {
        return rows -> {
            TaskCaller task = PsSpark.client().task(TaskContext.get());
            for (int batch = 0; rows.hasNext(); batch++) {
                if (batch == 7) {
                    event.happen();
                }
                long[] keys = new long[BATCH];
                int n = 0;
                while (n < BATCH && rows.hasNext()) {
                    keys[n++] = rows.next();
                }
                float[] ones = new float[n];
                Arrays.fill(ones, 1);
                Tensors.pushRows(task, tensor, Arrays.copyOf(keys, n), ones).await();
            }
        };
    }

    private static float[] pulled(TensorId tensor) {
        return Tensors.pull(PsSpark.client(), tensor);
    }

    @Test
    void aSecondAttemptThatMayDifferFailsInASentence() {
        TensorId tensor = counts("refused");
        assertThatThrownBy(() -> keys().foreachPartition(adding(tensor, ShuffledTasksTest::fail)))
                .hasRootCauseInstanceOf(PsException.class)
                .hasMessageContaining("OTHER_ATTEMPT: step ")
                .hasMessageContaining("another attempt has changed the slice");
    }

    @Test
    void anAttemptBeforeTheFirstChangeMayFail() {
        TensorId tensor = counts("early");
        keys().foreachPartition(rows -> {
            fail();
            adding(tensor).call(rows);
        });
        assertThat(pulled(tensor)).containsOnly(1);
    }

    @Test
    void aTrainingRepeatsTheEpochWhoseAttemptsMayDiffer() throws Exception {
        trainsWith("failing", ShuffledTasksTest::fail);
    }

    /** Its files of the shuffle are lost, and no server: tasks of the other executor are run again, too. */
    @Test
    void aTrainingRepeatsTheEpochInWhichAnExecutorWithoutAServerIsLost() throws Exception {
        trainsWith("halting", ShuffledTasksTest::halt);
    }

    private static void trainsWith(String name, Event event) throws Exception {
        TensorId tensor = counts(name);
        AtomicInteger runs = new AtomicInteger();
        ModelCheckpoints checkpoints =
                ModelCheckpoints.at(PsSpark.client(), name).tensors(tensor);
        PsSpark.train(
                spark,
                checkpoints,
                3,
                epoch -> keys().foreachPartition(runs.incrementAndGet() == 2 ? adding(tensor, event) : adding(tensor)));
        assertThat(pulled(tensor)).containsOnly(3);
        assertThat(runs).hasValueGreaterThan(3);
    }
}
