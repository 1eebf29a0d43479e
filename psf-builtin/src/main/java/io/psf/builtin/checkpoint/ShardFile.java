package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.spi.Attachments;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredShard;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The file of one shard: header, keys, hashes, values, slots, attachments, checksum (docs/checkpoint.md).
 * The whole file is verified before any part is used, so later reads can fail only on I/O errors.
 *
 * @param path the file's path
 * @param header the file's header
 * @param data the position after the header
 * @param owned what the shard owns for which it was verified
 * @param newer the keys that later files of its chain name
 */
record ShardFile(Path path, Header header, long data, Header.Owned owned, Superseded newer) {
    /**
     * Writes the file of a shard. Returns its range, length and checksum.
     *
     * @param whole the header of a file with all rows
     * @param rows the rows to write
     * @throws PsException with {@code STORAGE} naming the file and the reason
     */
    static Piece write(Folder folder, Header whole, StoredShard shard, FileRows rows) {
        int all = shard.rows();
        Form form = rows.form();
        Header header = whole.with(rows.count(all), form);
        Piece unsized = new Piece(header.save(), header.begin(), header.end(), 0, 0, form.bases());
        return folder.replace(unsized.file(folder), channel -> {
            CheckedOutput out = new CheckedOutput(channel);
            header.write(out);
            for (int row = 0; header.hasKeys() && row < all; row++) {
                if (rows.has(row)) {
                    out.i64(shard.key(row));
                }
            }
            rows.write(out, all);
            rows.write(out, shard.storedValues(), all);
            for (Header.Slot slot : header.slots()) {
                rows.write(out, shard.storedSlot(slot.name(), slot.width()), all);
            }
            for (String attachment : header.attachments()) {
                writeEntries(out, attachment, shard, rows);
            }
            int checksum = out.finish();
            return new Piece(header.save(), header.begin(), header.end(), out.written(), checksum, form.bases());
        });
    }

    private static void writeEntries(CheckedOutput out, String attachment, StoredShard shard, FileRows rows)
            throws IOException {
        boolean all = rows.form().bases() == 0;
        shard.attachments().save(attachment, entry -> {
            int row = all || entry.total() ? -1 : shard.find(entry.key());
            if (all || entry.total() || row >= 0 && rows.has(row)) {
                out.i8(entry.total() ? Header.TOTAL : Header.ROW);
                out.i64(entry.key());
                out.bytes(entry.bytes());
            }
        });
        out.i8(Header.END);
    }

    /**
     * Verifies a file and reads its header. Checks the checksum, and that all parts that the header declares are
     * present.
     *
     * @param shard the shard whose rows are loaded
     * @param newer the keys that later files of the chain name
     * @throws PsException with {@code STORAGE} if the file is missing or damaged
     */
    static ShardFile verified(Folder folder, Manifest manifest, Piece piece, StoredShard shard, Superseded newer) {
        Path path = piece.file(folder);
        try (BufferedFile in = new BufferedFile(path)) {
            Header.require("bytes", in.size(), piece.bytes());
            Header.require("checksum", hex(in.checksum(in.size() - Integer.BYTES)), hex(piece.checksum()));
            Header.require("checksum at the end", hex(in.i32()), hex(piece.checksum()));
            in.seek(0);
            Header header = Header.read(in);
            header.requireOf(manifest.tensor(), piece);
            long data = in.position();
            return new ShardFile(path, header, data, header.requireBody(in, shard, newer), newer);
        } catch (NoSuchFileException e) {
            throw Folder.failure(path + ", rows " + piece.rows(), e);
        } catch (IOException e) {
            throw Folder.failure("reading " + path, e);
        } catch (PsException | IllegalArgumentException e) {
            String damage = e instanceof PsException known ? known.detail() : e.getMessage();
            throw new PsException(
                    PsException.Code.STORAGE, path + ", rows " + piece.rows() + ": damaged, " + damage, e);
        }
    }

    private static String hex(int number) {
        return "%08x".formatted(number);
    }

    /** Returns true if no later file of the chain names a key. */
    private boolean isCurrent(long key) {
        return !newer.has(key);
    }

    /**
     * Reads the attachments' entries that a shard owns, and all totals, and appends them to {@code attachments}, by
     * type. Totals count only if this is the last file of its chain.
     */
    void loadAttachments(StoredShard shard, Map<String, List<Attachments.Entry>> attachments) {
        try (BufferedFile in = new BufferedFile(path)) {
            in.seek(data + header.bytesOfRows());
            for (String attachment : header.attachments()) {
                if (newer.isEmpty()) {
                    attachments.computeIfAbsent(attachment, name -> new ArrayList<>());
                }
                for (int kind = in.i8(); kind != Header.END; kind = in.i8()) {
                    long key = in.i64();
                    boolean total = kind == Header.TOTAL;
                    if (total ? newer.isEmpty() : isCurrent(key) && shard.owns(key)) {
                        attachments
                                .computeIfAbsent(attachment, name -> new ArrayList<>())
                                .add(new Attachments.Entry(key, total, in.bytes()));
                    } else {
                        in.skipBytes();
                    }
                }
            }
        } catch (IOException e) {
            throw Folder.failure("reading " + path, e);
        }
    }

    /** Copies the rows that a shard owns into its values and slots. */
    void load(StoredShard shard, Tile tile) {
        try (BufferedFile in = new BufferedFile(path)) {
            if (header.hasKeys()) {
                loadByKey(in, shard, tile);
            } else {
                loadByRange(in, shard, tile);
            }
        } catch (IOException e) {
            throw Folder.failure("reading " + path, e);
        }
    }

    /** Returns the columns of a shard that the file contains, in the order of the file. */
    private List<StoredColumn> columns(StoredShard shard) {
        List<StoredColumn> columns = new ArrayList<>(List.of(shard.storedValues()));
        for (Header.Slot slot : header.slots()) {
            columns.add(shard.storedSlot(slot.name(), slot.width()));
        }
        return columns;
    }

    private void loadByRange(BufferedFile in, StoredShard shard, Tile tile) throws IOException {
        Range range = shard.range();
        long begin = Math.max(header.begin(), range.begin());
        long end = Math.min(header.end(), range.end());
        long at = data + header.bytesBeforeValues();
        for (StoredColumn column : columns(shard)) {
            long bytesOfRow = (long) column.width() * Float.BYTES;
            in.seek(at + (begin - header.begin()) * bytesOfRow);
            for (long row = begin; row < end; ) {
                int n = (int) Math.min(Tile.rows(column.width()), end - row);
                column.write((int) (row - range.begin()), tile.read(in, n, column.width()));
                row += n;
            }
            at += header.rows() * bytesOfRow;
        }
    }

    private void loadByKey(BufferedFile in, StoredShard shard, Tile tile) throws IOException {
        try (BufferedFile keys = new BufferedFile(path)) {
            OwnedKeys owned = new OwnedKeys(keys, data, header.rows(), shard, this::isCurrent);
            owned.createRows();
            in.seek(data + header.bytesBeforeValues());
            for (StoredColumn column : columns(shard)) {
                owned.copy(in, tile, column);
            }
        }
    }
}
