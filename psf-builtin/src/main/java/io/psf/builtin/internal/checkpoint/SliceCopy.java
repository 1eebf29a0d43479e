package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageCopy;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageOutput;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A slice that is copied to a pack, in turns between which calls may change its shard. Used on the shard's lane, and by
 * the thread that ends the save.
 */
final class SliceCopy {
    /** The most bytes of an image that shares a pack, without attachments. */
    private static final long PACKED = 4 << 20;

    /** The most pieces of a turn: calls on other lanes and shards get theirs in between. */
    private static final int PIECES = 16;

    private final ImageHeader header;
    private final Increments.Plan plan;
    private final StoredShard shard;
    private final Packs packs;
    private final long bytes;
    /** The files of the chain; that of this image once it is written. */
    private final Map<SavedImage, KnownFile> files;

    private @Nullable ImageCopy copy;
    private volatile @Nullable Pack pack;

    private volatile @Nullable SavedImage image;

    /**
     * Prepares a copy.
     *
     * @param header the header of an image with all rows
     */
    SliceCopy(ImageHeader header, Increments.Plan plan, StoredShard shard, Packs packs) {
        this.header = header;
        this.plan = plan;
        this.shard = shard;
        this.packs = packs;
        this.bytes = header.bytesWith(plan.rows());
        this.files = new HashMap<>(plan.files());
    }

    StoredShard shard() {
        return shard;
    }

    Map<SavedImage, KnownFile> files() {
        return files;
    }

    boolean isWritten() {
        return image != null;
    }

    /**
     * Returns the slice with its images, once they are written.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if they are not: the tensor was dropped meanwhile
     */
    ServerIndex.Slice slice() {
        SavedImage last = image;
        if (last == null) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensor \"" + shard.spec().id() + "\": cleared while it was saved (expected: kept until then)");
        }
        return new ServerIndex.Slice(shard.spec(), SavedChain.of(plan.bases(), last));
    }

    /**
     * Begins to copy the shard: the image will have what it has now. It is written at once if the shard cannot be
     * followed.
     *
     * @param mostKept the most bytes of rows that are kept, for each byte of the image
     */
    void begin(double mostKept) throws IOException {
        ImageCopy begun = ImageCopy.begin(header, plan.rows(), shard, this::open, (long) (mostKept * bytes));
        copy = begun;
        while (!begun.isFollowing() && !isWritten()) {
            writePiece();
        }
    }

    private ImageOutput open() {
        Pack taken = packs.take(bytes > PACKED);
        pack = taken;
        return taken.output();
    }

    /** Writes pieces of the image, unless all are written, until a call waits for the lane, or a piece for the disk. */
    void turn() throws IOException {
        boolean isDue = true;
        for (int piece = 0; isDue && !isWritten() && hasRoom(); piece++) {
            writePiece();
            isDue = piece < PIECES && !shard.isAwaited();
        }
    }

    private boolean hasRoom() {
        Pack to = pack;
        return to == null || to.hasRoom();
    }

    /** Completed, on any thread, when the next turn may write. */
    CompletionStage<Void> room() {
        Pack to = pack;
        return to == null ? CompletableFuture.completedFuture(null) : to.room();
    }

    private void writePiece() throws IOException {
        if (Objects.requireNonNull(copy, "copy").writePiece()) {
            Pack to = Objects.requireNonNull(pack, "pack");
            SavedImage written = to.added(header, plan.rows(), copy.checksum());
            packs.give(to, bytes > PACKED);
            end(written, to.known());
        }
    }

    private void end(SavedImage written, KnownFile file) {
        files.put(written, file);
        image = written;
        copy = null; // and its buffer
        pack = null;
    }

    /** Gives the copy up. */
    void cancel() {
        if (copy != null) {
            copy.cancel();
        }
    }
}
