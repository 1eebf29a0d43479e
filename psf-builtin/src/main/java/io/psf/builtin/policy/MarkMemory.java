package io.psf.builtin.policy;

import io.psf.api.array.LongArray;
import org.jspecify.annotations.Nullable;

/**
 * The marks of a shard's rows, and the removal of rows by them: three int32 a row, which are the number of the push
 * that has touched the row last, the second in which it has, and the number of pushes that have. The marks move with
 * the rows. Used on the shard's lane.
 */
public interface MarkMemory {
    /** The number of marks of a row. */
    int MARKS = 3;

    /** The place of the number of the push that touched a row last; 0 for one long ago. */
    int STEP = 0;

    /** The place of the second in which the row was touched last, since 2020. */
    int SECOND = 1;

    /** The place of the number of pushes that have touched it; stays at the greatest int32. */
    int COUNT = 2;

    /** Returns the bytes of memory that the marks take now. */
    long bytes();

    /** Returns the number of rows that have marks: the first ones. */
    int rows();

    /** Forgets all marks. */
    void clear();

    /** Marks rows that have none as touched once, by a push in a second. */
    void growTo(int rows, int step, int second);

    /**
     * Marks the rows of keys as touched by a push in a second.
     *
     * @param keys [n] int64
     * @param into [at least n], receives the rows, -1 for a key without one; null if the caller needs the number alone
     * @return the number of keys that have no row
     * @throws io.psf.api.PsException with {@code OUT_OF_RANGE} naming the first key that the shard does not own
     */
    int touch(LongArray keys, int @Nullable [] into, int step, int second);

    /** Lowers the numbers of the pushes of all marks, to at least 0. */
    void lower(int by);

    /**
     * Removes the rows that were last touched before a push or before a second.
     *
     * @return the number of rows removed
     */
    int removeIdle(long beforeStep, long beforeSecond);

    /**
     * Removes the rows that were touched least recently or least often. Of the rows that were touched equally often,
     * the least recently touched rows go first; of the rows that the same push has touched, the rows of the lowest
     * keys.
     *
     * @param most the number of rows to remove, at least 1; fewer are removed if there are fewer
     * @param byCount true for the rows that were touched least often
     * @param leftOut the number of the push whose rows stay; -1 for none
     * @return the number of rows removed
     */
    int removeLowest(int most, boolean byCount, int leftOut);

    /** Reads the marks of a row. They are read of one row after the other, as a save does. */
    void read(int row, int[] marks);

    /**
     * Replaces the marks of rows.
     *
     * @param keys [n] int64, which have rows that have marks
     * @param marks [n, MARKS] int32
     */
    void write(LongArray keys, int[] marks);
}
