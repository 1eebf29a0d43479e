package io.psf.builtin.internal.reports;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;

/** Keeps a value that the caller has measured at a step. The series of one caller are on one server. */
@PsFunction(value = "psf.report.scalar", at = Place.SERVER)
public interface ReportScalar {
    /**
     * The value. The call fails with {@code BAD_REQUEST} if the tag is no name, and with {@code RESOURCE_EXHAUSTED} if
     * the server has too many series.
     *
     * @param owner the key of the server that keeps it, the same in all calls of the caller: a worker's rank
     * @param tag what it is, such as {@code loss}
     * @param step the caller's step
     * @param value any number
     */
    record Request(@ByKey long owner, String tag, long step, double value) {}

    /** Kept. */
    record Response() {}

    /** Adds the value to the caller's series of this tag. */
    default Response handle(Request request, Node server) {
        ReportedSeries.of(server).add(server.call().worker(), request.tag(), request.step(), request.value());
        return new Response();
    }
}
