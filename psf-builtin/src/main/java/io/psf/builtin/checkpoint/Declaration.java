package io.psf.builtin.checkpoint;

import io.psf.api.Shard;

/**
 * What a shard's tensor was declared with, beside the shard, for whoever reads its files.
 *
 * @param text on one line
 */
public record Declaration(String text) {
    /** What was said when the shard was made; else its shape and its optimizer. */
    public static Declaration of(Shard shard) {
        return shard.attachment(
                Declaration.class, () -> new Declaration(shard.spec().shape() + " optimizer=" + shard.optimizer()));
    }
}
