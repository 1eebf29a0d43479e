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
 * One connection. Whoever leads the reactor reads from it; any thread writes to it. A peer that sends anything but
 * frames, or that stops in the middle of one, is told so and cut off.
 */
final class WireChannel implements Channel {
    private static final Logger LOG = LoggerFactory.getLogger(WireChannel.class);

    /** A thread waits before it sends more than this, unsent. */
    private static final int MOST_UNSENT = 1 << 20;

    /** What is put off is written once it is this much. */
    private static final int MOST_PUT_OFF = 32 << 10;

    /** Or once it is so many frames: the peer works on them while this side makes the next ones. */
    private static final int MOST_FRAMES_PUT_OFF = 24;

    /** While so many requests have no answer, small ones are put off to be written together. */
    private static final int MANY = 4;

    /** Reads in one go, so that others have their turn. */
    private static final int READS = 16;

    /** How often a peer is looked at that was refused and does not take that, until it is cut off. */
    private static final int CHECKS_REFUSED = 8;

    /** The most checks after which is read on without memory. */
    private static final int MOST_CHECKS_STARVED = 8;

    private final Reactor reactor;
    private final Receiver receiver;
    private final FramePool pool;
    private final PeerWatch watch;
    private final String peer;
    private final boolean mayShare;
    private final BooleanSupplier hasRoom = this::hasRoom;
    /** Reads on. */
    private final Runnable readsOn = this::read;

    private final Runnable ends = this::end;

    /** Also the lock of everything that is written. */
    private final Outbox outbox;

    /** The lock of what the selector is asked to tell of. */
    private final Object interest = new Object();

    private volatile Wire wire;
    private volatile FrameSource source;
    private volatile @Nullable SelectionKey key;
    private volatile boolean putOff;
    /** Small frames that were put off and have not been written since. */
    private int framesPutOff;

    /** Room that a thread waits for; 0 for none. */
    private volatile int roomWanted;

    private boolean closing;

    private volatile boolean open = true;
    private volatile boolean reading = true;
    private volatile PsException cause = new PsException(Code.UNAVAILABLE, "connection closed");
    private volatile long unsent;

    /** Requests and answers that went over it, as near as needed to know whether many are under way. */
    private int requests;

    /** Counted by who leads the reactor. */
    private final AtomicInteger answers = new AtomicInteger();

    /** Bytes that went out by way of the outbox. */
    private long written;

    // Written by the leader alone.
    private volatile boolean refused;
    /** True if there was no memory to read with: reading goes on a little later. */
    private volatile boolean starved;

    private boolean ended;
    private int checksRefused;
    private int checksStarved;
    private int starvations;

    /**
     * A connection.
     *
     * @param watch of its peer
     * @param mayShare whether it may go on over shared memory if the peer asks for that
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

    /** The selector watches it from now on. */
    void registered(SelectionKey with) {
        synchronized (outbox) {
            key = with;
        }
        watchReading(); // it may have been stopped before
    }

    /** Reads what has come, when run by the leader. */
    Runnable readsOn() {
        return readsOn;
    }

    // Reading, by who leads the reactor.

    /**
     * Reads what has come and hands it over.
     *
     * @return whether there was something
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
                case PING -> frame.release(); // having come, it has served its purpose
                case ANSWER -> {
                    answers.lazySet(answers.get() + 1);
                    handOver(frame);
                }
                default -> {
                    if (watch.isStrange()) {
                        watch.asked();
                    }
                    handOver(frame);
                }
            }
        }
        return some;
    }

    /** Hands over a frame; what goes wrong with it is no business of other channels, and frames behind it come, too. */
    private void handOver(Frame frame) {
        try {
            reactor.handOver(receiver, this, frame);
        } catch (PsException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error("a frame from {} could not be handed over", peer, e);
        } catch (Error e) {
            // A call may be lost: over another connection a session asks for it again.
            reactor.report("handing over a frame from " + peer, e);
            close(new PsException(Code.UNAVAILABLE, "a frame could not be handed over: " + e, e));
        }
    }

    /** No memory to read with: a stranger is cut off, from others is read on when there may be some. */
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

    /** Reads on now and then, ever more seldom, since to find that there is no memory takes the JVM half a second. */
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

