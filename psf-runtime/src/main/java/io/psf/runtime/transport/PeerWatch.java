package io.psf.runtime.transport;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether a peer keeps its channel waiting for too long: in the middle of a frame, for its hello, or for any sign
 * of life. The transport notes now and then what has come and gone, on one thread at a time; the other methods are
 * thread-safe. Times are nanoseconds of a clock that does not count while this process stands still.
 */
public final class PeerWatch {
    /** Signs of life within the limit after which a silent peer is given up. */
    private static final int SIGNS = 4;

    /** How often to note within the shortest limit. */
    private static final int NOTES = 8;

    private final ConnectionLimits limits;
    private final long begun;
    /** Requests of a stranger without an answer. */
    private final AtomicInteger pending = new AtomicInteger();

    private volatile boolean strange;
    /** For how long a peer may be silent; 0 for ever. */
    private volatile long silenceLimit;

    private long now;
    private boolean reads = true;
    private long received;
    private long receivedAt;
    private long sent;
    private long sentAt;
    private long signAt;

    /**
     * The watch of a new channel.
     *
     * @param taken true if the peer has connected, and is a stranger until it is trusted
     */
    public PeerWatch(ConnectionLimits limits, boolean taken, long now) {
        this.limits = limits;
        this.strange = taken;
        this.begun = now;
        this.now = now;
        this.receivedAt = now;
        this.sentAt = now;
        this.signAt = now;
    }

    /** How often a transport has to note what has come, in nanoseconds. */
    public static long interval(ConnectionLimits limits) {
        return Math.min(limits.partialFrame().toNanos(), limits.hello().toNanos()) / NOTES;
    }

    /** How often a transport has to note what has come from a peer that is {@link #keepAlive kept alive}. */
    public static long interval(long silenceLimit) {
        return Math.max(1, silenceLimit / NOTES);
    }

    /** The peer has said who it is. */
    public void trust() {
        strange = false;
    }

    /** Whether the peer has not said who it is. */
    public boolean isStrange() {
        return strange;
    }

    /** Whether nobody would miss the peer: a stranger without a request that is being answered. */
    public boolean isIdleStranger() {
        return strange && pending.get() <= 0;
    }

    /** From now on the peer has to give signs of life. */
    public void keepAlive(long limitNanos) {
        silenceLimit = limitNanos;
    }

    /**
     * A stranger has sent a request.
     *
     * @throws PsException if it has sent too many
     */
    public void asked() {
        int unanswered = pending.incrementAndGet();
        if (unanswered > ConnectionLimits.STRANGER_REQUESTS) {
            throw new PsException(
                    Code.PROTOCOL,
                    "requests without an answer before the hello: " + unanswered + " (expected: at most "
                            + ConnectionLimits.STRANGER_REQUESTS + ")");
        }
    }

    /**
     * A stranger is sent an answer.
     *
     * @param unsent bytes of answers that it has not taken
     * @return why the channel has to be closed; null if it has not
     */
    public @Nullable PsException answered(long unsent) {
        pending.decrementAndGet();
        return unsent <= limits.strangerBytes()
                ? null
                : new PsException(
                        Code.UNAVAILABLE,
                        "answers not taken before the hello: " + unsent + " bytes (expected: at most "
                                + limits.strangerBytes() + ")");
    }

    /**
     * Takes note of how things stand.
     *
     * @param received a number that grows with what has come
     * @param sent a number that grows with what the network has taken
     * @param reads whether this end reads
     * @param isIdle whether nothing waits to be sent
     */
    public void note(long now, long received, long sent, boolean reads, boolean isIdle) {
        this.now = now;
        this.reads = reads;
        if (received != this.received || !reads) {
            this.received = received;
            receivedAt = now;
        }
        if (sent != this.sent || isIdle) {
            this.sent = sent;
            sentAt = now;
        }
    }

    /**
     * What the peer should have done by now, as noted; null if nothing.
     *
     * @param partial bytes of an unfinished frame
     * @param expected bytes of that frame at least
     * @return with {@code UNAVAILABLE} for a peer that does not seem to be there, so that it need not be told
     */
    public @Nullable PsException overdue(int partial, int expected) {
        if (partial > 0 && isOver(receivedAt, limits.partialFrame().toNanos())) {
            return new PsException(
                    Code.PROTOCOL,
                    "half a frame: " + partial + " of " + expected + " bytes (expected: the rest within "
                            + limits.partialFrame().toMillis() + " ms)");
        }
        if (isIdleStranger() && isOver(begun, limits.hello().toNanos())) {
            return new PsException(
                    Code.TIMED_OUT,
                    "hello: none (expected: one within " + limits.hello().toMillis() + " ms)");
        }
        // An end that does not read hears nothing; but its peer, which reads, takes what waits to be sent.
        if (silenceLimit > 0 && isOver(reads ? receivedAt : sentAt, silenceLimit)) {
            return new PsException(
                    Code.UNAVAILABLE,
                    "peer: silent (expected: a sign of life within " + silenceLimit / 1_000_000 + " ms)");
        }
        return null;
    }

    private boolean isOver(long since, long limit) {
        return now - since >= limit;
    }

    /** Whether a sign of life has to be given now; true once for each. */
    public boolean isSignDue() {
        if (silenceLimit == 0 || !isOver(signAt, silenceLimit / SIGNS)) {
            return false;
        }
        signAt = now;
        return true;
    }
}
