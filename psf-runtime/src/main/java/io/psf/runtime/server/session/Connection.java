package io.psf.runtime.server.session;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.Draft;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What a node knows of one connection to it: who is at the other end, which of its calls must not be run twice, and how
 * many bytes it makes this node keep. Above the bound no more requests are read, and none that were read are run, until
 * answers have been taken. A connection with a session outlives its channel: another one may take its place.
 * Thread-safe.
 */
public final class Connection {
    private static final int KEPT_CANCELLED = 1000;

    /** With more unsent, no more calls of a connection are run: what they answer would only wait, and leave the caches. */
    private static final long MOST_UNSENT = 4 << 20;

    private final FramePool pool;
    private final long bound;
    private final Admission admission;
    private final Answers answers;
    private final AtomicLong arrivals = new AtomicLong();
    private final AtomicLong requested = new AtomicLong();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong unsent = new AtomicLong();
    private final Object regulating = new Object();
    private boolean paused;
    // These belong to the admission's line.
    private long wanted;
    private volatile boolean isInLine;
    private boolean isGranted;
    private volatile boolean isArriving;
    private int channelNumber;
    private final Deque<Runnable> stalled = new ArrayDeque<>();
    /** The latest calls that were given up; each may have been run already. */
    private final Set<Long> cancelled = new LinkedHashSet<>();

    private volatile Channel channel;
    private volatile @Nullable Member member;
    private volatile long session;
    private volatile long detachedAt;
    private volatile boolean open = true;
    private byte @Nullable [] challenge;

    Connection(Channel channel, FramePool pool, long bound, Admission admission) {
        this.channel = channel;
        this.pool = pool;
        this.bound = bound;
        this.admission = admission;
        this.answers = new Answers(bound, admission);
    }

    /** The connection's channel, the latest one. */
    public Channel channel() {
        return channel;
    }

    /** Who is at the other end; null until it has said so. */
    public @Nullable Member member() {
        return member;
    }

    /** The rank of the worker at the other end; -1 if it is no worker, or has not said who it is. */
    int worker() {
        Member known = member;
        return known != null && known.role() == Role.WORKER ? known.rank() : -1;
    }

    /**
     * True if a worker is at the other end. The calls of one worker have an order; those of a server serve several
     * callers, none of which may wait for another's.
     */
    boolean isOfWorker() {
        return worker() >= 0;
    }

    /** What the next hello has to answer. */
    public synchronized void setChallenge(byte[] nonce) {
        challenge = nonce;
    }

    /** The challenge, for one use; null for none. */
    public synchronized byte @Nullable [] takeChallenge() {
        byte[] nonce = challenge;
        challenge = null;
        return nonce;
    }

    /** The other end has said who it is. */
    public void identify(Member member) {
        this.member = member;
        channel.trust();
    }

    /**
     * From now on its calls are run once, however often they come, and a new channel may take the place of this one.
     *
     * @param number that only the other end knows; not 0
     */
    void open(long number) {
        session = number;
    }

    /** Whether its calls are remembered. */
    boolean hasSession() {
        return session != 0;
    }

    long session() {
        return session;
    }

    /** A channel is gone, and may be replaced, unless that has been done already. */
    void detach(Channel gone) {
        synchronized (regulating) {
            if (channel != gone) {
                return;
            }
            detachedAt = Math.max(1, System.nanoTime());
            forgetUnsent();
        }
        admission.leave(this);
    }

    /** What a channel had unsent is lost with it. */
    private void forgetUnsent() {
        admission.unsent(-unsent.getAndSet(0));
    }

    /** Whether it has been without a channel for longer than that. */
    boolean isDetachedFor(long nanos) {
        return detachedAt != 0 && System.nanoTime() - detachedAt >= nanos;
    }

    /**
     * Goes on over another channel; the old one is returned.
     *
     * @param number of the channel in the session
     * @return null if the connection has ended, or has gone on over a later one already
     */
    @Nullable
    Channel moveTo(Channel other, int number) {
        synchronized (regulating) {
            if (!open || number <= channelNumber) {
                return null;
            }
            Channel old = channel;
            channelNumber = number;
            channel = other;
            detachedAt = 0;
            forgetUnsent();
            other.trust();
            admission.leave(this);
            other.setReading(!paused);
            return old;
        }
    }

    boolean isOpen() {
        return open;
    }

    void close() {
        synchronized (regulating) {
            open = false;
            forgetUnsent();
        }
        admission.leave(this);
        answers.clear();
    }

    Answers answers() {
        return answers;
    }

    /** The number of the next request. */
    long nextArrival() {
        return arrivals.getAndIncrement();
    }

