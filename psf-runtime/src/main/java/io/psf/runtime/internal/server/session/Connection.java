package io.psf.runtime.internal.server.session;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.internal.server.lane.CallSource;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Draft;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A node's state of one incoming connection: the identity of its peer, the calls that must not run twice, and the bytes
 * that it occupies on this node. Above the limit no more requests are read, and no request that was read is run, until
 * the peer has received answers. A connection with a session survives its channel: another channel may replace it.
 * Thread-safe.
 */
public final class Connection implements CallSource, MemoryUser {
    private final FramePool pool;
    private volatile long bound;
    private final Admission admission;
    private final Answers answers;
    private final AtomicLong arrivals = new AtomicLong();
    private final QueuedRequests queued = new QueuedRequests();
    private final PeerMemory memory;
    private final UnsentAnswers unsent;
    private final FrameMemory frameMemory = new FrameMemory();
    private final Object regulating = new Object();
    private volatile boolean paused;
    /** True if no more requests of the peer are read, whatever memory is free. */
    private volatile boolean isHalted;

    private volatile boolean isArriving;
    private int channelNumber;
    private final CancelledCalls cancelled = new CancelledCalls();

    private volatile Channel channel;
    private volatile @Nullable Member member;
    /** The turns of the calls of a guest or worker; null for other peers. */
    private volatile @Nullable Turns turns;

    private final SessionTerm term = new SessionTerm();
    private volatile long session;
    private volatile long detachedAt;
    private volatile boolean open = true;
    private final PeerRights rights = new PeerRights();

    public Connection(Channel channel, FramePool pool, long bound, Admission admission) {
        this.channel = channel;
        this.pool = pool;
        this.bound = bound;
        this.admission = admission;
        this.answers = new Answers(bound, admission);
        this.memory = new PeerMemory(admission.decoded());
        this.unsent = new UnsentAnswers(admission);
    }

    public Channel channel() {
        return channel;
    }

    /** Returns the peer's identity; null until the peer is identified. */
    public @Nullable Member member() {
        return member;
    }

    /**
     * Returns the rank of the worker that is the peer; -1 if the peer is a server or a guest, or is not identified; a
     * number of its own below -1 for a client.
     */
    public int worker() {
        Member known = member;
        if (known == null || known.role() == Role.SERVER) {
            return -1;
        }
        return known.role() == Role.CLIENT ? -2 - known.rank() : known.rank();
    }

    /**
     * True if the peer is a worker or a client. The calls of one of them are ordered. The calls of a server serve
     * several callers, and must not wait for each other.
     */
    public boolean isOfWorker() {
        return worker() != -1;
    }

    /** True if the peer is a guest: no member of the cluster, for which only functions run that change nothing. */
    public boolean isOfGuest() {
        Member known = member;
        return known != null && PeerLimits.isGuest(known);
    }

    /** Returns how the peer proves who it is, and what it may call. */
    public PeerRights rights() {
        return rights;
    }

    /** Sets the peer's identity. */
    public void identify(Member member) {
        if (PeerLimits.isGuest(member)) {
            long most = PeerLimits.bytesOfAGuest(pool.bound());
            bound = Math.min(bound, most);
            unsent.limit(most);
            turns = new Turns(1);
        } else if (member.role() != Role.SERVER) {
            turns = new Turns(PeerLimits.CALLS_OF_A_WORKER);
        }
        memory.limit(PeerLimits.isGuest(member) ? bound : Long.MAX_VALUE);
        this.member = member;
        channel.trust();
    }

    /**
     * Makes the peer's calls run once, however often they are sent. From now on a new channel may replace the current
     * one.
     *
     * @param number a number that only the peer knows; not 0
     */
    public void open(long number) {
        session = number;
    }

    /** Returns how long the session lasts. */
    public SessionTerm term() {
        return term;
    }

    /** True if the connection has a session: its calls are recorded. */
    public boolean hasSession() {
        return session != 0;
    }

    public long session() {
        return session;
    }

    /** Detaches a closed channel, unless it has been replaced already. */
    public void detach(Channel gone) {
        synchronized (regulating) {
            if (channel != gone) {
                return;
            }
            detachedAt = Math.max(1, System.nanoTime());
            unsent.forget();
        }
        admission.leave(this);
    }

    /** True if the connection has had no channel for at least {@code nanos}. */
    public boolean isDetachedFor(long nanos) {
        return detachedAt != 0 && System.nanoTime() - detachedAt >= nanos;
    }

