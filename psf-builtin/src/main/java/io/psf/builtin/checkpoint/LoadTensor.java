package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.StoredShard;

/**
 * Loads a saved tensor: replaces values, slots and attachments. Each shard reads its rows from the shard files of the
 * save, whatever their number. Everything that a shard reads is verified before the shard changes, so an invalid file
 * changes nothing. Reading occupies the lane.
 */
@PsFunction("psf.load")
public interface LoadTensor {
    /**
     * The save to load.
     *
     * @param tensor the tensor, with the same shape and the same kind of optimizer as at the save
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     * @param dryRun true if the files are only verified
     * @param save the number of the save, so that all shards load the same one; ignored if {@code dryRun}
     */
    record Request(TensorId tensor, String checkpoint, boolean dryRun, long save) {}

    /**
     * The save that was found.
     *
     * @param save the number of the save; the largest if shards found different ones
     */
    record Response(@Reduce(Reduction.MAX) long save) {}

    /** Verifies the files that have this shard's rows. Loads them unless {@code dryRun}. */
    default Response handle(Request slice, StoredShard shard) {
        Folder folder = CheckpointPath.of(shard.checkpoints(), slice.checkpoint(), slice.tensor());
        TensorImages images = TensorManifest.read(folder, slice.checkpoint(), slice.tensor());
        if (!slice.dryRun() && images.save() != slice.save()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoint \"" + slice.checkpoint() + "\": saved again while loading tensor \"" + slice.tensor()
                            + "\" (expected: no save during a load; load again)");
        }
        new ShardLoad(slice.checkpoint(), folder, images).run(shard, slice.dryRun());
        return new Response(images.save());
    }
}
