package io.psf.runtime;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.internal.call.CallClient;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Says whether a worker or client may make calls: until it is closed, or its cluster has ended. It has the last
 * rollback that the caller has taken note of. Thread-safe.
 */
final class CallGate {
    private final CallClient client;
    private final String name;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile @Nullable PsException ended;
    private volatile long rollback;
    /** Thrown by the next call: no call has failed with it. */
    private final AtomicReference<@Nullable PsException> rolledBack = new AtomicReference<>();

    /**
     * Creates the gate of a caller that has joined.
     *
     * @param name the caller, for messages
     * @param rollback the epoch of the cluster's last rollback; 0 for none
     */
    CallGate(CallClient client, String name, long rollback) {
        this.client = client;
        this.name = name;
        this.rollback = rollback;
    }

    /**
     * Checks that a call may be made.
     *
     * @throws PsException with {@code CLOSED} after the end; with the reason for which the cluster has ended; with
     *     {@code ROLLED_BACK} once after a rollback for which no call has failed
     */
    void requireOpen() {
        PsException cause = ended;
        if (cause == null && rolledBack.get() != null) {
            cause = rolledBack.getAndSet(null);
        }
        if (cause != null) {
            throw cause;
        }
        if (closed.get()) {
            throw new PsException(Code.CLOSED, name + ": closed");
        }
    }

    /** Returns the name of the caller, for messages. */
    String name() {
        return name;
    }

    /** True until the caller is closed or the cluster has ended. */
    boolean isOpen() {
        return ended == null && !closed.get();
    }

    /** Returns why the cluster has ended for this caller; null while it has not. */
    @Nullable
    PsException ended() {
        return ended;
    }

    /** Fails all calls, the later ones too. */
    void end(PsException cause) {
        ended = cause;
        client.failAll(cause);
    }

    /** Lets no more calls pass. Returns true the first time. */
    boolean close() {
        return closed.compareAndSet(false, true);
    }

    /** Returns the epoch of the last rollback that the caller has taken note of. */
    long rollback() {
        return rollback;
    }

    /** Takes note of a rollback. */
    void note(long epoch) {
        rollback = epoch;
    }

    /**
     * Takes note of a rollback that undoes the effects of the outstanding calls: they fail. If there are none, the next
     * call fails.
     */
    void failCalls(long epoch) {
        PsException cause = Written.lostNodeIsBack();
        rolledBack.set(cause);
        rollback = epoch;
        if (client.failForeground(cause)) {
            rolledBack.compareAndSet(cause, null);
        }
    }
}
