package io.psf.builtin.internal.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The latest saves whose copies of shards have begun, and whose files are being written. Attached to a server, on its
 * lane.
 */
final class FrozenSaves {
    /** Only one save of a model is under way at a time; there may be several models. */
    private static final int KEPT = 64;

    private final Map<Long, Frozen> saves = new LinkedHashMap<>();

    /**
     * A save on this server.
     *
     * @param begun completed when all copies have begun
     * @param written completed when all files are on the disk
     */
    private record Frozen(CompletionStage<Void> begun, CompletableFuture<List<WrittenFiles>> written) {}

    static FrozenSaves of(Node server) {
        return server.attachment("psf.model.frozen", FrozenSaves.class, FrozenSaves::new);
    }

    /** Begins a save, unless it has begun: the leader calls again if it has not got the answer. */
    CompletionStage<Void> begin(long save, Supplier<ModelSave> maker) {
        Frozen there = saves.get(save);
        if (there == null) {
            ModelSave made = maker.get();
            there = new Frozen(made.freeze(), made.written());
            saves.put(save, there);
            if (saves.size() > KEPT) {
                saves.remove(saves.keySet().iterator().next());
            }
        }
        return there.begun();
    }

    /**
     * Returns what this server has written of a save, if it has shards of the tensors.
     *
     * @throws PsException with {@code STORAGE} if this server does not know the save: it has come back since then
     */
    CompletionStage<List<WrittenFiles>> written(long save) {
        Frozen there = saves.get(save);
        if (there == null) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    String.format(
                            Locale.ROOT,
                            "save %016x: unknown (expected: begun by this server, which may have come back since)",
                            save));
        }
        return there.written().copy();
    }
}
