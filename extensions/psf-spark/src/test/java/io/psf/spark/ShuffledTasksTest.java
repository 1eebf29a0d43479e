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
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.StorageLevel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
        spark = started(LocalSpark.withPlugin().master("local[2,4]")); // a task may fail three times
    }

    private static SparkSession started(SparkSession.Builder builder) {
        return builder.config("spark.psf.checkpoints", folder.toString()).getOrCreate();
    }

    @AfterAll
    static void stop() {
        spark.stop();
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

    @ParameterizedTest
    @ValueSource(strings = {"repartition", "order", "cached by its job"})
    void aSecondAttemptOnRowsOfAShuffleFails(String shape) {
        assertRefused(shape);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"by key", "join", "group", "coalesce"})
    void aSecondAttemptOnRowsOfAnyShuffleFails(String shape) {
        assertRefused(shape);
    }

    private static void assertRefused(String shape) {
        TensorId tensor = counts(shape);
        JavaRDD<Integer> keys = keys(shape);
        assertThatThrownBy(() -> keys.foreachPartition(adding(tensor, ShuffledTasksTest::fail)))
                .hasMessageContaining("OTHER_ATTEMPT: step ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"range", "file", "cached before"})
    void aSecondAttemptOnOtherRowsAddsEachKeyOnce(String shape) {
        TensorId tensor = counts(shape);
        keys(shape).foreachPartition(adding(tensor, ShuffledTasksTest::fail));
        assertThat(pulled(tensor)).containsOnly(1);
    }

    /** Returns each key once, by a query of one of these shapes. */
    private static JavaRDD<Integer> keys(String shape) {
        Dataset<Row> range = spark.range(0, KEYS, 1, PARTS).toDF();
        Dataset<Row> rows = switch (shape) {
            case "range" -> range;
            case "repartition", "cached by its job", "cached before" -> range.repartition(PARTS);
            case "by key" -> range.repartition(PARTS, range.col("id"));
            case "order" -> range.orderBy(range.col("id").desc());
            case "join" -> range.hint("merge").join(range.toDF("id"), "id");
            case "group" ->
                range.selectExpr("id % " + KEYS + " as id")
                        .groupBy("id")
                        .count()
                        .select("id");
            case "coalesce" -> range.repartition(2 * PARTS).coalesce(PARTS);
            case "file" -> {
                String file = folder.resolve("rows").toString();
                range.repartition(PARTS).write().parquet(file);
                yield spark.read().parquet(file);
            }
            default -> throw new IllegalArgumentException(shape);
        };
        JavaRDD<Integer> keys = rows.javaRDD().map(row -> (int) row.getLong(0));
        if (shape.startsWith("cached")) {
            keys.persist(StorageLevel.MEMORY_AND_DISK());
        }
        if (shape.equals("cached before")) {
            assertThat(keys.count()).isEqualTo(KEYS);
        }
        return keys;
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
    @Tag("long")
    void aTrainingRepeatsTheEpochInWhichAnExecutorWithoutAServerIsLost() throws Exception {
        spark.stop();
        spark = started(LocalCluster.of(2, 1024).config("spark.psf.servers", 1));
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
