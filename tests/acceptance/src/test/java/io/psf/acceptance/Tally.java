package io.psf.acceptance;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.layout.ByKey;
import java.util.HashMap;
import java.util.Map;

/** Counts by key, on the one server that owns the key. */
@PsFunction(value = "acceptance.tally", at = Place.SERVER)
interface Tally {
    record Request(@ByKey long key, int more) {}

    record Response(int count, int server) {}

    default Response handle(Request request, Node server) {
        Counts counts = server.attachment("acceptance.tally", Counts.class, Counts::new);
        return new Response(counts.of.merge(request.key(), request.more(), Integer::sum), server.rank());
    }

    /** What a server has counted. */
    final class Counts {
        private final Map<Long, Integer> of = new HashMap<>();
    }
}
