package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduce;
import io.psf.api.layout.Reduction;

/**
 * Puts what has been saved of a tensor in the place of values, slots and attachments: each shard reads its rows, from the
 * files of as many shards as there were. All that a shard reads is verified before the shard changes: what is wrong with it
 * changes nothing. The lane is held while it reads.
 */
@PsFunction("psf.load")
public interface LoadTensor {
    /**
     * What is loaded.
     *
     * @param tensor which tensor, of the shape and the kind of optimizer that it was saved with
     * @param checkpoint the checkpoint's name, a path below the server's directory
     * @param dryRun whether the files are only verified
     * @param save which save is loaded, so that all shards load the same one; not read if the files are only verified
     */
    record Request(TensorId tensor, String checkpoint, boolean dryRun, long save) {}

    /**
     * What was found.
     *
     * @param save the number of the save, the largest where shards found several
     */
    record Response(@Reduce(Reduction.MAX) long save) {}

    /** Verifies the files that have this shard's rows, and loads them. */
    default Response handle(Request slice, Shard shard) {
        Folder folder = Folder.of(shard.checkpoints(), slice.checkpoint(), slice.tensor());
        Manifest manifest = Manifest.read(folder, slice.checkpoint(), slice.tensor());
        if (!slice.dryRun() && manifest.save() != slice.save()) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    "checkpoint \"" + slice.checkpoint() + "\": saved anew while tensor \"" + slice.tensor()
                            + "\" was loaded (expected: not to change; load it again)");
        }
        require("shape", manifest.tensor().shape(), shard.spec().shape(), slice);
        ShardFiles files = ShardFiles.verified(folder, manifest, shard);
        for (String optimizer : files.optimizers()) {
            require("optimizer", optimizer, shard.optimizer().name(), slice);
        }
        files.requireFit(slice.checkpoint());
        if (!slice.dryRun()) {
            files.load();
        }
        return new Response(manifest.save());
    }

    private static void require(String what, String saved, String there, Request request) {
        if (!saved.equals(there)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + " of checkpoint \"" + request.checkpoint() + "\": " + saved + " (expected: " + there
                            + ", that of tensor \"" + request.tensor() + "\")");
        }
    }
}
