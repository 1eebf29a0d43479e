package io.psf.builtin.checkpoint;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Caller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Saves and loads a tensor in the steps that it takes. */
public final class Checkpoints {
    /** A disk takes as long as it takes; a lost server is noticed by its heartbeats. */
    private static final Duration LIMIT = Duration.ofMinutes(30);

    private Checkpoints() {}

    /**
     * Writes a file for each shard, and then the manifest that names them. Returns when all is on the disk.
     *
     * @param tensor which tensor, as it is
     * @param checkpoint the checkpoint's name, a path below the servers' directory
     */
    public static void save(Caller caller, TensorInfo tensor, String checkpoint) {
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
     * Lets all shards verify their files, and then load them: if a file is damaged, no shard has changed. Returns when
     * all have loaded.
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
