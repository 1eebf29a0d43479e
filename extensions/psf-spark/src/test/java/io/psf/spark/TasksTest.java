package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.runtime.TaskCaller;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tasks that Spark runs several times, on two executors. */
@Timeout(180)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TasksTest {
    private static final int PARTS = 4;
    private static final int PUSHES = 100;

    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = CountedKill.of(LocalCluster.of(2, 1024), folder).getOrCreate();
    }

    @AfterAll
    static void stop() throws Exception {
        spark.close();
    }

    private static TensorSpec spec(String name) {
        return TensorSpec.dense(name, 100).optimizer(Optimizers.add()).slices(4);
    }

    private static JavaRDD<Integer> parts() {
        return new JavaSparkContext(spark.sparkContext()).parallelize(Collections.nCopies(PARTS, 0), PARTS);
    }

    private static void push(TensorId tensor, int count, long pauseMillis) throws InterruptedException {
        float[] ones = new float[100];
        Arrays.fill(ones, 1);
        for (int i = 0; i < count; i++) {
            var unused = Tensors.push(PsSpark.client().task(TaskContext.get()), tensor, ones);
            Thread.sleep(pauseMillis);
        }
    }

    @Test
    void aTaskThatFailsAndIsRunAgainPushesOnce() {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("failing"));
        parts().foreachPartition(part -> {
            int attempt = TaskContext.get().attemptNumber();
            push(tensor, attempt < 2 ? PUSHES * (attempt + 1) / 3 : PUSHES, 0);
            if (attempt < 2) {
                throw new IllegalStateException("attempt " + attempt + " fails");
            }
        });
        assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(PARTS * PUSHES);
    }

    @Test
    void workWithANameIsDoneOnceThoughTwoJobsComputeIt() {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("named"));
        JavaRDD<Integer> pushed = parts().mapPartitions(part -> {
            pushNamed("day-17", tensor);
            return part;
        });
        pushed.sortBy(each -> each, true, 2).count(); // a job takes samples, and another one sorts
        pushed.count();
        assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(PARTS);
        parts().foreachPartition(part -> pushNamed("day-18", tensor));
        assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(2 * PARTS);
    }

    private static void pushNamed(String work, TensorId tensor) {
        float[] ones = new float[100];
        Arrays.fill(ones, 1);
        var unused = Tensors.push(PsSpark.client().task(work, TaskContext.get()), tensor, ones);
    }

    @Test
    void aTaskThatServersMayHaveForgottenIsNotRunAgain() {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("forgotten"));
        JavaRDD<Integer> many = new JavaSparkContext(spark.sparkContext()).parallelize(List.of(1), 16_385);
        assertThatThrownBy(() -> many.mapPartitions(part -> {
                            push(tensor, 1, 0);
                            throw new IllegalStateException("the attempt fails");
                        })
                        .collectPartitions(new int[] {0}))
                .hasMessageContaining("a task of which may have run before: 16385 (expected: at most 16384, so that");
        assertThatThrownBy(() -> many.mapPartitions(part -> {
                            pushNamed("day-19", tensor);
                            return part;
                        })
                        .collectPartitions(new int[] {0}))
                .hasMessageContaining("(expected: at most 16384, so that");
        assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(1);
    }

    /**
     * As a speculative copy and its original, which Spark runs on different hosts only: the first attempt goes on
     * pushing, in a thread, while the second one runs.
     */
    @Test
    void aTaskThatIsRunInTwoPlacesAtOncePushesOnce() throws InterruptedException {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("twice"));
        LongAccumulator ended = spark.sparkContext().longAccumulator();
        parts().foreachPartition(part -> {
            TaskCaller task = PsSpark.client().task(TaskContext.get());
            if (TaskContext.get().attemptNumber() == 0) {
                new Thread(() -> push(task, tensor, 7)).start();
                throw new IllegalStateException("the first attempt fails");
            }
            push(task, tensor, 5);
            ended.add(1);
        });
        assertThat(ended.value()).isEqualTo(PARTS);
        for (int i = 0; i < 10; i++) {
            assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(PARTS * PUSHES);
            Thread.sleep(100); // the first attempts still push
        }
    }

    private static void push(TaskCaller task, TensorId tensor, int pauseMillis) {
        float[] ones = new float[100];
        Arrays.fill(ones, 1);
        for (int i = 0; i < PUSHES; i++) {
            Tensors.push(task, tensor, ones).await();
            LockSupport.parkNanos(pauseMillis * 1_000_000L);
        }
    }

    @Test
    void aTaskWhosePushFailsAfterItsEndIsRunAgain() {
        TensorId tensor = TensorId.of("nowhere");
        assertThatThrownBy(() -> parts().foreachPartition(part -> {
                    TensorId table = Tensors.init(PsSpark.client(), TensorSpec.table("small", 10, 1));
                    var unused = Tensors.pushRows(
                            PsSpark.client().task(TaskContext.get()), table, new long[] {10}, new float[] {1});
                }))
                .hasMessageContaining("OUT_OF_RANGE");
        assertThatThrownBy(() -> Tensors.pull(PsSpark.client(), tensor)).hasMessageContaining("UNKNOWN_TENSOR");
    }

    /** Specs, ids, the client and stubs are in the closure. */
    @Test
    void handlesGoIntoClosures() {
        TensorSpec spec = spec("handles");
        DensePushPsf.Stub push = DensePushPsf.stub(PsSpark.client());
        parts().foreachPartition(part -> {
            TensorId tensor = Tensors.init(PsSpark.client(), spec);
            FloatArray ones = FloatArray.allocate(100);
            ones.fill(1);
            push.call(tensor, ones).await();
        });
        assertThat(Tensors.pull(PsSpark.client(), TensorId.of("handles"))).containsOnly(PARTS);
    }

    /** The last one: no checkpoint has the tensors of the other tests. */
    @Test
    @Order(Integer.MAX_VALUE)
    void aServerThatIsLostWithoutACheckpointFailsTheJob() throws IOException {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("lost"));
        CountedKill.ask(
                folder, LocalCluster.executors(spark).keySet().iterator().next(), "psf.dense.push", PUSHES / 2);
        assertThatThrownBy(() -> parts().foreachPartition(part -> push(tensor, PUSHES, 0)))
                .hasMessageContaining("UNKNOWN_TENSOR: tensor: \"lost\"")
                .hasMessageContaining("dropped with a lost server, since no checkpoint has it");
        assertThat(CountedKill.isDone(folder)).isTrue();
    }
}
