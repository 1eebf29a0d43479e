package io.psf.runtime.internal.cluster;

import io.psf.api.Names;
import io.psf.api.Node;
import io.psf.api.Place;
import io.psf.api.PsFunction;
import io.psf.api.Role;
import io.psf.api.spi.FunctionInfo;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * The call that opens a connection or resumes a session. It carries the caller's identity and returns the node's
 * functions.
 */
@PsFunction(value = "psf.connection.hello", at = Place.SERVER)
public interface Hello {
    /**
     * The caller.
     *
     * @param protocol the versions of the protocol that the caller speaks
     * @param caller its role and rank
     * @param cluster the cluster that it belongs to
     * @param session the connection in the caller's session
     * @param proof [32] int8, computed from the caller's {@link Ticket}, the node's {@link Challenge} and all of the
     *     above except the protocol: the credential of the caller
     */
    record Request(Protocol protocol, Caller caller, long cluster, InSession session, byte[] proof) {
        Role role() {
            return caller.role();
        }

        int rank() {
            return caller.rank();
        }

        long since() {
            return caller.since();
        }

        String grant() {
            return caller.grant();
        }
    }

    /**
     * The role and rank of the caller.
     *
     * @param rank its rank; the number of a client
     * @param since the epoch in which it joined; 0 for a client and a guest
     * @param grant what the scheduler has granted it, with its {@link Ticket}; empty for nothing
     */
    record Caller(Role role, int rank, long since, String grant) {}

    /**
     * A connection of a session.
     *
     * @param session a number chosen by the caller, under which the node records the calls that it has run; 0 for a
     *     server whose handlers make calls and for a guest, which have no session
     * @param connection the number of this connection in the session, from 0; this connection replaces those with a
     *     smaller number
     */
    record InSession(long session, int connection) {
        /** Returns a random number for a session, known to no other node; never 0. */
        static long number() {
            return new SecureRandom().nextLong() | 1;
        }
    }

    /**
     * The server's functions; empty when a session is resumed.
     *
     * @param protocol what the caller and the node have in common
     * @param searched the jars and folders that the server searched for handlers, as text for messages
     */
    record Response(Protocol protocol, List<Known> functions, String searched) {
        static Response of(Protocol agreed, Collection<FunctionInfo> functions, String searched) {
            List<Known> known = new ArrayList<>();
            for (FunctionInfo info : functions) {
                known.add(Known.of(info));
                info.formerly().forEach(name -> known.add(Known.of(info.as(name)))); // the name that older workers use
            }
            return new Response(agreed, known, searched);
        }

        /** Returns the functions by the numbers of their names. */
        Map<Integer, FunctionInfo> byNumber() {
            Map<Integer, FunctionInfo> byNumber = new LinkedHashMap<>();
            functions.forEach(known -> byNumber.put(Names.number(known.name()), known.info()));
            return byNumber;
        }
    }

    /**
     * One function of the server.
     *
     * @param schemas one schema per version, each on a line of its own
     */
    record Known(String name, boolean readOnly, Place place, String schemas) {
        private static Known of(FunctionInfo info) {
            return new Known(info.name(), info.readOnly(), info.place(), String.join("\n", info.schemas()));
        }

        private FunctionInfo info() {
            return new FunctionInfo(name, Names.number(name), place, readOnly, List.of(schemas.split("\n")));
        }
    }

    CompletionStage<Response> handle(Request request, Node node);

    /** Returns the only answer: one node is called at a time. */
    static Response merge(List<Response> nodes) {
        return nodes.get(0);
    }
}
