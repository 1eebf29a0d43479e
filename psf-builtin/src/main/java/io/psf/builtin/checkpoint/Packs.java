package io.psf.builtin.checkpoint;

import io.psf.api.spi.OwnerFiles;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * The files that one server writes in a save: packs, as many as lanes write at the same time, so that no lane waits for
 * another, and files with one image. Images may be added by several lanes at once. Nothing is forced to the disk before
 * the end.
 */
final class Packs {
    /** The most files with one image that stay open until they are forced: over a network, closing a file waits. */
    private static final int MOST_OPEN = 256;

    private final Folder folder;
    /** The beginning of the files' names. */
    private final String prefix;

    private final List<Pack> all = new ArrayList<>();
    /** The files with one image, by the folder below in which they are. */
    private final Map<String, List<Pack>> alone = new TreeMap<>();

    private int open;
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

    /**
     * Writes the image of a shard to a file of its own.
     *
     * @param below the folder of the tensor
     */
    Packed alone(String below, ImageHeader whole, ImageRows rows, StoredShard shard) throws IOException {
        String file = SavedImage.alone(whole.save(), whole.begin(), whole.end(), 0, 0, 0)
                .file();
        Pack pack = create(below, file);
        SavedImage image = pack.add(whole, rows, shard).in(below);
        pack.end();
        if (isTooMany()) {
            pack.close();
        }
        return new Packed(image, pack.known());
    }

    private Pack create(String below, String file) throws IOException {
        Pack pack = Pack.create(folder.newFile(below + "/" + file));
        synchronized (this) {
            alone.computeIfAbsent(below, name -> new ArrayList<>(2)).add(pack);
        }
        return pack;
    }

    private synchronized boolean isTooMany() {
        return ++open > MOST_OPEN;
    }

    private synchronized Pack create() throws IOException {
        Pack pack = Pack.create(folder.newFile(String.format(Locale.ROOT, "%s-%d%s", prefix, all.size(), Pack.SUFFIX)));
        all.add(pack);
        return pack;
    }

    /**
     * Finishes all files. No image is added meanwhile or afterwards.
     *
     * @return the length of each file, by its name
     */
    synchronized Map<String, Long> finish() throws IOException {
        Map<String, Long> lengths = new TreeMap<>();
        for (Pack each : all) {
            each.finish();
            lengths.put(each.name(), each.length());
        }
        for (Map.Entry<String, List<Pack>> each : alone.entrySet()) {
            for (Pack one : each.getValue()) {
                one.finish();
                lengths.put(each.getKey() + "/" + one.name(), one.length());
            }
            OwnerFiles.forceNamesIn(folder.file(each.getKey()));
        }
        return lengths;
    }

    /** Deletes what is not finished. */
    synchronized void abandon() {
        all.forEach(Pack::abandon);
        alone.values().forEach(some -> some.forEach(Pack::abandon));
    }
}
