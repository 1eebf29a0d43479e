package io.psf.builtin.checkpoint;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;

/**
 * Writes each shard of a tensor to a file. Writing occupies the lane, so each shard is saved between two calls. The
 * save is valid once {@link CommitSave} has written the manifest.
 */
@PsFunction("psf.save")
public interface SaveTensor {
    /**
     * The tensor to save.
     *
     * @param tensor the tensor to save
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     * @param save the save's unique number
     * @param base the checkpoint that the file may build on; empty if there is none
     * @param baseSave the unique number of that checkpoint's save
     * @param increments the largest number of increments that may follow a file with all rows; 0 if the file must have
     *     all rows and no later save builds on it
     */
    record Request(TensorId tensor, String checkpoint, long save, String base, long baseSave, int increments) {}

    /**
     * The files, one per shard.
     *
     * @param begins [slices] int64, the first row of each file
     * @param ends [slices] int64, one past the last row of each file
     * @param bytes [slices] int64, the length of each file in bytes
     * @param checksums [slices] int32, the CRC32C of each file
     * @param bases [slices] int32, the number of earlier files that each file builds on
     */
    record Response(
            @ByKey LongArray begins,
            @Along(value = "begins", width = 1) LongArray ends,
            @Along(value = "begins", width = 1) LongArray bytes,
            @Along(value = "begins", width = 1) IntArray checksums,
            @Along(value = "begins", width = 1) IntArray bases) {}

    /** Writes this shard's file. */
    default Response handle(Request slice, StoredShard shard) {
        Folder folder = Folder.of(shard.checkpoints(), slice.checkpoint(), slice.tensor());
        Piece piece = slice.increments() == 0
                ? ShardFile.write(folder, Header.of(slice.save(), shard), shard, FileRows.ALL)
                : Increments.write(folder, slice, shard);
        return new Response(
                LongArray.of(piece.begin()),
                LongArray.of(piece.end()),
                LongArray.of(piece.bytes()),
                IntArray.of(piece.checksum()),
                IntArray.of(piece.bases()));
    }
}
