package io.psf.builtin.checkpoint;

import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Saves and loads a tensor: runs the calls that a save or a load consists of. */
public final class Checkpoints {
    /** The deadline of each call. Disks may be slow; heartbeats detect a lost server much earlier. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private Checkpoints() {}

    /** Returns the name that the tensors of a model are saved under at a step. */
    public static String name(String model, long step) {
        return "%s/step-%012d".formatted(model, step);
    }

    /**
     * Writes one file per shard, then the manifest that names them. Blocks until everything is on the disk. Deletes the
     * files of unfinished saves, this one included if it fails.
     *
     * @param tensor the tensor to save
     * @param checkpoint the checkpoint's name, a path below the servers' checkpoint directory
     * @return the save's unique number
     */
    public static long save(Caller caller, TensorInfo tensor, String checkpoint) {
        return save(caller, tensor, checkpoint, Base.NONE).save();
    }

    /**
     * The save that another one may build on.
     *
     * @param checkpoint the checkpoint's name; empty if there is none
     * @param save the save's unique number
     * @param increments the largest number of increments that may follow a file with all rows; 0 for files with all rows
     *     that no later save builds on
     */
    public record Base(String checkpoint, long save, int increments) {
        static final Base NONE = new Base("", 0, 0);
    }

    /**
     * The files of a save.
     *
     * @param save the save's unique number
     * @param bytes the bytes that were written
     * @param increments the number of files that are increments
     */
    public record Saved(long save, long bytes, int increments) {}

    /**
     * Saves as {@link #save(Caller, TensorInfo, String)}, but of each shard the changes alone if its files of an earlier
     * save can be built on.
     */
    public static Saved save(Caller caller, TensorInfo tensor, String checkpoint, Base base) {
        PsException notCleaned = clean(caller, tensor.id(), checkpoint);
        try {
            return write(caller, tensor, checkpoint, base);
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

    /**
     * Deletes the files of unfinished saves. Returns the failure instead of throwing it, since a save can go on
     * without.
     */
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

    private static Saved write(Caller caller, TensorInfo tensor, String checkpoint, Base base) {
        long save = ThreadLocalRandom.current().nextLong();
        SaveTensor.Response saved = SaveTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), checkpoint, save, base.checkpoint(), base.save(), base.increments())
                .await();
        List<Piece> pieces = new ArrayList<>();
        for (int i = 0; i < saved.begins().length(); i++) {
            pieces.add(new Piece(
                    save,
                    saved.begins().get(i),
                    saved.ends().get(i),
                    saved.bytes().get(i),
                    saved.checksums().get(i),
                    saved.bases().get(i)));
        }
        CommitSavePsf.stub(caller)
                .withDeadline(LIMIT)
                .call(
                        tensor.id().number(),
                        tensor.id(),
                        tensor.rows(),
                        tensor.width(),
                        checkpoint,
                        save,
                        pieces,
                        base.checkpoint())
                .await();
        return new Saved(save, pieces.stream().mapToLong(Piece::bytes).sum(), (int)
                pieces.stream().filter(piece -> piece.bases() > 0).count());
    }

    /**
     * Makes all shards verify their files, then load them. If a file is damaged or does not fit, no shard changes.
     * Blocks until all shards have loaded. If a server is lost or a disk fails during the second step, some shards have
     * loaded and others have not; load again.
     *
     * @param tensor the tensor to load
     * @param checkpoint the checkpoint's name, a path below the servers' checkpoint directory
     */
    public static void load(Caller caller, TensorId tensor, String checkpoint) {
        load(caller, tensor, checkpoint, verify(caller, tensor, checkpoint));
    }

    /**
     * Makes all shards verify their files. Changes nothing.
     *
     * @param checkpoint the checkpoint's name, a path below the servers' checkpoint directory
     * @return the number of the save that was verified
     */
    public static long verify(Caller caller, TensorId tensor, String checkpoint) {
        return LoadTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor, checkpoint, true, 0)
                .await()
                .save();
    }

    /**
     * Makes all shards load their files. Each shard verifies them again before it changes.
     *
     * @param checkpoint the checkpoint's name, a path below the servers' checkpoint directory
     * @param save the number of the save, as {@link #verify} returned it
     */
    public static void load(Caller caller, TensorId tensor, String checkpoint, long save) {
        LoadTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor, checkpoint, false, save)
                .await();
    }
}
