package io.psf.runtime.server;

import io.psf.runtime.server.session.CallRecord;
import org.jspecify.annotations.Nullable;

/**
 * How a request depends on others.
 *
 * @param record how later requests see this one; null for a request that no other depends on
 * @param before the previous request in its chain, which must succeed; null for none
 */
record Order(@Nullable CallRecord record, @Nullable CallRecord before) {
    private static final Order NONE = new Order(null, null);

    static Order of(@Nullable CallRecord record, @Nullable CallRecord before) {
        return record == null && before == null ? NONE : new Order(record, before);
    }
}
