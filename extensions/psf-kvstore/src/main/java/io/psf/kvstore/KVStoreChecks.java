package io.psf.kvstore;

import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.util.List;

/** Checks the arguments of a call of several keys before any of them is sent: a part of it cannot be taken back. */
record KVStoreChecks(TensorCaller worker) {
    /**
     * Checks gradients.
     *
     * @param finite true if their elements are to be finite
     * @throws PsException with {@code UNKNOWN_TENSOR} if a key has not been initialized; with {@code BAD_REQUEST} if a
     *     gradient has another length than its key, or an element that is not finite
     */
    void gradients(List<TensorId> tensors, List<float[]> gradients, boolean finite) {
        lengths("gradient", tensors, gradients);
        for (int i = 0; finite && i < gradients.size(); i++) {
            Compressor.requireFinite(tensors.get(i), gradients.get(i));
        }
    }

    /** Checks the arrays of pulls of all values, as {@link #gradients}. */
    void into(List<TensorId> tensors, List<float[]> into) {
        lengths("into", tensors, into);
    }

    private void lengths(String what, List<TensorId> tensors, List<float[]> arrays) {
        for (int i = 0; i < tensors.size(); i++) {
            TensorLayout layout = worker.layout(tensors.get(i));
            int width = layout.info().width();
            length(what, tensors.get(i), arrays.get(i).length, layout.info().rows() * width);
        }
    }

    private static void length(String what, TensorId tensor, long length, long expected) {
        if (length != expected) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + " length of key \"" + tensor + "\": " + length + " (expected: " + expected + ")");
        }
    }

    /**
     * Checks the rows of pulls of some rows, and their arrays.
     *
     * @throws PsException as {@link #into}; with {@code OUT_OF_RANGE} if a row is not one of its key's
     */
    void rows(List<TensorId> tensors, List<long[]> rows, List<float[]> into) {
        for (int i = 0; i < tensors.size(); i++) {
            TensorId tensor = tensors.get(i);
            TensorLayout layout = worker.layout(tensor);
            length(
                    "into",
                    tensor,
                    into.get(i).length,
                    (long) rows.get(i).length * layout.info().width());
            for (long row : rows.get(i)) {
                if (!layout.info().grows() && (row < 0 || row >= layout.info().rows())) {
                    throw new PsException(
                            PsException.Code.OUT_OF_RANGE,
                            "row of key \"" + tensor + "\": " + row + " (expected: in [0, "
                                    + layout.info().rows() + "))");
                }
            }
        }
    }
}
