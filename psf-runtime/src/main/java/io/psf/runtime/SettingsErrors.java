package io.psf.runtime;

import io.psf.api.PsException;
import org.jspecify.annotations.Nullable;

/** The errors of settings, with the code CONFIGURATION. */
final class SettingsErrors {
    private SettingsErrors() {}

    static PsException contradiction(String name, String value, String other, String otherValue, String place) {
        return invalid("%s: %s, but %s: %s in %s (expected: the same value in both, or only one of them)"
                .formatted(name, value, other, otherValue, place));
    }

    static PsException invalid(String detail) {
        return invalid(detail, null);
    }

    static PsException invalid(String detail, @Nullable Throwable cause) {
        return new PsException(PsException.Code.CONFIGURATION, detail, cause);
    }
}
