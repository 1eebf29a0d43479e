package io.psf.builtin.optimizer;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The place of a tensor among the tensors whose gradients have one common norm, for the option {@code clipNorm}.
 *
 * @param member the number of the tensor among them, from 1
 * @param members the number of the tensors
 * @param first the name of the first tensor, where the norm is added up
 */
public record GlobalNorm(int member, int members, String first) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,9}) of (\\d{1,9}) from (.+)");

    /** Checks the place. Throws {@link IllegalArgumentException} if it is none. */
    public GlobalNorm {
        OptimizerChecks.require(
                member >= 1 && member <= members && !first.isEmpty(),
                "tensor of a global norm",
                member + " of " + members + " from " + first,
                "1 of 2 from the name of the first tensor");
    }

    /**
     * Parses the text that {@link #toString} returns.
     *
     * @throws IllegalArgumentException if the text is of another form
     */
    public static GlobalNorm of(String text) {
        Matcher parts = TEXT.matcher(text);
        OptimizerChecks.require(
                parts.matches(), "tensor of a global norm", text, "1 of 2 from the name of the first tensor");
        return new GlobalNorm(Integer.parseInt(parts.group(1)), Integer.parseInt(parts.group(2)), parts.group(3));
    }

    /** Returns the place as a text, such as {@code 2 of 3 from w}. */
    @Override
    public String toString() {
        return member + " of " + members + " from " + first;
    }
}
