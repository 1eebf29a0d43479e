package io.psf.builtin.checkpoint;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.spi.OwnerFiles;
import io.psf.builtin.push.AtMost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The models whose folders this job has for itself: two jobs that save to one folder would delete each other's steps. A
 * lock on a file in the model's folder is held from the first save until the server ends. The system drops it when the
 * process ends in any way. One server has the locks of all models. Attached to that server, used on its lane.
 */
final class ModelLocks implements AutoCloseable {
    static final String NAME = "lock";

    /** The most models that one job saves: the lock of each has an open file. */
    static final int MOST = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(ModelLocks.class);

    /**
     * The files that this process has locked. It opens none of them again: locks of POSIX belong to a process, and end
     * when it closes any channel of the file.
     */
    private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

    private final Map<Path, FileChannel> held = new HashMap<>();
    /** The models whose folders are held: two names may be one folder. */
    private final Set<String> names = new HashSet<>();

    static ModelLocks of(Node server) {
        return server.attachment("psf.model.locks", ModelLocks.class, ModelLocks::new);
    }

    /**
     * Takes a model's folder for this job, unless it has it.
     *
     * @param root the server's checkpoint directory
     * @throws PsException with {@code CONFIGURATION} if another job has it; with {@code STORAGE} if the lock's file
     *     cannot be written
     */
    void take(Path root, String model) {
        String name = CheckpointPath.shared(model);
        if (!names.contains(name)) {
            AtMost.requireOneMore(
                    "models that this job saves, with \"" + name + "\"",
                    names.size(),
                    MOST,
                    "use another job for further models");
        }
        Path folder = CheckpointPath.of(root, name);
        Path below = CheckpointPath.of(root, model);
        try {
            Path file = OwnerFiles.createDirectories(folder).toRealPath().resolve(NAME);
            OwnerFiles.createDirectories(below);
            if (!held.containsKey(file)) {
                hold(folder, name, file);
            }
            OwnerFiles.forceNames(below);
            names.add(name);
        } catch (IOException e) {
            throw Folder.failure("locking " + folder, e);
        }
    }

    private void hold(Path folder, String model, Path file) throws IOException {
        if (!HERE.add(file)) {
            throw refused(folder, model, file);
        }
        boolean taken = false;
        try {
            held.put(file, locked(folder, model, file));
            taken = true;
        } finally {
            if (!taken) {
                HERE.remove(file);
            }
        }
    }

    private static FileChannel locked(Path folder, String model, Path file) throws IOException {
        FileChannel channel = OwnerFiles.openOrCreate(file);
        boolean taken = false;
        try {
            if (!isLocked(channel, file)) {
                throw refused(folder, model, file);
            }
            ByteBuffer owner = ByteBuffer.wrap(owner().getBytes(StandardCharsets.UTF_8));
            channel.truncate(0);
            channel.write(owner, 0);
            taken = true;
            return channel;
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    /** Locks a file. Returns false if another process has locked it; true also if its file system has no locks. */
    private static boolean isLocked(FileChannel channel, Path file) {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (IOException e) {
            LOG.warn("{}: no lock against a second job, since its file system has none: {}", file, e.toString());
            return true;
        }
    }

    private static PsException refused(Path folder, String model, Path file) {
        String owner;
        try {
            owner = Folder.text(file).strip();
        } catch (IOException e) {
            owner = "";
        }
        return new PsException(
                PsException.Code.CONFIGURATION,
                "checkpoints of model \"" + model + "\" in " + folder + ": another job saves there"
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
        held.forEach((file, channel) -> {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.warn("unlocking {}: {}", file, e.toString());
            }
            HERE.remove(file);
        });
        held.clear();
    }
}
