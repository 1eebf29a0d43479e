package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.LearningRate;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.push.Pushes;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The files that contain rows of a shard.
 *
 * @param shard the shard whose rows are loaded
 * @param files the files, all verified, a file before the increments that build on it
 */
record ShardFiles(StoredShard shard, List<ShardFile> files) {
    /** The maximum size of an array of a shard, in bytes. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

    /**
     * Verifies the files of a manifest that contain rows of a shard.
     *
     * @throws PsException with {@code STORAGE} if a file is missing or damaged
     */
    static ShardFiles verified(Folder folder, Manifest manifest, StoredShard shard) {
        VerifiedFiles known = VerifiedFiles.of(shard);
        known.clear();
        List<ShardFile> files = new ArrayList<>();
        Range range = shard.range();
        for (Chain chain : manifest.chains()) {
            if (chain.begin() < range.end() && chain.end() > range.begin()) {
                files.addAll(verified(folder, manifest, chain, shard));
            }
        }
        ShardFiles verified = new ShardFiles(shard, files);
        known.replace(verified.paths());
        return verified;
    }

    /** Verifies the files of a chain. Returns them, the oldest first. */
    private static List<ShardFile> verified(Folder folder, Manifest manifest, Chain chain, StoredShard shard) {
        List<ShardFile> files = new ArrayList<>();
        Superseded newer = Superseded.NONE;
        for (int i = chain.pieces().size() - 1; i >= 0; i--) {
            ShardFile file = ShardFile.verified(folder, manifest, chain.pieces().get(i), shard, newer);
            newer = file.owned().named();
            files.add(file);
        }
        Collections.reverse(files);
        return files;
    }

    /** Returns the names of the optimizers that the files were saved with, each once. */
    List<String> optimizers() {
        return files.stream().map(file -> file.header().optimizer()).distinct().toList();
    }

    /**
     * Checks that the shard can hold the files' slots and rows.
     *
     * @param checkpoint the checkpoint's name, for messages
     * @throws PsException with {@code STORAGE} if the files contradict each other, with {@code BAD_REQUEST} if the
     *     shard has a slot of another width, with {@code RESOURCE_EXHAUSTED} if there are too many rows
     */
    void requireFit(String checkpoint) {
        Map<String, Integer> widths = new HashMap<>();
        long rows = 0;
        long widest = 0;
        for (ShardFile file : files) {
            rows += file.owned().rows();
            for (Header.Slot slot : file.header().slots()) {
                Integer known = widths.putIfAbsent(slot.name(), slot.width());
                requireWidth(slot, known == null ? slot.width() : known, checkpoint);
                widest = Math.max(widest, slot.width());
            }
        }
        Map<String, StoredColumn> there = shard.storedSlots();
        widths.forEach((name, width) -> {
            if (there.containsKey(name)) {
                requireThere(name, width, checkpoint);
            }
        });
        long bytesOfRow =
                Math.max(widest * Float.BYTES, (long) shard.spec().types().bytes() * shard.width());
        if (rows > shard.mostRows() || rows > MOST_BYTES / bytesOfRow) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "rows of checkpoint \"" + checkpoint + "\" in slice " + shard.range() + ": " + rows + ", "
                            + bytesOfRow
                            + " bytes each (expected: at most " + shard.mostRows() + " rows and " + MOST_BYTES
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
            var unused = shard.storedSlot(slot, width);
        } catch (IllegalArgumentException e) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, "checkpoint \"" + checkpoint + "\": " + e.getMessage(), e);
        }
    }

    /** Replaces the shard's content. All checks of the files precede this, so it can fail only on I/O errors. */
    void load() {
        for (ShardFile file : files) {
            for (Header.Slot slot : file.header().slots()) {
                var unused = shard.storedSlot(slot.name(), slot.width());
            }
        }
        Map<String, List<Attachments.Entry>> attachments = new LinkedHashMap<>();
        files.forEach(file -> file.loadAttachments(shard, attachments));
        if (shard.spec().grows()) {
            shard.removeRows();
        }
        shard.storedSlots().forEach((name, slot) -> {
            if (!Pushes.ownsSlot(name)) {
                slot.clear(); // zero, as in a new slot
            }
        });
        Tile tile = new Tile(shard);
        files.forEach(file -> file.load(shard, tile));
        shard.attachments().replace(attachments);
        if (attachments.containsKey(Progress.class.getName())) {
            LearningRate.restore(shard);
        }
        VerifiedFiles.of(shard).replace(paths()); // the attachment is a new one
    }

    private List<Path> paths() {
        return files.stream().map(ShardFile::path).toList();
    }
}
