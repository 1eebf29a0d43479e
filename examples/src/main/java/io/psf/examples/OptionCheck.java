package io.psf.examples;

import io.psf.api.PsException;

/** Checks the options of the examples' commands. */
public final class OptionCheck {
    private OptionCheck() {}

    /**
     * Checks a number.
     *
     * @throws PsException with {@code CONFIGURATION} if it is below {@code least}
     */
    public static void atLeast(String option, long value, long least) {
        if (value < least) {
            throw new PsException(
                    PsException.Code.CONFIGURATION, option + ": " + value + " (expected: at least " + least + ")");
        }
    }
}
