package io.psf.spark;

import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Tensors;
import io.psf.builtin.sparse.ListKeys;
import io.psf.builtin.sparse.ListKeysPsf;
import io.psf.builtin.sparse.StoreRowsPsf;
import io.psf.spark.rows.InternalRows;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeArrayData;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Rows of tensors as rows of DataFrames: Spark's internal ones, whose arrays of floats are not boxed. */
final class RowFrames {
    static final String KEY = "key";
    static final String VECTOR = "vector";

    /** The rows of one call. */
    private static final int PAGE = 8192;

    private static final StructType SCHEMA = new StructType()
            .add(KEY, DataTypes.LongType, false)
            .add(VECTOR, DataTypes.createArrayType(DataTypes.FloatType, false), false);

    private RowFrames() {}

    /** Sets rows of a tensor to the rows of a frame. */
    static void write(Dataset<Row> frame, TensorId tensor) {
        requireColumn(frame, KEY, "bigint");
        requireColumn(frame, VECTOR, "array<float>");
        Dataset<Row> columns = frame.select(KEY, VECTOR);
        String name = tensor.name();
        int width = PsSpark.client().layout(tensor).info().width();
        InternalRows.of(columns).foreachPartition(rows -> {
            Writer writer = new Writer(TensorId.of(name), width);
            rows.forEachRemaining(writer::add);
            writer.flush();
        });
    }

    private static void requireColumn(Dataset<Row> frame, String name, String type) {
        for (StructField field : frame.schema().fields()) {
            if (field.name().equals(name)) {
                String found = field.dataType() instanceof ArrayType array
                        ? "array<" + array.elementType().simpleString() + ">"
                        : field.dataType().simpleString();
                if (found.equals(type)) {
                    return;
                }
                throw new IllegalArgumentException("column " + name + ": " + found + " (expected: " + type + ")");
            }
        }
        throw new IllegalArgumentException("columns: " + String.join(", ", frame.columns()) + " (expected: " + name
                + ", of type " + type + ", among them)");
    }

    /** Collects rows, and sends them page by page. */
    private static final class Writer {
        private final TensorId tensor;
        private final int width;
        private final long[] keys = new long[PAGE];
        private final float[] values;
        private int count;

        Writer(TensorId tensor, int width) {
            this.tensor = tensor;
            this.width = width;
            this.values = new float[Math.multiplyExact(PAGE, width)];
        }

        void add(InternalRow row) {
            if (row.isNullAt(0) || row.isNullAt(1)) {
                throw new IllegalArgumentException(
                        (row.isNullAt(0) ? KEY : VECTOR) + ": null (expected: a value in each row)");
            }
            ArrayData vector = row.getArray(1);
            if (vector.numElements() != width) {
                throw new IllegalArgumentException(VECTOR + " of key " + row.getLong(0) + ": " + vector.numElements()
                        + " floats (expected: " + width + ", the width of tensor " + tensor + ")");
            }
            keys[count] = row.getLong(0);
            System.arraycopy(vector.toFloatArray(), 0, values, count * width, width);
            if (++count == PAGE) {
                flush();
            }
        }

        /** Blocks until the rows are set: a retried task sets them again, to the same values. */
        void flush() {
            var unused = StoreRowsPsf.stub(PsSpark.client())
                    .call(
                            tensor,
                            LongArray.wrap(keys).slice(0, count),
                            FloatArray.wrap(values).slice(0, count * width))
                    .await();
            count = 0;
        }
    }

    /** Returns all rows of a tensor. */
    static Dataset<Row> read(SparkSession spark, TensorId tensor) {
        TensorLayout layout = PsSpark.client().layout(tensor);
        JavaSparkContext context = new JavaSparkContext(spark.sparkContext());
        String name = tensor.name();
        int width = layout.info().width();
        boolean grows = layout.info().grows();
        long rows = layout.info().rows();
        int parts =
                grows ? layout.slices() : (int) Math.min(rows, Math.max(layout.slices(), context.defaultParallelism()));
        int slices = layout.slices();
        return InternalRows.frame(
                spark,
                context.parallelize(IntStream.range(0, parts).boxed().toList(), parts)
                        .mapPartitions(part -> {
                            int number = part.next();
                            TensorId read = TensorId.of(name);
                            Iterator<long[]> pages = grows
                                    ? new SlicePages(read, number, slices)
                                    : new RangePages(rows * number / parts, rows * (number + 1) / parts);
                            return new Reader(read, width, pages);
                        }),
                SCHEMA);
    }

