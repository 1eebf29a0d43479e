package io.psf.builtin.image;

import io.psf.api.array.FloatArray;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/**
 * Writes an image with all rows, which are not in a shard: first the keys if the table grows, then the values of all
 * rows, then each slot of all rows, in the order of the header. The rows of all columns have one order. Not
 * thread-safe.
 */
public final class ImageWriter {
    private final ImageHeader header;
    private final ImageOutput out;
    /** The column that is next: 0 for the keys, 1 for the values, then the slots. */
    private int column;
    /** The rows of the column that have been written. */
    private long rows;

    /**
     * Writes a header.
     *
     * @param header the header of an image without attachments
     * @param to gets the image, in pieces of 256 KB
     */
    public ImageWriter(ImageHeader header, WritableByteChannel to) throws IOException {
        this.header = header;
        this.out = new ImageOutput(to);
        this.column = header.hasKeys() ? 0 : 1;
        out.begin();
        header.write(out);
    }

    /** Appends the key of the next row. */
    public void key(long key) throws IOException {
        ImageHeader.require("column of a key", column, 0);
        out.i64(key);
        next();
    }

    /**
     * Appends the next row of the column that is next.
     *
     * @param values [width of the column] float32
     */
    public void row(float[] values) throws IOException {
        int width = column == 1
                ? header.tensor().width()
                : header.slots().get(column - 2).width();
        ImageHeader.require("floats of a row", values.length, width);
        out.floats(FloatArray.wrap(values));
        next();
    }

    private void next() {
        rows++;
        if (rows == header.rows()) {
            rows = 0;
            column++;
        }
    }

    /**
     * Appends the checksum.
     *
     * @return the checksum
     * @throws io.psf.api.PsException with {@code STORAGE} if a row of a column is missing
     */
    public int finish() throws IOException {
        if (header.rows() > 0) {
            ImageHeader.require(
                    "columns with all rows", column, 2 + header.slots().size());
        }
        return out.finish();
    }

    /** Returns the length of the image in bytes. Valid after {@link #finish}. */
    public long bytes() {
        return out.written();
    }
}
