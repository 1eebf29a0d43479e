package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import java.util.List;

/**
 * An entry of the record that a worker saves with a model.
 *
 * @param worker the rank of the worker
 * @param key the entry's key
 * @param value the entry's value
 */
public record RecordEntry(int worker, String key, String value) {
    /** The beginning of the keys that are not a user's. */
    public static final String OWN = "psf:";

    /**
     * The key of the step at which a worker has saved its record: an earlier one than the checkpoint's, if it was
     * absent then.
     */
    public static final String STEP = OWN + "step";

    /** The beginning of the keys that say which reduced weights were saved. */
    public static final String STORED = OWN + "stored:";

    /** The most characters of a record. */
    private static final int LONGEST = 1 << 16;

    /** The most entries: each takes memory besides its characters. */
    private static final int MOST = 1 << 12;

    /** True if the entry is carried over to later checkpoints while its worker is absent: its own, and their step. */
    public boolean isCarriedOver() {
        return !key.startsWith(OWN) || key.equals(STEP);
    }

    /**
     * Checks that a record is not too long.
     *
     * @throws PsException with {@code BAD_REQUEST}
     */
    public static void requireFit(List<RecordEntry> entries) {
        long length = entries.stream()
                .mapToLong(each -> each.key().length() + each.value().length())
                .sum();
        if (length > LONGEST) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "record: " + length + " characters (expected: at most " + LONGEST + ")");
        }
        if (entries.size() > MOST) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "record: " + entries.size() + " entries (expected: at most " + MOST + ")");
        }
    }
}
