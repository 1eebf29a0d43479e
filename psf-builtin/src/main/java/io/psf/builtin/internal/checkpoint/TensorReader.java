package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.RowConsumer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tensor of a saved model. An image is verified before the first of its rows is read. Each method opens the
 * files that it reads, and closes them. Thread-safe.
 */
public final class TensorReader {
    private final Folder folder;
    private final TensorImages images;
    private final Set<SavedImage> verified = ConcurrentHashMap.newKeySet();
    /** The keys of images of a growing table that have been looked up. */
    private final Map<SavedImage, ImageKeys> keys = new ConcurrentHashMap<>();

    TensorReader(Folder folder, TensorImages images) {
        this.folder = folder;
        this.images = images;
    }

    /** Returns name, rows and width. */
    public TensorInfo info() {
        return images.tensor();
    }

    /** Returns the header of the newest image of the first rows. */
    public ImageHeader header() {
        return header(images.chains().get(0).last());
    }

    /** Returns the header of an image, before the image is verified. */
    private ImageHeader header(SavedImage image) {
        try {
            ImageHeader header = OpenImage.header(folder, image);
            ImageFile.requireOf(header, info(), image);
            for (ImageHeader.Slot slot : header.slots()) {
                boolean fits = slot.width() > 0 && (header.rows() == 0 || slot.width() <= image.bytes() / Float.BYTES);
                ImageHeader.require("width of slot \"" + slot.name() + "\" in the image", fits, true);
            }
            return header;
        } catch (IOException e) {
            throw folder.unreadable(image.file(), e);
        } catch (PsException | IllegalArgumentException e) {
            String damage = e instanceof PsException known ? known.detail() : e.getMessage();
            throw new PsException(PsException.Code.STORAGE, folder.place(image.file()) + ": damaged, " + damage, e);
        }
    }

    /** Returns the slots of the optimizer and of functions: the floats in a row of each, by its name. */
    public Map<String, Integer> slots() {
        Map<String, Integer> slots = new TreeMap<>();
        for (SavedImage image : images.images()) {
            ImageHeader header = header(image);
            if (header.rows() > 0) {
                header.slots().forEach(slot -> requireOneWidth(slot, slots.put(slot.name(), slot.width())));
            }
        }
        return slots;
    }

    private void requireOneWidth(ImageHeader.Slot slot, @Nullable Integer other) {
        ImageHeader.require(
                folder.store().place(folder.model()) + ", width of slot \"" + slot.name() + "\" of tensor \""
                        + info().id() + "\"",
                slot.width(),
                other == null ? slot.width() : other);
    }

    /** Returns the bytes of the images. */
    public long bytes() {
        return images.images().stream().mapToLong(SavedImage::bytes).sum();
    }

    /** Returns the number of rows. Reads the keys of a growing table that has increments. */
    public long rows() {
        if (!info().grows()) {
            return info().rows();
        }
        long[] rows = {0};
        for (SavedChain chain : images.chains()) {
            if (chain.images().size() == 1) {
                rows[0] += header(chain.last()).rows();
            } else {
                keys(chain, key -> rows[0]++);
            }
        }
        return rows[0];
    }

    /** Reads the keys, in the order of {@link #each}. */
    public void keys(LongConsumer consumer) {
        images.chains().forEach(chain -> keys(chain, consumer));
    }

