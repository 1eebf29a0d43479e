package io.psf.api.spi;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import org.jspecify.annotations.Nullable;

/**
 * The rule for shards that are the memory of a function, such as that in which an all-reduce combines values. They lie
 * on the servers as a tensor's shards do, but are no tensor of the model: a node does not list them, and only the
 * function itself uses them, with those functions whose names begin with its name and a dot. So no other function
 * pulls, pushes, saves, exports, loads or clears them.
 */
public final class FunctionMemory {
    private FunctionMemory() {}

    /**
     * Checks that a function may use a shard.
     *
     * @param owner the function whose memory the shard is; null for a tensor of the model, which every function uses
     * @param function the name of the function
     * @throws PsException with {@code BAD_REQUEST} if the shard is the memory of another function
     */
    public static void require(@Nullable String owner, TensorId tensor, String function) {
        if (owner != null && !function.equals(owner) && !function.startsWith(owner + '.')) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + tensor + "\": the memory of function \"" + owner + "\" (expected: a tensor of"
                            + " the model as the argument of \""
                            + function + "\")");
        }
    }
}
