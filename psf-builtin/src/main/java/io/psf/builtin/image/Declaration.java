package io.psf.builtin.image;

import io.psf.api.Shard;
import java.util.function.Supplier;

/**
 * The declaration of a shard's tensor. Attached to the shard and written to its images, for people who read them.
 *
 * @param text the declaration, on one line
 */
public record Declaration(String text) {
    /** Returns the declaration that the shard was created with. Without one, returns the shape and the optimizer. */
    public static Declaration of(Shard shard) {
        Supplier<Declaration> without = () -> new Declaration(shard.spec().shape() + " optimizer=" + shard.optimizer());
        return shard.findAttachment(Declaration.class, without).orElseGet(without);
    }
}
