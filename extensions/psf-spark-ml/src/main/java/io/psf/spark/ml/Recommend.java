package io.psf.spark.ml;

import io.psf.spark.rows.InternalRows;
import java.io.Serial;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;

/**
 * Rates all candidates for the users of a partition, and keeps the best of each; or so for items, with users as
 * candidates. A task has the factors of a block of users and of a block of candidates at a time, which it fetches.
 *
 * @param width the number of weights of a user: the bias and the factors
 * @param keys of the candidates, ascending
 * @param most the most candidates that a user gets
 */
record Recommend(Margins weights, int width, Broadcast<long[]> keys, int most)
        implements FlatMapFunction<Iterator<InternalRow>, InternalRow> {
    @Serial
    private static final long serialVersionUID = 1;

    /** The tasks for each core. */
    private static final int TASKS = 4;

    private static final int USERS = 1 << 11;
    private static final int CANDIDATES = 1 << 11;
    /** The most candidates that are kept for the users of a block together. */
    private static final int KEPT = 1 << 22;

    /** Returns the columns of the rows: those of Spark's ALS, with ids of 63 bits. */
    static StructType schema(String user, String candidate) {
        StructType rated =
                new StructType().add(candidate, DataTypes.LongType, false).add("rating", DataTypes.FloatType, false);
        return new StructType()
                .add(user, DataTypes.LongType, false)
                .add("recommendations", DataTypes.createArrayType(rated, false), false);
    }

    /**
     * Returns a frame with the best candidates of each user that the model has. The ids of the candidates are collected
     * in this process.
     *
     * @param users a column of keys
     * @param candidates a column of keys
     */
    static Dataset<Row> frame(
            Margins weights, int width, Dataset<Row> users, Dataset<Row> candidates, int most, StructType schema) {
        SparkSession spark = users.sparkSession();
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        long[] keys = InternalRows.of(candidates).mapPartitions(Recommend::keys).collect().stream()
                .flatMapToLong(LongStream::of)
                .sorted()
                .toArray();
        Dataset<Row> spread = users.repartition(TASKS * context.defaultParallelism(), users.col(users.columns()[0]));
        return InternalRows.frame(
                spark,
                InternalRows.of(spread).mapPartitions(new Recommend(weights, width, context.broadcast(keys), most)),
                schema);
    }

    private static Iterator<long[]> keys(Iterator<InternalRow> rows) {
        LongStream.Builder keys = LongStream.builder();
        rows.forEachRemaining(row -> keys.add(row.getLong(0)));
        return List.of(keys.build().toArray()).iterator();
    }

    /** Returns a row for each user that the model has. */
    @Override
    public Iterator<InternalRow> call(Iterator<InternalRow> users) {
        int block = Math.max(1, Math.min(USERS, KEPT / most));
        return Stream.generate(() -> next(users, block))
                .takeWhile(some -> some.length > 0)
                .flatMap(this::block)
                .iterator();
    }

    private static long[] next(Iterator<InternalRow> users, int most) {
        long[] some = new long[most];
        int n = 0;
        while (n < most && users.hasNext()) {
            some[n++] = users.next().getLong(0);
        }
        Arrays.sort(some, 0, n);
        return Arrays.copyOf(some, n);
    }

    private Stream<InternalRow> block(long[] users) {
        float[] factors = weights.weightsOf(users);
        float bias = weights.bias()[0];
        long[] all = keys.value();
        Best[] best = new Best[users.length];
        Arrays.setAll(best, user -> new Best(most));
        float[] columns = new float[width * CANDIDATES];
        float[] ratings = new float[CANDIDATES];
        for (int from = 0; from < all.length; from += CANDIDATES) {
            int n = Math.min(CANDIDATES, all.length - from);
            transpose(weights.weightsOf(Arrays.copyOfRange(all, from, from + n)), n, columns);
            for (int user = 0; user < users.length; user++) {
                rate(factors, user * width, bias, columns, n, ratings);
                for (int i = 0; i < n; i++) {
                    best[user].offer(from + i, ratings[i]);
                }
            }
        }
        return IntStream.range(0, users.length)
                .filter(user -> !Fetched.isZero(factors, user * width, width))
                .mapToObj(user -> row(users[user], best[user], all));
    }

    /** Lets each weight of the candidates have its own column, [width, CANDIDATES] float32. */
    private void transpose(float[] rows, int n, float[] columns) {
        for (int i = 0; i < n; i++) {
            for (int f = 0; f < width; f++) {
                columns[f * CANDIDATES + i] = rows[i * width + f];
            }
        }
    }

    /** Computes the ratings of a user: a loop over candidates, which the JIT vectorizes, for each factor. */
    private void rate(float[] factors, int user, float bias, float[] columns, int n, float[] ratings) {
        float base = bias + factors[user];
        for (int i = 0; i < n; i++) {
            ratings[i] = base + columns[i];
        }
        for (int f = 1; f < width; f++) {
            float factor = factors[user + f];
            int at = f * CANDIDATES;
            for (int i = 0; i < n; i++) {
                ratings[i] += factor * columns[at + i];
            }
        }
    }

    private static InternalRow row(long user, Best best, long[] candidates) {
        Object[] rated = new Object[best.count()];
        Arrays.setAll(
                rated,
                place -> new GenericInternalRow(
                        new Object[] {Ratings.id(candidates[best.candidate(place)]), best.rating(place)}));
        return new GenericInternalRow(new Object[] {Ratings.id(user), new GenericArrayData(rated)});
    }
}
