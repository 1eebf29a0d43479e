package io.psf.runtime.internal.call;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.RequestHeader;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a call by number, packed into arrays, and the merge of their answers. A {@link Part} shows one.
 *
 * <p>This object is the lock of its call: claims and answers take it. No other lock is taken while it is held. The
 * peers and the routing change only when refused parts are {@link #point pointed} at other peers; a thread that has not
 * taken the lock since may still see those before, and its claim fails then.
 *
 * @param <R> the response of the call
 */
final class CallParts<R> {
    /** Stored in {@code sent} instead of the last send: the answer of the part has been merged. */
    private static final int ANSWERED = -1;

    /** Stored in {@code sent} instead of the last send: the part has an error. */
    private static final int FAILED = -2;

    /** Reused by each thread to read one answer after another. */
    private static final ThreadLocal<TupleReader> READERS = ThreadLocal.withInitial(TupleReader::new);

    private final Peer[] peers;
    /**
     * By part: the epoch of the peer's channel that it was last sent over, times 256, plus the number of sends to the
     * peer; or {@link #ANSWERED} or {@link #FAILED}. 0 for a part that has to be sent. Once parts have been pointed at
     * other peers, the stamps that the requests have follow, by part: requests in flight have another layout than the
     * pointed parts.
     */
    private volatile int[] sent;

    private Routing routing;
    private int missing;

    /** Null once the call has ended. */
    private volatile @Nullable Merge<R> merge;

    /**
     * Creates the parts of a call that has not been sent.
     *
     * @param peers by part
     */
    CallParts(Routing routing, Peer[] peers, Merge<R> merge) {
        this.routing = routing;
        this.peers = peers;
        this.merge = merge;
        this.missing = peers.length;
        this.sent = new int[peers.length];
    }

    int count() {
        return peers.length;
    }

    Routing routing() {
        return routing;
    }

    Peer peer(int part) {
        return peers[part];
    }

    int slice(int part) {
        return routing.slice(part);
    }

    /** Shows a part. */
    synchronized Part part(int part) {
        int last = sent[part];
        Part.State state = switch (last) {
            case 0 -> Part.State.UNSENT;
            case ANSWERED -> Part.State.ANSWERED;
            case FAILED -> Part.State.FAILED;
            default -> Part.State.SENT;
        };
        return new Part(slice(part), peers[part], last < 0 ? 0 : last & 255, state);
    }

    /** Returns the layout of the tensor whose shards the call runs on; null for a call to nodes. */
    private @Nullable TensorLayout layout() {
        return routing.tensor() == null ? null : routing.layout();
    }

    /** Returns the tensor whose shards the call runs on; null for a call to nodes. */
    @Nullable
    TensorId tensor() {
        return routing.tensor() == null ? null : routing.tensor().id();
    }

    /** True if the parts go to the same slice numbers on the same nodes and lanes as the parts of another call. */
    boolean arePlacedAs(CallParts<?> other) {
        TensorLayout layout = layout();
        TensorLayout others = other.layout();
        if (layout != null && others != null) {
            return layout.meets(others);
        }
        return layout == null && others == null && Arrays.equals(peers, other.peers);
    }

    /** True if a part goes to a peer, or may be pointed at it later. */
    boolean mayGoTo(Peer peer) {
        return routing.tensor() != null || Arrays.asList(peers).contains(peer);
    }

    /** Returns the part that the peer answers for a slice; -1 if none. */
    int of(int slice, @Nullable Peer peer) {
        int part = routing.part(slice);
        return part >= 0 && peers[part] == peer ? part : -1;
    }

    /** Returns the place that a part is for, as its request's header says it. */
    RequestHeader.Target target(int part) {
        TensorLayout layout = layout();
        int slice = routing.slice(part);
        return layout == null
                ? new RequestHeader.Target(0, slice, (short) 0)
                : new RequestHeader.Target(layout.info().id().number(), slice, stamp(part, layout));
    }

    private short stamp(int part, TensorLayout layout) {
        int[] stamps = sent;
        return stamps.length == peers.length ? layout.stamp(routing.slice(part)) : (short) stamps[peers.length + part];
    }

    /** Adds to an error where it happened. */
    PsException place(int part, String function, PsException cause) {
        TensorLayout layout = layout();
        return cause.at(
                function,
                layout == null ? null : layout.info().id().name(),
                part >= 0 && layout != null ? layout.range(routing.slice(part)).toString() : null,
                part >= 0 ? peers[part].name() : null);
    }

    /** Returns the error of a call whose deadline has passed, after {@code millis} ms. Called with the lock. */
    PsException late(String function, long millis) {
        if (missing == 0) {
            return place(
                    -1,
                    function,
                    new PsException(
                            PsException.Code.TIMED_OUT,
                            "the caller's own merge, finish or record constructor: still running after " + millis
                                    + " ms"));
        }
        PsException late = new PsException(
                PsException.Code.TIMED_OUT, missing + " of " + count() + " answers missing after " + millis + " ms");
        List<PsException> errors = new ArrayList<>();
        for (int part = 0; part < count() && errors.size() < Together.MOST_NAMED; part++) {
            if (part(part).isMissing()) {
                errors.add(place(part, function, late));
            }
        }
        return Together.of(errors, missing - errors.size());
    }

    /** Returns the layouts by which the call was split: of the tensor that it runs on, and of the others. */
    List<TensorLayout> layouts() {
        List<TensorLayout> all = new ArrayList<>(routing.others());
        TensorLayout layout = layout();
        if (layout != null) {
            all.add(0, layout);
        }
        return all;
    }

    // Sending.

    /**
     * Claims a part: the calling thread has to send it to the peer now, over the channel that this method returns.
     * Returns null if another thread sends it or has sent it over that channel, if it has been answered or is another
     * peer's by now, or if the call has ended.
     *
     * <p>The peer's lock and this one are taken one after the other. The peer may be connected again in between. Then
     * the thread that reconnects claims the part for the next channel, before or after this claim: a claim for an
     * earlier channel than the last one fails, and what is sent over a channel that has been replaced is lost, or a
     * repetition.
     *
     * @param again true if the calling thread reconnects to the peer
     */
    @Nullable
    Channel claim(int part, Peer peer, boolean again) {
        Peer.Line line = peer.line(again);
        return line != null && claim(part, peer, line.epoch()) ? line.channel() : null;
    }

    private synchronized boolean claim(int part, Peer peer, int epoch) {
        if (merge == null || peers[part] != peer || !isUnsent(part, epoch)) {
            return false;
        }
        sent[part] = epoch << 8 | Math.min(255, (sent[part] & 255) + 1);
        return true;
    }

    private boolean isUnsent(int part, int epoch) {
        return sent[part] >= 0 && sent[part] >>> 8 < epoch;
    }

    /** True if a part for the peer still has to be sent over the channel of that epoch. */
    synchronized boolean waitFor(Peer peer, int epoch) {
        for (int part = 0; merge != null && part < peers.length; part++) {
            if (peers[part] == peer && isUnsent(part, epoch)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns how many times a part may have been sent to its peer before, on the thread that has claimed it. If its
     * answer has arrived in the meantime, the number may be too high, but is never 0. Takes no lock.
     */
    int attempt(int part) {
        return (sent[part] & 255) - 1;
    }

    /**
     * Points the parts with an error, all of which were refused, at the owners of their slices in a later layout: they
     * have to be sent again. The other parts stay as they are. Called with the lock.
     *
     * @param routing of the same parts by the later layouts
     * @param owners by rank
     */
    void point(Routing routing, List<Peer> owners) {
        int[] with = Arrays.copyOf(sent, 2 * peers.length);
        for (int part = 0; part < peers.length; part++) {
            int slice = routing.slice(part);
            if (with[part] == FAILED) {
                peers[part] = owners.get(routing.layout().server(slice));
                with[part] = 0;
                with[peers.length + part] = routing.layout().stamp(slice);
                missing++;
            } else {
                with[peers.length + part] = stamp(part, this.routing.layout());
            }
        }
        this.routing = routing;
        sent = with;
    }

    /**
     * True if a part with an error was sent by an earlier layout than the call has now: the part was in flight while
     * another one was pointed at its server in the later layout.
     */
    synchronized boolean haveErrorsOfOtherLayouts() {
        TensorLayout layout = layout();
        for (int part = 0; layout != null && part < peers.length; part++) {
            if (sent[part] == FAILED && stamp(part, layout) != layout.stamp(routing.slice(part))) {
                return true;
            }
        }
        return false;
    }

    /** True if the call has ended. Takes no lock; the fence orders this thread's earlier reads before the read of the end. */
    boolean haveEnded() {
        VarHandle.loadLoadFence();
        return merge == null;
    }

    // Answers. Called with the lock.

    /**
     * Returns the part that an answer is for; -1 if it is not needed. A refusal says that a request has not run: it is
     * needed only if it is of the request that was sent last.
     *
     * @param peer the node that has answered
     * @param epoch of the peer's channel that the answer came over
     */
    int answering(Frame answer, @Nullable Peer peer, int epoch) {
        int part = merge == null ? -1 : of(answer.slice(), peer);
        boolean late = part >= 0
                && answer.isRefusal()
                && (epoch < sent[part] >>> 8 || answer.layout() != target(part).layout());
        return part < 0 || late || sent[part] < 0 ? -1 : part;
    }

    /**
     * Adds the answer of a part to the others.
     *
     * @throws PsException the error that the answer is
     */
    void add(int part, Frame answer, Merge<R> merge) {
        if (answer.status() != PsException.Code.OK) {
            throw new PsException(answer.status(), answer.reader(null).string());
        }
        merge.add(part, answer.reader(READERS.get(), null));
        sent[part] = ANSWERED;
        missing--;
    }

    /** Marks a part that has an error. */
    void failed(int part) {
        sent[part] = FAILED;
        missing--;
    }

    /** True if a part needs no answer any more. */
    boolean isAnswered(int part) {
        return sent[part] < 0;
    }

    /** Returns the number of parts whose answers are missing. */
    int missing() {
        return missing;
    }

    /** Returns the merge of the answers; null once the call has ended. */
    @Nullable
    Merge<R> merge() {
        return merge;
    }

    /** Ends the call: no part is sent any more. */
    void end() {
        merge = null;
    }
}
