package io.psf.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePushPsf;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import scala.Tuple2;

/** Tasks that Spark runs several times, on two executors. */
@Timeout(180)
class TasksTest {
    private static final int PARTS = 4;
    private static final int PUSHES = 100;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = LocalCluster.of(2, 1024)
                .config("spark.speculation", true)
                .config("spark.speculation.interval", "100ms")
                .config("spark.speculation.multiplier", 1.5)
                .config("spark.speculation.quantile", 0.5)
                .getOrCreate();
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

    /** The tasks of one executor are so slow that each has a copy on the other one. */
    @Test
    void aTaskThatIsRunInTwoPlacesAtOncePushesOnce() {
        TensorId tensor = Tensors.init(PsSpark.client(), spec("speculative"));
        Set<String> executors = LocalCluster.executors(spark).keySet();
        String slow = executors.iterator().next();
        Map<Integer, Integer> attempts = parts().mapPartitionsToPair(part -> {
                    push(tensor, PUSHES, SparkEnv.get().executorId().equals(slow) ? 100 : 1);
                    return Collections.singletonList(new Tuple2<>(
                                    TaskContext.getPartitionId(),
                                    TaskContext.get().attemptNumber()))
                            .iterator();
                })
                .collectAsMap();
        assertThat(attempts.values()).as("attempts that ended first").contains(1);
        assertThat(Tensors.pull(PsSpark.client(), tensor)).containsOnly(PARTS * PUSHES);
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
}
