package io.psf.runtime.transport.net;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Acceptor;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import io.psf.runtime.transport.PeerWatch;
import io.psf.runtime.transport.Receiver;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection. The leader of the reactor reads from it; any thread writes to it. A peer that sends anything but
 * frames, or that stops in the middle of a frame, gets an error as an answer, and the connection is closed.
 */
final class WireChannel implements Channel {
    private static final Logger LOG = LoggerFactory.getLogger(WireChannel.class);

    /** A sending thread blocks while at least this many bytes are unsent. */
    private static final int MOST_UNSENT = 1 << 20;

    /** Deferred frames are written once they have this many bytes. */
    private static final int MOST_DEFERRED = 32 << 10;

    /** Or once there are this many of them: the peer processes them while this side makes the next ones. */
    private static final int MOST_FRAMES_DEFERRED = 24;

    /** While at least this many requests are unanswered, small ones are deferred, to be written together. */
    private static final int MANY = 4;

    /** The most reads per poll of a channel, so that other channels get their turn. */
    private static final int READS = 16;

    /** The number of checks after which a connection is closed whose peer was refused and does not read the refusal. */
    private static final int CHECKS_REFUSED = 8;

    /** The most checks until reading is tried again after a lack of memory. */
    private static final int MOST_CHECKS_STARVED = 8;

    private final Reactor reactor;
    private final Receiver receiver;
    private final FramePool pool;
    private final PeerWatch watch;
    private final String peer;
    private final boolean mayShare;
    private final BooleanSupplier hasCapacity = this::hasCapacity;
    /** Continues reading, on the leader. */
    private final Runnable resumeReading = this::read;

    private final Runnable ends = this::end;

    /** The unsent frames. Also the lock for everything that is written. */
    private final Outbox outbox;

    /** The lock for the selection key's set of operations. */
    private final Object interest = new Object();

    private volatile Wire wire;
    private volatile FrameSource source;
    private volatile @Nullable SelectionKey key;
    private volatile boolean flushDeferred;
    /** Small frames deferred since the last flush. */
    private int framesDeferred;

    /** Bytes of free capacity that a thread is blocked on; 0 if none is. */
    private volatile int capacityWanted;

    private boolean closing;

    private volatile boolean open = true;
    private volatile boolean reading = true;
    private volatile PsException cause = new PsException(Code.UNAVAILABLE, "connection closed");
    private volatile long unsent;

    /** The requests sent. With {@code answers} an estimate of whether many are in flight. */
    private int requests;

    /** The answers received. Written by the leader only. */
    private final AtomicInteger answers = new AtomicInteger();

    /** Bytes written from the outbox. */
    private long written;

    // Written by the leader only.
    private volatile boolean refused;
    /** True if there was no memory to read with; reading is tried again later. */
    private volatile boolean starved;

    private boolean ended;
    private int checksRefused;
    private int checksStarved;
    private int starvations;

    /**
     * Creates a connection.
     *
     * @param watch of its peer
     * @param mayShare true if it may continue over shared memory when the peer requests that
     */
    WireChannel(
            Reactor reactor,
            Wire wire,
            Acceptor acceptor,
            FramePool pool,
            PeerWatch watch,
            String peer,
            boolean mayShare) {
        this.mayShare = mayShare;
        this.watch = watch;
        this.reactor = reactor;
        this.wire = wire;
        this.pool = pool;
        this.outbox = new Outbox(pool);
        this.peer = peer;
        this.receiver = acceptor.accept(this);
        this.source = source(wire);
    }

    private FrameSource source(Wire wire) {
        IntPredicate admits = length -> receiver.admits(this, length);
        return wire instanceof SharedWire shared
                ? new RingFrames(shared, pool, receiver.takesLent(), admits, reactor::wakeUp)
                : new SocketFrames(wire, pool, admits);
    }

    Wire wire() {
        return wire;
    }

    /** Sets the selection key of the socket, once the selector polls it. */
    void registered(SelectionKey with) {
        synchronized (outbox) {
            key = with;
        }
        watchReading(); // reading may have been stopped before
    }

    /** Returns the task that continues reading. The leader has to run it. */
    Runnable resumeReading() {
        return resumeReading;
    }

    // Reading, on the leader of the reactor.

