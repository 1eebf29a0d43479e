package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Receiver;
import java.io.IOException;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The frames that arrive over a connection. The leader of the reactor reads them. */
final class Inbound {
    /** The most reads per poll of a channel, so that other channels get their turn. */
    private static final int READS = 16;

    /** The most checks until reading is tried again after a lack of memory. */
    private static final int MOST_CHECKS_STARVED = 8;

    private final WireChannel channel;
    private final Reactor reactor;
    private final Receiver receiver;
    private final Outbound outbound;
    private final FramePool pool;
    private final RemoteEnd peer;
    /** Continues reading, on the leader. */
    private final Runnable resume = this::read;

    private final FrameSource source;
    private volatile boolean reading = true;

    // Written by the leader only.
    private volatile boolean refused;
    /** True if there was no memory to read with; reading is tried again later. */
    private volatile boolean starved;

    /** True once a frame has arrived. Accessed by the leader only. */
    private boolean begun;

    private int checksStarved;
    private int starvations;

    Inbound(
            WireChannel channel,
            Reactor reactor,
            Receiver receiver,
            Outbound outbound,
            FramePool pool,
            RemoteEnd peer) {
        this.channel = channel;
        this.reactor = reactor;
        this.receiver = receiver;
        this.outbound = outbound;
        this.pool = pool;
        this.peer = peer;
        this.source = source(outbound.wire());
    }

    private FrameSource source(ByteWire wire) {
        IntPredicate admits = length -> receiver.admits(channel, length);
        return wire instanceof SharedWire shared
                ? new RingFrames(shared, pool, receiver.takesLent(), admits, reactor::wakeUp)
                : new SocketFrames(wire, pool, admits);
    }

    // Methods for any thread.

    void setReading(boolean reads) {
        boolean again = reads && !reading;
        reading = reads;
        watchReading();
        if (again) {
            reactor.execute(resume); // reads what has arrived already
        }
    }

    /**
     * Updates whether the selector reports arriving bytes, which it does not while this side does not read. A doorbell
     * is always watched, since it also rings for free capacity.
     */
    void watchReading() {
        Interest interest = outbound.interest();
        synchronized (interest) {
            ByteWire wire = outbound.wire();
            interest.inBytes(wire.isPolled() ? !wire.hasEnded() : mayRead());
        }
    }

    /** Allows frames of any length from now on. */
    void trust() {
        source.trust();
    }

    boolean mayRead() {
        return reading && outbound.isOpen() && !refused && !starved;
    }

    /** Returns the task that continues reading. The leader has to run it. */
    Runnable resume() {
        return resume;
    }

    // Methods for the leader of the reactor.

    /**
     * Reads what has arrived and dispatches the frames.
     *
     * @return true if something had arrived
     */
    boolean read() {
        boolean some = false;
        try {
            some = deliver();
            int reads = 0;
            int bytes = 0;
            for (; reads < READS && bytes < FrameSource.TURN && mayRead() && reactor.isLedHere(); reads++) {
                int n = source.fetch();
                if (n < 0) {
                    channel.close(new PsException(Code.UNAVAILABLE, "connection closed"));
                    return true;
                }
                if (n == 0) {
                    break;
                }
                some = true;
                bytes += n;
                deliver();
                if (!source.mayHaveMore()) {
                    break;
                }
            }
            if ((reads == READS || bytes >= FrameSource.TURN) && source.holdsBytes()) {
                reactor.readAgain(channel);
            }
        } catch (PsException e) {
            channel.refuse(e);
        } catch (IOException e) {
            channel.fail(e);
        } catch (OutOfMemoryError e) {
            starve(e);
        } catch (RuntimeException | Error e) {
            channel.failed(e);
        }
        return some;
    }

    private boolean deliver() throws IOException {
        boolean some = false;
        while (mayRead() && reactor.isLedHere()) {
            Frame frame = source.next();
            if (frame == null) {
                break;
            }
            some = true;
            switch (frame.kind()) {
                case LINK -> {
                    PsException why = SharedLink.refusal(frame, !begun);
                    frame.release();
                    throw why;
                }
                case PING -> frame.release(); // only its arrival matters
                case CHECK -> {
                    frame.release();
                    source.check();
                    outbound.useChecksums();
                }
                case ANSWER -> {
                    outbound.countAnswer();
                    dispatch(frame);
                }
                default -> {
                    if (peer.watch().isStrange()) {
                        peer.watch().asked();
                    }
                    dispatch(frame);
                }
            }
            begun = true;
        }
        return some;
    }

    /**
     * Dispatches a frame. No failure affects other channels. After an exception of the receiver the frames behind it
     * are still read; a {@link PsException} refuses the peer, and an error closes the connection.
     */
    private void dispatch(Frame frame) {
        try {
            reactor.dispatch(receiver, channel, frame);
        } catch (PsException e) {
            throw e;
        } catch (RuntimeException e) {
            reactor.report("delivering a frame from " + peer.name(), e);
        } catch (Error e) {
            // A call may be lost. Over another connection a session requests it again.
            reactor.report("delivering a frame from " + peer.name(), e);
            channel.close(new PsException(Code.UNAVAILABLE, "a frame could not be delivered: " + e, e));
        }
    }

    /** Handles a lack of memory: a stranger is disconnected; from other peers reading is tried again later. */
    private void starve(OutOfMemoryError e) {
        reactor.report("reading from " + peer.name(), e);
        if (peer.watch().isStrange()) {
            channel.close(new PsException(Code.UNAVAILABLE, "connection: " + e, e));
            return;
        }
        starved = true;
        starvations++;
        checksStarved = 0;
        watchReading();
        reactor.checks().soon(); // the next attempts follow within a second
    }

    /**
     * Tries to read again after a lack of memory, at growing intervals, since it takes the JVM half a second to find
     * that there is none. Called at each check.
     */
    void checkStarved() {
        if (!starved) {
            return;
        }
        if (++checksStarved < Math.min(1 << Math.min(starvations - 1, 8), MOST_CHECKS_STARVED)) {
            reactor.checks().soon();
            return;
        }
        starved = false;
        watchReading();
        read();
        if (!starved) {
            starvations = 0;
        }
    }

    /** Stops reading for good, since the peer is refused. */
    void refuse() {
        refused = true;
        watchReading();
    }

    boolean isRefused() {
        return refused;
    }

    /** Reports what has arrived to the watch of the peer. Returns what the peer should have done by now, or null. */
    @Nullable
    PsException overdue(long now) {
        outbound.note(now, source.received(), mayRead());
        return peer.watch().overdue(source.partial(), source.expected());
    }

    /** True if the selector will report the next bytes; false if there are some already. */
    boolean prepareToSleep() throws IOException {
        return !mayRead() || source.prepareToSleep();
    }

    /** Gives back the memory of an unfinished frame. Nothing is read afterwards. */
    void release() {
        source.release();
    }
}
