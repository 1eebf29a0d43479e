package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageLoader;
import io.psf.builtin.image.Superseded;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The images that contain rows of a shard.
 *
 * @param shard the shard whose rows are loaded
 * @param saved the tensor as it was saved
 * @param files the images, all verified, an image before the increments that build on it
 * @param known their files, as they were before they were verified
 */
record ImageFiles(StoredShard shard, TensorInfo saved, List<ImageFile> files, Map<SavedImage, KnownFile> known) {
    /** The maximum size of an array of a shard, in bytes. */
    private static final long MOST_BYTES = Integer.MAX_VALUE - 8;

    /**
     * Verifies the images of a tensor that contain rows of a shard.
     *
     * @param folder the folder of the checkpoint
     * @throws PsException with {@code STORAGE} if a file is missing or damaged
     */
    static ImageFiles verified(Folder folder, TensorImages images, StoredShard shard) {
        Map<SavedImage, KnownFile> known = new HashMap<>();
        List<ImageFile> files = new ArrayList<>();
        Range range = shard.range();
        for (SavedChain chain : images.chains()) {
            boolean isRehashed = shard.spec().grows() != images.tensor().grows();
            if (isRehashed || chain.begin() < range.end() && chain.end() > range.begin()) {
                chain.images().forEach(image -> known.put(image, KnownFile.of(folder, image.file())));
                files.addAll(verified(folder, images.tensor(), chain, shard));
            }
        }
        return new ImageFiles(shard, images.tensor(), files, known);
    }

    /** Verifies the images of a chain. Returns them, the oldest first. */
    private static List<ImageFile> verified(Folder folder, TensorInfo tensor, SavedChain chain, StoredShard shard) {
        List<ImageFile> files = new ArrayList<>();
        Superseded newer = Superseded.NONE;
        for (int i = chain.images().size() - 1; i >= 0; i--) {
            ImageFile file = ImageFile.verified(folder, tensor, chain.images().get(i), shard, newer);
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
     *     shard has a slot of another width, or a key is no row of its tensor, with {@code RESOURCE_EXHAUSTED} if there are too many rows
     */
    void requireFit(String checkpoint) {
        Map<String, Integer> widths = new HashMap<>();
        long rows = 0;
        long widest = 0;
        for (ImageFile file : files) {
            file.owned().outside().ifPresent(key -> {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "key of checkpoint \"" + checkpoint + "\": " + key + " (expected: from 0 to "
                                + (shard.spec().rows() - 1) + ", since tensor \""
                                + shard.spec().id() + "\" does not grow)");
            });
            rows += file.owned().rows();
            for (ImageHeader.Slot slot : file.header().slots()) {
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

    private static void requireWidth(ImageHeader.Slot slot, int expected, String checkpoint) {
        if (slot.width() != expected) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "width of slot \"" + slot.name() + "\" in checkpoint \"" + checkpoint + "\": " + slot.width()
                            + " (expected: " + expected + ", as in the other files)");
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

    /**
     * Replaces the shard's content. All checks of the files precede this, so it can fail only on I/O errors.
     *
     * @param statesAlone true to replace the optimizer's state alone
     */
    void load(boolean statesAlone) {
        ImageLoader loader = new ImageLoader(
                shard,
                files.stream().flatMap(file -> file.header().slots().stream()).toList(),
                statesAlone);
        loader.beginFrom(saved);
        files.forEach(file -> file.load(loader));
        loader.end();
        if (!statesAlone
                && !files.isEmpty()
                && saved.shape().equals(shard.spec().shape())) {
            remember(files.get(files.size() - 1));
        }
    }

    /** Lets an increment build on what was loaded, if that is one chain with the rows of the shard. */
    private void remember(ImageFile last) {
        if (last.image().begin() == shard.range().begin()
                && last.image().end() == shard.range().end()) {
            SavedStates.of(shard)
                    .loaded(SavedStates.Saved.of(shard, last.folder().model(), last.header(), known));
        }
    }
}
