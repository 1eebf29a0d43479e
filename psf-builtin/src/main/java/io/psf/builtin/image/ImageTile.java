package io.psf.builtin.image;

import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredShard;
import java.io.IOException;

/**
 * Some consecutive rows of an image: as many as an {@link ImageInput} buffers, at least one. A tile is a view of the
 * input's buffer. A row that is longer than the buffer is copied to scratch memory of the shard. Not thread-safe.
 */
final class ImageTile {
    private final StoredShard shard;
    /** The scratch memory for long rows. */
    private FloatArray scratch = FloatArray.allocate(0);

    ImageTile(StoredShard shard) {
        this.shard = shard;
    }

    /** Returns the largest number of rows of a tile. */
    static int rows(int width) {
        return Math.max(1, ImageInput.FLOATS / width);
    }

    /**
     * Reads the next rows of an image, [n, width] float32. The array may be modified. It is valid until the next read.
     *
     * @param n the number of rows, at most {@link #rows}
     */
    FloatArray read(ImageInput in, int n, int width) throws IOException {
        int floats = n * width;
        if (floats <= ImageInput.FLOATS) {
            return in.floats(floats);
        }
        if (scratch.length() < floats) {
            scratch = shard.allocate(floats);
        }
        FloatArray row = scratch.slice(0, floats);
        in.floats(row);
        return row;
    }
}
