package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The latest saves whose shards are copied, and whose files are being forced to the disk. Attached to a server, on its
 * lane.
 */
final class FrozenSaves {
    /** Only one save of a model is under way at a time; there may be several models. */
    private static final int KEPT = 8;

    private final Map<Long, CompletableFuture<List<SaveModel.Written>>> saves = new LinkedHashMap<>();

    static FrozenSaves of(Node server) {
        return server.attachment("psf.model.frozen", FrozenSaves.class, FrozenSaves::new);
    }

    void add(long save, CompletableFuture<List<SaveModel.Written>> written) {
        saves.put(save, written);
        if (saves.size() > KEPT) {
            saves.remove(saves.keySet().iterator().next());
        }
    }

    /**
     * Returns whether a save has ended on this server, and its index.
     *
     * @throws PsException the failure of the save; with {@code UNAVAILABLE} if this server does not know it
     */
    WrittenModel.Response ended(long save) {
        CompletableFuture<List<SaveModel.Written>> written = saves.get(save);
        if (written == null) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    String.format(Locale.ROOT, "save %016x: unknown (expected: begun by this server)", save));
        }
        if (!written.isDone()) {
            return new WrittenModel.Response(false, List.of());
        }
        try {
            return new WrittenModel.Response(true, written.join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof PsException known
                    ? known
                    : new PsException(
                            PsException.Code.STORAGE,
                            String.format(Locale.ROOT, "save %016x: %s", save, e.getCause()),
                            e);
        }
    }
}
