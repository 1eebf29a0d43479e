package io.psf.builtin.image;

import io.psf.api.Range;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.RowWrites;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.optimizer.LearningRate;
import io.psf.builtin.optimizer.Progress;
import io.psf.builtin.push.Pushes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Replaces the content of a shard by the content of images, each of which is read once from its beginning to its end:
 * an image with all rows and its increments, or the images of several shards. Used on the shard's lane.
 */
public final class ImageLoader {
    private final StoredShard shard;
    /** True if values and attachments stay as they are. */
    private final boolean statesAlone;

    private final ImageTile tile;
    private final Map<String, List<Attachments.Entry>> attachments = new LinkedHashMap<>();

    /**
     * Removes the rows of a table that grows, and clears the slots. No increment builds on what the shard had before.
     *
     * @param slots the slots of all images
     * @param statesAlone true to replace the optimizer's state alone, of a tensor that does not grow, by that of a
     *     tensor of the same shape
     */
    public ImageLoader(StoredShard shard, List<ImageHeader.Slot> slots, boolean statesAlone) {
        this.shard = shard;
        this.statesAlone = statesAlone;
        this.tile = new ImageTile(shard);
        RowWrites writes = shard.writes();
        if (writes != null) {
            writes.end();
        }
        for (ImageHeader.Slot slot : slots) {
            var unused = shard.storedSlot(slot.name(), slot.width());
        }
        if (shard.spec().grows()) {
            shard.removeRows();
        }
        shard.storedSlots().forEach((name, slot) -> {
            if (!Pushes.ownsSlot(name)) {
                slot.clear(); // zero, as in a new slot
            }
        });
    }

    /**
     * Copies what the shard owns of an image.
     *
     * @param in positioned after the header
     * @param newer the keys that later images of the chain name. The totals count if there are none
     */
    public void add(ImageHeader header, ImageInput in, Superseded newer) throws IOException {
        if (header.hasKeys() || shard.spec().grows()) {
            KeyedRows rows = header.hasKeys()
                    ? KeyedRows.read(in, header.rows(), shard, newer)
                    : KeyedRows.of(new Range(header.begin(), header.end()), shard);
            in.skip(header.bytesBeforeValues() - header.bytesOfKeys() + skippedValues(header));
            for (StoredColumn column : columns(header)) {
                rows.copy(in, tile, column);
            }
        } else {
            in.skip(header.bytesBeforeValues() + skippedValues(header));
            addRange(header, in);
        }
        addEntries(header, in, newer);
    }

    private long skippedValues(ImageHeader header) {
        return statesAlone ? header.bytesOfValues() : 0;
    }

    /** Returns the columns of the shard to replace, in the order of the image. */
    private List<StoredColumn> columns(ImageHeader header) {
        List<StoredColumn> columns = new ArrayList<>(statesAlone ? List.of() : List.of(shard.storedValues()));
        for (ImageHeader.Slot slot : header.slots()) {
            columns.add(shard.storedSlot(slot.name(), slot.width()));
        }
        return columns;
    }

    private void addRange(ImageHeader header, ImageInput in) throws IOException {
        Range range = shard.range();
        long begin = Math.max(header.begin(), range.begin());
        long end = Math.min(header.end(), range.end());
        for (StoredColumn column : columns(header)) {
            long bytesOfRow = (long) column.width() * Float.BYTES;
            in.skip((begin - header.begin()) * bytesOfRow);
            for (long row = begin; row < end; ) {
                int n = (int) Math.min(ImageTile.rows(column.width()), end - row);
                column.write((int) (row - range.begin()), tile.read(in, n, column.width()));
                row += n;
            }
            in.skip((header.end() - end) * bytesOfRow);
        }
    }

    /** Collects the entries of attachments that the shard owns, and all totals. */
    private void addEntries(ImageHeader header, ImageInput in, Superseded newer) throws IOException {
        for (String attachment : header.attachments()) {
            if (newer.isEmpty()) {
                attachments.computeIfAbsent(attachment, name -> new ArrayList<>());
            }
            boolean isHashed = header.tensor().grows() && !shard.spec().grows();
            for (int kind = in.i8(); kind != ImageHeader.END; kind = in.i8()) {
                boolean total = kind == ImageHeader.TOTAL;
                long place = in.i64();
                long key = total && isHashed ? 0 : place; // one shard gets all totals: their places are no rows
                if (total ? newer.isEmpty() : !newer.has(key) && shard.owns(key)) {
                    attachments
                            .computeIfAbsent(attachment, name -> new ArrayList<>())
                            .add(new Attachments.Entry(key, total, in.bytes()));
                } else {
                    in.skipBytes();
                }
            }
        }
    }

    /**
     * Writes the first values of the rows behind the saved rows, or of all rows if the saved table grew. Called before
     * the images are added. The slots of these rows are zero.
     *
     * @param saved the tensor as it was saved
     */
    public void beginFrom(TensorInfo saved) {
        Range range = shard.range();
        if (shard.spec().grows()) {
            return;
        }
        int width = shard.width();
        for (long key = Math.max(saved.grows() ? 0 : saved.rows(), range.begin()); key < range.end(); ) {
            int n = (int) Math.min(ImageTile.rows(width), range.end() - key);
            FloatArray values = FloatArray.allocate(n * width);
            for (int i = 0; i < n; i++) {
                shard.firstValues(key + i, values.slice(i * width, (i + 1) * width));
            }
            shard.storedValues().write((int) (key - range.begin()), values);
            key += n;
        }
    }

    /** Replaces the attachments, after all images. */
    public void end() {
        if (statesAlone) {
            Attachments saved = new Attachments(shard);
            saved.replace(attachments);
            Progress.setSteps(shard, saved);
            return;
        }
        shard.attachments().replace(attachments);
        if (attachments.containsKey(Progress.class.getName())) {
            LearningRate.restore(shard);
        }
    }
}
