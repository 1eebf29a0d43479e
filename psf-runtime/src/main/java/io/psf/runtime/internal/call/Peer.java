package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node that receives calls: its channel, its name in messages, and its functions. If the node holds a session of this
 * side, a broken channel is replaced. Thread-safe.
 */
public final class Peer {
    /** The node is told of so many ended calls with the next request. */
    private static final int MANY_DONE = 32;

    /** And of so many at once. */
    private static final int MOST_DONE = 128;

    /** The node counts as lost after this many refused connections, each soon after the previous one. */
    private static final int MOST_REFUSALS = 3;

    private static final long REFUSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private volatile String name;
    /** The declarations that were found to match the node's declarations, by number. */
    private final Map<Integer, FunctionInfo> agreed = new ConcurrentHashMap<>();

    /**
     * Functions that the node has under a former name: the declaration under that name, by the number of the current
     * name.
     */
    private final Map<Integer, FunctionInfo> renamed = new ConcurrentHashMap<>();

    /** A cache: the declaration that was checked last, which is most often the next one, too. */
    private volatile @Nullable FunctionInfo latest;

    private volatile @Nullable Map<Integer, FunctionInfo> functions;
    private volatile String searched = "";
    private volatile @Nullable PsException lost;
    /** True if the node has answered an outstanding call since this was asked last. */
    private volatile boolean answered;

    /** The latest channel while requests may be sent over it; null if they are left to the thread that reconnects. */
    private volatile @Nullable Line usable;

    /** Starts to connect again; null if a broken channel is not replaced. Written under the lock. */
    private volatile @Nullable Consumer<Peer> reconnect;

    // Guarded by this.
    private Line line;
    private boolean connected = true;
    private long silenceLimit;
    private int refusals;
    private long refusedAt;
    private final long[] done = new long[MOST_DONE];
    private int doneCount;
    /** This side is done with every call of a smaller number. */
    private long doneBelow;

    /** The number of ended calls that may have changed something on the node. */
    private long writes;

    /** The value of {@code writes} at which the node was last known to be alive. */
    private long confirmed;

    /**
     * A channel to the peer.
     *
     * @param epoch the channel's number among those to this peer, from 1
     */
    record Line(Channel channel, int epoch) {}

