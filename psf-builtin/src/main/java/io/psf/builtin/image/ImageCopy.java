package io.psf.builtin.image;

import io.psf.api.array.RowWrites;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The image of a shard, written in pieces of about 64 KB. Calls may change the shard between two pieces: the image has
 * the content that the shard had when the copy was begun. A row that is still to be copied is kept in memory before a
 * call writes to it. The more of that memory is taken, the more of the image has to be written: the call writes pieces
 * first. Used on the shard's lane.
 */
public final class ImageCopy implements RowWrites.Watcher {
    /** In place of a column: the keys, of the rows and of the removed ones. */
    private static final int KEYS = -1;

    private static final int KEYS_OF_PIECE = 1 << 13;

    private final ImageHeader header;
    private final ImageRows rows;
    private final StoredShard shard;
    private final Opener opener;
    /** The number of the shard's rows when the copy was begun. */
    private final int all;

    private final List<StoredColumn> columns = new ArrayList<>();
    private final KeptRows kept;
    /** The content of the attachments when the copy was begun; null if they are as they were. */
    private byte @Nullable [] entries;

    private @Nullable ImageOutput out;
    /** The column that is written: {@link #KEYS}, the values, then the slots. */
    private int column = KEYS;
    /** The next row of the column. */
    private int next;

    private boolean isWritten;
    private int checksum;
    private @Nullable Throwable failure;
    private volatile boolean isCancelled;

    /** Makes the output for an image. */
    @FunctionalInterface
    public interface Opener {
        /** Returns an output; called before the first piece. */
        ImageOutput open() throws IOException;
    }

    /**
     * Prepares the image of a shard that does not change meanwhile.
     *
     * @param header the header of the image
     * @param rows the rows of the image
     * @param opener makes the output when the first piece is written
     * @param mostKept the most bytes of rows to keep
     */
    ImageCopy(ImageHeader header, ImageRows rows, StoredShard shard, Opener opener, long mostKept) {
        this.header = header;
        this.rows = rows;
        this.shard = shard;
        this.opener = opener;
        this.all = shard.rows();
        this.next = rows.next(0, all);
        columns.add(shard.storedValues());
        header.slots().forEach(slot -> columns.add(shard.storedSlot(slot.name(), slot.width())));
        this.kept = new KeptRows(columns, mostKept);
    }

    /**
     * Begins the copy of a shard for a checkpoint.
     *
     * @param whole the header of an image with all rows
     * @param rows the rows to write
     * @param opener makes the output when the first piece is written
     * @param mostKept the most bytes of rows to keep, and of the content of attachments
     */
    public static ImageCopy begin(ImageHeader whole, ImageRows rows, StoredShard shard, Opener opener, long mostKept)
            throws IOException {
        ImageHeader header = whole.with(rows.count(shard.rows()), rows.form());
        ImageCopy copy = new ImageCopy(header, rows, shard, opener, mostKept);
        RowWrites writes = shard.writes();
        if (writes != null) {
            copy.entries = copy.entries(mostKept);
            if (copy.isFollowing()) {
                writes.watch(copy);
            }
        }
        return copy;
    }

    /** Returns the content of the attachments; null if it is longer than a number of bytes. */
    private byte @Nullable [] entries(long most) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ImageOutput into = new ImageOutput(Channels.newChannel(bytes));
        try {
            writeEntries(into, most);
        } catch (TooLong e) {
            return null;
        }
        into.flush();
        return bytes.toByteArray();
    }

    /** The content of the attachments is not kept. */
    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1;
    }

    /**
     * True if the shard may change while it is copied. Otherwise nobody learns of its writes, or its attachments have
     * more bytes than may be kept: the caller writes all pieces before a call changes the shard.
     */
    public boolean isFollowing() {
        return entries != null;
    }

    /**
     * Writes the next piece.
     *
     * @return true if all are written
     * @throws IOException if the output fails, or has failed when a call wrote pieces
     */
    public boolean writePiece() throws IOException {
        if (failure != null) {
            throw new IOException(failure.toString(), failure);
        }
        if (!isWritten) {
            write();
        }
        return isWritten;
    }

    /** Returns the checksum of the image, once all pieces are written. */
    public int checksum() {
        return checksum;
    }

    /** Gives the copy up; called on any thread. */
    public void cancel() {
        isCancelled = true;
    }

    private void write() throws IOException {
        if (column < columns.size()) {
            writeRows(output());
        } else {
            ImageOutput to = output();
            writeEnd(to);
            checksum = to.finish();
            isWritten = true;
            endWatch();
        }
    }

    private ImageOutput output() throws IOException {
        ImageOutput known = out;
        if (known == null) {
            known = opener.open();
            known.begin();
            header.write(known);
            out = known;
        }
        return known;
    }

    private void writeRows(ImageOutput to) throws IOException {
        if (column == KEYS && header.hasKeys()) {
            for (int n = 0; n < KEYS_OF_PIECE && next < all; n++) {
                to.i64(kept.has(next) ? kept.key(next) : shard.key(next));
                next = rows.next(next + 1, all);
            }
        } else if (column != KEYS) {
            next = rows.write(to, columns.get(column), column, next, all, kept);
        }
        if (column == KEYS && !header.hasKeys() || next >= all) {
            if (column == KEYS) {
                rows.writeRemoved(to);
            }
            column++;
            next = rows.next(0, all);
        }
    }

    /** Writes all but the checksum. */
    void writeBody() throws IOException {
        while (column < columns.size()) {
            writeRows(output());
        }
        writeEnd(output());
    }

    private void writeEnd(ImageOutput to) throws IOException {
        if (entries == null) {
            writeEntries(to, Long.MAX_VALUE);
        } else {
            to.append(entries, 0, entries.length);
        }
    }

    private void writeEntries(ImageOutput to, long most) throws IOException {
        for (String attachment : header.attachments()) {
            shard.attachments().save(attachment, rows.changed(), entry -> {
                if (to.written() > most) {
                    throw new TooLong();
                }
                to.i8(entry.total() ? ImageHeader.TOTAL : ImageHeader.ROW);
                to.i64(entry.key());
                to.bytes(entry.bytes());
            });
            to.i8(ImageHeader.END);
        }
    }

    @Override
    public void before(int begin, int end) {
        try {
            if (begin == 0 && end >= all) {
                while (!isWritten && !isCancelled) {
                    write();
                }
            } else {
                keep(begin, Math.min(end, all));
            }
        } catch (Throwable e) { // the save fails, and not the call that writes to the rows
            failure = e;
        }
        if (isCancelled || failure != null) {
            endWatch();
        }
    }

    private void keep(int begin, int end) throws IOException {
        for (int row = rows.next(begin, all); row < end && !isCancelled; row = rows.next(row + 1, all)) {
            while (isNeeded(row) && !kept.hasRoom(out == null ? 0 : out.written(), header.bytesOfRows())) {
                write();
            }
            if (isNeeded(row)) {
                kept.add(row, header.hasKeys() ? shard.key(row) : row, Math.max(column, 0));
            }
        }
    }

    /** True if a row is still to be copied. */
    private boolean isNeeded(int row) {
        int last = columns.size() - 1;
        return !kept.has(row) && (column < last || column == last && row >= next);
    }

    private void endWatch() {
        RowWrites writes = shard.writes();
        if (writes != null) {
            writes.endWatch(this);
        }
        kept.clear();
    }
}
