package io.psf.builtin;

import io.psf.api.PsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The saves that a thread of their own completes while the worker trains, and what that thread learns in place of the
 * worker's: that the workers go back to a checkpoint.
 */
final class SavesApart {
    private final AtomicReference<@Nullable PsException> rolledBack = new AtomicReference<>();
    private CompletableFuture<Void> latest = CompletableFuture.completedFuture(null);

    /** Begins to complete a save. */
    void run(Runnable save) {
        latest = CompletableFuture.allOf(latest, CompletableFuture.runAsync(save, task -> {
            Thread thread = new Thread(task, "psf-checkpoint");
            thread.setDaemon(true);
            thread.start();
        }));
    }

    /** Learns why a call of a save has failed. */
    void failed(Throwable why) {
        if (why instanceof PsException known && known.code() == PsException.Code.ROLLED_BACK) {
            rolledBack.set(known);
        }
    }

    /**
     * Checks that the rollback of the workers failed no call of a save.
     *
     * @throws PsException with {@code ROLLED_BACK}
     */
    void requireNotRolledBack() {
        PsException why = rolledBack.getAndSet(null);
        if (why != null) {
            throw why;
        }
    }

    /** Waits until no save is under way: the workers go back, or the loop ends. */
    void end() {
        var unused = latest.handle((saved, failure) -> null).join();
        rolledBack.set(null);
    }
}
