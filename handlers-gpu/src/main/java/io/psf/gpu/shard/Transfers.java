package io.psf.gpu.shard;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.LongArray;
import io.psf.gpu.driver.Block;
import io.psf.gpu.driver.PinnedMemory;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;

/** The keys and rows of the items of a call, between host and device. They are in scratch memory of the workspace. */
final class Transfers {
    /** The most bytes of keys that kernels read from memory of the host, over the link: beyond, a copy is faster. */
    private static final int MOST_READ = 1 << 16;

    private final Workspace workspace;
    private final RepeatedKeys repeated = new RepeatedKeys();

    Transfers(Workspace workspace) {
        this.workspace = workspace;
    }

    /** True if it takes the host microseconds to tell whether a key is repeated, while kernels run. */
    static boolean areFew(LongArray keys) {
        return keys.length() <= RepeatedKeys.MOST;
    }

    /** True if one of few keys is repeated. */
    boolean repeat(LongArray keys) {
        return mayRepeat(keys) && repeated.areIn(keys);
    }

    /** Returns memory for the claims of a push of keys, of which some may be repeated. */
    Claims claims(LongArray keys) {
        int entries = Claims.entriesFor(keys.length());
        return new Claims(
                workspace.scratch("claims", (long) entries * Long.BYTES).address(), entries - 1);
    }

    /** Queues that claims are emptied. */
    void empty(Claims claims) {
        if (claims.there()) {
            workspace.stream().fill(claims.table(), (claims.mask() + 1L) * Long.BYTES, 0);
        }
    }

    /** False if each key is greater than the previous key. */
    static boolean mayRepeat(LongArray keys) {
        for (int i = 1; i < keys.length(); i++) {
            if (keys.get(i) <= keys.get(i - 1)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the address at which kernels read the keys of an operation: few in memory of the host, many on the
     * device. The host's memory is in use until the stream is synchronized.
     */
    long upload(LongArray of) {
        int bytes = Math.multiplyExact(of.length(), Long.BYTES);
        Buffer direct = of.offHeap();
        long there = direct == null || bytes > MOST_READ ? 0 : PinnedMemory.address(direct);
        if (there != 0 && there % Long.BYTES == 0) {
            return there;
        }
        if (direct == null || bytes <= MOST_READ) {
            ByteBuffer copy = workspace.keys(bytes);
            ArrayMemory.write(of, 0, of.length(), copy);
            direct = copy.flip();
            there = bytes > MOST_READ ? 0 : PinnedMemory.address(direct);
        }
        if (there != 0) {
            return there;
        }
        Block block = workspace.scratch("keys", Math.max(1, bytes));
        if (bytes > 0) {
            workspace.stream().copyIn(direct, bytes, block.address());
        }
        return block.address();
    }

    /** Returns the memory for the rows of the items of an operation. */
    Block items(int n) {
        return workspace.scratch("rows", Math.max(1, n) * (long) Integer.BYTES);
    }

    /** Copies rows of items to the host. Blocks until the earlier work has ended. */
    void download(Block items, int[] into, int n) {
        ByteBuffer bytes = workspace.pinned(Math.max(1, n) * Integer.BYTES).limit(n * Integer.BYTES);
        if (n > 0) {
            workspace.stream().copyOut(items.address(), bytes);
        }
        workspace.stream().synchronize();
        bytes.asIntBuffer().get(into, 0, n);
    }

    /** Copies numbers of rows to the device. Blocks until the copy has ended. */
    Block upload(String use, int[] of, int n) {
        Block block = workspace.scratch(use, Math.max(1, n) * (long) Integer.BYTES);
        if (n > 0) {
            ByteBuffer bytes = workspace.pinned(n * Integer.BYTES);
            IntBuffer ints = bytes.asIntBuffer();
            ints.put(of, 0, n);
            workspace.stream().copyIn(bytes, block.address());
            workspace.stream().synchronize();
        }
        return block;
    }
}
