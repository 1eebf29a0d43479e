package io.psf.api;

/**
 * The memory that a shard occupies, in bytes. Capacity that has no memory yet is not counted.
 *
 * @param values the bytes of the values
 * @param slots the bytes of the slots: the state of the optimizer and of functions
 * @param index the bytes of a growing table's keys and of their index, and on a device of what finds rows otherwise; 0
 *     for a table in host memory that does not grow
 * @param attachments the bytes of those attachments of functions that are {@link Measured}
 */
public record ShardBytes(long values, long slots, long index, long attachments) {
    /** Returns the sum with another shard's. */
    public ShardBytes plus(ShardBytes other) {
        return new ShardBytes(
                values + other.values, slots + other.slots, index + other.index, attachments + other.attachments);
    }

    /** Returns the sum of all bytes. */
    public long total() {
        return values + slots + index + attachments;
    }
}
