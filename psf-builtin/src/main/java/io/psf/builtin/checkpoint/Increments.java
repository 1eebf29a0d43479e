package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.array.LongArray;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageInput;
import io.psf.builtin.image.ImageRows;
import io.psf.builtin.image.RowHashes;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves of a shard that later ones can build on. The image has the hashes of its rows. If an earlier save has images of
 * the same range, the rows whose hashes differ from theirs are written. Nothing is held in memory between two saves, so a server that was restarted, or has loaded another
 * checkpoint, writes a right increment, too.
 */
final class Increments {
    private static final Logger LOG = LoggerFactory.getLogger(Increments.class);

    /** The most keys that are read together. */
    private static final int MOST = 4096;

    private final StoredShard shard;
    private final ImageHeader now;
    private final long[] hashes;
    /** The rows whose content is as in the earlier save. */
    private final BitSet same = new BitSet();
    /** The keys that have a row in the earlier save and none now. */
    private final Set<Long> removed = new HashSet<>();

    private Increments(StoredShard shard, ImageHeader now, long[] hashes) {
        this.shard = shard;
        this.now = now;
        this.hashes = hashes;
    }

    /**
     * The images on which the increments of a tensor can build.
     *
     * @param checkpoint the name of the earlier checkpoint, for messages
     * @param folder the folder of the model
     * @param images the images of the tensor there
     */
    record Base(String checkpoint, Folder folder, TensorImages images) {}

    /**
     * The rows of a shard that a save writes.
     *
     * @param rows the rows
     * @param bases the images that they build on, oldest first; empty if all rows are written
     */
    record Plan(ImageRows rows, List<SavedImage> bases) {
        /** All rows, which no later save can build on. */
        static final Plan ALL = new Plan(ImageRows.ALL, List.of());
    }

    /**
     * Plans what is written of a shard: an increment if there is a base, if it has less than the largest number of
     * increments, and if at most half of the rows have changed.
     *
     * @param most the largest number of increments that may follow an image with all rows
     * @throws PsException with {@code STORAGE} if an attachment cannot be written
     */
    static Plan plan(@Nullable Base base, int most, ImageHeader header, StoredShard shard) {
        long[] hashes;
        try {
            hashes = RowHashes.of(shard, header);
        } catch (IOException e) {
            throw Folder.failure("attachments of tensor \"" + shard.spec().id() + "\"", e);
        }
        Plan changed = base == null ? null : new Increments(shard, header, hashes).since(base, most);
        return changed == null ? new Plan(ImageRows.all(hashes), List.of()) : changed;
    }

    /** Returns the rows that have changed since the base; null if all rows are to be written. */
    private @Nullable Plan since(Base base, int most) {
        try {
            SavedChain chain = base.images().chain(shard.range()).orElse(null);
            if (chain == null || chain.images().size() > most) {
                return null;
            }
            requireWhole(base, chain);
            if (!read(base, chain)) {
                return null;
            }
            BitSet changed = new BitSet(hashes.length);
            changed.set(0, hashes.length);
            changed.andNot(same);
            if (changed.cardinality() > hashes.length / 2) {
                return null;
            }
            long[] keys = removed.stream().mapToLong(Long::longValue).sorted().toArray();
            return new Plan(ImageRows.changed(chain.images().size(), hashes, keys, changed), chain.images());
        } catch (IOException | PsException e) {
            LOG.warn(
                    "tensor \"{}\", rows {}: all are saved, since nothing can build on checkpoint \"{}\": {}",
                    shard.spec().id(),
                    shard.range(),
                    base.checkpoint(),
                    e instanceof PsException known ? known.detail() : e);
            return null;
        }
    }

    /**
     * Reads the images of a chain as a load does, unless this server has: a save that builds on a damaged file would be
     * acknowledged and could not be loaded.
     *
     * @throws PsException with {@code STORAGE} if a file is damaged
     */
    private void requireWhole(Base base, SavedChain chain) throws IOException {
        if (!VerifiedImages.of(shard).hasAll(base.folder(), chain.images())) {
            var unused = ImageFiles.verified(base.folder(), base.images(), shard);
        }
    }

    /**
     * Compares the rows with the hashes in the files of a chain. Returns false if no increment can follow the chain.
     */
    private boolean read(Base base, SavedChain chain) throws IOException {
        for (SavedImage image : chain.images()) {
            try (ImageInput keys = base.folder().open(image);
                    ImageInput then = base.folder().open(image)) {
                ImageHeader header = ImageHeader.read(keys);
                ImageFile.requireOf(header, header.tensor(), image);
                if (!header.form().hashed() || !precedes(header)) {
                    return false;
                }
                then.seek(keys.position() + header.bytesBeforeHashes());
                compare(header, keys, then);
                remove(header, keys);
            }
        }
        return true;
    }

    /** Returns true if the shard has everything that the file has of a row: an increment does not remove a slot. */
    private boolean precedes(ImageHeader header) {
        return header.tensor().shape().equals(now.tensor().shape())
                && header.optimizer().equals(now.optimizer())
                && now.slots().containsAll(header.slots());
    }

    private void compare(ImageHeader header, ImageInput keys, ImageInput then) throws IOException {
        long[] some = new long[MOST];
        int[] rows = new int[MOST];
        for (long at = 0; at < header.rows(); at += MOST) {
            int n = (int) Math.min(MOST, header.rows() - at);
            for (int i = 0; i < n; i++) {
                some[i] = header.hasKeys() ? keys.i64() : header.begin() + at + i;
            }
            var unused = shard.find(LongArray.wrap(some, 0, n), rows);
            for (int i = 0; i < n; i++) {
                long hash = then.i64();
                if (rows[i] >= 0) {
                    same.set(rows[i], hash == hashes[rows[i]]);
                } else {
                    removed.add(some[i]);
                }
            }
        }
    }

    private void remove(ImageHeader header, ImageInput keys) throws IOException {
        for (long i = 0; i < header.form().removed(); i++) {
            long key = keys.i64();
            removed.remove(key);
            int row = shard.find(key);
            if (row >= 0) {
                same.clear(row);
            }
        }
    }
}
