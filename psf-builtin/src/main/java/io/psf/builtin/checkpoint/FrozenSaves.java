package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * The latest saves whose shards are copied, and whose files are being forced to the disk. Attached to a server, on its
 * lane.
 */
final class FrozenSaves {
    /** Only one save of a model is under way at a time; there may be several models. */
    private static final int KEPT = 64;

    private final Map<Long, CompletableFuture<List<WrittenModel.Written>>> saves = new LinkedHashMap<>();

    static FrozenSaves of(Node server) {
        return server.attachment("psf.model.frozen", FrozenSaves.class, FrozenSaves::new);
    }

    void add(long save, CompletableFuture<List<WrittenModel.Written>> written) {
        saves.put(save, written);
        if (saves.size() > KEPT) {
            saves.remove(saves.keySet().iterator().next());
        }
    }

    /**
     * Returns what this server has written of a save, if it has shards of the tensors.
     *
     * @throws PsException with {@code UNAVAILABLE} if this server does not know the save
     */
    CompletionStage<List<WrittenModel.Written>> written(long save) {
        CompletableFuture<List<WrittenModel.Written>> written = saves.get(save);
        if (written == null) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    String.format(Locale.ROOT, "save %016x: unknown (expected: begun by this server)", save));
        }
        return written.copy();
    }
}
