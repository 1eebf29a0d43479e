package io.psf.examples.flink;

/**
 * A user has rated an item.
 *
 * @param user the number of the user, at least 0
 * @param item the number of the item, at least 0
 */
public record Event(long user, long item, float rating) {
    public Event {
        if (user < 0 || item < 0) {
            throw new IllegalArgumentException("event: user " + user + ", item " + item + " (expected: both >= 0)");
        }
    }

    /**
     * Returns [2] int64: the keys of the event's rows. One table has users and items: the keys of items are below 0.
     */
    long[] keys() {
        return new long[] {user, ~item};
    }
}
