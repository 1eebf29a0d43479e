package io.psf.builtin;

import java.io.Serializable;

/**
 * The number of pushes at which a round of a synchronous tensor closes.
 *
 * @param pushes the number of pushes of different workers; 0 for one of every present worker
 * @param late what happens to a push that is late
 */
public record Quorum(int pushes, Late late) implements Serializable {
    /** A round takes a push of every present worker. */
    public static final Quorum ALL = new Quorum(0, Late.DROP);

    /** Checks the arguments. Throws {@link IllegalArgumentException} if the number is negative or {@code late} null. */
    public Quorum {
        if (pushes < 0 || late == null) {
            throw new IllegalArgumentException(
                    "quorum: " + pushes + " pushes, late " + late + " (expected: at least 1 push; DROP or NEXT)");
        }
    }

    @Override
    public String toString() {
        return pushes == 0 ? "all" : pushes + " (late: " + late + ")";
    }
}
