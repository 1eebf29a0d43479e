package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.Attachments;
import io.psf.builtin.push.Pushes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that have rows of a shard.
 *
 * @param shard whose rows are loaded
 * @param files all of them verified
 */
record ShardFiles(Shard shard, List<ShardFile> files) {
    /** The largest array of a shard. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

    /**
     * Verifies the files of a manifest that have rows of a shard.
     *
     * @throws PsException with {@code STORAGE} if one is not there, or not as it was saved
     */
    static ShardFiles verified(Folder folder, Manifest manifest, Shard shard) {
        List<ShardFile> files = new ArrayList<>();
        Range range = shard.range();
        for (Piece piece : manifest.pieces()) {
            if (piece.begin() < range.end() && piece.end() > range.begin()) {
                files.add(ShardFile.verified(folder, manifest, piece, shard));
            }
        }
        return new ShardFiles(shard, files);
    }

    /** The optimizers that their slots are of. */
    List<String> optimizers() {
        return files.stream().map(file -> file.header().optimizer()).distinct().toList();
    }

    /**
     * Checks that the shard can have the slots and as many rows.
     *
     * @param checkpoint the checkpoint's name, for messages
     * @throws PsException with {@code STORAGE} if the files contradict each other, with {@code BAD_REQUEST} if a slot is there
     *     that is wider or narrower, with {@code RESOURCE_EXHAUSTED} if there are too many rows
     */
    void requireFit(String checkpoint) {
        Map<String, Integer> widths = new HashMap<>();
        long rows = 0;
        long widest = shard.width();
        for (ShardFile file : files) {
            rows += file.owned();
            for (Header.Slot slot : file.header().slots()) {
                Integer known = widths.putIfAbsent(slot.name(), slot.width());
                requireWidth(slot, known == null ? slot.width() : known, checkpoint);
                widest = Math.max(widest, slot.width());
            }
        }
        Map<String, FloatArray> there = shard.slots();
        widths.forEach((name, width) -> {
            if (there.containsKey(name)) {
                requireThere(name, width, checkpoint);
            }
        });
        if (rows > shard.mostRows() || rows > MOST_BYTES / Float.BYTES / widest) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "rows of checkpoint \"" + checkpoint + "\" in slice " + shard.range() + ": " + rows + ", " + widest
                            + " wide (expected: at most " + shard.mostRows() + " rows and " + MOST_BYTES
                            + " bytes; use more slices)");
        }
    }

    private static void requireWidth(Header.Slot slot, int expected, String checkpoint) {
        if (slot.width() != expected) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "width of slot \"" + slot.name() + "\" in checkpoint \"" + checkpoint + "\": " + slot.width()
                            + " (expected: " + expected + ", as in another file)");
        }
    }

    private void requireThere(String slot, int width, String checkpoint) {
        try {
            var unused = shard.slot(slot, width);
        } catch (IllegalArgumentException e) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "checkpoint \"" + checkpoint + "\": " + e.getMessage(), e);
        }
    }

    /** Replaces what the shard has. All that can be wrong with the files has been looked at: what is left is the disk. */
    void load() {
        for (ShardFile file : files) {
            for (Header.Slot slot : file.header().slots()) {
                var unused = shard.slot(slot.name(), slot.width());
            }
        }
        Map<String, List<Attachments.Entry>> attachments = new LinkedHashMap<>();
        files.forEach(file -> file.loadAttachments(shard, attachments));
        if (shard.spec().grows()) {
            shard.removeRows();
        }
        for (Map.Entry<String, FloatArray> slot : shard.slots().entrySet()) {
            if (!Pushes.ownsSlot(slot.getKey())) {
                slot.getValue().fill(0); // as it was before anybody asked for it
            }
        }
        files.forEach(file -> file.load(shard));
        shard.attachments().replace(attachments);
    }
}