    /** The selector says that there is something to do. */
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
                    close(); // nobody takes what is unsent, nor waits for what is unread
                }
                watchReading();
            }
        }
    }

    /** Whether the selector will say so when there is something to do; false if there is already. */
    boolean prepareToSleep() {
        if (!open) {
            return true;
        }
        try {
            if (mayRead() && !source.prepareToSleep()) {
                return false;
            }
            synchronized (outbox) {
                int wanted = outbox.bytes() == 0 ? roomWanted : 1;
                return wanted == 0 || wire.prepareToWait(wanted);
            }
        } catch (IOException e) {
            fail(e);
            return false;
        }
    }

    /**
     * Goes on over shared memory if the peer, which has begun the connection, wants that and can.
     *
     * @param asked with the segment's name and token
     */
    private void link(Frame asked) throws IOException {
        TupleWriter answer = new TupleWriter();
        Code status = Code.OK;
        Wire shared = wire;
        try {
            if (!mayShare || wire.isPolled()) {
                throw new IOException("shared memory: not offered (expected: asked for once, where it is)");
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
                throw new IOException("a connection that has just begun takes no answer");
            }
            source.release();
            source = source(shared);
            wire = shared;
        }
        if (shared.isPolled()) {
            reactor.poll(this);
        }
    }

    /**
     * Ends the connection if the peer keeps this side waiting for too long; to be called now and then.
     *
     * @param now of the reactor's clock
     */
    void check(long now) {
        if (!open) {
            end(); // unless that has been done
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
            read(); // it may have come long ago, while this process was busy
            why = open && !refused && reactor.isLedHere() ? overdue(now) : null;
        }
        if (why != null && why.code() == Code.UNAVAILABLE) {
            LOG.warn("connection to {}: {}", peer, why.detail());
            close(why);
        } else if (why != null) {
            refuse(why);
        } else if (watch.isSignDue() && unsent == 0) { // or what is on its way is a sign as well
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

    /** Closes if the peer does not even take that it was refused. */
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

    // Writing, by anybody.

    @Override
    public void send(Frame frame, long deadline) {
        try {
            awaitRoom(deadline);
        } catch (PsException e) {
            frame.release();
            throw e;
        }
        boolean late = false;
        synchronized (outbox) {
            if (!open || closing) {
                frame.release();
                throw unavailable();
            }
            late = mayBeLate(frame.length());
            requests += frame.kind() == Frame.Kind.REQUEST ? 1 : 0;
            outbox.add(frame);
        }
        flush(late);
    }

    @Override
    public boolean send(Draft draft, long deadline) {
        int length = draft.length();
        boolean whole = length <= wire.longestDraft();
        if (whole && writeWhole(draft, deadline)) {
            return true;
        }
        if (!whole) {
            awaitRoom(deadline);
        }
        boolean late = false;
        synchronized (outbox) {
            if (!open || closing) {
                throw unavailable();
            }
            late = mayBeLate(length);
            requests += outbox.add(draft) ? 1 : 0;
        }
        flush(late);
        return true;
    }

    /** Whether something small may wait for others, to be written with them. */
    private boolean mayBeLate(int length) {
        return length <= Outbox.SMALL && requests - answers.get() >= MANY && !wire.isPolled() && putsOff(length);
    }

    /** Whether this and what was put off before is little enough to wait for more. */
    private boolean putsOff(int length) {
        return outbox.bytes() + length < MOST_PUT_OFF && ++framesPutOff < MOST_FRAMES_PUT_OFF;
    }

    /** Writes a draft straight to the wire, and waits for room; false for who would have to make it, by reading. */
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
                roomWanted = Math.max(roomWanted, 2 * length);
            }
            awaitRoom(() -> !open || unsent == 0 && wire.hasRoom(length), deadline);
        }
        return true;
    }

    /** Writes a draft straight to the wire, behind all that is unsent; false if there is no room, or none to be had. */
    private boolean write(Draft draft) {
        if (putOff || unsent > 0) {
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
        boolean late;
        synchronized (outbox) {
            if (!open || closing) {
                frame.release();
                return;
            }
            outbox.add(frame);
            late = reactor.isLedHere() && putsOff(0);
        }
        flush(late);
        offered();
    }

    /** Cuts a stranger off that asks and does not take the answers. */
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
        boolean late = false;
        long sent = -1;
        try {
            synchronized (outbox) {
                if (!open || closing) {
                    return true;
                }
                sent = length > Outbox.SMALL ? outbox.write(draft, wire) : -1;
                if (sent < 0) {
                    outbox.add(draft);
                    late = reactor.isLedHere() && putsOff(0);
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
            flush(late);
        }
        offered();
        return true;
    }

    private void awaitRoom(long deadline) {
        if (!hasRoom() && !reactor.isLedHere()) {
            awaitRoom(hasRoom, deadline);
        }
    }

    private void awaitRoom(BooleanSupplier room, long deadline) {
        try {
            if (!reactor.await(room, deadline)) {
                throw new PsException(Code.TIMED_OUT, peer + " takes no more frames");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PsException(Code.CANCELLED, "interrupted while sending", e);
        }
    }

    private boolean hasRoom() {
        return unsent < MOST_UNSENT || !open;
    }

    /** Writes what is unsent; or leaves it to who leads the reactor, or to the next thread that waits. */
    private void flush(boolean late) {
        if (!late) {
            flush();
            return;
        }
        synchronized (outbox) {
            if (putOff) {
                return;
            }
            putOff = true;
        }
        reactor.putOff(this);
    }

    /**
     * Writes and reads what there is, and tells those who wait for room when there is some.
     *
     * @return whether there was something to read
     */
    boolean look() {
        if (unsent > 0) {
            flush();
        }
        boolean some = read();
        int wanted = roomWanted;
        if (wanted > 0 && unsent == 0 && wire.hasRoom(wanted / 2)) {
            synchronized (outbox) {
                roomWanted = roomWanted == wanted ? 0 : roomWanted; // another may have come to want more
            }
            reactor.unparkFollowers();
        }
        return some;
    }

    private PsException unavailable() {
        return new PsException(Code.UNAVAILABLE, "connection to " + peer + ": closed");
    }

    /** Writes what there is room for; the reactor sees to the rest. */
    void flush() {
        long sent = 0;
        boolean end = false;
        boolean hasRoomAgain = false;
        try {
            synchronized (outbox) {
                putOff = false;
                framesPutOff = 0;
                if (!open) {
                    return;
                }
                sent = outbox.writeTo(wire);
                written += sent;
                hasRoomAgain = unsent >= MOST_UNSENT && outbox.bytes() < MOST_UNSENT;
                unsent = outbox.bytes();
                boolean rest = unsent > 0;
                end = closing && !rest;
                if (wire.isPolled() && rest) {
                    reactor.wakeUp(); // it sees to it that it is told of room
                } else if (key != null && !wire.isPolled()) {
                    wantRoom(key, rest);
                }
            }
        } catch (IOException e) {
            fail(e);
            return;
        }
        if (hasRoomAgain) {
            reactor.unparkFollowers();
        }
        if (end) {
            close(cause);
        } else if (sent > 0) {
            receiver.sent(this, sent);
        }
    }

    private void wantRoom(SelectionKey key, boolean wanted) {
        if (select(key, SelectionKey.OP_WRITE, wanted) && wanted) {
            reactor.wakeUp();
        }
    }

    /** Whether that changed what the selector watches for. */
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

    // Both.

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
            reactor.execute(readsOn); // what has come already
        }
    }

    /**
     * Lets the selector tell of what comes, or not, while nothing is to be read. A doorbell is always heard, since it rings
     * for room as well.
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
        if (!wire.isPolled()) { // else the other end is on this machine, which tells of its death
            watch.keepAlive(limitNanos);
            reactor.checkEvery(PeerWatch.interval(limitNanos));
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

    /** It is of no more use, for a reason that is none of its peer's. */
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
        reactor.unparkFollowers(); // one that waits for room
        reactor.execute(ends); // by the leader: after all that has come, and without the locks of this thread
    }

    /** Tells the receiver, once, by the leader. */
    private void end() {
        if (!ended) {
            ended = true;
            reactor.remove(this);
            source.release();
            reactor.handOverEnd(receiver, this, cause);
        }
    }
}
