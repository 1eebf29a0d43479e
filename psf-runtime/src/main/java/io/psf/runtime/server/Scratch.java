package io.psf.runtime.server;

import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that is handed out in pieces and taken back all at once. One lane uses it. */
final class Scratch {
    private static final long MOST = (Integer.MAX_VALUE - 8) & ~7;

    private ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);

    /** n floats, their content undefined. */
    FloatArray allocate(int n) {
        long bytes = 4L * n;
        long padded = (bytes + 7) & ~7L;
        if (padded > memory.remaining()) {
            long wanted = Math.min(MOST, Math.max(2L * memory.capacity(), padded));
            if (wanted < padded) {
                throw new IllegalArgumentException(
                        "floats of scratch memory: " + n + " (expected: at most " + wanted / 4 + ")");
            }
            memory = ByteBuffer.allocateDirect((int) wanted); // pieces handed out before keep the old one
        }
        ByteBuffer piece = memory.slice(memory.position(), (int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        memory.position(memory.position() + (int) padded);
        return FloatArray.view(piece);
    }

    boolean isEmpty() {
        return memory.position() == 0;
    }

    void reset() {
        memory.clear();
    }
}
