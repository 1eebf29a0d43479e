package io.psf.builtin;

import io.psf.builtin.policy.PolicyOptions;
import java.io.Serializable;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which keys of a growing table get a row, and which rows are removed. Start with {@link #keepAll}. A row is touched by
 * a push of its key; a look-up makes no row and touches none. Immutable.
 *
 * <p>A row that is removed loses its optimizer state and the state of attachments. Its key counts as new when it comes
 * again. {@link Tensors#removeRows} removes rows by key.
 */
public final class TablePolicy implements Serializable {
    private static final long serialVersionUID = 1;
    private static final long SKETCH = 4 << 20;

    private final PolicyOptions options;

    private TablePolicy(PolicyOptions options) {
        this.options = options;
    }

    /** Makes a row for each pushed key, and removes none: the policy of a table without one. */
    public static TablePolicy keepAll() {
        return new TablePolicy(PolicyOptions.NONE);
    }

    /**
     * Like {@link #admitAfter(int, long)} with a sketch of 4 MB per slice. It remembers the last million pushed keys of
     * a slice. Of a stream of keys that are pushed once, it admits about 6 % with {@code times} of 2; fewer than 0.1 %
     * if they are at most 250,000 a slice. {@link #admitAfterAmong} makes it as large as a number of keys requires.
     */
    public TablePolicy admitAfter(int times) {
        return admitAfter(times, SKETCH);
    }

    /**
     * Makes the row of a key with its push number {@code times}. The updates before are dropped. Keys without a row are
     * counted in a sketch of fixed memory. Recent are a quarter as many pushed keys as the sketch has bytes; then all
     * counts are halved. A count is never too low among the recent keys. It is too high for about 6 % of the keys on
     * average if all the recent keys differ; for fewer than 0.1 % if the sketch has 16 bytes for each key that is ever
     * counted. The counts are not saved.
     *
     * @param times from 1 to 255
     * @param bytesOfSketch the memory of each slice, from 1,024 to 2^30
     */
    public TablePolicy admitAfter(int times, long bytesOfSketch) {
        return new TablePolicy(options.withAdmission(times, bytesOfSketch));
    }

    /**
     * Like {@link #admitAfter(int, long)}, with a sketch for a number of keys: fewer than 0.1 % of that many different
     * keys are admitted too early. The sketches of all slices together take 16 to 32 bytes for each key, and at least 1
     * KB each. {@link Tensors#init} fails with {@code BAD_REQUEST} if a slice has more than 67 million of the keys.
     *
     * @param times from 1 to 255
     * @param keys the number of different keys that the whole table is expected to be pushed, from 1
     */
    public TablePolicy admitAfterAmong(int times, long keys) {
        if (keys < 1) {
            throw new IllegalArgumentException("expected keys of a table's policy: " + keys + " (expected: >= 1)");
        }
        return new TablePolicy(options.withAdmissionAmong(times, keys));
    }

    /**
     * Removes a row that none of the last {@code pushes} pushes has touched: in the last of them, or up to a sixteenth
     * of that number later. Each slice counts for itself the pushes that have some of its keys, or all pushes if the
     * optimizer is clipped, scheduled or counts the pushes. A push that is applied in parts, as {@link #mostRows} says,
     * counts once a part; a round of a synchronous table counts once. With {@link #expireAfter} too, a row is removed
     * after whichever is first.
     *
     * @param pushes at least 1; 0 for no limit
     */
    public TablePolicy expireAfterPushes(long pushes) {
        return new TablePolicy(options.withExpiry(pushes, options.idleTime()));
    }

    /**
     * Removes a row that no push has touched for a time, in whole seconds: then, or up to a sixteenth of the time and
     * two seconds later, also if no push comes. The clock is the clock of the row's server; setting its wall clock makes
     * no difference. A server that has started again looks for such rows from the first push on that the slice receives.
     * After a load, the time from the last push before the save to that push does not count: nobody could have pushed.
     *
     * @param time at least a second; zero for no limit
     */
    public TablePolicy expireAfter(Duration time) {
        return new TablePolicy(options.withExpiry(options.idleSteps(), time));
    }

    /**
     * Limits the rows of the table. Each slice has an equal share, rounded down; {@link Tensors#init} fails with {@code
     * BAD_REQUEST} if there are fewer rows than slices. When a slice is full, it removes the rows that were
     * touched least recently, a 64th of its share at once. No push removes rows that it touches itself, unless it has
     * more keys than half of the share: it is applied in parts then. A step that is more than its formula, such as one
     * that is clipped or scheduled, is not divided: the slice exceeds its share until the step is complete.
     *
     * @param rows at least 1; 0 for no limit
     */
    public TablePolicy mostRows(long rows) {
        return new TablePolicy(options.withLimits(rows, options.bytes(), options.lfu()));
    }

    /**
     * Limits the bytes of the table: values, optimizer state and slots of functions, keys with their index, marks of
     * this policy, and sketch. Otherwise like {@link #mostRows}. {@link Tensors#init} fails with {@code BAD_REQUEST} if
     * the limit does not suffice for the sketch and the index of each slice, and 64 rows.
     *
     * @param bytes at least 1; 0 for no limit
     */
    public TablePolicy mostBytes(long bytes) {
        return new TablePolicy(options.withLimits(options.rows(), bytes, options.lfu()));
    }

    /**
     * Removes the rows that were touched least often when the table is full; of equals, the rows that were touched
     * least recently.
     */
    public TablePolicy leastFrequentFirst() {
        return new TablePolicy(options.withLimits(options.rows(), options.bytes(), true));
    }

    /** Returns the number of the push that makes the row of its key; 1 without admission. */
    int admission() {
        return options.admitAfter();
    }

    /** Returns the options that were chosen, by name, as texts. */
    Map<String, String> texts() {
        return options.texts();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TablePolicy policy && options.equals(policy.options);
    }

    @Override
    public int hashCode() {
        return options.hashCode();
    }

    /** Returns the options that were chosen, such as {@code {admitAfter=3, eviction=lru, rows=1000}}. */
    @Override
    public String toString() {
        return options.texts().toString();
    }
}
