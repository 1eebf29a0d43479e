package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import io.psf.spark.rows.InternalRows;
import java.io.Serial;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;

/**
 * Weights as frames: a row a key, with columns {@code key}, {@code weight} and, if there are factors, {@code factors};
 * of a model with more margins than one {@code key} and {@code weights}. Tasks make and read the rows; those that are 0
 * are left out.
 */
final class WeightFrames {
    private static final int PAGE = 1 << 16;

    private static final DataType FLOATS = DataTypes.createArrayType(DataTypes.FloatType, false);

    private WeightFrames() {}

    static StructType schema(Kernel kernel) {
        StructType keys = new StructType().add("key", DataTypes.LongType, false);
        if (kernel.outputs() > 1) {
            return keys.add("weights", FLOATS, false);
        }
        StructType schema = keys.add("weight", DataTypes.FloatType, false);
        return kernel.width() == 1 ? schema : schema.add("factors", FLOATS, false);
    }

    /** Returns a frame of weights as rows of a tensor: {@code key} and {@code vector}. */
    static Dataset<Row> vectors(Dataset<Row> weights, Kernel kernel) {
        String vector = kernel.outputs() > 1
                ? "weights"
                : kernel.width() == 1 ? "array(weight)" : "concat(array(weight), factors)";
        return weights.selectExpr("key", vector + " as vector");
    }

    /** Returns the weights of the rows of a tensor. */
    static Dataset<Row> of(SparkSession spark, Dataset<Row> vectors, ServedWeights served) {
        return frame(
                spark, InternalRows.of(vectors).mapPartitions(rows -> new Completed(rows, served)), served.kernel());
    }

    /** Returns the weights that this process has. */
    static Dataset<Row> of(SparkSession spark, LocalWeights local) {
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        Broadcast<LocalWeights> sent = context.broadcast(local);
        int n = local.keys().length;
        int pages = Math.max(1, (n - 1) / PAGE + 1);
        JavaRDD<InternalRow> rows = context.parallelize(
                        IntStream.range(0, pages).boxed().toList(), Math.min(pages, 16))
                .flatMap(page -> IntStream.range(page * PAGE, Math.min(n, page * PAGE + PAGE))
                        .mapToObj(at -> row(
                                sent.value().keys()[at],
                                sent.value().rows(),
                                at,
                                sent.value().kernel()))
                        .iterator());
        return frame(spark, rows, local.kernel());
    }

    private static Dataset<Row> frame(SparkSession spark, JavaRDD<InternalRow> rows, Kernel kernel) {
        return InternalRows.frame(spark, rows, schema(kernel));
    }

    private static InternalRow row(long key, float[] weights, int at, Kernel kernel) {
        int begin = at * kernel.width();
        int end = begin + kernel.width();
        if (kernel.outputs() > 1) {
            return new GenericInternalRow(new Object[] {key, floats(weights, begin, end)});
        }
        return new GenericInternalRow(
                kernel.width() == 1
                        ? new Object[] {key, weights[begin]}
                        : new Object[] {key, weights[begin], floats(weights, begin + 1, end)});
    }

    private static UnsafeArrayData floats(float[] weights, int begin, int end) {
        return UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(weights, begin, end));
    }

    /** The weights of rows as the servers store them. */
    private static final class Completed implements Iterator<InternalRow> {
        private final Iterator<InternalRow> stored;
        private final ServedWeights served;
        private final long[] key = new long[1];
        private @Nullable InternalRow next;

        Completed(Iterator<InternalRow> stored, ServedWeights served) {
            this.stored = stored;
            this.served = served;
        }

        @Override
        public boolean hasNext() {
            while (next == null && served.call(stored::hasNext)) {
                InternalRow row = stored.next();
                float[] weights = row.getArray(1).toFloatArray();
                key[0] = row.getLong(0);
                served.kernel().complete(key, 1, weights, true);
                next = Fetched.isZero(weights, 0, weights.length) ? null : row(key[0], weights, 0, served.kernel());
            }
            return next != null;
        }

        @Override
        public InternalRow next() {
            InternalRow row = hasNext() ? next : null;
            if (row == null) {
                throw new NoSuchElementException();
            }
            next = null;
            return row;
        }
    }

    /** Returns weights as pages. */
    static JavaRDD<Page> pages(Dataset<Row> weights, Kernel kernel) {
        return InternalRows.of(weights).mapPartitions(rows -> new Pages(rows, kernel));
    }

    /** Collects weights in this process. */
    static LocalWeights collect(Dataset<Row> weights, Kernel kernel, float[] bias) {
        Fetched fetched = new Fetched(kernel.width());
        pages(weights, kernel).toLocalIterator().forEachRemaining(page -> fetched.add(page.keys(), page.weights()));
        return fetched.weights(kernel, bias);
    }

    /**
     * Weights of some keys.
     *
     * @param keys [n] int64
     * @param weights [n, width] float32
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    @DefaultSerializer(JavaSerializer.class)
    record Page(long[] keys, float[] weights) implements Serializable {
        @Serial
        private static final long serialVersionUID = 1;
    }

    /** Rows of a frame as pages. */
    private record Pages(Iterator<InternalRow> rows, Kernel kernel) implements Iterator<Page> {
        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public Page next() {
            int width = kernel.width();
            int scalars = kernel.outputs() > 1 ? 0 : 1;
            long[] keys = new long[PAGE];
            float[] weights = new float[PAGE * width];
            int n = 0;
            for (; n < PAGE && rows.hasNext(); n++) {
                InternalRow row = rows.next();
                keys[n] = row.getLong(0);
                if (scalars == 1) {
                    weights[n * width] = row.getFloat(1);
                }
                if (width > 1) {
                    float[] floats = row.getArray(1 + scalars).toFloatArray();
                    System.arraycopy(floats, 0, weights, n * width + scalars, width - scalars);
                }
            }
            return new Page(Arrays.copyOf(keys, n), Arrays.copyOf(weights, n * width));
        }
    }
}
