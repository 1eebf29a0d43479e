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

/** Saves and loads a tensor by itself: runs the calls that a save or a load consists of. */
public final class TensorCheckpoints {
    /** The deadline of each call. Disks may be slow; heartbeats detect a lost server much earlier. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private TensorCheckpoints() {}

    /**
     * Writes one file per shard, then the manifest that names them. Blocks until everything is on the disk. Deletes the
     * files of unfinished saves, this one included if it fails.
     *
     * @param tensor the tensor to save
     * @param checkpoint the checkpoint's name, a path below the servers' checkpoint directory
     * @return the save's unique number
     */
    public static long save(Caller caller, TensorInfo tensor, String checkpoint) {
        PsException notCleaned = clean(caller, tensor.id(), checkpoint);
        try {
            return write(caller, tensor, checkpoint);
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
            var unused = CleanTensorPsf.stub(caller)
                    .withDeadline(LIMIT)
                    .call(tensor.number(), tensor, checkpoint)
                    .await();
            return null;
        } catch (PsException e) {
            return e;
        }
    }

    private static long write(Caller caller, TensorInfo tensor, String checkpoint) {
        long save = ThreadLocalRandom.current().nextLong();
        SaveTensor.Response saved = SaveTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id(), checkpoint, save)
                .await();
        List<SavedImage> images = new ArrayList<>();
        for (int i = 0; i < saved.begins().length(); i++) {
            images.add(SavedImage.alone(
                    save,
                    saved.begins().get(i),
                    saved.ends().get(i),
                    saved.bytes().get(i),
                    saved.checksums().get(i),
                    0));
        }
        CommitTensorPsf.stub(caller)
                .withDeadline(LIMIT)
                .call(tensor.id().number(), tensor.id(), tensor.rows(), tensor.width(), checkpoint, save, images)
                .await();
        return save;
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
