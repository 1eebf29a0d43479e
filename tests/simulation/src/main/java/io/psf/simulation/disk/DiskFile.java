package io.psf.simulation.disk;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The content of a file. Writes reach the disk in their order: a loss leaves some of the first ones, and a part of the
 * next.
 */
final class DiskFile implements DiskEntry {
    private final long number;
    private byte[] bytes = {};
    private int size;
    private long modifiedMillis;
    private byte[] forced = {};
    private final List<Write> unforced = new ArrayList<>();
    private @Nullable DiskChannel lock;

    /**
     * A write, or a cut.
     *
     * @param data null if the file is cut to the length {@code at}
     */
    private record Write(int at, byte @Nullable [] data) {}

    DiskFile(long number) {
        this.number = number;
        this.modifiedMillis = System.currentTimeMillis();
    }

    void write(int at, ByteBuffer from) {
        byte[] data = new byte[from.remaining()];
        from.get(data);
        unforced.add(new Write(at, data));
        put(at, data, data.length);
        modifiedMillis = System.currentTimeMillis();
    }

    void truncate(int to) {
        if (to < size) {
            unforced.add(new Write(to, null));
            cut(to);
            modifiedMillis = System.currentTimeMillis();
        }
    }

    /** Reads bytes at a place. Returns their number; -1 at the end. */
    int read(long at, ByteBuffer into) {
        if (at >= size) {
            return -1;
        }
        int count = (int) Math.min(into.remaining(), size - at);
        into.put(bytes, (int) at, count);
        return count;
    }

    private void put(int at, byte[] data, int count) {
        if (at + count > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(at + count, 2 * bytes.length));
        }
        System.arraycopy(data, 0, bytes, at, count);
        size = Math.max(size, at + count);
    }

    private void cut(int to) {
        Arrays.fill(bytes, to, size, (byte) 0);
        size = to;
    }

    @Override
    public void force() {
        forced = Arrays.copyOf(bytes, size);
        unforced.clear();
    }

    @Override
    public void lose(SplittableRandom random) {
        bytes = forced.clone();
        size = bytes.length;
        int whole = random.nextInt(unforced.size() + 1);
        for (int i = 0; i < unforced.size() && i <= whole; i++) {
            Write each = unforced.get(i);
            byte[] data = each.data();
            if (data == null) {
                cut(Math.min(size, each.at()));
            } else if (i < whole) {
                put(each.at(), data, data.length);
            } else {
                tear(each.at(), data, random);
            }
        }
        force();
    }

    /** Writes a part of the data; in some runs the file has its new length all the same, with zeros. */
    private void tear(int at, byte[] data, SplittableRandom random) {
        int there = random.nextInt(data.length + 1);
        if (random.nextBoolean()) {
            put(at, new byte[data.length], data.length);
        }
        put(at, data, there);
    }

    /** Locks the file for a channel. Returns false if another open channel has it. */
    boolean lock(DiskChannel by) {
        if (lock != null && lock != by && lock.isOpen()) {
            return false;
        }
        lock = by;
        return true;
    }

    void unlock(DiskChannel by) {
        lock = lock == by ? null : lock;
    }

    @Override
    public long number() {
        return number;
    }

    @Override
    public long size() {
        return size;
    }

    @Override
    public long modifiedMillis() {
        return modifiedMillis;
    }
}
