package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.StoredNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The files that one server writes in a save: packs, as many as images are written at the same time, so that no lane
 * waits for another, and packs with one large image. Used by several lanes at once. No lane waits until an image is
 * stored.
 */
final class Packs {
    private final StoredNode node;
    private final Folder folder;
    /** The beginning of the files' names. */
    private final String prefix;

    private final List<Pack> all = new ArrayList<>();
    /** The packs that no lane writes to. */
    private final ConcurrentLinkedQueue<Pack> free = new ConcurrentLinkedQueue<>();

    Packs(StoredNode node, Folder folder, String prefix) {
        this.node = node;
        this.folder = folder;
        this.prefix = prefix;
    }

    /** Takes a pack for an image, a new one for a large image. No other image is written to it meanwhile. */
    Pack take(boolean isLarge) {
        Pack known = isLarge ? null : free.poll();
        return known == null ? create() : known;
    }

    /** Gives a pack back, to which an image has been added. */
    void give(Pack pack, boolean isLarge) {
        if (isLarge) {
            pack.end();
        } else {
            free.add(pack);
        }
    }

    private synchronized Pack create() {
        Pack pack = new Pack(node, folder, prefix + "-" + all.size() + Pack.SUFFIX);
        all.add(pack);
        return pack;
    }

    /**
     * Waits until all files are stored. No image is added meanwhile or afterwards.
     *
     * @return the length of each file, by its name
     */
    synchronized Map<String, Long> finish() throws IOException {
        Map<String, Long> lengths = new TreeMap<>();
        for (Pack each : all) {
            each.finish();
            lengths.put(each.name(), each.length());
        }
        return lengths;
    }

    /** Deletes what is not finished. */
    synchronized void abandon() {
        all.forEach(Pack::abandon);
    }
}
