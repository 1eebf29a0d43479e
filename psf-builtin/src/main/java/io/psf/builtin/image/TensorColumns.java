package io.psf.builtin.image;

import io.psf.api.TensorInfo;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** A tensor that is written to a checkpoint, read column by column. Each method may be called several times. */
public interface TensorColumns {
    /** Returns name, rows and width. */
    TensorInfo info();

    /**
     * Returns the optimizer whose state the slots are, such as {@code psf.adam}; empty if any optimizer may go on from
     * the values.
     */
    String optimizer();

    /** Returns where the rows come from, in words on one line. */
    String declaration();

    /** Returns the floats in a row of each slot, by its name. */
    Map<String, Integer> slots();

    /** Returns the number of rows; of a growing table the rows that it has. */
    long rows();

    /** Reads the keys of a growing table, each once, in any order. */
    void keys(LongConsumer keys);

    /**
     * Reads a column of all rows: in the order of the keys, or of a growing table in the order of {@link #keys}.
     *
     * @param slot the slot; null for the values
     */
    void each(@Nullable String slot, RowConsumer rows);
}
