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
import org.jspecify.annotations.Nullable;

/**
 * A slice that is copied to a file: to a pack at once, or to a file of its own, in turns between which calls may change
 * its shard. Used on the shard's lane, and by the thread that ends the save.
 */
final class SliceCopy {
    /** The most pieces of a turn: calls on other lanes and shards get theirs in between. */
    private static final int PIECES = 16;

    private final ImageHeader header;
    private final Increments.Plan plan;
    private final StoredShard shard;
    private final Packs packs;
    /** The files of the chain; that of this image once it is written. */
    private final Map<SavedImage, KnownFile> files;

    private @Nullable ImageCopy copy;
    /** The file of its own. */
    private @Nullable Pack pack;

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

    /** Copies the shard to a pack. */
    void pack() throws IOException {
        Packs.Packed packed = packs.add(header, plan.rows(), shard);
        end(packed.image(), packed.file());
    }

    /**
     * Begins to copy the shard to a file of its own: the image has what it has now. It is written at once if the shard
     * cannot be followed.
     *
     * @param mostKept the most bytes of rows that are kept
     */
    void begin(long mostKept) throws IOException {
        ImageCopy begun = ImageCopy.begin(header, plan.rows(), shard, this::open, mostKept);
        copy = begun;
        while (!begun.isFollowing() && !isWritten()) {
            turn();
        }
    }

    private ImageOutput open() throws IOException {
        Pack made = packs.create();
        pack = made;
        return made.output();
    }

    /** Writes pieces of the image, unless all are written, until a call waits for the lane. */
    void turn() throws IOException {
        for (int piece = 0; !isWritten() && (piece == 0 || piece < PIECES && !shard.isAwaited()); piece++) {
            if (Objects.requireNonNull(copy, "copy").writePiece()) {
                Pack to = Objects.requireNonNull(pack, "pack");
                SavedImage written = to.added(header, plan.rows(), copy.checksum());
                to.end();
                end(written, to.known());
            }
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
