package io.psf.gpu.shard;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.EncodedFloats;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.gpu.Grid;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.PinnedMemory;
import io.psf.runtime.spi.shard.ShardLane;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pulls of rows to memory that kernels write. One kernel does a pull, also without a status to read afterwards; one
 * kernel does the pulls of a chain's calls, also from different tables. Belongs to a workspace.
 */
final class Pulls {
    /** The most bytes of an answer that waits for others. A longer answer takes the time of the link. */
    private static final int MOST_BYTES = 1 << 18;

    /** The most bytes of the keys of one pull, which the kernel reads over the link. */
    private static final int MOST_BYTES_OF_KEYS = 1 << 16;

    /** Where the number that the kernel of one pull sets is in the memory for the status. */
    private static final int OF_FLAG = 32;

    /** The bytes of a {@code Pull} of psf.cu. */
    private static final int BYTES_OF_PULL = 80;

    /** The parts of rows that a block copies at once: {@code CHUNK} of psf.cu. */
    private static final int CHUNK = 512;

    private static final int THREADS = 256;

    /** That of a table that does not grow. */
    private static final Index NO_INDEX = new Index(0, 0);

    private final Workspace workspace;
    private final List<Pull> waiting = new ArrayList<>();
    /** The piece of work of the lane in which the pulls that wait have been put off. */
    private long turn;
    /** Memory of the host: a number for each pull, which the kernel sets, the pulls themselves, and keys. */
    private ByteBuffer memory = ByteBuffer.allocateDirect(0);

    Pulls(Workspace workspace) {
        this.workspace = workspace;
    }

    /** A pull that waits for the answer of its call to be written. */
    private final class Pull implements Runnable {
        final DeviceRows of;
        /** Null for all rows. */
        final @Nullable LongArray keys;

        final long into;
        final int n;
        /** Does this pull by itself. */
        final Runnable alone;

        boolean isDone;

        Pull(DeviceRows of, @Nullable LongArray keys, long into, Runnable alone) {
            this.of = of;
            this.keys = keys;
            this.into = into;
            this.n = keys == null ? of.count() : keys.length();
            this.alone = alone;
        }

        /** Does all pulls that wait; this one by itself if that has not sufficed, as for a key without a row. */
        @Override
        public void run() {
            if (waiting.contains(this)) {
                pullAll();
            }
            if (!isDone) {
                alone.run();
            }
        }

        int chunks() {
            return (int) ((parts(of, n) + CHUNK - 1) / CHUNK);
        }

        int bytesOfKeys() {
            return keys == null ? 0 : n * Long.BYTES;
        }
    }

    /** Returns the parts of n rows, of which a thread copies one at once. */
    private static long parts(DeviceRows of, int n) {
        int width = of.values().width();
        return (long) n * (width % 4 == 0 ? width / 4 : width);
    }

    /** Returns the address at which a kernel writes the rows of a pull themselves; 0 if it cannot. */
    private static long address(FloatArray into) {
        ByteBuffer own = into.offHeap();
        return own == null || EncodedFloats.of(into) != null || own.capacity() > Workspace.PIECE * Float.BYTES
                ? 0
                : Pieces.address(own);
    }

    /** True if {@link #pull} may be tried. */
    boolean canPull(FloatArray into) {
        return address(into) != 0 && PinnedMemory.address(workspace.words()) != 0;
    }

    /**
     * Copies the rows of keys, and waits.
     *
     * @param into [n, width] float32, filled unless this returns false
     * @return false if a key has no row, or is not owned
     */
    boolean pull(Kernels kernels, DeviceRows rows, LongArray keys, FloatArray into) {
        ByteBuffer words = workspace.words().putInt(OF_FLAG, 0);
        long isOdd = PinnedMemory.address(words) + OF_FLAG;
        KeyIndex grown = rows.indexIfAny();
        launchOne(
                kernels,
                parts(rows, keys.length()),
                new LaunchArguments()
                        .pointer(rows.values().rowsToRead().address())
                        .pointer(rows.transfers().upload(keys))
                        .index(grown == null ? NO_INDEX : grown.index())
                        .range(rows.range())
                        .pointer(address(into))
                        .pointer(isOdd)
                        .i32(keys.length())
                        .rows(rows.values().rowsToRead()));
        workspace.stream().synchronize();
        return words.getInt(OF_FLAG) == 0;
    }

    static void launchOne(Kernels kernels, long parts, LaunchArguments arguments) {
        kernels.launch("psf_pull_one", "psf_pull_one", Grid.once((parts + 1) / 2), arguments);
    }

