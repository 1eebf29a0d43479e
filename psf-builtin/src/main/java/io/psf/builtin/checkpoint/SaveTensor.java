package io.psf.builtin.checkpoint;

import io.psf.api.PsFunction;
import io.psf.api.TensorId;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageRows;

/**
 * Writes each shard of a tensor to a file. Writing occupies the lane, so each shard is saved between two calls. The
 * save is valid once {@link CommitTensor} has written the manifest.
 */
@PsFunction("psf.save")
public interface SaveTensor {
    /**
     * The tensor to save.
     *
     * @param tensor the tensor to save
     * @param checkpoint the checkpoint's name, a path below the server's checkpoint directory
     * @param save the save's unique number
     */
    record Request(TensorId tensor, String checkpoint, long save) {}

    /**
     * The files, one per shard.
     *
     * @param begins [slices] int64, the first row of each file
     * @param ends [slices] int64, one past the last row of each file
     * @param bytes [slices] int64, the length of each file in bytes
     * @param checksums [slices] int32, the CRC32C of each file
     */
    record Response(
            @ByKey LongArray begins,
            @Along(value = "begins", width = 1) LongArray ends,
            @Along(value = "begins", width = 1) LongArray bytes,
            @Along(value = "begins", width = 1) IntArray checksums) {}

    /** Writes this shard's file. */
    default Response handle(Request slice, StoredShard shard) {
        Folder folder = CheckpointPath.of(shard.checkpoints(), slice.checkpoint(), slice.tensor());
        SavedImage image = ImageFile.write(folder, ImageHeader.of(slice.save(), shard), shard, ImageRows.ALL);
        return new Response(
                LongArray.of(image.begin()),
                LongArray.of(image.end()),
                LongArray.of(image.bytes()),
                IntArray.of(image.checksum()));
    }
}
