package io.psf.builtin.internal.checkpoint;

import io.psf.api.array.FloatArray;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageInput;
import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * An image whose rows are read in any order, through two buffers of at most 256 KB. Rows in the order of the image are
 * read fast. The image has been verified. Not thread-safe.
 */
final class OpenImage implements Closeable {
    private final ImageHeader header;
    /** The position of the first key or value. */
    private final long body;

    private final ImageInput keys;
    private final ImageInput values;
    /** The keys of a growing table in memory; null if they are not needed. */
    private final @Nullable ImageKeys known;

    /** The first place whose key is not below the key that was looked up last. */
    private long next;

    private OpenImage(ImageHeader header, long body, ImageInput keys, ImageInput values, @Nullable ImageKeys known) {
        this.header = header;
        this.body = body;
        this.keys = keys;
        this.values = values;
        this.known = known;
    }

    /** Reads the header of an image. */
    static ImageHeader header(Folder folder, SavedImage image) throws IOException {
        try (ImageInput in = folder.open(image)) {
            return ImageHeader.read(in);
        }
    }

    /** Reads the keys of an image of a growing table. */
    static ImageKeys keys(Folder folder, SavedImage image) throws IOException {
        try (ImageInput in = folder.open(image)) {
            return ImageKeys.read(ImageHeader.read(in), in);
        }
    }

    /**
     * Opens an image.
     *
     * @param known the keys of a growing table; null if no key is looked up
     */
    static OpenImage of(Folder folder, SavedImage image, @Nullable ImageKeys known) throws IOException {
        ImageInput keys = folder.open(image);
        try {
            ImageHeader header = ImageHeader.read(keys);
            return new OpenImage(header, keys.position(), keys, folder.open(image), known);
        } catch (IOException | RuntimeException e) {
            close(keys);
            throw e;
        }
    }

    long rows() {
        return header.rows();
    }

    /** Returns the key of a row. */
    long key(long place) throws IOException {
        if (!header.hasKeys()) {
            return header.begin() + place;
        }
        keys.seek(body + place * Long.BYTES);
        return keys.i64();
    }

    /** Returns the place of a key's row, {@link ImageKeys#ABSENT} or {@link ImageKeys#REMOVED}. */
    long place(long key) throws IOException {
        if (known != null) {
            return known.place(key);
        } else if (!header.hasKeys()) {
            return key - header.begin();
        }
        long low = next;
        long high = next;
        if (next > 0 && key(next - 1) >= key) {
            low = 0;
        } else {
            while (high < rows() && key(high) < key) { // the next key in order is found at once
                low = high + 1;
                high = Math.min(rows(), 2 * high - next + 1);
            }
        }
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (key(middle) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        next = low;
        return low < rows() && key(low) == key ? low : ImageKeys.ABSENT;
    }

    /**
     * Copies a row of a column. Copies zeros if the image does not have the column, since the slot was not there yet.
     *
     * @param slot the slot; null for the values
     */
    void read(@Nullable String slot, long place, float[] into) throws IOException {
        long column = slot == null ? 0 : offset(slot);
        if (column < 0) {
            Arrays.fill(into, 0);
            return;
        }
        long at = column * header.rows() + place * into.length;
        values.seek(body + header.bytesBeforeValues() + at * Float.BYTES);
        values.floats(FloatArray.wrap(into));
    }

    /** Returns the floats of a row before a slot; -1 if the image does not have it. */
    private long offset(String slot) {
        long offset = header.tensor().width();
        for (ImageHeader.Slot each : header.slots()) {
            if (each.name().equals(slot)) {
                return offset;
            }
            offset += each.width();
        }
        return -1;
    }

    /** Closes the files. They were only read, so that a failure has no effect. */
    @Override
    public void close() {
        close(keys);
        close(values);
    }

    private static void close(ImageInput in) {
        try {
            in.close();
        } catch (IOException e) {
            return; // nothing was written
        }
    }
}
