package io.psf.interchange;

import io.psf.api.PsException;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.util.List;

/**
 * A column of Parquet files, of which each has a part of the rows: a number or a list of numbers in each row.
 *
 * @param files the files, in the order of the rows
 * @param name the column's name
 */
record ParquetColumn(List<ParquetFile> files, String name) {
    /**
     * Returns the column of one of the files.
     *
     * @throws PsException with {@code BAD_REQUEST} if it has none of that name, or one of another type
     */
    private ParquetFile.Column of(ParquetFile file) {
        ParquetFile.Column column = file.columns().get(name);
        if (column == null) {
            throw bad(
                    file,
                    file.others().contains(name) ? "its type is none of those that are read" : "none",
                    "a column of int64, int32, float or double, or of lists of them; there are "
                            + file.columns().keySet());
        }
        return column;
    }

    /** Checks that the column has keys. */
    FileColumn requireKeys() {
        for (ParquetFile file : files) {
            ParquetFile.Column column = of(file);
            if (!column.format().isInteger() || column.isList()) {
                throw bad(
                        file,
                        (column.isList() ? "lists of " : "") + column.format(),
                        "int64 or int32, since it has keys");
            }
        }
        return () -> new Reader(1);
    }

    /** Checks that the column has vectors, and that together they have n floats for each row. */
    FileColumn requireVectors(int width) {
        for (ParquetFile file : files) {
            ParquetFile.Column column = of(file);
            if (column.format().isInteger()) {
                throw bad(file, column.format().toString(), "float, double or float16, or lists of them");
            }
            long values = file.groups().stream()
                    .mapToLong(group -> group.get(column.place()).values())
                    .sum();
            if (values != file.rows() * width) {
                throw bad(
                        file, values + " floats in " + file.rows() + " rows", width + " in each row, as in the first");
            }
        }
        return () -> new Reader(width);
    }

    /** Returns the length of the first row's list; 1 if the rows have no lists; 0 if there are no rows. */
    int width() {
        for (ParquetFile file : files) {
            ParquetFile.Column column = of(file);
            if (!column.isList() && file.rows() > 0) {
                return 1;
            }
            try (ParquetPages pages = new ParquetPages(file, column)) {
                int width = 0;
                for (int level = pages.next(); level >= 0 && (level > 0 || width == 0); level = pages.next()) {
                    if (!pages.isThere()) {
                        throw bad(file, "null or an empty list in row 0", "floats");
                    }
                    width++;
                }
                if (width > 0) {
                    return width;
                }
            } catch (IOException | IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
                throw ParquetFile.unreadable(file.file(), e);
            }
        }
        return 0;
    }

    private PsException bad(ParquetFile file, String found, String expected) {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                file.file().toAbsolutePath() + ", column \"" + name + "\": " + found + " (expected: " + expected + ")");
    }

    /** Reads the rows of all files. */
    private final class Reader implements NumberReader {
        private final int width;
        /** The next file. */
        private int next;

        private ParquetFile file;
        private ParquetFile.Column column;
        private ParquetPages pages;
        /** The row in its file. */
        private long row;
        /** The number in its row. */
        private int at;

        Reader(int width) throws IOException {
            this.width = width;
            this.file = files.get(0);
            this.column = of(file);
            this.pages = new ParquetPages(file, column);
        }

        @Override
        public float[] floats(int n) throws IOException {
            float[] values = new float[n];
            try {
                for (int i = 0; i < n; i++) {
                    next();
                    values[i] = column.format().read(pages.number());
                }
            } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
                throw ParquetFile.unreadable(file.file(), e);
            }
            return values;
        }

        @Override
        public long[] longs(int n) throws IOException {
            long[] values = new long[n];
            try {
                for (int i = 0; i < n; i++) {
                    next();
                    values[i] = column.format().readInteger(pages.number());
                }
            } catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException e) {
                throw ParquetFile.unreadable(file.file(), e);
            }
            return values;
        }

        private void next() throws IOException {
            int level = pages.next();
            while (level < 0) {
                next++;
                if (next == files.size()) {
                    throw new IllegalArgumentException("fewer values than its footer says");
                }
                pages.close();
                file = files.get(next);
                column = of(file);
                pages = new ParquetPages(file, column);
                row = 0;
                level = pages.next();
            }
            if (column.isList() && (level == 0) != (at == 0)) {
                throw bad(
                        file,
                        level == 0 ? at + " floats in row " + row : "more floats in row " + (row - 1),
                        width + ", as in the first row");
            }
            if (!pages.isThere()) {
                throw bad(file, "null or an empty list in row " + row, "a value in each row");
            }
            at++;
            if (at == width) {
                at = 0;
                row++;
            }
        }

        @Override
        public void close() throws IOException {
            pages.close();
        }
    }
}
