package io.psf.runtime.server;

import io.psf.api.array.FloatArray;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Memory that is handed out in pieces and taken back all at once. One lane uses it. */
final class Scratch {
    private ByteBuffer memory = ByteBuffer.allocateDirect(1 << 16);

    /** n floats, their content undefined. */
    FloatArray allocate(int n) {
        long bytes = 4L * n;
        if (bytes > memory.remaining()) {
            long wanted = Math.min(Integer.MAX_VALUE - 8, Math.max(2L * memory.capacity(), bytes));
            if (wanted < bytes) {
                throw new IllegalArgumentException(
                        "floats of scratch memory: " + n + " (expected: at most " + wanted / 4 + ")");
            }
            memory = ByteBuffer.allocateDirect((int) wanted); // pieces handed out before keep the old one
        }
        ByteBuffer piece = memory.slice(memory.position(), (int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        memory.position(memory.position() + (int) ((bytes + 7) & ~7L));
        return FloatArray.view(piece);
    }

    boolean isEmpty() {
        return memory.position() == 0;
    }

    void reset() {
        memory.clear();
    }
}
