package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Saves and loads a tensor in the steps that it takes. */
public final class Checkpoints {
    /** A disk takes as long as it takes; a lost server is noticed by its heartbeats. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private Checkpoints() {}

    /**
     * Writes a file for each shard, and then the manifest that names them. Returns when all is on the disk. What this save or
     * one before has left that was not finished is deleted.
     *
     * @param tensor which tensor, as it is
     * @param checkpoint the checkpoint's name, a path below the servers' directory
     */
    public static void save(Caller caller, TensorInfo tensor, String checkpoint) {
        PsException notCleaned = clean(caller, tensor.id(), checkpoint);
        try {
            write(caller, tensor, checkpoint);
        } catch (PsException e) {
            if (notCleaned == null) {
                notCleaned = clean(caller, tensor.id(), checkpoint);
            }
            if (notCleaned != null) {
                e.addSuppressed(notCleaned);
            }
            throw e;
        }
    }

    /** Cleans up, or answers why not: a save may do without. */
    private static @Nullable PsException clean(Caller caller, TensorId tensor, String checkpoint) {
        try {
            var unused = CleanSavesPsf.stub(caller)
                    .withDeadline(LIMIT)
                    .call(tensor.number(), tensor, checkpoint)
                    .await();
            return null;
        } catch (PsException e) {
            return e;
        }
    }

    private static void write(Caller caller, TensorInfo tensor, String checkpoint) {
        long save = ThreadLocalRandom.current().nextLong();
        SaveTensor.Response saved = SaveTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), checkpoint, save)
                .await();
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < saved.begins().length(); i++) {
            pieces.add(new Piece(
                    saved.begins().get(i),
                    saved.ends().get(i),
                    saved.bytes().get(i),
                    saved.checksums().get(i)));
        }
        CommitSavePsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id().number(), tensor.id(), tensor.rows(), tensor.width(), checkpoint, save, pieces)
                .await();
    }

    /**
     * Lets all shards verify their files, and then load them: if a file is damaged or does not fit, no shard has changed.
     * Returns when all have loaded. A server that is lost, or a disk that fails, while they load leaves those that have
     * loaded beside those that have not: load again.
     *
     * @param tensor which tensor
     * @param checkpoint the checkpoint's name, a path below the servers' directory
     */
    public static void load(Caller caller, TensorId tensor, String checkpoint) {
        LoadTensorPsf.Stub stub = LoadTensorPsf.stub(caller).withDeadline(LIMIT);
        long save = stub.call(tensor, checkpoint, true, 0).await().save();
        stub.call(tensor, checkpoint, false, save).await();
    }
}