    /**
     * Reads what has arrived and dispatches the frames.
     *
     * @return true if something had arrived
     */
    boolean read() {
        boolean some = false;
        try {
            some = deliver();
            for (int i = 0; i < READS && mayRead() && reactor.isLedHere(); i++) {
                int n = source.fetch();
                if (n < 0) {
                    close(new PsException(Code.UNAVAILABLE, "connection closed"));
                    return true;
                }
                if (n == 0) {
                    break;
                }
                some = true;
                deliver();
                if (!source.mayHaveMore()) {
                    break;
                }
            }
        } catch (PsException e) {
            refuse(e);
        } catch (IOException e) {
            fail(e);
        } catch (OutOfMemoryError e) {
            starve(e);
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        return some;
    }

    private boolean mayRead() {
        return reading && open && !refused && !starved;
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
                case LINK -> link(frame);
                case PING -> frame.release(); // only its arrival matters
                case ANSWER -> {
                    answers.lazySet(answers.get() + 1);
                    dispatch(frame);
                }
                default -> {
                    if (watch.isStrange()) {
                        watch.asked();
                    }
                    dispatch(frame);
                }
            }
        }
        return some;
    }

    /**
     * Dispatches a frame. No failure affects other channels. After an exception of the receiver the frames behind it
     * are still read; a {@link PsException} refuses the peer, and an error closes the connection.
     */
    private void dispatch(Frame frame) {
        try {
            reactor.dispatch(receiver, this, frame);
        } catch (PsException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("a frame from {} could not be delivered", peer, e);
        } catch (Error e) {
            // A call may be lost. Over another connection a session requests it again.
            reactor.report("delivering a frame from " + peer, e);
            close(new PsException(Code.UNAVAILABLE, "a frame could not be delivered: " + e, e));
        }
    }

    /** Handles a lack of memory: a stranger is disconnected; from other peers reading is tried again later. */
    private void starve(OutOfMemoryError e) {
        reactor.report("reading from " + peer, e);
        if (watch.isStrange()) {
            close(new PsException(Code.UNAVAILABLE, "connection: " + e, e));
            return;
        }
        starved = true;
        starvations++;
        checksStarved = 0;
        watchReading();
    }

    /**
     * Tries to read again, at growing intervals, since it takes the JVM half a second to find that there is no memory.
     */
    private void checkStarved() {
        if (++checksStarved < Math.min(1 << Math.min(starvations - 1, 8), MOST_CHECKS_STARVED)) {
            return;
        }
        starved = false;
        watchReading();
        read();
        if (!starved) {
            starvations = 0;
        }
    }

    /** Handles what the selector reports. */
    void selected(boolean readable, boolean writable) {
        if (writable) {
            flush();
        }
        if (readable) {
            try {
                wire.rung();
            } catch (IOException e) {
                fail(e);
                return;
            }
            read();
            if (wire.hasEnded()) {
                if (!mayRead()) {
                    close(); // the peer takes no more bytes, and no thread needs the unread ones
                }
                watchReading();
            }
        }
    }

    /** True if the selector will report the next event; false if there is something to do already. */
    boolean prepareToSleep() {
        if (!open) {
            return true;
        }
        try {
            if (mayRead() && !source.prepareToSleep()) {
                return false;
            }
            synchronized (outbox) {
                int wanted = outbox.bytes() == 0 ? capacityWanted : 1;
                return wanted == 0 || wire.prepareToWait(wanted);
            }
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    /**
     * Continues over shared memory if the peer, which began the connection, requests that and this side supports it.
     *
     * @param asked with the segment's name and token
     */
    private void link(Frame asked) throws IOException {
        TupleWriter answer = new TupleWriter();
        Code status = Code.OK;
        Wire shared = wire;
        try {
            if (!mayShare || wire.isPolled()) {
                throw new IOException("shared memory: not offered (expected: one request, to a peer that offers it)");
            }
            shared = SharedLink.accept(asked, wire.socket());
        } catch (IOException e) {
            status = Code.UNAVAILABLE;
            answer.string(String.valueOf(e.getMessage()));
        } finally {
            asked.release();
        }
        offer(Frames.link(pool, status, answer));
        flush();
        synchronized (outbox) {
            if (outbox.bytes() > 0) {
                throw new IOException("the reply about shared memory was not sent at once");
            }
            source.release();
            source = source(shared);
            wire = shared;
        }
        if (shared.isPolled()) {
            reactor.addPolled(this);
        }
    }

    /**
     * Closes the connection if the peer keeps this side waiting for too long. Called at intervals, on the leader.
     *
     * @param now the time of the reactor's clock
     */
    void check(long now) {
        if (!open) {
            end(); // does nothing if that was done before
            return;
        }
        if (starved) {
            checkStarved();
        }
        if (refused) {
            checkRefused();
            return;
        }
        PsException why = overdue(now);
        if (why != null) {
            read(); // the bytes may have arrived long ago, while this process was busy
            why = open && !refused && reactor.isLedHere() ? overdue(now) : null;
        }
        if (why != null && why.code() == Code.UNAVAILABLE) {
            LOG.warn("connection to {}: {}", peer, why.detail());
            close(why);
        } else if (why != null) {
            refuse(why);
        } else if (watch.isSignDue() && unsent == 0) { // unsent frames serve as keep-alive, too
            offer(Frames.ping(pool));
        }
    }

    private @Nullable PsException overdue(long now) {
        long received = source.received();
        boolean reads = mayRead();
        synchronized (outbox) {
            watch.note(now, received, written, reads, outbox.bytes() == 0);
        }
        return watch.overdue(source.partial(), source.expected());
    }

    /** Closes the connection if the peer does not read the refusal. */
    private void checkRefused() {
        checksRefused++;
        if (watch.isStrange() || checksRefused > CHECKS_REFUSED) {
            close(cause);
        }
    }

    PeerWatch watch() {
        return watch;
    }

    private void refuse(PsException why) {
        refused = true;
        watchReading();
        cause = new PsException(why.code(), why.detail() + ", from " + peer);
        synchronized (outbox) {
            outbox.add(Frames.failure(pool, 0, 0, 0, why.code(), why.detail()));
            closing = true;
        }
        flush();
    }

    // Writing, on any thread.

    @Override
    public void send(Frame frame, long deadline) {
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
            requests += frame.kind() == Frame.Kind.REQUEST ? 1 : 0;
            outbox.add(frame);
        }
        flush(deferred);
    }

    @Override
    public boolean send(Draft draft, long deadline) {
        int length = draft.length();
        boolean whole = length <= wire.longestDraft();
        if (whole && writeWhole(draft, deadline)) {
            return true;
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
            requests += outbox.add(draft) ? 1 : 0;
        }
        flush(deferred);
        return true;
    }

    /** True if the write of a small request may be deferred, to write it together with others. */
    private boolean mayDefer(int length) {
        return length <= Outbox.SMALL && requests - answers.get() >= MANY && !wire.isPolled() && fitsDeferred(length);
    }

    /** True if this frame and those deferred before are few and small enough to wait for more. Counts the frame. */
    private boolean fitsDeferred(int length) {
        return outbox.bytes() + length < MOST_DEFERRED && ++framesDeferred < MOST_FRAMES_DEFERRED;
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
            fail(e);
            return false;
        }
    }

    @Override
    public void offer(Frame frame) {
        boolean deferred;
        synchronized (outbox) {
            if (!open || closing) {
                frame.release();
                return;
            }
            outbox.add(frame);
            deferred = reactor.isLedHere() && fitsDeferred(0);
        }
        flush(deferred);
        offered();
    }

    /** Counts an answer to a stranger, which is disconnected if it leaves too many of them unread. */
    private void offered() {
        if (watch.isStrange()) {
            PsException why = watch.answered(unsent);
            if (why != null) {
                close(why);
            }
        }
    }

    @Override
    public boolean offer(Draft draft) {
        int length = draft.length();
        if (length <= wire.longestDraft() && write(draft)) {
            receiver.sent(this, length);
            offered();
            return true;
        }
        boolean deferred = false;
        long sent = -1;
        try {
            synchronized (outbox) {
                if (!open || closing) {
                    return true;
                }
                sent = length > Outbox.SMALL ? outbox.write(draft, wire) : -1;
                if (sent < 0) {
                    outbox.add(draft);
                    deferred = reactor.isLedHere() && fitsDeferred(0);
                } else {
                    written += sent;
                }
            }
        } catch (IOException e) {
            fail(e);
            return true;
        }
        if (sent > 0) {
            receiver.sent(this, sent);
        }
        if (sent < length) {
            flush(deferred);
        }
        offered();
        return true;
    }

    private void awaitCapacity(long deadline) {
        if (!hasCapacity() && !reactor.isLedHere()) {
            awaitCapacity(hasCapacity, deadline);
        }
    }

    private void awaitCapacity(BooleanSupplier capacity, long deadline) {
        try {
            if (!reactor.await(capacity, deadline)) {
                throw new PsException(Code.TIMED_OUT, peer + " takes no more frames");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(Code.CANCELLED, "interrupted while sending", e);
        }
    }

    private boolean hasCapacity() {
        return unsent < MOST_UNSENT || !open;
    }

    /** Writes the unsent frames; if deferred, leaves that to the leader, or to the next thread that awaits something. */
    private void flush(boolean deferred) {
        if (!deferred) {
            flush();
            return;
        }
        synchronized (outbox) {
            if (flushDeferred) {
                return;
            }
            flushDeferred = true;
        }
        reactor.defer(this);
    }

    /**
     * Writes the unsent frames, reads what has arrived, and wakes the threads that are blocked on free capacity if
     * there is some.
     *
     * @return true if there was something to read
     */
    boolean poll() {
        if (unsent > 0) {
            flush();
        }
        boolean some = read();
        int wanted = capacityWanted;
        if (wanted > 0 && unsent == 0 && wire.hasCapacity(wanted / 2)) {
            synchronized (outbox) {
                capacityWanted =
                        capacityWanted == wanted ? 0 : capacityWanted; // another thread may require more by now
            }
            reactor.unparkFollowers();
        }
        return some;
    }

    private PsException unavailable() {
        return new PsException(Code.UNAVAILABLE, "connection to " + peer + ": closed");
    }

    /** Writes as much of the unsent frames as the wire takes; the reactor takes care of the rest. Does not block. */
    void flush() {
        long sent = 0;
        boolean end = false;
        boolean hasCapacityAgain = false;
        try {
            synchronized (outbox) {
                flushDeferred = false;
                framesDeferred = 0;
                if (!open) {
                    return;
                }
                sent = outbox.writeTo(wire);
                written += sent;
                hasCapacityAgain = unsent >= MOST_UNSENT && outbox.bytes() < MOST_UNSENT;
                unsent = outbox.bytes();
                boolean rest = unsent > 0;
                end = closing && !rest;
                if (wire.isPolled() && rest) {
                    reactor.wakeUp(); // the leader arranges to be notified of free capacity
                } else if (key != null && !wire.isPolled()) {
                    watchCapacity(key, rest);
                }
            }
        } catch (IOException e) {
            fail(e);
            return;
        }
        if (hasCapacityAgain) {
            reactor.unparkFollowers();
        }
        if (end) {
            close(cause);
        } else if (sent > 0) {
            receiver.sent(this, sent);
        }
    }

    private void watchCapacity(SelectionKey key, boolean wanted) {
        if (select(key, SelectionKey.OP_WRITE, wanted) && wanted) {
            reactor.wakeUp();
        }
    }

    /** Adds or removes an operation of the key. True if that changed what the selector watches for. */
    private static boolean select(SelectionKey key, int operation, boolean wanted) {
        try {
            if ((key.interestOps() & operation) != 0 == wanted) {
                return false;
            }
            int before = wanted ? key.interestOpsOr(operation) : key.interestOpsAnd(~operation);
            return (before & operation) != 0 != wanted;
        } catch (CancelledKeyException e) { // closed meanwhile
            return false;
        }
    }

    // Reading and writing.

    @Override
    public void await(BooleanSupplier over, long deadline) throws InterruptedException {
        reactor.await(over, deadline);
    }

    @Override
    public void setReading(boolean reads) {
        boolean again = reads && !reading;
        reading = reads;
        watchReading();
        if (again) {
            reactor.execute(resumeReading); // reads what has arrived already
        }
    }

    /**
     * Updates whether the selector reports arriving bytes, which it does not while this side does not read. A doorbell
     * is always watched, since it also rings for free capacity.
     */
    private void watchReading() {
        synchronized (interest) {
            SelectionKey with = key;
            boolean wanted = wire.isPolled() ? !wire.hasEnded() : mayRead();
            if (with != null && select(with, SelectionKey.OP_READ, wanted) && wanted) {
                reactor.wakeUp();
            }
        }
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
        watch.trust();
        source.trust();
    }

    @Override
    public void keepAlive(long limitNanos) {
        if (!wire.isPolled()) { // else the peer is on this machine, and the system reports its end
            watch.keepAlive(limitNanos);
            reactor.checks().every(PeerWatch.interval(limitNanos));
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public void close() {
        close(cause);
    }

    /** Closes the connection for a reason that the peer has not caused. */
    void failed(Throwable failure) {
        reactor.report("the connection to " + peer, failure);
        close(new PsException(Code.UNAVAILABLE, "connection: " + failure, failure));
    }

    private void fail(IOException e) {
        LOG.debug("connection to {}: {}", peer, e.toString());
        close(new PsException(Code.UNAVAILABLE, "connection: " + e, e));
    }

    void close(PsException why) {
        synchronized (outbox) {
            if (!open) {
                return;
            }
            cause = refused ? cause : why;
            open = false;
            unsent = 0;
            outbox.clear();
        }
        try {
            wire.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}: {}", peer, e.toString());
        }
        reactor.unparkFollowers(); // a thread may be blocked on free capacity
        reactor.execute(ends); // on the leader, after all received frames, and without the closing thread's locks
    }

    /** Notifies the receiver of the end of the connection, once, on the leader. */
    private void end() {
        if (!ended) {
            ended = true;
            reactor.remove(this);
            source.release();
            reactor.dispatchEnd(receiver, this, cause);
        }
    }
}
