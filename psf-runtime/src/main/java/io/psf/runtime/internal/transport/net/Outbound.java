package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.Receiver;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.function.BooleanSupplier;

/**
 * The frames that are sent over a connection, and whether it is open. Any thread writes; the leader writes the rest.
 */
final class Outbound {
    /** A sending thread blocks while at least this many bytes are unsent. */
    private static final int MOST_UNSENT = 1 << 20;

    private final WireChannel channel;
    private final Reactor reactor;
    private final Receiver receiver;
    private final FramePool pool;
    private final RemoteEnd peer;
    private final Interest interest;
    private final BooleanSupplier hasCapacity = this::hasCapacity;

    /** The unsent frames. Also the lock for everything that is written. */
    private final Outbox outbox;

    private final Deferral deferral;

    private final ByteWire wire;
    private volatile boolean flushDeferred;

    /** Bytes of free capacity that a thread is blocked on; 0 if none is. */
    private volatile int capacityWanted;

    private volatile boolean open = true;
    /** True if the connection closes once the last frame, a refusal, has been written. */
    private boolean closing;

    private boolean refused;
    private volatile PsException cause = new PsException(Code.UNAVAILABLE, "connection closed");
    private volatile long unsent;

    /** Bytes written from the outbox. */
    private long written;

    Outbound(WireChannel channel, Reactor reactor, Receiver receiver, ByteWire wire, FramePool pool, RemoteEnd peer) {
        this.channel = channel;
        this.reactor = reactor;
        this.receiver = receiver;
        this.wire = wire;
        this.pool = pool;
        this.peer = peer;
        this.interest = new Interest(reactor);
        this.outbox = new Outbox(pool);
        this.deferral = new Deferral(outbox);
    }

    ByteWire wire() {
        return wire;
    }

    Interest interest() {
        return interest;
    }

    /** Sets the selection key of the socket, once the selector polls it. */
    void register(SelectionKey with) {
        synchronized (outbox) {
            interest.register(with);
        }
    }

    // Sending.

    /** Sends a frame, as {@link WireChannel#write(Frame, long)} does. */
    void write(Frame frame, long deadline) {
        try {
            awaitCapacity(deadline);
        } catch (PsException e) {
            frame.release();
            throw e;
        }
        boolean deferred = false;
        synchronized (outbox) {
            if (!open || closing) {
                frame.release();
                throw unavailable();
            }
            deferred = mayDefer(frame.length());
            deferral.sent(frame);
            outbox.add(frame);
        }
        flush(deferred);
    }

    /** Sends a draft, as {@link WireChannel#write(Draft, long)} does. */
    void write(Draft draft, long deadline) {
        int length = draft.length();
        boolean whole = length <= wire.longestDraft();
        if (whole && writeWhole(draft, deadline)) {
            return;
        }
        if (!whole) {
            awaitCapacity(deadline);
        }
        boolean deferred = false;
        synchronized (outbox) {
            if (!open || closing) {
                throw unavailable();
            }
            deferred = mayDefer(length);
            if (outbox.add(draft)) {
                deferral.sentRequest();
            }
        }
        flush(deferred);
    }

    /** True if the write of a small request may be deferred, to write it together with others. */
    private boolean mayDefer(int length) {
        return deferral.suits(length) && !wire.isPolled() && deferral.admits(length);
    }

    /** Counts a received answer, on the leader. */
    void countAnswer() {
        deferral.answered();
    }

    /**
     * Writes a draft directly to the wire, and blocks while it lacks capacity. The leader does not block, since
     * capacity may depend on its own reading: it gets false.
     */
    private boolean writeWhole(Draft draft, long deadline) {
        int length = draft.length();
        while (!write(draft)) {
            if (!open || closing) {
                throw unavailable();
            }
            if (reactor.isLedHere()) {
                return false;
            }
            synchronized (outbox) {
                capacityWanted = Math.max(capacityWanted, 2 * length);
            }
            awaitCapacity(() -> !open || unsent == 0 && wire.hasCapacity(length), deadline);
        }
        return true;
    }

    /**
     * Writes a draft directly to the wire, after all unsent frames. False if the wire lacks capacity or the connection
     * is closed.
     */
    private boolean write(Draft draft) {
        if (flushDeferred || unsent > 0) {
            flush();
        }
        try {
            synchronized (outbox) {
                return open && !closing && outbox.bytes() == 0 && wire.write(draft);
            }
        } catch (IOException e) {
            channel.fail(e);
            return false;
        }
    }

    /** Sends a frame without blocking, as {@link WireChannel#offer(Frame)} does. */
    void queue(Frame frame) {
        boolean deferred;
        synchronized (outbox) {
            if (!open || closing) {
                frame.release();
                return;
            }
            outbox.add(frame);
            deferred = reactor.isLedHere() && deferral.admits(0);
        }
        flush(deferred);
        offered();
    }

    /** Queues a frame that is written with the next one, as {@link WireChannel#offerWithNext} does. */
    void queueWithNext(Frame frame) {
        if (wire.isPolled()) {
            queue(frame);
            return;
        }
        synchronized (outbox) {
            if (open && !closing) {
                outbox.add(frame);
            } else {
                frame.release();
            }
        }
    }

    /** Counts an answer to a stranger, which is disconnected if it leaves too many of them unread. */
    private void offered() {
        if (peer.watch().isStrange()) {
            PsException why = peer.watch().answered(unsent);
            if (why != null) {
                channel.close(why);
            }
        }
    }

