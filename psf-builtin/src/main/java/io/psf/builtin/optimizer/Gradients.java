package io.psf.builtin.optimizer;

import org.jspecify.annotations.Nullable;

/**
 * The changes of a gradient before the formula.
 *
 * @param clipValue the limit of each element; 0 for none
 * @param scale the factor of each element
 * @param weightDecay the factor of the weights that are added
 */
public record Gradients(float clipValue, float scale, float weightDecay) {
    /** Returns what the options say, with a factor for the norm; null if gradients reach the formula unchanged. */
    static @Nullable Gradients of(Options options, float scale) {
        return options.clipValue() == 0 && scale == 1 && options.weightDecay() == 0
                ? null
                : new Gradients(options.clipValue(), scale, options.weightDecay());
    }

    /** Changes the elements {@code [0, n)} of a tile of gradients. */
    void apply(float[] w, float[] g, int n) {
        if (clipValue > 0) {
            for (int i = 0; i < n; i++) {
                g[i] = Math.max(-clipValue, Math.min(clipValue, g[i]));
            }
        }
        if (scale != 1) {
            for (int i = 0; i < n; i++) {
                g[i] *= scale;
            }
        }
        if (weightDecay != 0) {
            for (int i = 0; i < n; i++) {
                g[i] += weightDecay * w[i];
            }
        }
    }
}
