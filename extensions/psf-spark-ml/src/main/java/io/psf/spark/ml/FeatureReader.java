package io.psf.spark.ml;

import org.apache.spark.ml.linalg.DenseVector;
import org.apache.spark.ml.linalg.SparseVector;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.util.ArrayData;
import org.jspecify.annotations.Nullable;

/** Reads features of Spark's rows, and refuses features that are no numbers. Not thread-safe. */
final class FeatureReader {
    /** A sparse vector as a struct of Spark's: type, size, indices, values. */
    private static final byte SPARSE = 0;

    private final Input input;
    /** The size of the vectors, known with the first of them or before. */
    private long size;

    FeatureReader(Input input) {
        this.input = input;
        this.size = input.numFeatures();
    }

    /** Adds the features of a row, whose columns from {@code at} on are {@link Input#columns}. */
    void read(InternalRow row, int at, Rows into) {
        requireThere(row.isNullAt(at), input.place());
        if (input.hasKeys()) {
            ArrayData keys = row.getArray(at);
            ArrayData values = null;
            if (input.hasValues()) {
                requireThere(row.isNullAt(at + 1), input.valuesPlace());
                values = row.getArray(at + 1);
            }
            requireNoNulls(keys, input.place());
            requireNoNulls(values, input.valuesPlace());
            add(keys.toLongArray(), values == null ? null : values.toFloatArray(), into);
            return;
        }
        InternalRow vector = row.getStruct(at, 4);
        double[] values = vector.getArray(3).toDoubleArray();
        if (vector.getByte(0) == SPARSE) {
            sparse(vector.getInt(1), vector.getArray(2).toIntArray(), values, into);
        } else {
            dense(values, into);
        }
    }

    /** Adds the features of a row that has the columns of the input at the given places. */
    void read(Row row, int keysAt, int valuesAt, Rows into) {
        requireThere(row.isNullAt(keysAt), input.place());
        if (input.hasKeys()) {
            long[] keys = longs(row.getSeq(keysAt));
            if (input.hasValues()) {
                requireThere(row.isNullAt(valuesAt), input.valuesPlace());
                add(keys, floats(row.getSeq(valuesAt)), into);
            } else {
                add(keys, null, into);
            }
            return;
        }
        Object vector = row.get(keysAt);
        if (vector instanceof SparseVector some) {
            sparse(some.size(), some.indices(), some.values(), into);
        } else {
            dense(((DenseVector) vector).values(), into);
        }
    }

    private long[] longs(scala.collection.Seq<?> seq) {
        long[] all = new long[seq.length()];
        scala.collection.Iterator<?> each = seq.iterator();
        for (int i = 0; i < all.length; i++) {
            Object one = each.next();
            requireThere(one == null, input.place());
            all[i] = ((Number) one).longValue();
        }
        return all;
    }

    private float[] floats(scala.collection.Seq<?> seq) {
        float[] all = new float[seq.length()];
        scala.collection.Iterator<?> each = seq.iterator();
        for (int i = 0; i < all.length; i++) {
            Object one = each.next();
            requireThere(one == null, input.valuesPlace());
            all[i] = ((Number) one).floatValue();
        }
        return all;
    }

    private void add(long[] keys, float @Nullable [] values, Rows into) {
        if (values != null && values.length != keys.length) {
            throw new IllegalArgumentException(input.valuesPlace() + ": " + values.length + " values (expected: "
                    + keys.length + ", one for each key of \"" + input.keys() + "\")");
        }
        for (int i = 0; i < keys.length; i++) {
            if (input.numFeatures() > 0 && (keys[i] < 0 || keys[i] >= input.numFeatures())) {
                throw new IllegalArgumentException(
                        input.place() + ": " + keys[i] + " (expected: 0 to " + (input.numFeatures() - 1) + ")");
            }
            add(keys[i], values == null ? 1 : values[i], into);
        }
    }

    private void sparse(int length, int[] indices, double[] values, Rows into) {
        requireSize(length);
        for (int i = 0; i < indices.length; i++) {
            add(indices[i], (float) values[i], into);
        }
    }

    private void dense(double[] values, Rows into) {
        requireSize(values.length);
        for (int i = 0; i < values.length; i++) {
            add(i, (float) values[i], into);
        }
    }

    private void requireSize(int length) {
        if (size == 0) {
            size = length;
        }
        if (length != size) {
            throw new IllegalArgumentException(
                    input.place() + ": a vector of size " + length + " (expected: " + size + ")");
        }
    }

    private void add(long key, float value, Rows into) {
        if (!Float.isFinite(value)) {
            throw new IllegalArgumentException(
                    input.valuesPlace() + ": " + value + ", of key " + key + " (expected: a finite number)");
        }
        if (value != 0) {
            into.add(key, value);
        }
    }

    private static void requireNoNulls(@Nullable ArrayData array, String place) {
        if (array == null) {
            return;
        }
        for (int i = 0; i < array.numElements(); i++) {
            requireThere(array.isNullAt(i), place);
        }
    }

    private static void requireThere(boolean isNull, String place) {
        if (isNull) {
            throw new IllegalArgumentException(
                    place + ": null (expected: features in each row and no null among them)");
        }
    }
}
