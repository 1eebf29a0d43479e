package io.psf.runtime.internal.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;

/**
 * Requests the nonce that the next hello on this connection must answer, so that an overheard hello cannot be replayed.
 */
@PsFunction(value = "psf.connection.challenge", at = Place.SERVER, readOnly = true)
public interface Challenge {
    record Request() {}

    /**
     * The challenge.
     *
     * @param nonce [16] int8, random; valid for one hello on the connection that requested it
     * @param isForming true from a scheduler whose cluster is not complete: a join waits for the other nodes
     */
    record Response(byte[] nonce, boolean isForming) {}

    Response handle(Request request, Node node);

    /** Returns the only answer: one node is called at a time. */
    static Response merge(List<Response> nodes) {
        return nodes.get(0);
    }
}
