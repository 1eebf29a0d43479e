package io.psf.builtin.internal.checkpoint;

import io.psf.api.array.RowWrites;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.ImageHeader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The saves of a shard on which an increment can build, and the rows that were written to since each. A save is
 * remembered when its image is written, whether its step becomes complete or not: the next save names the step that it
 * builds on. So the rows of a save that has failed are in the one that follows it. Several models may save the shard.
 * Forgotten with the shard, and by a load, which remembers what it has loaded. Attached to the shard, used on its lane.
 */
final class SavedStates {
    /** The most saves that are remembered, of all models. Each takes a bit for each row. */
    private static final int MOST = 16;

    private final StoredShard shard;
    /** The oldest first. */
    private final List<State> states = new ArrayList<>();

    private SavedStates(StoredShard shard) {
        this.shard = shard;
    }

    static SavedStates of(StoredShard shard) {
        return shard.attachment(SavedStates.class, () -> new SavedStates(shard));
    }

    /**
     * What has changed between two saves of a shard.
     *
     * @param rows a bit for each row that may have changed, by its number now
     * @param removed [n] int64, keys that had a row and may have none now, in any order
     */
    @SuppressWarnings("ArrayRecordComponent") // not compared
    record Changes(BitSet rows, long[] removed) {
        static final Changes NONE = new Changes(new BitSet(), new long[0]);

        Changes and(BitSet moreRows, long[] moreRemoved) {
            BitSet all = (BitSet) rows.clone();
            all.or(moreRows);
            return new Changes(
                    all,
                    LongStream.concat(Arrays.stream(removed), Arrays.stream(moreRemoved))
                            .toArray());
        }
    }

    /**
     * An image as it was written or loaded.
     *
     * @param header the header of the newest image of the chain
     * @param byRow the attachments with the state of rows. One that is created later may have a state of each row
     * @param files the files of the chain, by the images in them
     */
    record Saved(String model, ImageHeader header, Set<String> byRow, Map<SavedImage, KnownFile> files) {
        static Saved of(StoredShard shard, String model, ImageHeader header, Map<SavedImage, KnownFile> files) {
            return new Saved(model, header, shard.attachments().savedByRow(), files);
        }

        /** Returns true if the images of a chain are as they were when they were written or verified. */
        boolean hasAll(Folder folder, SavedChain chain) throws IOException {
            for (SavedImage image : chain.images()) {
                KnownFile file = files.get(image);
                if (file == null || !file.isStill(folder, image.file())) {
                    return false;
                }
            }
            return true;
        }
    }

    /** A save, and what has changed from then to the next one in the list. */
    private static final class State {
        private final Saved saved;
        private Changes changes = Changes.NONE;

        State(Saved saved) {
            this.saved = saved;
        }

        void add(BitSet rows, long[] removed) {
            changes = changes.and(rows, removed);
        }
    }

    /** Takes what was written to since the last call. Forgets all saves if that is not known. */
    void update() {
        RowWrites writes = shard.writes();
        RowWrites.Taken taken = writes == null ? null : writes.take();
        if (taken == null) {
            states.clear();
        } else if (!states.isEmpty()) {
            states.get(states.size() - 1).add(taken.rows(), taken.removed());
        }
    }

    /**
     * Returns a save of a model; null if it is not remembered. Forgets the model's earlier saves, on which no save
     * builds any more.
     */
    @Nullable
    Saved find(String model, long save) {
        int at = index(save);
        for (int i = at - 1; i >= 0; i--) {
            if (states.get(i).saved.model().equals(model)) {
                State gone = states.remove(i);
                if (i > 0) {
                    states.get(i - 1).add(gone.changes.rows(), gone.changes.removed());
                }
                at--;
            }
        }
        return at < 0 ? null : states.get(at).saved;
    }

    private int index(long save) {
        for (int i = 0; i < states.size(); i++) {
            if (states.get(i).saved.header().save() == save) {
                return i;
            }
        }
        return -1;
    }

    /** Returns what has changed since a save that {@link #find} has found, up to {@link #update}. */
    Changes since(Saved saved) {
        Changes all = Changes.NONE;
        for (State each : states.subList(index(saved.header().save()), states.size())) {
            all = all.and(each.changes.rows(), each.changes.removed());
        }
        return all;
    }

    /**
     * Remembers that the shard, as it is, is in an image. If a save is made twice, the first time counts: what has
     * changed since then may not be in the image that is kept.
     */
    void add(Saved saved) {
        RowWrites writes = shard.writes();
        if (writes == null || index(saved.header().save()) >= 0) {
            return;
        }
        if (states.isEmpty()) {
            writes.begin();
        } else if (states.size() == MOST) {
            states.remove(0);
        }
        states.add(new State(saved));
    }

    /** Remembers that the shard, as it is, was loaded from a chain; no other save counts. */
    void loaded(Saved saved) {
        states.clear();
        add(saved);
    }
}
