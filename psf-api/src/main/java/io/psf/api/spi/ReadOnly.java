package io.psf.api.spi;

import io.psf.api.PsException;

/** The error of a function that is declared read-only and changes something. */
public final class ReadOnly {
    private ReadOnly() {}

    /**
     * Returns the error, with {@code HANDLER_FAILED}.
     *
     * @param function the function's name
     * @param change the change that it has tried to make, such as {@code slot "count"}
     */
    public static PsException violated(String function, String change) {
        return new PsException(
                PsException.Code.HANDLER_FAILED,
                "change by \"" + function + "\": " + change + " (expected: none, since the function is readOnly)");
    }
}