    /**
     * Puts a pull off until its call is answered.
     *
     * @param keys the keys; null for all rows
     * @param alone does the pull by itself
     * @param into [n, width] float32, scratch memory of the call; filled when the call is answered
     * @return false if it is not put off, since it is alone, long, or not in memory that kernels write
     */
    boolean putOff(ShardLane lane, DeviceRows of, @Nullable LongArray keys, FloatArray into, Runnable alone) {
        long address = address(into);
        if (address == 0
                || into.length() > MOST_BYTES / Float.BYTES
                || keys != null && keys.length() > MOST_BYTES_OF_KEYS / Long.BYTES) {
            return false;
        }
        Pull pull = new Pull(of, keys, address, alone);
        if (!lane.beforeAnswer(pull)) {
            return false;
        }
        if (lane.turn() != turn) {
            waiting.clear(); // of a call that has failed
            turn = lane.turn();
        }
        Workspace.poison(into);
        waiting.add(pull);
        return true;
    }

    private void pullAll() {
        List<Pull> pulls = List.copyOf(waiting);
        waiting.clear();
        if (pulls.size() > 1) {
            workspace.operation(kernels -> {
                pullAll(kernels, pulls);
                return null;
            });
        }
    }

    private void pullAll(Kernels kernels, List<Pull> pulls) {
        int bytes = pulls.size() * BYTES_OF_PULL;
        int begin = pulls.size() * Long.BYTES; // of the pulls, and of the keys behind them
        int ofKeys = pulls.stream().mapToInt(Pull::bytesOfKeys).sum();
        ByteBuffer all = memory(begin + bytes + ofKeys);
        long address = PinnedMemory.address(all);
        if (address == 0) {
            return;
        }
        int chunks = 0;
        int keys = begin + bytes;
        for (int i = 0; i < pulls.size(); i++) {
            Pull pull = pulls.get(i);
            long isOdd = address + (long) i * Long.BYTES;
            all.putLong(i * Long.BYTES, 0);
            LongArray of = pull.keys;
            long there = of == null ? 0 : there(of);
            if (of != null && there == 0) {
                ArrayMemory.write(
                        of, 0, pull.n, all.slice(keys, pull.bytesOfKeys()).order(ByteOrder.LITTLE_ENDIAN));
                there = address + keys;
                keys += pull.bytesOfKeys();
            }
            write(pull, there, isOdd, chunks, all.position(begin + i * BYTES_OF_PULL));
            chunks += pull.chunks();
        }
        Block block = workspace.scratch("pulls", bytes);
        workspace.stream().copyIn(all.slice(begin, bytes), block.address());
        launch(kernels, block.address(), pulls.size(), chunks);
        workspace.stream().synchronize();
        for (int i = 0; i < pulls.size(); i++) {
            pulls.get(i).isDone = all.getInt(i * Long.BYTES) == 0;
        }
    }

    static void launch(Kernels kernels, long pulls, int n, int chunks) {
        kernels.launch(
                "psf_pull_each",
                (long) chunks * THREADS,
                new LaunchArguments().pointer(pulls).i32(n).i32(chunks));
    }

    /** Returns the address at which kernels read keys where they are; 0 if they cannot. */
    private static long there(LongArray keys) {
        Buffer direct = keys.offHeap();
        long address = direct == null ? 0 : PinnedMemory.address(direct);
        return address % Long.BYTES == 0 ? address : 0;
    }

    private static void write(Pull pull, long keys, long isOdd, int firstChunk, ByteBuffer into) {
        DeviceRows of = pull.of;
        Rows rows = of.operation(kernels -> of.values().rowsToRead());
        KeyIndex grown = of.indexIfAny();
        Index index = grown == null ? NO_INDEX : grown.index();
        into.putLong(rows.address()).putLong(keys);
        into.putLong(index.entries()).putLong(index.mask());
        into.putLong(of.range().begin()).putLong(of.range().end());
        into.putLong(pull.into).putLong(isOdd);
        into.putInt(pull.n).putInt(rows.width()).putInt(rows.storage());
        into.putInt(firstChunk);
    }

    private ByteBuffer memory(int bytes) {
        if (memory.capacity() < bytes) {
            memory = workspace.hostMemory(Math.max(1 << 16, Integer.highestOneBit(bytes) << 1));
        }
        return memory.clear().order(ByteOrder.LITTLE_ENDIAN);
    }
}
