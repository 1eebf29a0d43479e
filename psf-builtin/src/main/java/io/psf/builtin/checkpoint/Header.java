package io.psf.builtin.checkpoint;

import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.ElementType;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.push.Pushes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;

/**
 * The header of a shard file.
 *
 * @param save the save's unique number
 * @param tensor the whole tensor
 * @param begin the beginning of the shard's range
 * @param end the end of the shard's range, exclusive
 * @param rows the number of rows in this file
 * @param optimizer the optimizer's name
 * @param declaration the tensor's declaration
 * @param slots the slots, in the order in which they follow the values
 * @param attachments the attachments' types, in the order in which they follow the slots
 */
record Header(
        long save,
        TensorInfo tensor,
        long begin,
        long end,
        long rows,
        String optimizer,
        String declaration,
        List<Slot> slots,
        List<String> attachments) {
    private static final long MAGIC = 0x4452_4148_5346_5350L; // "PSFSHARD", little-endian
    private static final int VERSION = 1;

    /** The kind byte before an attachment's entry: the entry belongs to a row. */
    static final int ROW = 1;
    /** The kind byte of an entry that is the total of a shard. */
    static final int TOTAL = 2;
    /** The kind byte after the last entry of an attachment. */
    static final int END = 0;

    /** A slot's name and its number of floats per row. */
    record Slot(String name, int width) {}

    static Header of(long save, StoredShard shard) {
        List<Slot> slots = new ArrayList<>();
        new TreeMap<>(shard.storedSlots()).forEach((name, column) -> {
            if (shard.rows() > 0 && !Pushes.ownsSlot(name)) {
                slots.add(new Slot(name, column.width()));
            }
        });
        return new Header(
                save,
                shard.spec(),
                shard.range().begin(),
                shard.range().end(),
                shard.rows(),
                shard.optimizer().name(),
                Declaration.of(shard).text(),
                slots,
                List.copyOf(shard.attachments().saved()));
    }

    void write(CheckedOutput out) throws IOException {
        out.i64(MAGIC);
        out.i32(VERSION);
        out.i32(ElementType.FLOAT.ordinal());
        out.i64(save);
        out.i64(tensor.rows());
        out.i32(tensor.width());
        out.i64(begin);
        out.i64(end);
        out.string(tensor.id().name());
        out.string(optimizer);
        out.string(declaration);
        out.i32(slots.size());
        for (Slot slot : slots) {
            out.string(slot.name());
            out.i32(slot.width());
        }
        out.i32(attachments.size());
        for (String attachment : attachments) {
            out.string(attachment);
        }
        if (tensor.grows()) {
            out.i64(rows);
        }
    }

    static Header read(BufferedFile in) throws IOException {
        require("first bytes", in.i64() == MAGIC ? "PSFSHARD" : "others", "PSFSHARD");
        require("format version", in.i32(), VERSION);
        require("element type", in.i32(), ElementType.FLOAT.ordinal());
        long save = in.i64();
        long rows = in.i64();
        int width = in.i32();
        long begin = in.i64();
        long end = in.i64();
        TensorInfo tensor = new TensorInfo(TensorId.of(in.string()), rows, width);
        String optimizer = in.string();
        String declaration = in.string();
        List<Slot> slots = new ArrayList<>();
        for (int left = in.i32(); left > 0; left--) {
            slots.add(new Slot(in.string(), in.i32()));
        }
        List<String> attachments = new ArrayList<>();
        for (int left = in.i32(); left > 0; left--) {
            attachments.add(in.string());
        }
        long inFile = tensor.grows() ? in.i64() : end - begin;
        requireDifferent("slots", slots.stream().map(Slot::name).toList());
        requireDifferent("attachments", attachments);
        return new Header(save, tensor, begin, end, inFile, optimizer, declaration, slots, attachments);
    }

    /** Returns the number of bytes of keys, values and slots. */
    long bytesOfRows() {
        long floats = tensor.width();
        for (Slot slot : slots) {
            floats += slot.width();
        }
        return rows * (floats * Float.BYTES + (tensor.grows() ? Long.BYTES : 0));
    }

    /**
     * Checks that the parts that this header declares follow it, each with the right length, up to the checksum.
     *
     * @param in a file, positioned after its header
     * @param shard the shard whose rows are loaded
     * @return the number of the file's rows that the shard owns
     * @throws PsException with {@code STORAGE} if a part is missing, too long, or has an entry outside the file's range
     */
    long requireBody(BufferedFile in, StoredShard shard) throws IOException {
        long body = in.position();
        long left = in.size() - Integer.BYTES - body;
        require("sign of the number of rows", Long.signum(rows) >= 0, true);
        left = requireRows("keys", left, tensor.grows() ? Long.BYTES : 0);
        left = requireRows("values", left, tensor.width() * (long) Float.BYTES);
        for (Slot slot : slots) {
            require("width of slot \"" + slot.name() + "\" above 0", slot.width() > 0, true);
            require("slot \"" + slot.name() + "\" of an open round", Pushes.ownsSlot(slot.name()), false);
            left = requireRows("slot \"" + slot.name() + "\"", left, slot.width() * (long) Float.BYTES);
        }
        Range here = new Range(begin, end);
        long owned = tensor.grows()
                ? requireKeys(in, here, shard)
                : Math.min(end, shard.range().end())
                        - Math.max(begin, shard.range().begin());
        in.seek(body + bytesOfRows());
        for (String attachment : attachments) {
            for (int kind = in.i8(); kind != END; kind = in.i8()) {
                long key = in.i64();
                require("kind of an entry of " + attachment, kind, kind == TOTAL ? TOTAL : ROW);
                require(
                        "place of an entry of " + attachment + " in " + here,
                        here.contains(kind == TOTAL ? key : TensorLayout.position(tensor, key)),
                        true);
                in.skipBytes();
            }
        }
        require("bytes before the checksum", in.position(), in.size() - Integer.BYTES);
        return owned;
    }

    private long requireRows(String what, long left, long bytesOfRow) {
        if (bytesOfRow > 0 && rows > left / bytesOfRow) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    what + ": " + rows + " rows of " + bytesOfRow + " bytes in " + left + " (expected: all of them)");
        }
        return left - rows * bytesOfRow;
    }

    /** Counts the keys that a shard owns. Checks that all keys are in the range of the file's shard. */
    private long requireKeys(BufferedFile in, Range here, StoredShard shard) throws IOException {
        long owned = 0;
        for (long i = 0; i < rows; i++) {
            long key = in.i64();
            long place = TensorLayout.position(tensor, key);
            if (!here.contains(place)) {
                require("place of key " + key, place, "in " + here);
            }
            owned += shard.range().contains(place) ? 1 : 0;
        }
        return owned;
    }

    private static void requireDifferent(String what, List<String> names) {
        require("different " + what, new HashSet<>(names).size(), names.size());
    }

    static void require(String what, Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new PsException(PsException.Code.STORAGE, what + ": " + found + " (expected: " + expected + ")");
        }
    }
}
