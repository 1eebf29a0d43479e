package io.psf.runtime.cluster;

import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The first call on a connection to a server: who calls, and which functions the server has. */
@PsFunction(value = "psf.connection.hello", at = Place.SERVER)
public interface Hello {
    /**
     * Who calls.
     *
     * @param rank its rank in its role
     * @param cluster the cluster that it belongs to
     * @param session a number that the worker has chosen, not 0: under it the server remembers which calls it has run;
     *     0 of a server, which has none
     * @param connection the number of this connection in the session, from 0: it takes the place of those before it
     * @param role a worker, or a server whose handlers call on
     */
    record Request(int rank, long cluster, long session, int connection, Role role) {}

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

    CompletionStage<Response> handle(Request request, Node server);

    /** One server is called at a time. */
    static Response merge(List<Response> servers) {
        return servers.get(0);
    }
}
