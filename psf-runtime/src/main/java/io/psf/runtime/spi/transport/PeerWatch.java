package io.psf.runtime.spi.transport;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Detects a peer that keeps its channel waiting too long: in the middle of a frame, for its hello, or for any frame at
 * all. The transport reports its progress at intervals, on one thread at a time; the other methods are thread-safe.
 * Times are in nanoseconds of a clock that does not advance while this process is suspended.
 */
public final class PeerWatch {
    /** Keep-alive frames within the limit after which a silent peer counts as lost. */
    private static final int SIGNS = 4;

    /** Calls of {@link #note} within the shortest limit. */
    private static final int NOTES = 8;

    /**
     * The least growth of an unfinished frame within the limit of silence, in bytes: more than the keep-alive frames of
     * that time. A healthy peer that is in the middle of a frame sends nothing but the rest of it. If the length of a
     * frame was damaged on the way, later frames are taken for its rest.
     */
    private static final int LEAST_GROWTH = 1 << 10;

    private final ConnectionLimits limits;
    private final long begun;
    /** The unanswered requests of a stranger. */
    private final AtomicInteger pending = new AtomicInteger();

    private volatile boolean strange;
    /** The longest silence of the peer, in nanoseconds; 0 for no limit. */
    private volatile long silenceLimit;

    private long now;
    private boolean reads = true;
    private long received;
    private long receivedAt;
    private long sent;
    private long sentAt;
    private long signAt;
    /** Where the unfinished frame begins, as {@code received} counts. */
    private long frameBegins = -1;
    /** The bytes of that frame at {@code grownAt}. */
    private int grownTo;

    private long grownAt;

    /**
     * Creates the watch of a new channel.
     *
     * @param taken true if this end has accepted the connection: the peer is a stranger until it is trusted
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

    /** Returns the interval, in nanoseconds, at which a transport has to call {@link #note}. */
    public static long interval(ConnectionLimits limits) {
        return Math.min(limits.partialFrame().toNanos(), limits.hello().toNanos()) / NOTES;
    }

    /** Returns that interval for a peer that is {@link #keepAlive kept alive}. */
    public static long interval(long silenceLimit) {
        return Math.max(1, silenceLimit / NOTES);
    }

    /** Records that the peer has identified itself. */
    public void trust() {
        strange = false;
    }

    /** True if the peer has not identified itself. */
    public boolean isStrange() {
        return strange;
    }

    /** True if the connection can be closed without loss: a stranger without a request that is being answered. */
    public boolean isIdleStranger() {
        return strange && pending.get() <= 0;
    }

    /** Requires frames of the peer within the limit from now on, if only keep-alive frames. */
    public void keepAlive(long limitNanos) {
        silenceLimit = limitNanos;
    }

    /**
     * Counts a request of a stranger.
     *
     * @throws PsException if too many are unanswered
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
     * Counts an answer to a stranger.
     *
     * @param unsent bytes of answers that the stranger has not taken
     * @return why the channel has to be closed; null if it may stay open
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
     * Records the state of the channel.
     *
     * @param received the number of bytes received
     * @param sent a number that grows with the bytes that the network has taken
     * @param reads true if this end reads
     * @param isIdle true if no bytes wait to be sent
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
     * Returns what the peer should have done by the last {@link #note}; null if nothing.
     *
     * @param partial the bytes of an unfinished frame that have arrived
     * @param expected the least length of that frame in bytes
     * @return with {@code UNAVAILABLE} for a peer that seems to be gone, to which no answer need be sent
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
        if (isStuck(partial)) {
            return new PsException(
                    Code.UNAVAILABLE,
                    "half a frame: " + partial + " of " + expected + " bytes (expected: the rest, or " + LEAST_GROWTH
                            + " bytes within " + silenceLimit / 1_000_000 + " ms)");
        }
        // An end that does not read receives nothing. But its peer, which reads, takes the bytes that wait to be sent.
        if (silenceLimit > 0 && isOver(reads ? receivedAt : sentAt, silenceLimit)) {
            return new PsException(
                    Code.UNAVAILABLE,
                    "peer: silent (expected: a sign of life within " + silenceLimit / 1_000_000 + " ms)");
        }
        return null;
    }

    /** True if the unfinished frame has hardly grown for the limit of silence, though this end reads. */
    private boolean isStuck(int partial) {
        long begins = received - partial;
        if (partial == 0 || !reads || begins != frameBegins || partial - grownTo >= LEAST_GROWTH) {
            frameBegins = begins;
            grownTo = partial;
            grownAt = now;
        }
        return silenceLimit > 0 && isOver(grownAt, silenceLimit);
    }

    private boolean isOver(long since, long limit) {
        return now - since >= limit;
    }

    /** True if a keep-alive frame has to be sent now; true once per frame. */
    public boolean isSignDue() {
        if (silenceLimit == 0 || !isOver(signAt, silenceLimit / SIGNS)) {
            return false;
        }
        signAt = now;
        return true;
    }
}