    /**
     * Creates a peer.
     *
     * @param name for messages, for example {@code server 1 (127.0.0.1:4081)}
     */
    public Peer(Channel channel, String name) {
        this.line = new Line(channel, 1);
        this.usable = line;
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** Returns the latest channel. */
    public synchronized Channel channel() {
        return line.channel();
    }

    /**
     * Returns the channel to send a request over now; null if it has to be left to the thread that reconnects.
     *
     * @param again true if the calling thread reconnects
     */
    @Nullable
    Line line(boolean again) {
        Line now = usable;
        return now == null ? disconnectedLine(again) : now;
    }

    /**
     * With the lock, so that either {@link #connect} finds the call that the calling thread leaves to the reconnecting
     * thread, or the calling thread finds the channel.
     */
    private synchronized @Nullable Line disconnectedLine(boolean again) {
        return connected || again ? line : null;
    }

    private void setConnected(boolean now) {
        connected = now;
        usable = now ? line : null;
    }

    /**
     * Sets the functions that the node has reported.
     *
     * @param functions by number
     * @param searched where the node searched for handlers
     */
    public void setFunctions(Map<Integer, FunctionInfo> functions, String searched) {
        this.searched = searched;
        this.functions = Map.copyOf(functions);
    }

    /**
     * Turns to another node that has taken the place of this one. Called while the peer is not connected.
     *
     * @param functions by number
     * @param searched where the node searched for handlers
     */
    public void succeed(String name, Map<Integer, FunctionInfo> functions, String searched) {
        this.name = name;
        setFunctions(functions, searched);
        agreed.clear();
        renamed.clear();
        latest = null;
    }

    /**
     * Declares that the node holds a session of this side: a broken channel is replaced, and the node is told which
     * calls are done.
     *
     * @param reconnect starts to connect again; must return soon
     * @return false if the channel is broken already; nothing was done
     */
    public synchronized boolean onDisconnect(Consumer<Peer> reconnect) {
        if (!line.channel().isOpen()) {
            return false;
        }
        this.reconnect = reconnect;
        return true;
    }

    /** Enables {@link Channel#keepAlive keep-alive} on this channel and on the channels that replace it. */
    public synchronized void keepAlive(long limitNanos) {
        silenceLimit = limitNanos;
        line.channel().keepAlive(limitNanos);
    }

    /**
     * Counts a refusal of the channel by the node.
     *
     * @return true if the node counts as lost. A single refusal may be the result of frames that were lost, a repeated
     *     one is not
     */
    synchronized boolean refuses() {
        long now = System.nanoTime();
        refusals = refusals > 0 && now - refusedAt < REFUSED_AGAIN_NANOS ? refusals + 1 : 1;
        refusedAt = now;
        return reconnect == null || refusals >= MOST_REFUSALS;
    }

    /**
     * Closes the channel if it is replaced then: the outstanding calls are sent again. Called if an answer is missing
     * that the node would have sent: frames may have been damaged on the way.
     */
    public void renew() {
        Channel old;
        synchronized (this) {
            if (reconnect == null || !connected) {
                return;
            }
            old = line.channel();
        }
        old.close();
    }

    /** Records that the node has answered an outstanding call. */
    void answered() {
        if (!answered) { // most often it is set: a read is cheaper than a write
            answered = true;
        }
    }

    /** Returns whether the node has answered an outstanding call since this method was called last. */
    public boolean takeProgress() {
        if (!answered) {
            return false;
        }
        answered = false;
        return true;
    }

    /** Marks the node as lost: from now on every call to it fails with this cause. */
    synchronized void lose(PsException cause) {
        if (lost == null) {
            lost = cause;
        }
    }

    /** True if the node is lost. */
    public boolean isLost() {
        return lost != null;
    }

    /** Returns why the node is lost; null if it is not. */
    @Nullable
    PsException lost() {
        return lost;
    }

    /**
     * Handles the end of a channel: starts to reconnect, unless that is in progress. False if the channel is not
     * replaced.
     */
    boolean disconnect(Channel gone) {
        Consumer<Peer> again;
        synchronized (this) {
            again = reconnect;
            if (again == null || lost != null) {
                return false;
            }
            if (!connected || line.channel() != gone) {
                return true;
            }
            setConnected(false);
        }
        again.accept(this);
        return true;
    }

    /**
     * Sets the next channel. The outstanding calls are sent over it before new ones are.
     *
     * @return the epoch of the channel
     */
    synchronized int replace(Channel next) {
        line = new Line(next, line.epoch() + 1);
        setConnected(connected);
        if (silenceLimit > 0) {
            next.keepAlive(silenceLimit);
        }
        doneCount = 0;
        return line.epoch();
    }

    /**
     * Allows new calls to be sent again.
     *
     * @param isAllSent true if no outstanding call has still to be sent again
     * @return true if that is so, the channel is open, and the node is not lost
     */
    synchronized boolean connect(BooleanSupplier isAllSent) {
        setConnected(lost == null && line.channel().isOpen() && isAllSent.getAsBoolean());
        return connected;
    }

    /**
     * Records that this side is done with a call. Tells the node with a later request, or now if many calls are recorded.
     *
     * @param now true to tell the node at once
     */
    synchronized void done(FramePool pool, long call, boolean now) {
        if (record(call) && (now || doneCount == MOST_DONE)) {
            tellDone(pool, doneBelow);
        }
    }

    /** Tells the node that this side is done with a call that the node has not answered. */
    synchronized void cancel(FramePool pool, long call) {
        if (record(call)) {
            line.channel().offer(takeDone(pool, 0)); // the call has to be listed: the node may not remember it
        }
    }

    /** Records an ended call. Returns false if the node cannot be told of it. */
    private boolean record(long call) {
        writes++;
        if (connected && (doneCount == 0 || done[doneCount - 1] != call)) {
            done[doneCount++] = call;
        }
        return connected;
    }

    /**
     * Returns the number of ended calls that may have changed something on the node; -1 if the node was known to be
     * alive after all of them.
     */
    public synchronized long unconfirmed() {
        return writes == confirmed ? -1 : writes;
    }

    /** Records that the node was alive after that many of those calls. */
    public synchronized void confirm(long after) {
        confirmed = Math.max(confirmed, after);
    }

    /** Returns why the node is lost if this side has changed something on it; else null. */
    public synchronized @Nullable PsException lostWrites() {
        return writes > 0 ? lost : null;
    }

    /** True if the node has to be told which calls this side is done with. */
    boolean keepsSession() {
        return reconnect != null;
    }

    /** True if the node has to be told of the recorded calls with the next request. May be stale. */
    boolean hasManyDone() {
        return doneCount >= MANY_DONE;
    }

    /** True if recorded calls have to be sent to the node now. */
    synchronized boolean hasDone() {
        return connected && doneCount > 0;
    }

    /** Returns a number below which this side was done with every call when the node was told last. */
    synchronized long doneBelow() {
        return doneBelow;
    }

    /**
     * Tells the node which calls this side is done with.
     *
     * @param below every call of a smaller number is done, too
     */
    synchronized void tellDone(FramePool pool, long below) {
        line.channel().offer(takeDone(pool, below));
    }

    /** Does what {@link #tellDone} does, with the request that the calling thread sends next. */
    synchronized void tellDoneWithNext(FramePool pool, long below) {
        if (hasDone()) {
            line.channel().offerWithNext(takeDone(pool, below));
        }
    }

    /** Takes the recorded calls. Those below a number need not be listed. */
    private Frame takeDone(FramePool pool, long below) {
        int listed = 0;
        for (int i = 0; i < doneCount; i++) {
            if (done[i] >= below) {
                done[listed++] = done[i];
            }
        }
        doneCount = 0;
        doneBelow = Math.max(doneBelow, below);
        return Frames.done(pool, below, Arrays.copyOf(done, listed));
    }

    /**
     * Checks that the node is not lost and has the function, with a schema that agrees with this side's in the older of
     * the two versions.
     *
     * @throws PsException with {@code UNAVAILABLE}, {@code UNKNOWN_FUNCTION} or {@code SCHEMA_MISMATCH}
     */
    @SuppressWarnings("ReferenceEquality") // the same object as in the earlier check; equality would compare its text
    void require(FunctionInfo mine) {
        PsException cause = lost;
        if (cause != null) {
            throw cause.at(mine.name(), null, null, name);
        }
        Map<Integer, FunctionInfo> known = functions;
        if (known == null || mine == latest) {
            return;
        }
        if (agreed.get(mine.id()) == mine) {
            latest = mine;
            return;
        }
        FunctionInfo named = mine;
        FunctionInfo theirs = known.get(mine.id());
        for (int i = 0; theirs == null && i < mine.formerly().size(); i++) {
            named = mine.as(mine.formerly().get(i));
            theirs = known.get(named.id());
        }
        if (theirs == null) {
            throw new PsException(
                            PsException.Code.UNKNOWN_FUNCTION,
                            "function: \"" + mine.name() + "\" (expected: one that the server has a handler of: put the"
                                    + " jar of its @PsHandler on the server's class path, with --classpath JAR of psf launch,"
                                    + " server or node; it searched " + searched + ")")
                    .at(mine.name(), null, null, name);
        }
        requireAgreement(named, theirs);
        if (named != mine) {
            renamed.put(mine.id(), named);
        }
        agreed.put(mine.id(), mine);
    }

    /** Returns a checked function under the name that the node has for it. */
    FunctionInfo named(FunctionInfo mine) {
        return mine.formerly().isEmpty() ? mine : renamed.getOrDefault(mine.id(), mine);
    }

    private void requireAgreement(FunctionInfo mine, FunctionInfo theirs) {
        int common = Math.min(mine.version(), theirs.version());
        if (!mine.name().equals(theirs.name()) || mine.fingerprint(common) != theirs.fingerprint(common)) {
            throw new PsException(
                            PsException.Code.SCHEMA_MISMATCH,
                            "schema: " + mine.schemas().get(common - 1) + " (expected: "
                                    + theirs.schemas().get(common - 1) + ", which the server has)")
                    .at(mine.name(), null, null, name);
        }
    }
}
