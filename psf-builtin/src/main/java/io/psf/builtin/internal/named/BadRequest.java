package io.psf.builtin.internal.named;

import io.psf.api.PsException;
import java.util.function.Supplier;

/** Reports an invalid argument of a request as the request's failure, not as one of the handler. */
public final class BadRequest {
    private BadRequest() {}

    /**
     * Returns what is made of a request's arguments.
     *
     * @throws PsException with {@code BAD_REQUEST} and the message of the {@link IllegalArgumentException} that
     *     {@code make} throws
     */
    public static <T> T ifIllegal(Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException e) {
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }
}
