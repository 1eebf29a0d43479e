package io.psf.builtin.internal.checkpoint;

import io.psf.api.TensorInfo;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a chain: each is taken from the newest image that names its key. Not thread-safe.
 *
 * @param tensor the saved tensor
 * @param images the images, oldest first
 */
record ChainReader(TensorInfo tensor, List<OpenImage> images) implements Closeable {
    /**
     * Copies a row of a column.
     *
     * @param slot the slot; null for the values
     * @return false if there is no row of that key
     */
    boolean read(long key, @Nullable String slot, float[] into) throws IOException {
        for (int i = images.size() - 1; i >= 0; i--) {
            long place = images.get(i).place(key);
            if (place >= 0) {
                images.get(i).read(slot, place, into);
                return true;
            } else if (place == ImageKeys.REMOVED) {
                return false;
            }
        }
        return false;
    }

    /**
     * Reads columns of all rows: in the order of the keys, or of a growing table in the order of the images.
     *
     * @param others readers of the same chain, one for each further column, so that each column has buffers of its own
     * @param columns the slots; null for the values. This reader reads the first
     * @param into [columns][width], the row that is read
     * @param rows called with the key of each row
     */
    void each(List<ChainReader> others, List<@Nullable String> columns, float[][] into, LongConsumer rows)
            throws IOException {
        for (int i = 0; i < images.size() && (i == 0 || tensor.grows()); i++) {
            OpenImage image = images.get(i);
            for (long place = 0; place < image.rows(); place++) {
                long key = image.key(place);
                if (tensor.grows() && isNamedAfter(i, key)) {
                    continue;
                }
                for (int column = 0; column < into.length; column++) {
                    ChainReader reader = column == 0 ? this : others.get(column - 1);
                    if (tensor.grows()) {
                        reader.images.get(i).read(columns.get(column), place, into[column]);
                    } else {
                        var unused = reader.read(key, columns.get(column), into[column]);
                    }
                }
                rows.accept(key);
            }
        }
    }

    /** Reads the keys, in the order of {@link #each}. */
    void eachKey(LongConsumer keys) throws IOException {
        for (int i = 0; i < images.size() && (i == 0 || tensor.grows()); i++) {
            for (long place = 0; place < images.get(i).rows(); place++) {
                long key = images.get(i).key(place);
                if (!tensor.grows() || !isNamedAfter(i, key)) {
                    keys.accept(key);
                }
            }
        }
    }

    private boolean isNamedAfter(int image, long key) throws IOException {
        for (int i = image + 1; i < images.size(); i++) {
            if (images.get(i).place(key) != ImageKeys.ABSENT) {
                return true;
            }
        }
        return false;
    }

    /** Closes the files. They were only read, so that a failure has no effect. */
    @Override
    public void close() {
        for (OpenImage each : images) {
            each.close();
        }
    }
}
