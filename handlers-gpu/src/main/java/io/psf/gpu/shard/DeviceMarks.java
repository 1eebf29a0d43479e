package io.psf.gpu.shard;

import io.psf.api.array.FloatType;
import io.psf.api.array.LongArray;
import io.psf.builtin.policy.MarkMemory;
import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The marks of the rows of a table with a policy, a column on the device. Rows that are removed by them never pass the
 * host.
 */
final class DeviceMarks implements MarkMemory {
    /** The rows whose marks are copied to the host together. */
    private static final int PAGE = 1 << 14;

    private final DeviceRows rows;
    private final DeviceColumn column;
    /** Removes the rows that kernels tell, with all that follows; returns their number. */
    private final ToIntFunction<BiConsumer<Kernels, Doom>> removal;

    private int known;
    /** The present push and second, for rows that are created before the next ones. */
    private int step;

    private int second;

    private int[] page = {};
    private int pageBegin;
    private int pageEnd;

    DeviceMarks(DeviceRows rows, String of, int capacity, ToIntFunction<BiConsumer<Kernels, Doom>> removal) {
        this.rows = rows;
        this.column =
                new DeviceColumn(rows.memory(), "marks of " + of, MARKS, FloatType.FLOAT32, capacity, rows.most());
        this.removal = removal;
    }

    DeviceColumn column() {
        return column;
    }

    /** Marks the rows that have no marks yet, before rows are removed. */
    void markNew(Kernels kernels) {
        int end = rows.count();
        if (known < end) {
            kernels.removal().setMarks(present(), known, end);
            known = end;
            pageEnd = 0;
        }
    }

    /** Takes the number of rows after a removal: their marks have moved with them. */
    void removed(int count) {
        known = count;
        pageEnd = 0;
    }

    private Touch present() {
        return new Touch(column.address(), step, second);
    }

    @Override
    public long bytes() {
        return column.bytes();
    }

    @Override
    public int rows() {
        return known;
    }

    @Override
    public void clear() {
        known = 0;
        pageEnd = 0;
    }

    @Override
    public void growTo(int end, int presentStep, int presentSecond) {
        step = presentStep;
        second = presentSecond;
        if (known < end) {
            rows.operation(kernels -> {
                markNew(kernels);
                return null;
            });
        }
    }

    @Override
    public int touch(LongArray keys, int @Nullable [] into, int presentStep, int presentSecond) {
        step = presentStep;
        second = presentSecond;
        pageEnd = 0;
        int n = keys.length();
        return rows.operation(kernels -> {
            long of = rows.transfers().upload(keys);
            Block items = rows.transfers().items(into == null ? 0 : n);
            rows.touch(kernels, of, n, present(), into == null ? 0 : items.address());
            rows.end(keys);
            if (into != null) {
                rows.transfers().download(items, into, n);
            }
            return rows.status().missing();
        });
    }

    @Override
    public void lower(int by) {
        pageEnd = 0;
        rows.operation(kernels -> {
            kernels.removal().lowerMarks(column.address(), known, by);
            return null;
        });
    }

    @Override
    public int removeIdle(long beforeStep, long beforeSecond) {
        return removal.applyAsInt(
                (kernels, doom) -> kernels.removal().doomIdle(column.address(), known, beforeStep, beforeSecond, doom));
    }

    @Override
    public int removeLowest(int most, boolean byCount, int leftOut) {
        return removal.applyAsInt((kernels, doom) -> {
            long keys = rows.keys().address();
            kernels.removal().doomLowest(new Ranked(column.address(), keys, known, byCount, leftOut), most, doom);
        });
    }

    @Override
    public void read(int row, int[] marks) {
        if (row < pageBegin || row >= pageEnd) {
            pageEnd = 0;
            int begin = row / PAGE * PAGE;
            int end = Math.min(known, begin + PAGE);
            page = page.length == 0 ? new int[MARKS * PAGE] : page;
            rows.operation(kernels -> {
                ByteBuffer bytes = rows.workspace().pinned((end - begin) * MARKS * Integer.BYTES);
                rows.workspace().stream().copyOut(column.addressToRead() + begin * column.bytesOfRow(), bytes);
                rows.workspace().stream().synchronize();
                return bytes.asIntBuffer().get(page, 0, (end - begin) * MARKS);
            });
            pageBegin = begin;
            pageEnd = end;
        }
        System.arraycopy(page, (row - pageBegin) * MARKS, marks, 0, MARKS);
    }

    @Override
    public void write(LongArray keys, int[] marks) {
        pageEnd = 0;
        int n = keys.length();
        rows.operation(kernels -> {
            long of = rows.transfers().upload(keys);
            long from = rows.transfers().upload("marks", marks, n * MARKS).address();
            kernels.removal().writeMarks(of, n, rows.index().index(), column.address(), from);
            rows.workspace().stream().synchronize(); // the memory of the keys is free
            return null;
        });
    }
}
