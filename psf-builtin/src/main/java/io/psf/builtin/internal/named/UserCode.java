package io.psf.builtin.internal.named;

import io.psf.api.PsException;

/** Reports an exception of a named class's own code as that class's failure. */
public final class UserCode {
    private UserCode() {}

    /**
     * Returns the failure to throw.
     *
     * @param what what the object is, with its name or its tensor
     * @param code the object whose code threw
     */
    public static PsException failed(String what, Object code, RuntimeException thrown) {
        return new PsException(
                PsException.Code.HANDLER_FAILED, what + " (" + code.getClass().getName() + ") threw " + thrown, thrown);
    }
}