    /** Returns the rows of the keys of a frame, each with its key, in the frame's order. */
    static Dataset<Row> read(Dataset<Row> keys, TensorId tensor) {
        requireColumn(keys, KEY, "bigint");
        String name = tensor.name();
        int width = PsSpark.client().layout(tensor).info().width();
        return InternalRows.frame(
                keys.sparkSession(),
                InternalRows.of(keys.select(KEY))
                        .mapPartitions(rows -> new Reader(TensorId.of(name), width, new KeyPages(rows))),
                SCHEMA);
    }

    /** Pulls pages of keys, and returns their rows one by one. */
    private static final class Reader implements Iterator<InternalRow> {
        private final TensorId tensor;
        private final int width;
        private final Iterator<long[]> pages;
        private long[] keys = {};
        private float[] values = {};
        private int next;

        Reader(TensorId tensor, int width, Iterator<long[]> pages) {
            this.tensor = tensor;
            this.width = width;
            this.pages = pages;
        }

        @Override
        public boolean hasNext() {
            while (next == keys.length && pages.hasNext()) {
                keys = pages.next();
                values = new float[Math.multiplyExact(keys.length, width)];
                var unused =
                        Tensors.pullRows(PsSpark.client(), tensor, keys, values).await();
                next = 0;
            }
            return next < keys.length;
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            int row = next++;
            return new GenericInternalRow(new Object[] {
                keys[row],
                UnsafeArrayData.fromPrimitiveArray(Arrays.copyOfRange(values, row * width, (row + 1) * width))
            });
        }
    }

    /** Pages of consecutive keys. */
    private static final class RangePages implements Iterator<long[]> {
        private long next;
        private final long end;

        RangePages(long begin, long end) {
            this.next = begin;
            this.end = end;
        }

        @Override
        public boolean hasNext() {
            return next < end;
        }

        @Override
        public long[] next() {
            long begin = next;
            next = Math.min(end, begin + PAGE);
            long[] keys = new long[(int) (next - begin)];
            Arrays.setAll(keys, i -> begin + i);
            return keys;
        }
    }

    /** Pages of the keys that have a row in one slice of a growing table. */
    private static final class SlicePages implements Iterator<long[]> {
        private final TensorId tensor;
        private final int slice;
        /** The number of rows of each slice that are left to list; 0 for the other slices. */
        private final int[] left;

        SlicePages(TensorId tensor, int slice, int slices) {
            this.tensor = tensor;
            this.slice = slice;
            this.left = new int[slices];
            left[slice] = Integer.MAX_VALUE;
        }

        @Override
        public boolean hasNext() {
            return left[slice] > 0;
        }

        @Override
        public long[] next() {
            ListKeys.Response page =
                    ListKeysPsf.stub(PsSpark.client()).call(tensor, PAGE, left).await();
            for (ListKeys.Next next : page.next()) {
                if (next.slice() == slice) {
                    left[slice] = next.left();
                }
            }
            return page.keys().toArray();
        }
    }

    /** Pages of the keys of a frame. */
    private static final class KeyPages implements Iterator<long[]> {
        private final Iterator<InternalRow> rows;

        KeyPages(Iterator<InternalRow> rows) {
            this.rows = rows;
        }

        @Override
        public boolean hasNext() {
            return rows.hasNext();
        }

        @Override
        public long[] next() {
            long[] keys = new long[PAGE];
            int count = 0;
            while (count < PAGE && rows.hasNext()) {
                InternalRow row = rows.next();
                if (row.isNullAt(0)) {
                    throw new IllegalArgumentException(KEY + ": null (expected: a value in each row)");
                }
                keys[count++] = row.getLong(0);
            }
            return Arrays.copyOf(keys, count);
        }
    }
}
