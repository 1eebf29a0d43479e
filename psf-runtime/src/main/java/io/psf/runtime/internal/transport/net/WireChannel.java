package io.psf.runtime.internal.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.DamagedFrameException;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.PeerLog;
import io.psf.runtime.spi.transport.PeerWatch;
import io.psf.runtime.spi.transport.Receiver;
import io.psf.runtime.spi.transport.TlsFailure;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. The leader of the reactor reads from it; any thread writes to it. A peer that sends anything but
 * frames, or that stops in the middle of a frame, gets an error as an answer, and the connection is closed.
 */
final class WireChannel implements PolledChannel {
    private static final Logger LOG = LoggerFactory.getLogger(WireChannel.class);
    private static final PeerLog SILENT = new PeerLog(LOG::warn);
    private static final PeerLog DAMAGED = new PeerLog(LOG::warn);

    /** The number of checks after which a connection is closed whose peer was refused and does not read the refusal. */
    private static final int CHECKS_REFUSED = 8;

    private final Reactor reactor;
    private final Receiver receiver;
    private final FramePool pool;
    private final RemoteEnd peer;
    private final Outbound outbound;
    private final Inbound inbound;
    private final Runnable ends = this::end;

    // Accessed by the leader only.
    private boolean ended;
    private int checksRefused;

    WireChannel(Reactor reactor, ByteWire wire, Acceptor acceptor, FramePool pool, RemoteEnd peer) {
        this.reactor = reactor;
        this.pool = pool;
        this.peer = peer;
        this.receiver = acceptor.accept(this);
        this.outbound = new Outbound(this, reactor, receiver, wire, pool, peer);
        this.inbound = new Inbound(this, reactor, receiver, outbound, pool, peer);
    }

    @Override
    public ByteWire wire() {
        return outbound.wire();
    }

    PeerWatch watch() {
        return peer.watch();
    }

    @Override
    public void registered(SelectionKey with) {
        outbound.register(with);
        inbound.watchReading(); // reading may have been stopped before
    }

    @Override
    public Runnable resumeReading() {
        return inbound.resume();
    }

    // Methods for the leader of the reactor.

    @Override
    public boolean poll() {
        if (outbound.unsent() > 0) {
            outbound.flush();
        }
        boolean some = inbound.read();
        outbound.pollCapacity();
        return some;
    }

    @Override
    public void flush() {
        outbound.flush();
    }

    @Override
    public void selected(boolean readable, boolean writable) {
        if (writable) {
            outbound.flush();
        }
        if (readable) {
            try {
                wire().rung();
            } catch (IOException e) {
                fail(e);
                return;
            }
            inbound.read();
            if (wire().hasEnded()) {
                if (!inbound.mayRead()) {
                    close(); // the peer takes no more bytes, and no thread needs the unread ones
                }
                inbound.watchReading();
            }
        }
    }

    @Override
    public boolean prepareToSleep() {
        if (!isOpen()) {
            return true;
        }
        try {
            return inbound.prepareToSleep() && outbound.prepareToSleep();
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    @Override
    public void check(long now) {
        if (!isOpen()) {
            end(); // does nothing if that was done before
            return;
        }
        inbound.checkStarved();
        if (inbound.isRefused()) {
            checkRefused();
            return;
        }
        PsException why = inbound.overdue(now);
        if (why != null) {
            inbound.read(); // the bytes may have arrived long ago, while this process was busy
            why = isOpen() && !inbound.isRefused() && reactor.isLedHere() ? inbound.overdue(now) : null;
        }
        if (why != null && why.code() == Code.UNAVAILABLE) {
            SILENT.line("connection to " + peer.name() + ": " + why.detail());
            close(why);
        } else if (why != null) {
            refuse(why);
        } else if (peer.watch().isSignDue() && outbound.unsent() == 0) { // unsent frames serve as keep-alive, too
            outbound.queue(Frames.ping(pool));
        }
    }

    /** Closes the connection if the peer does not read the refusal. */
    private void checkRefused() {
        checksRefused++;
        if (peer.watch().isStrange() || checksRefused > CHECKS_REFUSED) {
            close(outbound.cause());
        }
    }

    /** Reads nothing more, tells the peer why, and closes the connection then. */
    void refuse(PsException why) {
        inbound.refuse();
        outbound.refuse(why);
    }

    // Methods of a channel, for any thread.

    @Override
    public void send(Frame frame, long deadline) {
        outbound.write(frame, deadline);
    }

    @Override
    public boolean send(Draft draft, long deadline) {
        outbound.write(draft, deadline);
        return true;
    }

    @Override
    public void offer(Frame frame) {
        outbound.queue(frame);
    }

    @Override
    public void offerWithNext(Frame frame) {
        outbound.queueWithNext(frame);
    }

    @Override
    public boolean offer(Draft draft) {
        outbound.queue(draft);
        return true;
    }

    @Override
    public void setReading(boolean reads) {
        inbound.setReading(reads);
    }

    @Override
    public boolean mayRunHandlers() {
        return true;
    }

    @Override
    public void mayTakeLong() {
        reactor.mayTakeLong();
    }

    @Override
    public void trust() {
        peer.watch().trust();
        inbound.trust();
    }

    @Override
    public void useChecksums() {
        if (!wire().isPolled()) { // else the bytes travel over no network
            outbound.useChecksums();
        }
    }

    @Override
    public void keepAlive(long limitNanos) {
        if (!wire().isPolled()) { // else the peer is on this machine, and the system reports its end
            peer.watch().keepAlive(limitNanos);
            reactor.checks().every(PeerWatch.interval(limitNanos));
        }
    }

    @Override
    public boolean isOpen() {
        return outbound.isOpen();
    }

    @Override
    public String peer() {
        return peer.name();
    }

    @Override
    public @Nullable String certificate() {
        return wire().certificate();
    }

    @Override
    public String medium() {
        return wire().medium();
    }

    // The end.

    @Override
    public void close() {
        close(outbound.cause());
    }

    @Override
    public void failed(Throwable failure) {
        reactor.report("the connection to " + peer.name(), failure);
        close(new PsException(Code.UNAVAILABLE, "connection: " + failure, failure));
    }

    /** Closes the connection, which has failed. */
    void fail(IOException e) {
        if (e instanceof DamagedFrameException) {
            DAMAGED.line("connection to " + peer.name() + ": " + e.getMessage());
            close(new PsException(Code.UNAVAILABLE, String.valueOf(e.getMessage()), e));
            return;
        }
        LOG.debug("connection to {}: {}", peer.name(), e.toString());
        String what = e instanceof TlsFailure ? String.valueOf(e.getMessage()) : "connection: " + e;
        close(new PsException(Code.UNAVAILABLE, what, e));
    }

    void close(PsException why) {
        if (!outbound.close(why)) {
            return;
        }
        try {
            wire().close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}: {}", peer.name(), e.toString());
        }
        reactor.unparkFollowers(); // a thread may be blocked on free capacity
        reactor.execute(ends); // on the leader, after all received frames, and without the closing thread's locks
    }

    /** Notifies the receiver of the end of the connection, once, on the leader. */
    private void end() {
        if (!ended) {
            inbound.release();
            reactor.remove(this);
            ended = true; // not before: after a failure, the next check tries again
            reactor.dispatchEnd(receiver, this, outbound.cause());
        }
    }
}
