package io.psf.dashboard;

import java.util.Map;
import java.util.TreeMap;

/** The newest state of everything that the page shows, as fields of JSON, for all that watch. Thread-safe. */
final class Feed {
    private record Field(long version, String json) {}

    private final Map<String, Field> fields = new TreeMap<>();
    private long version;
    private int watchers;
    private boolean isClosed;

    /**
     * An event: the part of the page's data that has changed.
     *
     * @param version the version after these changes
     * @param fields the fields that have changed, each as JSON
     */
    record Changes(long version, Map<String, String> fields) {}

    /** Publishes fields. Those that have not changed are passed over. */
    synchronized void publish(Map<String, String> news) {
        news.forEach((name, json) -> {
            Field there = fields.get(name);
            if (there == null || !there.json().equals(json)) {
                version++;
                fields.put(name, new Field(version, json));
            }
        });
        notifyAll();
    }

    /** Forgets all fields, which nobody keeps up to date any more. */
    synchronized void clear() {
        fields.clear();
    }

    /**
     * Returns what has changed since a version. Blocks until something has, the time is up, or the feed is closed.
     *
     * @param known the version of the changes before; 0 for none
     */
    synchronized Changes since(long known, long millis) throws InterruptedException {
        long until = System.nanoTime() + millis * 1_000_000;
        for (long left = millis; version == known && left > 0 && !isClosed; ) {
            wait(left);
            left = (until - System.nanoTime()) / 1_000_000;
        }
        Map<String, String> changed = new TreeMap<>();
        fields.forEach((name, field) -> {
            if (field.version() > known) {
                changed.put(name, field.json());
            }
        });
        return new Changes(version, changed);
    }

    /** True if somebody watches. */
    synchronized boolean isWatched() {
        return watchers > 0;
    }

    /** True if there are fewer watchers than so many: then there is one more. */
    synchronized boolean enter(int most) {
        boolean enters = watchers < most;
        watchers += enters ? 1 : 0;
        return enters;
    }

    synchronized void leave() {
        watchers--;
    }

    synchronized boolean isClosed() {
        return isClosed;
    }

    /** Wakes all that wait. */
    synchronized void close() {
        isClosed = true;
        notifyAll();
    }
}
