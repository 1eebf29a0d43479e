package io.psf.builtin.push;

import io.psf.api.CallInfo;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Selects the workers among the members of a cluster. */
public final class Workers {
    private Workers() {}

    /**
     * Returns the rank of a call's worker.
     *
     * @param what what needs the rank, for the message
     * @throws PsException with {@code BAD_REQUEST} if a server or a client sent the call
     */
    public static int rank(CallInfo call, String what) {
        if (call.worker() < 0) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + ": called by a " + (call.worker() == -1 ? "server" : "client")
                            + " (expected: by a worker, since it waits for the other workers)");
        }
        return call.worker();
    }

    /**
     * Checks that a server has sent a call.
     *
     * @param what what only servers do, for the message
     * @throws PsException with {@code BAD_REQUEST} if a worker or a client sent it
     */
    public static void requireServer(CallInfo call, String what) {
        if (call.worker() != -1) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST, what + ": called by a worker or a client (expected: by a server)");
        }
    }

    /** Returns the ranks of the workers. */
    public static Set<Integer> of(List<Member> members) {
        return members.stream()
                .filter(member -> member.role() == Role.WORKER)
                .map(Member::rank)
                .collect(Collectors.toSet());
    }
}
