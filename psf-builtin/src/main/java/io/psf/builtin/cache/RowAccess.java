package io.psf.builtin.cache;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;

/** The access of one thread to the rows of a table. A failure is a {@link io.psf.api.PsException}. */
public interface RowAccess {
    /**
     * Copies rows.
     *
     * @param keys [n] int64, rows of the table in any order, duplicates allowed
     * @param into [n, width] float32, filled
     */
    void lookUp(long[] keys, float[] into);

    /**
     * Takes updates of rows.
     *
     * @param keys [n] int64, rows of the table in any order, duplicates allowed
     * @param gradients [n, width] float32
     */
    void update(long[] keys, float[] gradients);

    /** Requests the rows of the next look-up. Does not wait for them. */
    void prefetch(long[] keys);

    /** Sends all updates, and waits until they are in the values. */
    void flush();

    /** Returns the numbers since the start. */
    CacheCounters counters();

    /**
     * Checks the arguments of a call.
     *
     * @throws PsException with {@code BAD_REQUEST} or {@code OUT_OF_RANGE}
     */
    static void require(TensorInfo table, long[] keys, String name, float[] values) {
        if ((long) keys.length * table.width() != values.length) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    name + " length: " + values.length + " (expected: " + (long) keys.length * table.width() + ", "
                            + keys.length + " keys x " + table.width() + ") on tensor \"" + table.id() + "\"");
        }
        requireRows(table, keys);
    }

    /** Checks that each key is a row of the table. */
    static void requireRows(TensorInfo table, long[] keys) {
        if (table.grows()) {
            return;
        }
        for (int i = 0; i < keys.length; i++) {
            if (keys[i] < 0 || keys[i] >= table.rows()) {
                throw new PsException(
                        PsException.Code.OUT_OF_RANGE,
                        "keys[" + i + "]: " + keys[i] + " (expected: a row in [0, " + table.rows() + ")) on tensor \""
                                + table.id() + "\"");
            }
        }
    }
}
