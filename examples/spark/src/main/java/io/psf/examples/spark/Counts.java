package io.psf.examples.spark;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.xxhash64;

import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.TaskCaller;
import io.psf.spark.PsSpark;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * A PS function of one's own in the tasks of Spark: days of events are counted by page, each day's count being worth half
 * of the next one's. An executor is killed on the second day. The counts equal the counts of a run without a loss, to
 * the bit: floats have sums of halves and quarters exactly, in each order.
 */
final class Counts {
    private static final int DAYS = 3;
    private static final int BATCH = 10_000;
    private static final float FACTOR = .5f;

    private Counts() {}

    /** Counts the events of some days, and returns the sum of all counts. */
    static double run(DemoSpark spark, long events, boolean kill) throws Exception {
        TensorId counts = Tensors.init(PsSpark.client(), TensorSpec.growing("counts", 2));
        ModelCheckpoints checkpoints = ModelCheckpoints.at(PsSpark.client(), "counts");
        AtomicBoolean kills = new AtomicBoolean(kill);
        PsSpark.train(spark.session(), checkpoints, DAYS, day -> {
            spark.say("day " + day + ": counts " + events + " events");
            boolean isLost = day == 2 && kills.getAndSet(false);
            if (isLost) {
                spark.say("an executor will end like by kill -9, with its server, in the middle of this day");
            }
            pages(spark, events, day)
                    .foreachPartition((ForeachPartitionFunction<Row>) rows -> count(counts, day, rows, isLost));
        });
        Dataset<Row> found = PsSpark.read(spark.session(), counts)
                .selectExpr("key", "vector[0] * pow(" + FACTOR + ", " + DAYS + " - vector[1]) as count");
        double sum = found.selectExpr("sum(count)").first().getDouble(0);
        spark.say(found.count() + " pages; all counts: " + sum);
        found.join(pages(spark, events, 1).dropDuplicates("key"), "key")
                .orderBy(col("count").desc())
                .limit(3)
                .collectAsList()
                .forEach(row -> spark.say("  " + row.<String>getAs("page") + ": " + row.<Double>getAs("count")));
        return sum;
    }

    /**
     * Returns a page for each event: few pages have many, as they do. The rows of a partition are the same each time.
     */
    private static Dataset<Row> pages(DemoSpark spark, long events, int day) {
        return spark.session()
                .range(0, events, 1, 4)
                .withColumn(
                        "page",
                        concat(lit("/page/"), expr("int(pow(1e5, (xxhash64(id, " + day + ") & 65535) / 65536D))")))
                .withColumn("key", xxhash64(col("page")));
    }

    private static void count(TensorId counts, int day, Iterator<Row> rows, boolean isLost) {
        TaskCaller task = PsSpark.client().task(TaskContext.get());
        long[] keys = new long[BATCH];
        float[] ones = new float[BATCH];
        Arrays.fill(ones, 1);
        int size = 0;
        while (rows.hasNext()) {
            keys[size++] = rows.next().<Long>getAs("key");
            if (size == BATCH || !rows.hasNext()) {
                DecayedCountPsf.stub(task)
                        .call(
                                counts,
                                LongArray.wrap(keys).slice(0, size),
                                FloatArray.wrap(ones).slice(0, size),
                                day,
                                FACTOR)
                        .await();
                if (isLost
                        && TaskContext.getPartitionId() == 1
                        && TaskContext.get().attemptNumber() == 0) {
                    Runtime.getRuntime().halt(137);
                }
                size = 0;
            }
        }
    }
}
