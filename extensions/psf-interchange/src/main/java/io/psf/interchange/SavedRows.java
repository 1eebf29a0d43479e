package io.psf.interchange;

import io.psf.api.TensorInfo;
import io.psf.builtin.Model;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/**
 * The rows of a tensor in a checkpoint. The order of keys and rows is the same.
 *
 * @param model the step that has the tensor
 */
record SavedRows(Model model, TensorInfo tensor) implements RowSource {
    @Override
    public void each(Model.Rows rows) {
        model.rows(tensor.id(), rows);
    }

    @Override
    public void exportRows(ArrayWriter out) throws IOException {
        try {
            model.rows(tensor.id(), (key, values) -> unchecked(() -> out.floats(values, values.length)));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    @Override
    public long exportKeys(ArrayWriter out) throws IOException {
        long[] n = {0};
        try {
            model.keys(tensor.id(), key -> {
                unchecked(() -> out.longs(new long[] {key}));
                n[0]++;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return n[0];
    }

    @Override
    public void exportRows(Path keys, long offset, long n, ArrayWriter out) throws IOException {
        exportRows(out);
    }

    /** A write to the file of the export. */
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
}
