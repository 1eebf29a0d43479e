package io.psf.runtime.internal.server.session;

import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;

/**
 * The bounds of what identified peers can cost a node. Those of strangers are in {@link
 * io.psf.runtime.spi.transport.ConnectionLimits}.
 */
public final class PeerLimits {
    /** The most guests of a node at a time. */
    public static final int GUESTS = 100;

    /**
     * The most connections of one worker or server to a node at a time. A peer uses one. The others may be broken
     * connections that this node has not noticed yet.
     */
    public static final int CONNECTIONS_OF_A_MEMBER = 16;

    /** The most bytes of a guest's waiting requests, and of its unsent answers, on a node with memory enough. */
    public static final int GUEST_BYTES = 256 << 10;

    /**
     * The most read-only calls of a worker on a server whose handlers answer later, at a time. Such calls ask other
     * lanes or servers, and their answers, which all may arrive together, are longer than the answers of calls that
     * wait for other workers.
     */
    public static final int CALLS_OF_A_WORKER = 64;

    /** The most calls of a worker or client on a node whose handlers have not answered, at a time. */
    public static final int WAITING_OF_A_MEMBER = 4096;

    /** The same of a server, whose calls serve many callers: a sum over slices is one for each slice. */
    public static final int WAITING_OF_A_SERVER = 1 << 17;

    /** The same of a stranger, and of a guest, whose calls run one at a time. */
    public static final int WAITING_OF_OTHERS = 16;

    /** The functions of which one call of each peer waits anyway: the join, and the latest heartbeat. */
    private static final String MEMBERSHIP = "psf.cluster.";

    /** The part of a node's memory that the unsent answers of all guests may take, and their waiting requests again. */
    private static final int PART_OF_GUESTS = 8;

    /**
     * The bytes of a waiting request besides its frame: the objects that represent it. Without them a flood of requests
     * without content would fill the heap within the bound.
     */
    public static final int REQUEST_OVERHEAD = 512;

    /** The most bytes that the requests of a stranger become: a join is shorter. */
    static final long DECODED_OF_A_STRANGER = 16 << 10;

    private PeerLimits() {}

    /**
     * Checks the length of a peer's next frame.
     *
     * @param most the most bytes of a guest's frame
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if the peer is a guest, and its frame is longer
     */
    static void requireFrame(Connection connection, int length, long most) {
        if (length > most && connection.isOfGuest()) {
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "bytes of a guest's frame: " + length + " (expected: at most " + most + ")");
        }
    }

    /**
     * Returns the most bytes of a guest's waiting requests, and of its unsent answers, before it has to wait.
     *
     * @param memory the bound of the node's requests and answers, in bytes
     */
    static long bytesOfAGuest(long memory) {
        return Math.min(GUEST_BYTES, memory / PART_OF_GUESTS / GUESTS);
    }

    /**
     * Checks that a node may take one more connection of a peer.
     *
     * @param peer the identity of the peer; a guest is a worker with a negative rank
     * @param present the number of connections that the node has of the peer
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there are too many
     */
    public static void requireRoom(Member peer, long present) {
        boolean isGuest = isGuest(peer);
        int most = isGuest ? GUESTS : CONNECTIONS_OF_A_MEMBER;
        if (present >= most) {
            String whose = isGuest ? "guests of this node: " : "connections of " + peer + " to this node: ";
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    whose + (present + 1) + " (expected: at most " + most + "; close some of them)");
        }
    }

    /**
     * Checks that a call of a peer may wait for other calls; calls that {@link #isOfMembership} are not checked.
     *
     * @param waiting the number of the peer's calls that wait
     * @throws PsException with {@code RESOURCE_EXHAUSTED} if there are too many
     */
    public static void requireMayWait(Connection connection, String function, int waiting) {
        Member peer = connection.member();
        int most = WAITING_OF_A_MEMBER;
        if (peer == null || isGuest(peer)) {
            most = WAITING_OF_OTHERS;
        } else if (peer.role() == Role.SERVER) {
            most = WAITING_OF_A_SERVER;
        }
        if (waiting >= most) {
            throw new PsException(
                    Code.RESOURCE_EXHAUSTED,
                    "calls of " + (peer == null ? "a stranger" : peer) + " that wait on this node: " + (waiting + 1)
                            + ", the last one of \"" + function + "\" (expected: at most " + most
                            + "; await some of them)");
        }
    }

    /** True if the function's calls are not counted among the waiting calls. */
    public static boolean isOfMembership(String function) {
        return function.startsWith(MEMBERSHIP);
    }

    static boolean isGuest(Member peer) {
        return peer.role() == Role.WORKER && peer.rank() < 0;
    }

    /** True if a connection is of a peer. */
    public static boolean isOf(Member peer, Connection connection) {
        Member other = connection.member();
        return other != null && other.role() == peer.role() && other.rank() == peer.rank();
    }
}
