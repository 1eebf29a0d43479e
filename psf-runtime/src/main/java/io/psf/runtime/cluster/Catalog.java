package io.psf.runtime.cluster;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The scheduler's tensors and the placement of their slices. Used on the scheduler's lane. */
final class Catalog {
    /** The maximum size of a slice, so that any array of a shard fits in one buffer. */
    private static final long MOST_BYTES_OF_A_SLICE = 1L << 30;

    private static final int MOST_SLICES = 1 << 16;

    private final int servers;
    private final Map<Integer, Entry> entries = new HashMap<>();

    /** Replaces a number of slices: pieces that fit in a core's cache. */
    static final int PIECES = -1;

    private static final int BYTES_OF_A_PIECE = 1 << 18;

    /** Limits the pieces of a server, since each piece is a message of its own. */
    private static final int MOST_PIECES_OF_A_SERVER = 256;

    private record Entry(
            TensorLayout layout, int slices, @Nullable TensorId beside, String declaration) {
        String text() {
            return Catalog.text(layout.info(), slices, beside, declaration);
        }
    }

    Catalog(int servers) {
        this.servers = servers;
    }

    /**
     * Places a tensor, or returns its existing placement.
     *
     * @param beside the tensor whose slices, servers and lanes it shares; null for its own
     */
    TensorLayout declare(TensorInfo info, int slices, @Nullable TensorId beside, String declaration) {
        if (slices < PIECES) {
            throw new PsException(PsException.Code.BAD_REQUEST, "slices: " + slices + " (expected: >= " + PIECES + ")");
        }
        Entry there = entries.get(info.id().number());
        if (there == null) {
            TensorLayout layout = beside == null ? place(info, slices) : place(info, slices, layout(beside));
            entries.put(info.id().number(), new Entry(layout, slices, beside, declaration));
            return layout;
        }
        if (!there.layout().info().id().equals(info.id())) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "tensors \"" + there.layout().info().id() + "\" and \"" + info.id()
                            + "\": the same number on the wire (expected: other numbers; rename one of them)");
        }
        String text = text(info, slices, beside, declaration);
        if (!there.text().equals(text)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "declaration of tensor \"" + info.id() + "\": " + text + " (expected: " + there.text()
                            + ", as it was declared before; Tensors.clear frees the name)");
        }
        return there.layout();
    }

    private static String text(TensorInfo info, int slices, @Nullable TensorId beside, String declaration) {
        String shape = info.shape() + " slices=" + slices + (beside == null ? "" : " beside=" + beside);
        return declaration.contains(shape) ? declaration : (shape + " " + declaration).trim();
    }

    TensorLayout layout(TensorId id) {
        Entry entry = entries.get(id.number());
        if (entry == null || !entry.layout().info().id().equals(id)) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensor: \"" + id + "\" (expected: one that has been initialized)");
        }
        return entry.layout();
    }

    boolean forget(TensorId id) {
        return entries.remove(id.number()) != null;
    }

    /**
     * Places slices of equal size, neighbours in order. If there are fewer slices than servers, the tensor's number
     * selects the first server.
     */
    private TensorLayout place(TensorInfo info, int wanted) {
        double bytes = info.grows() ? 0 : 4.0 * info.width() * info.rows(); // slots are float32
        double least = Math.ceil(bytes / MOST_BYTES_OF_A_SLICE);
        if (Math.max(least, wanted) > MOST_SLICES) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + info.id() + "\": " + info.shape() + " in " + (long) Math.max(least, wanted)
                            + " slices, each of at most 1 GB (expected: at most " + MOST_SLICES + " slices)");
        }
        long chosen = servers;
        if (wanted > 0) {
            chosen = wanted;
        } else if (wanted == PIECES) {
            double pieces = Math.min(Math.ceil(bytes / BYTES_OF_A_PIECE), (double) MOST_PIECES_OF_A_SERVER * servers);
            chosen = Math.max(servers, (long) pieces);
        }
        long slices = Math.min(info.rows(), Math.max(chosen, (long) least));
        int first = slices < servers ? Math.floorMod(info.id().number(), servers) : 0;
        int[] owners = new int[Math.toIntExact(slices)];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = slices < servers ? (first + i) % servers : (int) ((long) i * servers / slices);
        }
        return TensorLayout.even(info, owners);
    }

    /** Places the slices on the servers and lanes of another tensor's slices, in the same number. */
    private static TensorLayout place(TensorInfo info, int wanted, TensorLayout other) {
        int slices = other.slices();
        if (wanted > 0 && wanted != slices || slices > info.rows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices of tensor \"" + info.id() + "\" beside \""
                            + other.info().id() + "\": "
                            + (wanted > 0 ? wanted : info.rows() + " at most, its rows") + " (expected: " + slices
                            + ", as many as that has)");
        }
        double bytes = info.grows() ? 0 : 4.0 * info.width() * info.rows();
        double least = Math.ceil(bytes / MOST_BYTES_OF_A_SLICE);
        if (least > slices) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + info.id() + "\": " + info.shape() + " in " + slices + " slices, beside \""
                            + other.info().id() + "\" (expected: slices of at most 1 GB; make that with slices("
                            + (long) least + "))");
        }
        return TensorLayout.beside(info, other);
    }
}
