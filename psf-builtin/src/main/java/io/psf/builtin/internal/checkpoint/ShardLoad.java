package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.spi.StoredShard;

/**
 * The load of a tensor, as each of its shards does it.
 *
 * @param checkpoint the checkpoint's name, for messages
 * @param folder the folder of the checkpoint
 * @param images the images of the tensor
 */
record ShardLoad(String checkpoint, Folder folder, TensorImages images) {
    /**
     * Verifies the images that have rows of a shard, then loads them.
     *
     * @param dryRun true if they are only verified
     * @param statesAlone true to load the optimizer's state alone, of a tensor of the same shape that does not grow
     * @throws PsException with {@code STORAGE} if a file is missing or damaged; with {@code BAD_REQUEST} if the width,
     *     the optimizer or the width of a slot differ, or the tensor does not have all rows that were saved; with {@code
     *     RESOURCE_EXHAUSTED} if there are too many rows
     */
    void run(StoredShard shard, boolean dryRun, boolean statesAlone) {
        requireFit(images.tensor(), shard.spec(), statesAlone);
        ImageFiles files = ImageFiles.verified(folder, images, shard);
        for (String optimizer : files.optimizers()) {
            if (!optimizer.isEmpty()) { // else the values are imported, and its states begin anew
                require("optimizer", optimizer, shard.optimizer().name(), shard);
            }
        }
        files.requireFit(checkpoint);
        if (!dryRun) {
            files.load(statesAlone);
        }
    }

    /**
     * Checks that a tensor has all rows that were saved: the rest of it begins anew. The keys of a table that grew are
     * checked when they are read.
     */
    private void requireFit(TensorInfo saved, TensorInfo there, boolean statesAlone) {
        if (statesAlone && there.grows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "states of checkpoint \"" + checkpoint + "\" for tensor \"" + there.id()
                            + "\", which grows (expected: a tensor with a fixed number of rows)");
        }
        boolean mayDiffer = !statesAlone && (there.grows() || saved.grows() || saved.rows() <= there.rows());
        if (saved.width() != there.width() || saved.rows() != there.rows() && !mayDiffer) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "shape of checkpoint \"" + checkpoint + "\": " + saved.shape() + " (expected: " + there.shape()
                            + ", the shape of tensor \"" + there.id() + "\""
                            + (saved.width() == there.width() && !statesAlone ? ", or fewer rows" : "") + ")");
        }
    }

    private void require(String what, String saved, String there, StoredShard shard) {
        if (!saved.equals(there)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    what + " of checkpoint \"" + checkpoint + "\": " + saved + " (expected: " + there + ", the " + what
                            + " of tensor \"" + shard.spec().id() + "\")");
        }
    }
}
