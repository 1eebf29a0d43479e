package io.psf.spark.ml;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.serializers.JavaSerializer;
import java.io.Externalizable;
import java.io.IOException;
import java.io.ObjectInput;
import java.io.ObjectOutput;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Rows of sparse features in a few arrays, which Spark's shuffle moves as they are. Not thread-safe. */
@DefaultSerializer(JavaSerializer.class)
final class Rows implements Externalizable {
    @Serial
    private static final long serialVersionUID = 1;

    private int rows;
    private int entries;
    private float[] labels = new float[64];
    private float[] importance = new float[64];
    /** The end of each row among the entries. */
    private int[] ends = new int[64];

    private long[] keys = new long[1024];
    /** The value of each entry; null while all are 1. */
    private float @Nullable [] values;

    /** The partition of the input, the number within it, and whether the rows are for validation. */
    private int source;

    private int sequence;
    private boolean isValidation;

    /** Creates no rows. Spark calls it, too. */
    public Rows() {}

    Rows(int source, int sequence, boolean isValidation) {
        this.source = source;
        this.sequence = sequence;
        this.isValidation = isValidation;
    }

    int source() {
        return source;
    }

    int sequence() {
        return sequence;
    }

    boolean isValidation() {
        return isValidation;
    }

    int rows() {
        return rows;
    }

    int entries() {
        return entries;
    }

    float label(int row) {
        return labels[row];
    }

    /** Returns how often a row counts. */
    float importance(int row) {
        return importance[row];
    }

    int begin(int row) {
        return row == 0 ? 0 : ends[row - 1];
    }

    int end(int row) {
        return ends[row];
    }

    long[] keys() {
        return keys;
    }

    /** Returns the value of each entry; null if all are 1. */
    float @Nullable [] values() {
        return values;
    }

    /** Adds an entry of the row that {@link #endRow} ends. */
    void add(long key, float value) {
        if (entries == keys.length) {
            keys = Arrays.copyOf(keys, 2 * entries);
            if (values != null) {
                values = Arrays.copyOf(values, 2 * entries);
            }
        }
        keys[entries] = key;
        if (values != null) {
            values[entries] = value;
        } else if (value != 1) {
            values = new float[keys.length];
            Arrays.fill(values, 0, entries, 1);
            values[entries] = value;
        }
        entries++;
    }

    void endRow(float label, float rowImportance) {
        if (rows == labels.length) {
            labels = Arrays.copyOf(labels, 2 * rows);
            importance = Arrays.copyOf(importance, 2 * rows);
            ends = Arrays.copyOf(ends, 2 * rows);
        }
        labels[rows] = label;
        importance[rows] = rowImportance;
        ends[rows++] = entries;
    }

    /** Copies the last row of others to the end. */
    void addLastOf(Rows other) {
        float[] from = other.values;
        for (int i = other.begin(other.rows - 1); i < other.entries; i++) {
            add(other.keys[i], from == null ? 1 : from[i]);
        }
        endRow(other.labels[other.rows - 1], other.importance[other.rows - 1]);
    }

    void clear() {
        rows = 0;
        entries = 0;
        values = null;
    }

    @Override
    public void writeExternal(ObjectOutput out) throws IOException {
        float[] some = values;
        int bytes = rows * 12 + entries * (some == null ? 8 : 12);
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        for (int i = 0; i < rows; i++) {
            buffer.putFloat(labels[i]).putFloat(importance[i]).putInt(ends[i]);
        }
        buffer.asLongBuffer().put(keys, 0, entries);
        buffer.position(buffer.position() + entries * Long.BYTES);
        if (some != null) {
            buffer.asFloatBuffer().put(some, 0, entries);
        }
        out.writeInt(source);
        out.writeInt(sequence);
        out.writeBoolean(isValidation);
        out.writeInt(rows);
        out.writeInt(entries);
        out.writeBoolean(some != null);
        out.write(buffer.array());
    }

    @Override
    public void readExternal(ObjectInput in) throws IOException {
        source = in.readInt();
        sequence = in.readInt();
        isValidation = in.readBoolean();
        rows = in.readInt();
        entries = in.readInt();
        boolean hasValues = in.readBoolean();
        byte[] bytes = new byte[rows * 12 + entries * (hasValues ? 12 : 8)];
        in.readFully(bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        labels = new float[rows];
        importance = new float[rows];
        ends = new int[rows];
        for (int i = 0; i < rows; i++) {
            labels[i] = buffer.getFloat();
            importance[i] = buffer.getFloat();
            ends[i] = buffer.getInt();
        }
        keys = new long[entries];
        buffer.asLongBuffer().get(keys);
        buffer.position(buffer.position() + entries * Long.BYTES);
        if (hasValues) {
            float[] some = new float[entries];
            buffer.asFloatBuffer().get(some);
            values = some;
        } else {
            values = null;
        }
    }
}
