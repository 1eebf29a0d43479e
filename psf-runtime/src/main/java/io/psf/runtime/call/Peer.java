package io.psf.runtime.call;

import io.psf.runtime.transport.Channel;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import io.psf.api.PsException;
import io.psf.api.spi.FunctionInfo;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A node that calls go to: its channel, its name in messages, and the functions it has. Where it keeps a session of this
 * side, a channel that breaks is replaced. Thread-safe.
 */
public final class Peer {
    private static final int MOST_DONE = 32;

    /** A node that refuses so many connections, each soon after the one before, is given up. */
    private static final int MOST_REFUSALS = 3;

    private static final long REFUSED_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String name;
    /** The declarations that were found to agree, by number. */
    private final Map<Integer, FunctionInfo> agreed = new ConcurrentHashMap<>();

    /** Functions that the node has under a former name, as it knows them, by the number of the name that they have here. */
    private final Map<Integer, FunctionInfo> renamed = new ConcurrentHashMap<>();

    /** The declaration that was asked for last: most often the next one, too. */
    private volatile @Nullable FunctionInfo latest;

    private volatile @Nullable Map<Integer, FunctionInfo> functions;
    private volatile String searched = "";
    private volatile @Nullable PsException lost;

    // Guarded by this.
    private Channel channel;
    /** Counts the channels. */
    private int epoch = 1;

    private boolean connected = true;
    private @Nullable Consumer<Peer> reconnect;
    private long silenceLimit;
    private int refusals;
    private long refusedAt;
    private final long[] done = new long[MOST_DONE];
    private int doneCount;

    /** How many calls that may have changed something on the node are over. */
    private long writes;

    /** After how many of them the node was last known to be there. */
    private long confirmed;

    /**
     * A node.
     *
     * @param name for messages, for example {@code server 1 (127.0.0.1:4081)}
     */
    public Peer(Channel channel, String name) {
        this.channel = channel;
        this.name = name;
    }

    public String name() {
        return name;
    }

    /** The channel, the latest one. */
    public synchronized Channel channel() {
        return channel;
    }

    /**
     * What the node said it has.
     *
     * @param functions by number
     * @param searched where it looked for handlers
     */
    public void setFunctions(Map<Integer, FunctionInfo> functions, String searched) {
        this.searched = searched;
        this.functions = Map.copyOf(functions);
    }

    /**
     * The node keeps a session of this side: a broken channel is to be replaced, and the node told what is done.
     *
     * @param reconnect begins to connect again, and returns soon
     * @return false if the channel has broken already: nothing was done
     */
    public synchronized boolean onDisconnect(Consumer<Peer> reconnect) {
        if (!channel.isOpen()) {
            return false;
        }
        this.reconnect = reconnect;
        return true;
    }

    /** From now on this channel, and those that replace it, are {@link Channel#keepAlive kept alive}. */
    public synchronized void keepAlive(long limitNanos) {
        silenceLimit = limitNanos;
        channel.keepAlive(limitNanos);
    }

    /**
     * Takes note that the node refuses the channel.
     *
     * @return whether it is to be given up: a refusal may come of what was lost on the way, but not again and again
     */
    synchronized boolean refuses() {
        long now = System.nanoTime();
        refusals = refusals > 0 && now - refusedAt < REFUSED_AGAIN_NANOS ? refusals + 1 : 1;
        refusedAt = now;
        return reconnect == null || refusals >= MOST_REFUSALS;
    }

    /** From now on every call fails with this. */
    synchronized void lose(PsException cause) {
        if (lost == null) {
            lost = cause;
        }
    }

    /** Whether it is given up. */
    public boolean isLost() {
        return lost != null;
    }

    /** Why it is given up; null if it is not. */
    @Nullable
    PsException lost() {
        return lost;
    }

    /** Takes note that the channel broke: false if it is not to be replaced. */
    boolean disconnect(Channel gone) {
        Consumer<Peer> again;
        synchronized (this) {
            again = reconnect;
            if (again == null || lost != null) {
                return false;
            }
            if (!connected || channel != gone) {
                return true;
            }
            connected = false;
        }
        again.accept(this);
        return true;
    }

    /** The next channel, over which outstanding calls are sent again before new ones are. */
    synchronized int replace(Channel next) {
        channel = next;
        if (silenceLimit > 0) {
            next.keepAlive(silenceLimit);
        }
        doneCount = 0;
        return ++epoch;
    }

    /**
     * Lets new calls be sent again.
     *
     * @param isAllSent whether no outstanding call has still to be sent again
     * @return whether that is so, the channel still stands, and the node is not given up
     */
    synchronized boolean connect(BooleanSupplier isAllSent) {
        connected = lost == null && channel.isOpen() && isAllSent.getAsBoolean();
        return connected;
    }

    /**
     * The channel to send a part of a call over, now; null if that is left to whoever connects again, or is done.
     *
     * @param again whether it is asked by the one who connects again
     */
    synchronized @Nullable Channel claim(Call<?> call, int part, boolean again) {
        return (connected || again) && call.claim(part, epoch) ? channel : null;
    }

    /**
     * Notes that this side is done with a call, and tells the node when there is enough to tell.
     *
     * @param now whether to tell it at once
     */
    synchronized void done(FramePool pool, long call, boolean now) {
        writes++;
        if (!connected) {
            return;
        }
        if (doneCount == 0 || done[doneCount - 1] != call) {
            done[doneCount++] = call;
        }
        if (now || doneCount == MOST_DONE) {
            tellDone(pool, 0);
        }
    }

    /** How many calls that may have changed something on the node are over; -1 if it was there after all of them. */
    public synchronized long unconfirmed() {
        return writes == confirmed ? -1 : writes;
    }

    /** The node was there after that many of those calls. */
    public synchronized void confirm(long after) {
        confirmed = Math.max(confirmed, after);
    }

    /** Why the node is given up, if this side has changed something on it; else null. */
    public synchronized @Nullable PsException lostWrites() {
        return writes > 0 ? lost : null;
    }

    /** Whether the node has to be told which calls this side is done with. */
    synchronized boolean keepsSession() {
        return reconnect != null;
    }

    /** Whether there is something to tell the node. */
    synchronized boolean hasDone() {
        return connected && doneCount > 0;
    }

    /**
     * Tells the node what this side is done with.
     *
     * @param below every call of a smaller number is among it
     */
    synchronized void tellDone(FramePool pool, long below) {
        channel.offer(Frames.done(pool, below, Arrays.copyOf(done, doneCount)));
        doneCount = 0;
    }

    /**
     * Checks that the node is there and has the function, with the schema that this side has.
     *
     * @throws PsException with {@code UNAVAILABLE}, {@code UNKNOWN_FUNCTION} or {@code SCHEMA_MISMATCH}
     */
    @SuppressWarnings("ReferenceEquality") // the very object that was compared before; equality would read its text
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
                            "function: \"" + mine.name() + "\" (expected: one that the server has a handler of; it"
                                    + " searched " + searched + "; put the jar of its @PsHandler there)")
                    .at(mine.name(), null, null, name);
        }
        requireAgreement(named, theirs);
        if (named != mine) {
            renamed.put(mine.id(), named);
        }
        agreed.put(mine.id(), mine);
    }

    /** A function that the node was found to have, under the name that the node has for it. */
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
