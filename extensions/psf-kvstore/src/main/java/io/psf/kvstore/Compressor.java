package io.psf.kvstore;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorCaller;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import java.util.HashMap;
import java.util.Map;

/**
 * Pushes compressed gradients. The residual of each tensor is the part that has not been sent yet. Used by one thread.
 */
final class Compressor {
    private final TensorCaller worker;
    private final Compression compression;
    private final float threshold;
    private final Map<TensorId, float[]> residuals = new HashMap<>();

    private Compressor(TensorCaller worker, Compression compression, float threshold) {
        this.worker = worker;
        this.compression = compression;
        this.threshold = threshold;
    }

    /**
     * Creates a compressor, with residuals of 0.
     *
     * @param type {@code "2bit"} or {@code "1bit"}
     * @throws IllegalArgumentException if there is no such type, or the threshold is not valid for it
     */
    static Compressor of(TensorCaller worker, String type, double threshold) {
        Compression compression = switch (type) {
            case "2bit" -> Compression.TWO_BIT;
            case "1bit" -> Compression.ONE_BIT;
            default -> throw invalid("type of gradient compression: \"" + type + "\"", "\"2bit\" or \"1bit\"");
        };
        float asFloat = (float) threshold + 0f; // not -0
        if (compression == Compression.TWO_BIT && !(asFloat > 0) || !Float.isFinite(asFloat)) {
            throw invalid("threshold of " + type + ": " + threshold, "finite, above 0 for \"2bit\"");
        }
        return new Compressor(worker, compression, asFloat);
    }

    private static IllegalArgumentException invalid(String actual, String expected) {
        return new IllegalArgumentException(actual + " (expected: " + expected + ")");
    }

    private static PsException refused(String actual, String expected) {
        return new PsException(PsException.Code.BAD_REQUEST, actual + " (expected: " + expected + ")");
    }

    /**
     * Adds a gradient to the residual, and pushes what the codes of it stand for. The gradient is not borrowed.
     *
     * @throws PsException with {@code BAD_REQUEST} if the gradient has another length than the tensor, or an element
     *     that is not finite, which would remain in the residual; then the residual is unchanged
     */
    Pending<?> push(TensorId tensor, float[] gradient) {
        TensorLayout layout = worker.layout(tensor);
        int width = layout.info().width();
        if (gradient.length != layout.length(width)) {
            throw refused(
                    "update length of tensor \"" + tensor + "\": " + gradient.length,
                    layout.length(width) + " elements");
        }
        requireFinite(tensor, gradient);
        float[] residual = residuals.compute(
                tensor,
                (id, known) -> known == null || known.length != gradient.length ? new float[gradient.length] : known);
        long[] begins = new long[layout.slices()];
        int[] counts = new int[layout.slices()];
        int[] codes = new int[compression.words(gradient.length) + layout.slices()];
        int slices = 0;
        int words = 0;
        for (int slice = 0; slice < layout.slices(); slice++) {
            long begin = layout.bounds().get(slice);
            long end = layout.bounds().get(slice + 1);
            if (begin < end) {
                int before = words;
                words = compression.encode(
                        gradient, residual, (int) begin * width, (int) end * width, threshold, codes, before);
                begins[slices] = begin;
                counts[slices++] = words - before;
            }
        }
        return PushCodesPsf.stub(worker)
                .call(
                        tensor,
                        compression,
                        threshold,
                        LongArray.wrap(begins, 0, slices),
                        IntArray.wrap(counts, 0, slices),
                        IntArray.wrap(codes, 0, words));
    }

    static void requireFinite(TensorId tensor, float[] gradient) {
        for (int i = 0; i < gradient.length; i++) {
            if (!Float.isFinite(gradient[i])) {
                throw refused("element " + i + " of the gradient of \"" + tensor + "\": " + gradient[i], "finite");
            }
        }
    }
}
