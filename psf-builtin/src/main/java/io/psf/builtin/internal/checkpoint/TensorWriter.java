package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.CheckpointStore;
import io.psf.builtin.image.ImageForm;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageInput;
import io.psf.builtin.image.ImageWriter;
import io.psf.builtin.image.TensorColumns;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Writes the images of a tensor that is in no shard, all at the same time, each to a file of its own: so each column is
 * read once, and no column is in memory. A load reads the images that overlap its slice, so a large tensor gets many.
 */
final class TensorWriter implements Closeable {
    /** The bytes of an image, unless there would be more than {@link #MOST_IMAGES}. */
    private static final long BYTES = 256L << 20;
    /** The rows of an image, whose keys are in memory at the end. */
    private static final long ROWS = 4L << 20;
    /** The most images: each has an open file and a buffer of 256 KB. */
    private static final int MOST_IMAGES = 64;

    private final Folder folder;
    private final TensorColumns columns;
    private final TensorInfo tensor;
    /** The places of an image, except the last. */
    private final long step;

    private final List<Part> parts = new ArrayList<>();

    /** The file of an image. */
    private record Part(String name, ImageHeader header, CheckpointStore.NewFile file, ImageWriter image) {}

    TensorWriter(Folder folder, TensorColumns columns) {
        this.folder = folder;
        this.columns = columns;
        this.tensor = columns.info();
        long floats = tensor.width();
        for (int width : columns.slots().values()) {
            floats += width;
        }
        long ofBytes = columns.rows() / Math.max(1, BYTES / (floats * Float.BYTES));
        long images = Math.min(Math.max(ofBytes, columns.rows() / ROWS) + 1, MOST_IMAGES);
        this.step = (tensor.rows() - 1) / images + 1;
    }

    /**
     * Writes all images.
     *
     * @param prefix the beginning of the files' names
     * @param save the save's unique number
     * @throws PsException with {@code BAD_REQUEST} if a key occurs twice; with {@code STORAGE} if a file cannot be
     *     written
     */
    List<SavedImage> write(String prefix, long save) throws IOException {
        try {
            open(prefix, save);
            if (tensor.grows()) {
                columns.keys(key -> unchecked(() -> part(key).image().key(key)));
            }
            columns.each(
                    null, (key, values) -> unchecked(() -> part(key).image().row(values)));
            for (String slot : new TreeMap<>(columns.slots()).keySet()) {
                columns.each(
                        slot, (key, values) -> unchecked(() -> part(key).image().row(values)));
            }
            List<SavedImage> images = new ArrayList<>();
            for (Part each : parts) {
                int checksum = each.image().finish();
                each.file().end();
                ImageHeader header = each.header();
                long bytes = each.image().bytes();
                images.add(new SavedImage(save, header.begin(), header.end(), each.name(), 0, bytes, checksum, 0));
            }
            for (Part each : parts) {
                each.file().finish();
            }
            if (tensor.grows()) {
                for (SavedImage each : images) {
                    requireKeysOnce(each);
                }
            }
            return images;
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private void open(String prefix, long save) throws IOException {
        long[] counts = new long[Math.toIntExact((tensor.rows() - 1) / step + 1)];
        if (tensor.grows()) {
            columns.keys(key -> counts[number(key)]++);
        }
        List<ImageHeader.Slot> slots = new ArrayList<>();
        new TreeMap<>(columns.slots()).forEach((name, width) -> slots.add(new ImageHeader.Slot(name, width)));
        for (int i = 0; i < counts.length; i++) {
            long begin = i * step;
            long end = Math.min(tensor.rows(), begin + step);
            long rows = tensor.grows() ? counts[i] : end - begin;
            String name = prefix + String.format(Locale.ROOT, "-%d", i) + Pack.SUFFIX;
            ImageHeader header = new ImageHeader(
                    save,
                    tensor,
                    begin,
                    end,
                    rows,
                    columns.optimizer(),
                    columns.declaration(),
                    ImageForm.PLAIN,
                    slots,
                    List.of());
            CheckpointStore.NewFile file = folder.create(name);
            try {
                parts.add(new Part(name, header, file, new ImageWriter(header, file)));
            } catch (IOException | RuntimeException e) {
                file.close();
                throw e;
            }
        }
    }

    private int number(long key) {
        return (int) (TensorLayout.position(tensor, key) / step);
    }

    private Part part(long key) {
        return parts.get(number(key));
    }

    private void requireKeysOnce(SavedImage image) throws IOException {
        long[] keys;
        try (ImageInput in = folder.open(image)) {
            keys = new long[Math.toIntExact(ImageHeader.read(in).rows())];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = in.i64();
            }
        }
        Arrays.sort(keys);
        for (int i = 1; i < keys.length; i++) {
            if (keys[i] == keys[i - 1]) {
                throw new PsException(
                        PsException.Code.BAD_REQUEST,
                        "key " + keys[i] + " of tensor \"" + tensor.id()
                                + "\": twice or more (expected: each key once)");
            }
        }
    }

    /** A write to the file of an image. */
    @FunctionalInterface
    private interface Write {
        void run() throws IOException;
    }

    private static void unchecked(Write write) {
        try {
            write.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Deletes the files that are not finished. */
    @Override
    public void close() {
        parts.forEach(each -> close(each.file()));
    }

    private static void close(CheckpointStore.NewFile file) {
        try {
            file.close();
        } catch (IOException e) {
            return; // the caller gets the failure of the write instead
        }
    }
}
