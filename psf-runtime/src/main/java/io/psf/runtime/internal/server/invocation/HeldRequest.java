package io.psf.runtime.internal.server.invocation;

import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.api.spi.BlockReader;
import io.psf.runtime.internal.server.session.CallRecord;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.internal.server.session.PeerLimits;
import io.psf.runtime.internal.server.session.Turns;
import io.psf.runtime.spi.transport.Frame;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A request on its connection, from its arrival to its answer: its memory, and its turn among the requests of its peer.
 * The request waits for its turn, its handler reads it, and a handler that answers later may read it for longer.
 * Belongs to the lane of its call.
 */
final class HeldRequest implements BlockReader.HeapMemory {
    /** The most time before its deadline at which a call ends whose stage can say what it waits for. */
    private static final long MOST_AHEAD_NANOS = 500_000_000L;

    private static final Frame DONE = Frame.of(ByteBuffer.allocate(Frame.HEADER));

    private final Connection connection;
    /** How later requests see this one; null for a request that no other depends on. */
    private final @Nullable CallRecord record;

    private final int bytes;
    /** The bytes of what the request has become. */
    private long decoded;

    /** The header alone after the handler has stopped reading; empty after the answer. */
    private Frame request;

    /**
     * True if a handler that has not answered may still read the request. Then its memory is left to the garbage
     * collector.
     */
    private boolean lent;

    private boolean answered;
    /** True if the handler has declared that it does not read the request any more. */
    private boolean isRead;
    /** The turn of its peer that it has taken; null for none. */
    private @Nullable Turns turn;

    /**
     * When the call fails if it is not answered, as {@link System#nanoTime} counts; set once its handler answers later.
     */
    private long due;

    HeldRequest(Connection connection, Frame request, @Nullable CallRecord record) {
        this.connection = connection;
        this.record = record;
        this.request = request;
        this.bytes = request.bytes().capacity();
    }

    Connection connection() {
        return connection;
    }

    Frame request() {
        return request;
    }

    @Nullable
    CallRecord record() {
        return record;
    }

    /** True if the request has been answered, or is being answered. */
    boolean isAnswered() {
        return answered;
    }

    /**
     * Marks the call as waiting for its turn.
     *
     * @param taken the bytes that were taken for what the request has become
     */
    void queued(long taken) {
        decoded = taken;
        connection.requested(bytes + PeerLimits.REQUEST_OVERHEAD);
    }

    /** Marks the call as no longer waiting. */
    void started() {
        connection.started(bytes + PeerLimits.REQUEST_OVERHEAD);
    }

    /** Takes memory for what the request becomes, until it is released. */
    @Override
    public void take(long more) {
        connection.memory().decoded(more);
        decoded += more;
    }

    private void giveBackDecoded() {
        if (decoded != 0) {
            connection.memory().decoded(-decoded);
            decoded = 0;
        }
    }

    /** Releases the request: the call does not run. */
    void discard() {
        giveBackDecoded();
        request.release();
    }

    /** Lends the request to a handler that answers later. */
    void lend() {
        lent = true;
        connection.memory().held(bytes);
    }

    /** True if a handler that has not answered may still read the request. */
    boolean isLent() {
        return lent;
    }

    /**
     * Sets when the call fails, whose handler answers later: at its deadline, or earlier if the stage can say what it
     * waits for. Then the error arrives before the caller's own.
     */
    void awaits(CompletionStage<?> stage, long deadline) {
        long ahead = stage instanceof DeferredAnswer ? request.timeout() * 1_000_000L / 8 : 0;
        due = deadline - Math.min(ahead, MOST_AHEAD_NANOS);
    }

    /** True if the call, whose handler answers later, has to fail. */
    boolean isDue(long now) {
        return now - due > 0;
    }

    /** Ends the handler's use of the request: it was notified, or has declared that it does not read it any more. */
    void endUse() {
        if (lent) {
            lent = false;
            connection.memory().held(-bytes);
        }
    }

    /** Marks that the handler does not read the request any more. */
    void read() {
        isRead = true;
        keepHeaderIfRead();
    }

    /** Releases the memory of a lent request, except its header, if the handler does not read it any more. */
    void keepHeaderIfRead() {
        if (isRead && lent) {
            endUse();
            Frame whole = request;
            request = whole.header();
            whole.release();
        }
    }

    /**
     * True if the call may run on the node now: its peer has taken its answers, and not too many of its calls run.
     *
     * @param isAnsweredLater true if the call is read-only, and its handler answers later
     * @param again run later, if this returns false
     */
    boolean mayRunOnNode(boolean isAnsweredLater, Runnable again) {
        if (!connection.mayRunOnNode(again)) {
            return false;
        }
        Turns turns = connection.turns(isAnsweredLater);
        if (turns != null && turns.begin(again)) {
            turn = turns;
        }
        return turns == null || turn != null;
    }

    /** Sets the error that the request is answered with. */
    void failed(PsException failure) {
        if (record != null) {
            record.completion().failed(failure);
        }
    }

    /** Lets the call behind run, before this one is answered. */
    void letNextRun() {
        if (record != null) {
            record.completion().letNextRun();
        }
    }

    /** Marks the request as answered, even if sending the answer fails: then the caller sends the call again. */
    void beginAnswer() {
        answered = true;
    }

    /**
     * Sends the answer.
     *
     * @param isRemembered true if the request must not run again if it is sent again
     */
    void answer(Frame answer, boolean isRemembered) {
        try {
            if (record != null && isRemembered) {
                connection.answers().answered(record, answer);
            }
            connection.answer(answer);
        } finally {
            done();
        }
    }

    /** Releases what the request holds: it has been answered. Runs the calls that wait for that. */
    void done() {
        answered = true;
        release();
        if (record != null) {
            record.completion().answered();
        }
    }

    /** Releases the memory of the request after the answer, and gives its turn back. */
    private void release() {
        Turns taken = turn;
        if (taken != null) {
            turn = null;
            taken.end();
        }
        giveBackDecoded();
        Frame done = request;
        request = DONE; // this object may be stored for long: let the request be collected
        if (lent) {
            endUse();
            done.abandon();
        } else {
            done.release();
        }
    }
}
