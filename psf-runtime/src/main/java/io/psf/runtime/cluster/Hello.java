package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The call that opens a connection or takes a session up again: the caller's identity, and the node's functions. */
@PsFunction(value = "psf.connection.hello", at = Place.SERVER)
public interface Hello {
    /**
     * The caller.
     *
     * @param role its role
     * @param rank its rank
     * @param cluster the cluster that it belongs to
     * @param session a number that the caller has chosen: under it the node remembers which calls it has run; 0 of a server
     *     whose handlers call on, which has none
     * @param connection the number of this connection in the session, from 0: it takes the place of those before it
     * @param proof [32] int8, made of the caller's {@link Ticket}, the node's {@link Challenge} and all of the above
     */
    record Request(Role role, int rank, long cluster, long session, int connection, byte[] proof) {}

    /**
     * What the server has; nothing if it has said so before.
     *
     * @param searched the jars and folders where it looked for handlers, as a message names them
     */
    record Response(List<Known> functions, String searched) {}

    /**
     * One function of the server.
     *
     * @param schemas one a version, each on a line of its own
     */
    record Known(String name, boolean readOnly, Place place, String schemas) {}

    CompletionStage<Response> handle(Request request, Node node);

    /** One node is called at a time. */
    static Response merge(List<Response> nodes) {
        return nodes.get(0);
    }
}
