package io.psf.runtime.internal.server.node;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of the tensors of which a node has slices. Layouts that meet share their lists, so that comparing them
 * takes no longer for many slices than for one. Written on the node's lane; read by any thread.
 */
final class HeldLayouts {
    private final Map<Integer, Kept> kept = new ConcurrentHashMap<>();

    /**
     * A tensor's layout.
     *
     * @param given the layout as received with the latest slice
     * @param layout the same layout, with lists that it shares with others
     */
    private record Kept(TensorLayout given, TensorLayout layout) {}

    /** Returns a tensor's layout; null if this node has no slice of it. */
    @Nullable
    TensorLayout get(TensorId tensor) {
        Kept there = kept.get(tensor.number());
        return there == null ? null : there.layout;
    }

    /** Adds the layout of a tensor of which this node has no slice. */
    TensorLayout put(TensorLayout given) {
        TensorLayout layout = given;
        for (Kept other : kept.values()) {
            if (other.layout.meets(given)) {
                boolean aligned = other.layout.isAlignedWith(given);
                layout = new TensorLayout(
                        given.info(),
                        aligned ? other.layout.bounds() : layout.bounds(),
                        other.layout.servers(),
                        given.copies(),
                        given.lanes(),
                        given.declared(),
                        given.version());
                if (aligned) {
                    break;
                }
            }
        }
        kept.put(given.info().id().number(), new Kept(given, layout));
        return layout;
    }

    /**
     * Checks the layout of a tensor of which this node has slices, and returns the stored one.
     *
     * @throws PsException with {@code ALREADY_EXISTS} if the layouts differ
     */
    TensorLayout require(TensorLayout given) {
        int tensor = given.info().id().number();
        Kept there = kept.get(tensor);
        if (there == null || !there.given.equals(given)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "tensor \"" + given.info().id() + "\": " + given.text() + " (expected: "
                            + (there == null
                                    ? "none, since the tensor was dropped"
                                    : "as it was created, " + there.layout.text())
                            + ")");
        }
        kept.put(tensor, new Kept(given, there.layout)); // the other slices probably come with the same object
        return there.layout;
    }

    void remove(TensorId tensor) {
        kept.remove(tensor.number());
    }
}