    private void keys(SavedChain chain, LongConsumer consumer) {
        try (ChainReader reader = open(chain, false)) {
            reader.eachKey(consumer);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    /**
     * Reads a column of all rows.
     *
     * @param slot the slot; null for the values
     */
    public void each(@Nullable String slot, RowConsumer rows) {
        each(Collections.singletonList(slot), (key, columns) -> rows.row(key, columns[0]));
    }

    /** Receives columns of rows. */
    @FunctionalInterface
    public interface ColumnConsumer {
        /**
         * Receives a row.
         *
         * @param columns [columns][width] float32; overwritten by the next row
         */
        void row(long key, float[][] columns);
    }

    /**
     * Reads columns of all rows, side by side.
     *
     * @param columns the slots; null for the values
     */
    public void each(List<@Nullable String> columns, ColumnConsumer rows) {
        float[][] row = new float[columns.size()][];
        for (int i = 0; i < row.length; i++) {
            row[i] = new float[width(columns.get(i))];
        }
        for (SavedChain chain : images.chains()) {
            List<ChainReader> others = new ArrayList<>();
            try (ChainReader reader = open(chain, false)) {
                for (int i = 1; i < row.length; i++) {
                    others.add(open(chain, false));
                }
                reader.each(others, columns, row, key -> rows.row(key, row));
            } catch (IOException e) {
                throw failure(e);
            } finally {
                others.forEach(ChainReader::close);
            }
        }
    }

    /**
     * Reads a column of some rows, in the order of the keys that are given. Keys without a row are left out.
     *
     * @param slot the slot; null for the values
     * @throws PsException with {@code BAD_REQUEST} if a key is none of the tensor's
     */
    public void each(@Nullable String slot, long[] some, RowConsumer rows) {
        float[] row = new float[width(slot)];
        Map<SavedChain, ChainReader> open = new HashMap<>();
        try {
            for (long key : some) {
                SavedChain chain = chain(key);
                ChainReader reader = open.get(chain);
                if (reader == null) {
                    reader = open(chain, true);
                    open.put(chain, reader);
                }
                if (reader.read(key, slot, row)) {
                    rows.row(key, row);
                }
            }
        } catch (IOException e) {
            throw failure(e);
        } finally {
            open.values().forEach(ChainReader::close);
        }
    }

    private SavedChain chain(long key) {
        long place = TensorLayout.position(info(), key);
        return images.chains().stream()
                .filter(chain -> place >= chain.begin() && place < chain.end())
                .findFirst()
                .orElseThrow(() -> new PsException(
                        PsException.Code.BAD_REQUEST,
                        "key of tensor \"" + info().id() + "\": " + key + " (expected: from 0 to " + (info().rows() - 1)
                                + ")"));
    }

    private int width(@Nullable String slot) {
        if (slot == null) {
            return info().width();
        }
        Map<String, Integer> slots = slots();
        Integer width = slots.get(slot);
        if (width == null) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slot of tensor \"" + info().id() + "\": " + slot + " (expected: one of " + slots.keySet() + ")");
        }
        return width;
    }

    /**
     * Verifies all images that have not been verified yet.
     *
     * @throws PsException with {@code STORAGE}, naming the file, if one is missing or damaged
     */
    public void verify() {
        images.images().forEach(this::verify);
    }

    private void verify(SavedImage image) {
        if (!verified.contains(image)) {
            verified.add(ImageFile.verified(folder, info(), image, (header, in) -> {
                header.requireBody(in);
                return image;
            }));
        }
    }

    /**
     * Opens the images of a chain.
     *
     * @param lookup true if keys of the oldest image are looked up, too
     */
    private ChainReader open(SavedChain chain, boolean lookup) throws IOException {
        List<OpenImage> open = new ArrayList<>();
        ChainReader reader = new ChainReader(info(), open);
        try {
            for (SavedImage image : chain.images()) {
                verify(image);
                boolean isInMemory = info().grows() && (lookup || image.bases() > 0);
                open.add(OpenImage.of(folder, image, isInMemory ? keys(image) : null));
            }
            return reader;
        } catch (IOException | RuntimeException e) {
            reader.close();
            throw e;
        }
    }

    private ImageKeys keys(SavedImage image) throws IOException {
        ImageKeys known = keys.get(image);
        if (known == null) {
            known = OpenImage.keys(folder, image);
            keys.put(image, known);
        }
        return known;
    }

    private PsException failure(IOException e) {
        return Folder.failure(
                "reading tensor \"" + info().id() + "\" in " + folder.store().place(folder.model()), e);
    }
}
