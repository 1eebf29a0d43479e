package io.psf.builtin.image;

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
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The header of an image.
 *
 * @param save the save's unique number
 * @param tensor the whole tensor
 * @param begin the beginning of the shard's range
 * @param end the end of the shard's range, exclusive
 * @param rows the number of rows in this image
 * @param optimizer the optimizer's name
 * @param declaration the tensor's declaration
 * @param form how the image lists its rows
 * @param slots the slots, in the order in which they follow the values
 * @param attachments the attachments' types, in the order in which they follow the slots
 */
public record ImageHeader(
        long save,
        TensorInfo tensor,
        long begin,
        long end,
        long rows,
        String optimizer,
        String declaration,
        ImageForm form,
        List<Slot> slots,
        List<String> attachments) {
    private static final long MAGIC = 0x4452_4148_5346_5350L; // "PSFSHARD", little-endian
    private static final int VERSION = 1;
    /** The version of images that build on others. */
    private static final int INCREMENT = 2;
    /** The version of images with the state of calls. */
    private static final int WITH_CALLS = 3;

    /** The kind byte before an attachment's entry: the entry belongs to a row. */
    static final int ROW = 1;
    /** The kind byte of an entry that is the total of a shard. */
    static final int TOTAL = 2;
    /** The kind byte after the last entry of an attachment. */
    static final int END = 0;

    /** A slot's name and its number of floats per row. */
    public record Slot(String name, int width) {}

    /**
     * Returns the header of an image with all rows of a shard.
     *
     * @param save the save's unique number
     */
    public static ImageHeader of(long save, StoredShard shard) {
        List<Slot> slots = new ArrayList<>();
        new TreeMap<>(shard.storedSlots()).forEach((name, column) -> {
            if (shard.rows() > 0 && !Pushes.ownsSlot(name)) {
                slots.add(new Slot(name, column.width()));
            }
        });
        return new ImageHeader(
                save,
                shard.spec(),
                shard.range().begin(),
                shard.range().end(),
                shard.rows(),
                shard.optimizer().name(),
                Declaration.of(shard).text(),
                ImageForm.PLAIN,
                slots,
                List.copyOf(shard.attachments().saved()));
    }

    /** Returns the header of an image of the same shard with other rows. */
    ImageHeader with(long rowsOfImage, ImageForm formOfImage) {
        return new ImageHeader(
                save, tensor, begin, end, rowsOfImage, optimizer, declaration, formOfImage, slots, attachments);
    }

    /** Returns the header with the state of calls behind the attachments. */
    ImageHeader withCalls() {
        return with(rows, new ImageForm(form.bases(), form.removed(), true));
    }

    /**
     * Returns an estimate of the bytes of an image, without its attachments.
     *
     * @param ofRows the rows that it has
     */
    public long bytesWith(ImageRows ofRows) {
        return with(ofRows.count((int) rows), ofRows.form()).bytesOfRows();
    }

    /** Returns true if the image has keys: the rows of any other are numbered from its beginning. */
    public boolean hasKeys() {
        return tensor.grows() || form.bases() > 0;
    }

    void write(ImageOutput out) throws IOException {
        out.i64(MAGIC);
        out.i32(form.calls() ? WITH_CALLS : form.bases() > 0 ? INCREMENT : VERSION);
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
        if (form.bases() > 0) {
            out.i32(form.bases());
            out.i64(form.removed());
        }
        if (hasKeys()) {
            out.i64(rows);
        }
    }

    /**
     * Reads a header.
     *
     * @throws PsException with {@code STORAGE} if there is none
     */
    public static ImageHeader read(ImageInput in) throws IOException {
        require("first bytes", in.i64() == MAGIC ? "PSFSHARD" : "others", "PSFSHARD");
        int version = in.i32();
        require("format version", version, Math.min(Math.max(version, VERSION), WITH_CALLS));
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
        ImageForm form = version == INCREMENT
                ? new ImageForm(in.i32(), in.i64(), false)
                : new ImageForm(0, 0, version == WITH_CALLS);
        require("number of bases above 0", form.bases() > 0, version == INCREMENT);
        long inFile = tensor.grows() || form.bases() > 0 ? in.i64() : end - begin;
        requireDifferent("slots", slots.stream().map(Slot::name).toList());
        requireDifferent("attachments", attachments);
        return new ImageHeader(save, tensor, begin, end, inFile, optimizer, declaration, form, slots, attachments);
    }

    /** Returns the number of bytes of keys, removed keys, values and slots. */
    long bytesOfRows() {
        long floats = tensor.width();
        for (Slot slot : slots) {
            floats += slot.width();
        }
        return bytesBeforeValues() + rows * floats * Float.BYTES;
    }

    /** Returns the number of bytes of keys and removed keys. */
    public long bytesBeforeValues() {
        return bytesOfKeys() + form.removed() * Long.BYTES;
    }

    long bytesOfValues() {
        return rows * tensor.width() * Float.BYTES;
    }

    long bytesOfKeys() {
        return hasKeys() ? rows * Long.BYTES : 0;
    }

    /**
     * Checks that the parts that this header declares follow it, each with the right length, up to the checksum.
     *
     * @param in an image in a file, positioned after its header
     * @param shard the shard whose rows are loaded
     * @param newer the keys that later images of the chain name
     * @return what the shard owns of it
     * @throws PsException with {@code STORAGE} if a part is missing, too long, or has an entry outside the image's
     *     range
     */
    public Owned requireBody(ImageInput in, StoredShard shard, Superseded newer) throws IOException {
        Range here = new Range(begin, end);
        return requireBody(
                in,
                () -> hasKeys()
                        ? requireKeys(in, here, shard, newer)
                        : new Owned(owned(here, shard), newer, OptionalLong.empty()));
    }

    /**
     * Checks the parts of an image that no shard loads, as {@link #requireBody(ImageInput, StoredShard, Superseded)}
     * does. The keys of a table that does not grow must ascend, as a shard writes them.
     *
     * @throws PsException with {@code STORAGE}
     */
    public void requireBody(ImageInput in) throws IOException {
        var unused = requireBody(in, () -> requireKeys(in));
    }

    /** Reads the keys of an image, and checks them. */
    @FunctionalInterface
    private interface KeyReader {
        Owned read() throws IOException;
    }

    private Owned requireBody(ImageInput in, KeyReader keys) throws IOException {
        long body = in.position();
        long left = in.size() - Integer.BYTES - body;
        require("sign of the number of rows", Long.signum(rows) >= 0, true);
        require("number of rows below 2^31", !hasKeys() || rows <= Integer.MAX_VALUE, true);
        require("sign of the number of removed keys", Long.signum(form.removed()) >= 0, true);
        left = requireRows("keys", left, rows, hasKeys() ? Long.BYTES : 0);
        left = requireRows("removed keys", left, form.removed(), Long.BYTES);
        left = requireRows("values", left, rows, tensor.width() * (long) Float.BYTES);
        for (Slot slot : slots) {
            require("width of slot \"" + slot.name() + "\" above 0", slot.width() > 0, true);
            require("slot \"" + slot.name() + "\" of an open round", Pushes.ownsSlot(slot.name()), false);
            left = requireRows("slot \"" + slot.name() + "\"", left, rows, slot.width() * (long) Float.BYTES);
        }
        Owned owned = keys.read();
        Range here = new Range(begin, end);
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
        if (form.calls()) {
            in.pieces().close();
            in.pieces().close();
        }
        require("bytes before the checksum", in.position(), in.size() - Integer.BYTES);
        return owned;
    }

    private static long requireRows(String what, long left, long count, long bytesOfRow) {
        if (bytesOfRow > 0 && count > left / bytesOfRow) {
            throw new PsException(
                    PsException.Code.STORAGE,
                    what + ": " + count + " rows of " + bytesOfRow + " bytes in " + left + " (expected: all of them)");
        }
        return left - count * bytesOfRow;
    }

    /**
     * The part of an image that a shard owns.
     *
     * @param rows the number of rows that the shard has from this image
     * @param named the keys that this image and later ones of its chain name
     * @param outside a key of a table that grew which is no row of the shard's tensor, which does not
     */
    public record Owned(long rows, Superseded named, OptionalLong outside) {}

    /** Checks that all keys are in the range of the image's shard. */
    private Owned requireKeys(ImageInput in, Range here, StoredShard shard, Superseded newer) throws IOException {
        long owned = 0;
        LongStream.Builder named = LongStream.builder();
        OptionalLong outside = OptionalLong.empty();
        TensorInfo there = shard.spec();
        for (long i = 0; i < rows + form.removed(); i++) {
            long key = requireKey(in.i64(), here);
            boolean isOutside = !there.grows() && (key < 0 || key >= there.rows());
            boolean counts = i < rows && !newer.has(key);
            if (isOutside && counts) {
                outside = OptionalLong.of(key);
            } else if (tensor.grows() && counts && shard.owns(key)) {
                owned++;
            }
            if (form.bases() > 0 && (isOutside || shard.owns(key))) {
                named.add(key);
            }
        }
        return new Owned(owned, form.bases() > 0 ? newer.and(named.build().toArray()) : newer, outside);
    }

    /** Checks all keys, for an image without a shard. Returns its number of rows. */
    private Owned requireKeys(ImageInput in) throws IOException {
        require("removed keys of a table that does not grow", !tensor.grows() && form.removed() > 0, false);
        Range here = new Range(begin, end);
        long before = -1;
        for (long i = 0; hasKeys() && i < rows + form.removed(); i++) {
            long key = requireKey(in.i64(), here);
            if (!tensor.grows()) {
                require("key " + key + " after key " + before, key > before ? "above" : "not above", "above");
                before = key;
            }
        }
        return new Owned(rows, Superseded.NONE, OptionalLong.empty());
    }

    private long requireKey(long key, Range here) {
        long place = TensorLayout.position(tensor, key);
        if (!here.contains(place)) {
            require("place of key " + key, place, "in " + here);
        }
        return key;
    }

    /** Returns the number of keys of a range that a shard owns. */
    private static long owned(Range keys, StoredShard shard) {
        return shard.spec().grows()
                ? LongStream.range(keys.begin(), keys.end()).filter(shard::owns).count()
                : Math.min(keys.end(), shard.range().end())
                        - Math.max(keys.begin(), shard.range().begin());
    }

    private static void requireDifferent(String what, List<String> names) {
        require("different " + what, new HashSet<>(names).size(), names.size());
    }

    /**
     * Checks a part of an image.
     *
     * @throws PsException with {@code STORAGE} if it is another
     */
    public static void require(String what, Object found, Object expected) {
        if (!found.equals(expected)) {
            throw new PsException(PsException.Code.STORAGE, what + ": " + found + " (expected: " + expected + ")");
        }
    }
}
