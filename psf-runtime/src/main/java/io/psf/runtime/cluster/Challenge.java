package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import java.util.List;

/** Asks a node for the number that the next hello on this connection has to answer, so that an overheard one is of no use. */
@PsFunction(value = "psf.connection.challenge", at = Place.SERVER, readOnly = true)
public interface Challenge {
    record Request() {}

    /**
     * The challenge.
     *
     * @param nonce [16] int8, random; good for one hello on the connection that asked
     */
    record Response(byte[] nonce) {}

    Response handle(Request request, Node node);

    /** One node is called at a time. */
    static Response merge(List<Response> nodes) {
        return nodes.get(0);
    }
}
