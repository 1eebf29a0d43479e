package io.psf.gpu.shard;

import io.psf.gpu.driver.Block;
import java.nio.ByteBuffer;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The removals of rows of a growing table. Kernels tell which rows are removed, and which of the last ones take their
 * numbers. Once the keys are out of the index a removal is decided; whatever fails before leaves the table as it was.
 */
final class Removals {
    /** The most bytes of the numbers of moved rows that are kept for the next removal. */
    private static final long MOST_KEPT = 4 << 20;

    private static final long LEAST = 1 << 12;

    private final DeviceRows rows;
    private final Workspace workspace;
    /** The memory of {@link Doom}, for as many rows as the columns have memory for: a full device can remove rows. */
    private @Nullable Block doomed;
    /** The memory of the numbers of moved rows; null until there are some. */
    private @Nullable Block moved;
    /** Changes when rows are removed, so that numbers of rows are invalid. */
    private int number;
    /** The removal whose keys are out of the index, and whose rows are not moved yet; null if there is none. */
    private @Nullable Unfinished unfinished;

    Removals(DeviceRows rows) {
        this.rows = rows;
        this.workspace = rows.workspace();
    }

    int number() {
        return number;
    }

    /** Takes the memory for a removal among some rows. */
    void reserve(int capacity) {
        doomed = atLeast(Doom.bytes(capacity), doomed);
    }

    /** Returns memory of at least some bytes, in the place of a shorter block that no work uses. */
    private Block atLeast(long bytes, @Nullable Block there) {
        if (there != null && there.bytes() >= bytes) {
            return there;
        }
        Block longer = rows.memory().allocate(Math.max(LEAST, Long.highestOneBit(bytes - 1) << 1), "a removal");
        if (there != null) {
            rows.memory().free(there);
        }
        return longer;
    }

    /**
     * Removes rows from the index. {@link #finish} moves the others, now or in the next operation.
     *
     * @param choice queues what tells the rows that are removed
     * @param most the number of rows that it may tell, as far as it is known
     * @param isTold true if attachments are told
     */
    Removed remove(BiConsumer<Kernels, Doom> choice, int most, boolean isTold) {
        return rows.operation(kernels -> {
            rows.markNew(kernels);
            int before = rows.count();
            Block block = atLeast(Doom.bytes(before), doomed);
            doomed = block;
            Doom doom = Doom.in(block);
            workspace.stream().fill(block.address(), Doom.bytes(before), 0);
            choice.accept(kernels, doom);
            int gone = read(doom)[0];
            moved = atLeast(2L * Integer.BYTES * Math.max(Math.max(1, most), Math.min(gone, before - gone)), moved);
            return gone == 0
                    ? Removed.silent(0, before)
                    : remove(kernels, doom, moved.address(), before, before - gone, isTold);
        });
    }

    private Removed remove(Kernels kernels, Doom doom, long from, int before, int tail, boolean isTold) {
        Moves moves = Moves.NONE;
        if (tail > 0) {
            long to = from + (long) Math.min(before - tail, tail) * Integer.BYTES;
            kernels.removal().planMoves(doom, before, from, to);
            moves = new Moves(from, to, read(doom)[1]);
        }
        Removed removed = isTold ? told(kernels, moves, before, tail) : Removed.silent(before - tail, tail);
        kernels.removal()
                .removeRows(doom, before, rows.keys().address(), rows.index().index());
        begin(new Unfinished(moves, tail, before, false), rows.used());
        return removed;
    }

    /** Reads what is known of a removal: the numbers of its rows and of its moves. */
    private int[] read(Doom doom) {
        return ints(doom.removal(), Doom.BYTES / Integer.BYTES);
    }

    private int[] ints(long from, int n) {
        int[] ints = new int[n];
        copyOut(from, n * Integer.BYTES).asIntBuffer().get(ints);
        return ints;
    }

    private long[] longs(long from, int n) {
        long[] longs = new long[n];
        copyOut(from, n * Long.BYTES).asLongBuffer().get(longs);
        return longs;
    }

    private ByteBuffer copyOut(long from, int bytes) {
        ByteBuffer copy = workspace.pinned(bytes);
        if (bytes > 0) {
            workspace.stream().copyOut(from, copy);
        }
        workspace.stream().synchronize();
        return copy;
    }

    private Removed told(Kernels kernels, Moves moves, int before, int tail) {
        long keys = rows.keys().address();
        int n = moves.n();
        long keysOfHoles =
                workspace.scratch("keys", Math.max(1, n) * (long) Long.BYTES).address();
        if (n > 0) {
            kernels.removal().keysOf(keys, moves.to(), n, keysOfHoles);
        }
        return new Removed(
                before - tail,
                tail,
                ints(moves.from(), n),
                ints(moves.to(), n),
                longs(keysOfHoles, n),
                longs(keys + (long) tail * Long.BYTES, before - tail));
    }

    /** Removes all rows of a growing table, as {@link #remove} does. */
    void removeAll() {
        rows.operation(kernels -> {
            rows.index().clear();
            begin(new Unfinished(Moves.NONE, 0, rows.count(), false), 0);
            return null;
        });
    }

    private void begin(Unfinished removal, int usedAfterwards) {
        unfinished = removal;
        rows.removed(removal.count(), usedAfterwards);
        number++;
    }

    /** Moves and empties rows, if there is a removal that has begun and not ended. */
    void finish(Kernels kernels) {
        Unfinished removal = unfinished;
        if (removal == null) {
            return;
        }
        if (!removal.hasMoved()) { // moves may be repeated until rows are emptied
            move(kernels, removal.moves());
            removal = removal.moved();
            unfinished = removal;
        }
        for (DeviceColumn column : rows.columnsOfFloats()) {
            column.clear(removal.count(), removal.before());
        }
        rows.status().write(removal.count(), rows.used());
        unfinished = null;
        if (moved != null && moved.bytes() > MOST_KEPT) {
            rows.memory().free(moved);
            moved = null;
        }
    }

    private void move(Kernels kernels, Moves moves) {
        if (moves.n() == 0) {
            return;
        }
        kernels.removal()
                .moveKeys(
                        rows.keys().address(),
                        moves.from(),
                        moves.to(),
                        moves.n(),
                        rows.index().index());
        for (DeviceColumn column : rows.columnsOfFloats()) {
            kernels.removal().moveRows(column.rows(), moves.from(), moves.to(), moves.n());
        }
    }
}
