package io.psf.builtin.checkpoint;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * Writes each shard of a tensor to a file. The lane is held while it writes, so that what is saved of a shard is between
 * two calls. It counts once {@link CommitSave} has named the files.
 */
@PsFunction("psf.save")
public interface SaveTensor {
    /**
     * What is saved.
     *
     * @param tensor which tensor
     * @param checkpoint the checkpoint's name, a path below the server's directory
     * @param save a number of this save's own
     */
    record Request(TensorId tensor, String checkpoint, long save) {}

    /**
     * The files, one a shard.
     *
     * @param begins [slices] int64, the first row of each
     * @param ends [slices] int64, one past the last row of each
     * @param bytes [slices] int64, how long each is
     * @param checksums [slices] int32, the CRC32C of each
     */
    record Response(
            @ByKey LongArray begins,
            @Along(value = "begins", width = 1) LongArray ends,
            @Along(value = "begins", width = 1) LongArray bytes,
            @Along(value = "begins", width = 1) IntArray checksums) {}

    /** Writes this shard's file. */
    default Response handle(Request slice, Shard shard) {
        Folder folder = Folder.of(shard.checkpoints(), slice.checkpoint(), slice.tensor());
        Piece piece = ShardFile.write(folder, slice.save(), shard);
        return new Response(
                LongArray.of(piece.begin()),
                LongArray.of(piece.end()),
                LongArray.of(piece.bytes()),
                IntArray.of(piece.checksum()));
    }
}