    /**
     * Continues over another channel.
     *
     * @param number the number of the channel in the session
     * @return the old channel; null if the connection has ended, or has already moved to a later channel
     */
    @Nullable
    public Channel moveTo(Channel other, int number) {
        synchronized (regulating) {
            if (!open || number <= channelNumber) {
                return null;
            }
            Channel old = channel;
            channelNumber = number;
            channel = other;
            detachedAt = 0;
            unsent.forget();
            other.trust();
            admission.leave(this);
            other.setReading(!paused);
            return old;
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    public void close() {
        synchronized (regulating) {
            open = false;
            unsent.forget();
        }
        admission.leave(this);
        answers.clear();
    }

    public Answers answers() {
        return answers;
    }

    public long nextArrival() {
        return arrivals.getAndIncrement();
    }

    public CancelledCalls cancelled() {
        return cancelled;
    }

    public void requested(int bytes) {
        queued.add(bytes);
        regulate();
    }

    /** Removes a request that no longer waits for its turn. */
    public void started(int bytes) {
        queued.remove(bytes);
        regulate();
    }

    /** Returns the memory that the peer's requests hold. */
    public PeerMemory memory() {
        return memory;
    }

    /** Blocks until there is memory for a long answer, as long as other answers are being sent. */
    public void awaitMemory(int length) {
        admission.awaitAnswer(length);
    }

    public void answer(Frame answer) {
        Channel to = channel;
        try {
            unsent.add(answer.length());
            regulate();
            to.offer(answer);
        } catch (Error e) { // the caller would wait for it; over its next connection it asks again
            to.close();
            throw e;
        }
    }

    public void answer(Draft answer) {
        int length = answer.length();
        boolean written = false;
        try {
            unsent.add(length);
            regulate();
            Channel to = channel;
            if (!to.offer(answer)) {
                to.offer(Objects.requireNonNull(Frames.of(pool, answer)));
            }
            written = true;
        } finally {
            if (!written) { // the response cannot be written: an error is sent in its place
                unsent.add(-length);
            }
        }
    }

    /** Subtracts bytes that have been sent over a channel. */
    public void sent(Channel over, long bytes) {
        synchronized (regulating) {
            if (channel == over && detachedAt == 0) { // the unsent bytes of an earlier channel are no longer counted
                unsent.add(-bytes);
            }
        }
        runDeferred();
    }

    /** Stops to read requests of a peer that is no server, or reads them again. */
    public void halt(boolean halted) {
        Member known = member;
        if (known != null && known.role() != Role.SERVER && halted != isHalted) {
            isHalted = halted;
            regulate();
        }
    }

    /** True if the peer has all answers, and none of its requests waits for its turn. */
    public boolean isSettled() {
        return queued.number() == 0 && (unsent.bytes() == 0 || detachedAt != 0);
    }

    @Override
    public void runDeferred() {
        regulate();
        unsent.runDeferred();
    }

    /**
     * Pauses or resumes reading. A thread that changes nothing takes no lock. One that does decides again afterwards:
     * it may have decided by what another thread has changed since, which has not seen the pause.
     */
    @Override
    public void regulate() {
        while (mustPause() != paused) {
            synchronized (regulating) {
                boolean pause = mustPause();
                if (pause != paused) {
                    paused = pause;
                    channel.setReading(!pause);
                }
            }
        }
    }

    private boolean mustPause() {
        int part = paused ? 2 : 1; // reading goes on when half of it is left
        return isHalted
                || frameMemory.isWaiting()
                || Math.max(queued.bytes(), unsent.bytes()) > admission.share(bound) / part
                || queued.number() > admission.mostWaiting() / part;
    }

    @Override
    public boolean mayRun(Runnable again) {
        boolean hasCapacity = admission.hasAnswerCapacity();
        if (unsent.mayRun() && hasCapacity) {
            return true;
        }
        unsent.defer(again);
        if (!hasCapacity) {
            admission.defer(this);
        } else {
            runDeferred(); // in case the last answer was sent in between
        }
        return false;
    }

    /**
     * True if the peer has received enough of its answers for another call on the node itself. A call of a member or a
     * stranger may keep the cluster together, so it does not wait for the answers of other peers: if the unsent answers
     * of all peers take too much memory, it waits until the peer has received its own.
     *
     * @param again run later, if this returns false
     */
    public boolean mayRunOnNode(Runnable again) {
        if (isOfGuest()) {
            return mayRun(again);
        }
        if (unsent.mayRun() && (unsent.bytes() == 0 || admission.hasUsualAnswerCapacity())) {
            return true;
        }
        unsent.defer(again);
        if (unsent.bytes() == 0) { // the last answer was sent in between
            runDeferred();
        }
        return false;
    }

    /**
     * Returns the turns of which a call on the node has to take one; null for none. Those of a guest take turns, so
     * that they do not keep the lanes from other peers; of a worker's, those for which no other call waits.
     *
     * @param isAnsweredLater true if the call is read-only, and its handler answers later
     */
    public @Nullable Turns turns(boolean isAnsweredLater) {
        return isAnsweredLater || isOfGuest() ? turns : null;
    }

    /**
     * Requests the memory of the next frame. If the frame has to wait, reading pauses.
     *
     * @return true if the memory may be taken
     * @throws io.psf.api.PsException with {@code RESOURCE_EXHAUSTED} if the frame is too long for the node, or for a
     *     guest
     */
    public boolean admits(int length) {
        PeerLimits.requireFrame(this, length, bound);
        boolean admitted = admission.admits(this, length);
        if (admitted) {
            isArriving = true;
        } else {
            regulate();
        }
        return admitted;
    }

    /** Marks the frame that was being read as received. */
    public void arrived() {
        if (isArriving) {
            isArriving = false;
        }
    }

    /** True if a long frame is being read. */
    public boolean isArriving() {
        return isArriving && detachedAt == 0;
    }

    @Override
    public FrameMemory frameMemory() {
        return frameMemory;
    }

    /** True if requests of the connection wait. */
    public boolean hasWaiting() {
        return queued.number() > 0;
    }

    @Override
    public long inUse() {
        return queued.bytes() + memory.held();
    }

    @Override
    public int rank() {
        Member known = member;
        return known == null || known.role() == Role.CLIENT || isOfGuest() ? Integer.MAX_VALUE : known.rank();
    }
}