    /** A call that has not been run yet is not to be run. */
    void cancel(long call) {
        synchronized (cancelled) {
            cancelled.add(call);
            if (cancelled.size() > KEPT_CANCELLED) {
                cancelled.remove(cancelled.iterator().next());
            }
        }
    }

    /** Whether the other end has given a call up. */
    boolean hasCancelled(long call) {
        synchronized (cancelled) {
            return !cancelled.isEmpty() && cancelled.contains(call);
        }
    }

    /** Counts a request that waits. */
    void requested(int bytes) {
        requested.addAndGet(bytes);
        regulate();
    }

    /** A request no longer waits for its turn. */
    void started(int bytes) {
        requested.addAndGet(-bytes);
        regulate();
    }

    /** Counts bytes of requests that handlers keep which answer later, or do not keep any more. */
    void held(long bytes) {
        held.addAndGet(bytes);
    }

    /** Waits until there is memory for a long answer, as long as others are being sent. */
    void awaitMemory(int length) {
        admission.awaitAnswer(length);
    }

    void send(Frame answer) {
        count(answer.length());
        regulate();
        channel.offer(answer);
    }

    void send(Draft answer) {
        int length = answer.length();
        count(length);
        regulate();
        boolean written = false;
        try {
            Channel to = channel;
            if (!to.offer(answer)) {
                to.offer(Objects.requireNonNull(Frames.of(pool, answer)));
            }
            written = true;
        } finally {
            if (!written) { // a response that cannot be written: why is answered in its place
                count(-length);
            }
        }
    }

    private void count(long bytes) {
        unsent.addAndGet(bytes);
        admission.unsent(bytes);
    }

    /** So much has been taken from what was sent over a channel. */
    void sent(Channel over, long bytes) {
        synchronized (regulating) {
            if (channel == over && detachedAt == 0) { // what an earlier one had unsent is lost with it
                count(-bytes);
            }
        }
        runStalled();
    }

    /** What waited for room goes on, if there is room. */
    void runStalled() {
        regulate();
        if (unsent.get() <= MOST_UNSENT / 2) {
            for (Runnable next = poll(); next != null; next = poll()) {
                next.run();
            }
        }
    }

    /** Reads on, or not: decided and done under one lock, or a pause could be the last word. */
    void regulate() {
        synchronized (regulating) {
            long kept = Math.max(requested.get(), unsent.get());
            long most = admission.share(bound);
            boolean pause = isInLine || (paused ? kept > most / 2 : kept > most);
            if (pause != paused) {
                paused = pause;
                channel.setReading(!pause);
            }
        }
    }

    private @Nullable Runnable poll() {
        synchronized (stalled) {
            return stalled.pollFirst();
        }
    }

    /**
     * Whether the other end has taken enough of its answers for another call to be run.
     *
     * @param again run once it has, if it has not
     */
    boolean mayRun(Runnable again) {
        boolean hasRoom = admission.hasRoomForAnswers();
        if (unsent.get() <= MOST_UNSENT && hasRoom) {
            return true;
        }
        synchronized (stalled) {
            stalled.add(again);
        }
        if (!hasRoom) {
            admission.stall(this);
        } else {
            runStalled(); // in case the last answer went out in between
        }
        return false;
    }

    /**
     * Asks for the memory of the next frame; if that has to wait, so does reading.
     *
     * @return whether it may be taken
     */
    boolean admits(int length) {
        boolean admitted = admission.admits(this, length);
        if (admitted) {
            isArriving = true;
        } else {
            regulate();
        }
        return admitted;
    }

    /** A frame has come. */
    void arrived() {
        if (isArriving) {
            isArriving = false;
        }
    }

    /** Whether a long frame is being read. */
    boolean isArriving() {
        return isArriving && detachedAt == 0;
    }

    // Of the admission, in line.

    /** Waits for so much memory: false if it does already. */
    boolean waitsFor(long capacity) {
        boolean isNew = !isInLine && !isGranted;
        if (isNew) {
            wanted = capacity;
            isInLine = true;
        }
        return isNew;
    }

    /** How much memory it waits for, or was granted. */
    long wanted() {
        return wanted;
    }

    void grant() {
        isInLine = false;
        isGranted = true;
    }

    void stopsWaiting() {
        isInLine = false;
    }

    /** Takes what was granted: false if nothing was. */
    boolean takeGrant() {
        boolean was = isGranted;
        isGranted = false;
        return was;
    }

    /** Whether requests of it wait for their turn. */
    boolean hasWaiting() {
        return requested.get() > 0;
    }

    /** Bytes of its requests that wait for their turn, or that handlers keep which have not answered. */
    long inUse() {
        return requested.get() + held.get();
    }

    /** The rank of the other end; the highest number for one that has not said. */
    int rank() {
        Member known = member;
        return known == null ? Integer.MAX_VALUE : known.rank();
    }
}
