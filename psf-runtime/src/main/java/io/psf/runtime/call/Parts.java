package io.psf.runtime.call;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.RequestHeader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a call: the slice and the peer of each, the channel that it was last sent over, and whether its answer has
 * arrived. The lock of the call guards the sends and the answers.
 */
final class Parts {
    /** Stored in {@code sent} instead of the last send: the answer of the part has arrived. */
    private static final int ANSWERED = -1;

    /** Reused by each thread to read one answer after another. */
    private static final ThreadLocal<TupleReader> READERS = ThreadLocal.withInitial(TupleReader::new);

    private final @Nullable TensorLayout layout;
    private final Routing routing;
    private final Peer[] peers;
    /**
     * By part: the epoch of the peer's channel that it was last sent over, times 256, plus the number of sends; or
     * {@link #ANSWERED}.
     */
    private final int[] sent;

    private int missing;

    /**
     * Creates the parts of a call that has not been sent.
     *
     * @param layout of the tensor whose shards the call runs on; null for a call to nodes
     * @param peers by part
     */
    Parts(@Nullable TensorLayout layout, Routing routing, Peer[] peers) {
        this.layout = layout;
        this.routing = routing;
        this.peers = peers;
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

    /** Returns the tensor whose shards the call runs on; null for a call to nodes. */
    @Nullable
    TensorId tensor() {
        return layout == null ? null : layout.info().id();
    }

    /** True if the parts go to the same slice numbers on the same nodes and lanes as those of another call. */
    boolean arePlacedAs(Parts other) {
        if (layout != null && other.layout != null) {
            return layout.meets(other.layout);
        }
        return layout == null && other.layout == null && Arrays.equals(peers, other.peers);
    }

    /** Returns the part that the peer answers for a slice; -1 if none. */
    int of(int slice, @Nullable Peer peer) {
        int part = routing.part(slice);
        return part >= 0 && peers[part] == peer ? part : -1;
    }

    /** Returns the place that a part is for, as its request's header says it. */
    RequestHeader.Target target(int part) {
        int slice = routing.slice(part);
        return layout == null
                ? new RequestHeader.Target(0, slice, (short) 0)
                : new RequestHeader.Target(layout.info().id().number(), slice, layout.stamp(slice));
    }

    /** Adds to an error where it happened. */
    PsException place(int part, String function, PsException cause) {
        TensorId tensor = tensor();
        return cause.at(
                function,
                tensor == null ? null : tensor.name(),
                part >= 0 && layout != null ? layout.range(routing.slice(part)).toString() : null,
                part >= 0 ? peers[part].name() : null);
    }

    /** Returns the layouts by which the call was split: of the tensor that it runs on, and of the others. */
    List<TensorLayout> layouts() {
        List<TensorLayout> all = new ArrayList<>(others());
        if (layout != null) {
            all.add(0, layout);
        }
        return all;
    }

    /** Returns the layouts of the other tensors, besides the one that the call runs on, whose keys it has. */
    List<TensorLayout> others() {
        return routing.others();
    }

    /**
     * Notes that a part is being sent over the peer's channel of an epoch.
     *
     * @return false if it was sent over that channel before, or was answered
     */
    boolean claim(int part, int epoch) {
        if (!isUnsent(part, epoch)) {
            return false;
        }
        sent[part] = epoch << 8 | Math.min(255, (sent[part] & 255) + 1);
        return true;
    }

    private boolean isUnsent(int part, int epoch) {
        return sent[part] != ANSWERED && sent[part] >>> 8 != epoch;
    }

    /** True if a part for the peer still has to be sent over the channel of that epoch. */
    boolean waitFor(Peer peer, int epoch) {
        for (int part = 0; part < sent.length; part++) {
            if (peers[part] == peer && isUnsent(part, epoch)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns how many times a part may have been sent before. If its answer has arrived in the meantime, the number
     * may be too high, but is never 0.
     */
    int attempt(int part) {
        return (sent[part] & 255) - 1;
    }

    /**
     * Adds the answer of a part to the others.
     *
     * @throws PsException the error that the answer is
     */
    void add(int part, Frame answer, Merge<?> merge) {
        if (answer.status() != PsException.Code.OK) {
            throw new PsException(answer.status(), answer.reader(null).string());
        }
        merge.add(part, answer.reader(READERS.get(), null));
        answered(part);
    }

    boolean isAnswered(int part) {
        return sent[part] == ANSWERED;
    }

    void answered(int part) {
        sent[part] = ANSWERED;
        missing--;
    }

    /** Returns the number of parts whose answers are missing. */
    int missing() {
        return missing;
    }
}
