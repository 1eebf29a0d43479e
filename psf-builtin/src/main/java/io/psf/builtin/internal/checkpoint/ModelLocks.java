package io.psf.builtin.internal.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.spi.CheckpointStore;
import io.psf.api.spi.StoredNode;
import io.psf.builtin.push.AtMost;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models whose folders this job has for itself: two jobs that save to one folder would delete each other's steps. A
 * lock on a file in the model's folder is held from the first save until the server ends, in any way. One server has
 * the locks of all models. Attached to that server, used on its lane.
 */
final class ModelLocks implements AutoCloseable {
    private static final String FILE = "lock";

    /** The most models that one job saves: the lock of each has an open file. */
    static final int MOST = 1000;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(ModelLocks.class);

    private final Map<String, Closeable> held = new HashMap<>();

    static ModelLocks of(Node server) {
        return server.attachment("psf.model.locks", ModelLocks.class, ModelLocks::new);
    }

    /**
     * Takes a model's folder for this job, unless it has it.
     *
     * @throws PsException with {@code CONFIGURATION} if another job has it; with {@code STORAGE} if the lock's file
     *     cannot be written
     */
    void take(CheckpointStore store, String model) {
        Folder folder = folder(store, model);
        if (!take(folder)) {
            throw refused(folder);
        }
    }

    private static Folder folder(CheckpointStore store, String model) {
        CheckpointNames.require("checkpoint", model);
        return new Folder(store, CheckpointNames.shared(model));
    }

    /**
     * Takes a model's folder for this job as {@link #take} does, and asks again for as long as the lock may be of a
     * process that has ended.
     */
    CompletionStage<Void> await(StoredNode server, String model) {
        CheckpointStore store = server.checkpoints();
        Folder folder = folder(store, model);
        if (take(folder)) {
            return CompletableFuture.completedFuture(null);
        }
        long questions = store.lockOutlives().dividedBy(PAUSE);
        if (questions == 0) {
            throw refused(folder);
        }
        LOG.warn(
                "{}; asked again for {} s",
                refused(folder).detail(),
                store.lockOutlives().toSeconds());
        CompletableFuture<Void> taken = new CompletableFuture<>();
        again(server, folder, questions, taken);
        return taken;
    }

    private void again(Node server, Folder folder, long questions, CompletableFuture<Void> taken) {
        var unused = server.after(PAUSE, () -> {
            try {
                if (take(folder)) {
                    taken.complete(null);
                } else if (questions <= 1) {
                    taken.completeExceptionally(refused(folder));
                } else {
                    again(server, folder, questions - 1, taken);
                }
            } catch (PsException e) {
                taken.completeExceptionally(e);
            }
        });
    }

    /** Takes a folder. Returns false if another job has it. */
    private boolean take(Folder folder) {
        String name = folder.model();
        if (held.containsKey(name)) {
            return true;
        }
        AtMost.requireOneMore(
                "models that this job saves, with \"" + name + "\"",
                held.size(),
                MOST,
                "use another job for further models");
        try {
            Closeable lock = folder.store().lock(folder.name(FILE), owner().getBytes(StandardCharsets.UTF_8));
            if (lock != null) {
                held.put(name, lock);
            }
            return lock != null;
        } catch (UnsupportedOperationException e) {
            LOG.warn("no lock against a second job, since the place of checkpoints has none: {}", e.getMessage());
            held.put(name, () -> {});
            return true;
        } catch (IOException e) {
            throw Folder.failure("locking " + folder.place(FILE), e);
        }
    }

    private static PsException refused(Folder folder) {
        String owner;
        try {
            owner = folder.text(FILE).lines().reduce("", (before, last) -> last);
        } catch (IOException e) {
            owner = "";
        }
        return new PsException(
                PsException.Code.CONFIGURATION,
                "checkpoints of model \"" + folder.model() + "\" in "
                        + folder.store().place(folder.model()) + ": another job saves there"
                        + (owner.isEmpty() ? "" : ", " + owner)
                        + " (expected: a directory or a model name of its own for each job)");
    }

    private static String owner() {
        return "process " + ProcessHandle.current().pid() + " on " + host() + " since "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS) + "\n";
    }

    private static String host() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException e) {
            return System.getenv().getOrDefault("HOSTNAME", "a host without a name");
        }
    }

    /** Leaves the folders to the next job. */
    @Override
    public void close() {
        held.forEach((name, lock) -> {
            try {
                lock.close();
            } catch (IOException e) {
                LOG.warn("unlocking model \"{}\": {}", name, e.toString());
            }
        });
        held.clear();
    }
}
