package io.psf.builtin.internal.checkpoint;

import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The files that one server writes in a save: packs, as many as lanes write at the same time, so that no lane waits for
 * another, and files with one image. Images may be added by several lanes at once. No lane waits until an image is
 * stored.
 */
final class Packs {
    private final Folder folder;
    /** The beginning of the files' names. */
    private final String prefix;

    private final List<Pack> all = new ArrayList<>();
    /** The packs that no lane writes to. */
    private final ConcurrentLinkedQueue<Pack> free = new ConcurrentLinkedQueue<>();

    Packs(Folder folder, String prefix) {
        this.folder = folder;
        this.prefix = prefix;
    }

    /** An image, and its pack. */
    record Packed(SavedImage image, KnownFile file) {}

    /** Appends the image of a shard to one of the packs. */
    Packed add(ImageHeader whole, ImageRows rows, StoredShard shard) throws IOException {
        Pack free = this.free.poll();
        Pack pack = free == null ? create() : free;
        SavedImage image = pack.add(whole, rows, shard); // after a failure no image is added to the pack
        this.free.add(pack);
        return new Packed(image, pack.known());
    }

    /** Creates a file. The caller adds one image to it, and ends it. */
    synchronized Pack create() throws IOException {
        Pack pack = new Pack(folder, prefix + "-" + all.size() + Pack.SUFFIX);
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
