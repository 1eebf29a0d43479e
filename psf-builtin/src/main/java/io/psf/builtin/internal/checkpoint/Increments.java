package io.psf.builtin.internal.checkpoint;

import io.psf.api.PsException;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import io.psf.builtin.image.ImageRows;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves of a shard that later ones can build on. The shard marks the rows that are written to ({@link SavedStates}), so
 * that finding them costs what has changed. A shard that has not written or loaded the images of the earlier step itself
 * is saved with all rows.
 */
final class Increments {
    private static final Logger LOG = LoggerFactory.getLogger(Increments.class);

    private Increments() {}

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
     * @param files the files of these images
     */
    record Plan(ImageRows rows, List<SavedImage> bases, Map<SavedImage, KnownFile> files) {
        /** All rows. */
        static final Plan ALL = new Plan(ImageRows.ALL, List.of(), Map.of());
    }

    /**
     * Plans what is written of a shard: an increment if there is a base, if it has less than the largest number of
     * increments, and if at most half of the rows have changed.
     *
     * @param most the largest number of increments that may follow an image with all rows
     */
    static Plan plan(@Nullable Base base, int most, ImageHeader header, StoredShard shard) {
        SavedStates states = SavedStates.of(shard);
        states.update();
        SavedChain chain =
                base == null ? null : base.images().chain(shard.range()).orElse(null);
        if (base == null || chain == null || chain.images().size() > most) {
            return Plan.ALL;
        }
        SavedStates.Saved saved =
                states.find(base.folder().model(), chain.last().save());
        if (saved == null || !precedes(saved, header, shard) || !isWhole(saved, base, chain, shard)) {
            return Plan.ALL;
        }
        SavedStates.Changes changes = states.since(saved);
        BitSet rows = changes.rows();
        rows.clear(shard.rows(), Math.max(shard.rows(), rows.length()));
        long[] removed = Arrays.stream(changes.removed())
                .filter(key -> shard.find(key) < 0)
                .sorted()
                .distinct()
                .toArray();
        return rows.cardinality() + removed.length > shard.rows() / 2
                ? Plan.ALL
                : new Plan(ImageRows.changed(chain.images().size(), removed, rows), chain.images(), saved.files());
    }

    /**
     * Returns true if an increment can follow an image: it has the same optimizer, and removes no slot; and each change
     * of an attachment's rows since then is known.
     */
    private static boolean precedes(SavedStates.Saved then, ImageHeader now, StoredShard shard) {
        return then.header().optimizer().equals(now.optimizer())
                && now.slots().containsAll(then.header().slots())
                && then.byRow().containsAll(shard.attachments().savedByRow())
                && shard.attachments().tellChanges();
    }

    /** Returns true if the files of a chain are as this server knows them: nothing builds on a file that has changed. */
    private static boolean isWhole(SavedStates.Saved saved, Base base, SavedChain chain, StoredShard shard) {
        String reason;
        try {
            if (saved.hasAll(base.folder(), chain)) {
                return true;
            }
            reason = "a file has changed";
        } catch (IOException | PsException e) {
            reason = e.toString();
        }
        LOG.warn(
                "tensor \"{}\", rows {}: all are saved, since nothing can build on checkpoint \"{}\": {}",
                shard.spec().id(),
                shard.range(),
                base.checkpoint(),
                reason);
        return false;
    }
}