    /** Sends a draft without blocking, as {@link WireChannel#offer(Draft)} does. */
    void queue(Draft draft) {
        int length = draft.length();
        if (length <= wire.longestDraft() && write(draft)) {
            receiver.sent(channel, length);
            offered();
            return;
        }
        boolean deferred = false;
        long sent = -1;
        try {
            synchronized (outbox) {
                if (!open || closing) {
                    return;
                }
                sent = length > Outbox.SMALL ? outbox.write(draft, wire) : -1;
                if (sent >= 0) {
                    written += sent;
                } else if (outbox.add(draft)) {
                    deferred = reactor.isLedHere() && deferral.admits(0);
                } else {
                    sent = length; // dropped: the sender must not wait for these bytes
                }
            }
        } catch (IOException e) {
            channel.fail(e);
            return;
        }
        if (sent > 0) {
            receiver.sent(channel, sent);
        }
        if (sent < length) {
            flush(deferred);
        }
        offered();
    }

    /** Adds a checksum to each later frame, and tells the peer so. Does nothing if that was done before. */
    void useChecksums() {
        synchronized (outbox) {
            if (!open || closing || !outbox.useChecksums()) {
                return;
            }
        }
        flush();
    }

    private PsException unavailable() {
        return new PsException(Code.UNAVAILABLE, "connection to " + peer.name() + ": closed", cause);
    }

    // Capacity.

    private void awaitCapacity(long deadline) {
        if (!hasCapacity() && !reactor.isLedHere()) {
            awaitCapacity(hasCapacity, deadline);
        }
    }

    private void awaitCapacity(BooleanSupplier capacity, long deadline) {
        try {
            if (!reactor.await(capacity, deadline)) {
                throw new PsException(Code.TIMED_OUT, peer.name() + " takes no more frames");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(Code.CANCELLED, "interrupted while sending", e);
        }
    }

    private boolean hasCapacity() {
        return unsent < MOST_UNSENT || !open;
    }

    /** Wakes the threads that are blocked on free capacity of a polled wire, if there is some. On the leader. */
    void pollCapacity() {
        int wanted = capacityWanted;
        if (wanted > 0 && unsent == 0 && wire.hasCapacity(wanted / 2)) {
            synchronized (outbox) {
                // Another thread may require more by now.
                capacityWanted = capacityWanted == wanted ? 0 : capacityWanted;
            }
            reactor.unparkFollowers();
        }
    }

    /** True if the selector will report the capacity that is required; false if there is enough already. */
    boolean prepareToSleep() throws IOException {
        synchronized (outbox) {
            int wanted = outbox.bytes() == 0 ? capacityWanted : 1;
            return wanted == 0 || wire.prepareToWait(wanted);
        }
    }

    // Writing.

    /**
     * Writes the unsent frames; if deferred, leaves that to the leader, or to the next thread that awaits something.
     */
    private void flush(boolean deferred) {
        if (!deferred) {
            flush();
            return;
        }
        if (flushDeferred) {
            return; // that flush takes the lock after this thread has added its frame
        }
        synchronized (outbox) {
            if (flushDeferred) {
                return;
            }
            flushDeferred = true;
        }
        reactor.defer(channel);
    }

    /** Writes as much of the unsent frames as the wire takes; the reactor takes care of the rest. Does not block. */
    void flush() {
        long sent = 0;
        boolean end = false;
        boolean hasCapacityAgain = false;
        try {
            synchronized (outbox) {
                flushDeferred = false;
                deferral.flushed();
                if (!open) {
                    return;
                }
                sent = outbox.writeTo(wire);
                written += sent;
                hasCapacityAgain = unsent >= MOST_UNSENT && outbox.bytes() < MOST_UNSENT;
                unsent = outbox.bytes();
                boolean rest = unsent > 0;
                end = closing && !rest;
                if (!wire.isPolled()) {
                    interest.inCapacity(rest);
                } else if (rest) {
                    reactor.wakeUp(); // the leader arranges to be notified of free capacity
                }
            }
        } catch (IOException e) {
            channel.fail(e);
            return;
        }
        if (hasCapacityAgain) {
            reactor.unparkFollowers();
        }
        if (end) {
            channel.close(cause);
        } else if (sent > 0) {
            receiver.sent(channel, sent);
        }
    }

    /** Returns the bytes that wait to be written. */
    long unsent() {
        return unsent;
    }

    /** Reports the progress of the connection to the watch of the peer. */
    void note(long now, long received, boolean reads) {
        synchronized (outbox) {
            peer.watch().note(now, received, written, reads, outbox.bytes() == 0);
        }
    }

    // The end.

    /** Sends the peer an error, as the last frame. The connection closes for that reason, once the frame is written. */
    void refuse(PsException why) {
        synchronized (outbox) {
            refused = true;
            cause = new PsException(why.code(), why.detail() + ", from " + peer.name());
            outbox.add(Frames.failure(pool, 0, 0, 0, why.code(), why.detail()));
            closing = true;
        }
        flush();
    }

    /**
     * Drops the unsent frames; nothing is sent afterwards.
     *
     * @return false if that was done before
     */
    boolean close(PsException why) {
        synchronized (outbox) {
            if (!open) {
                return false;
            }
            cause = refused ? cause : why;
            open = false;
            unsent = 0;
            outbox.clear();
            return true;
        }
    }

    boolean isOpen() {
        return open;
    }

    /** Returns why the connection has been closed, or is to be closed. */
    PsException cause() {
        return cause;
    }
}
