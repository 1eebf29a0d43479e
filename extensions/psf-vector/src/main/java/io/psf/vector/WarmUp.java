package io.psf.vector;

import static java.util.Objects.requireNonNull;

import io.psf.api.array.FloatArray;
import io.psf.builtin.optimizer.Kernel;
import io.psf.builtin.optimizer.SpanKernel;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Runs one formula until the JIT has compiled it to vector instructions. A vector that the JIT keeps as an object is
 * ten to fifty times slower, which no API tells: the time of the formula is compared with the time of the tiles.
 */
final class WarmUp {
    /**
     * The processor time of this thread that one formula may take until the JIT has compiled it. On a loaded machine
     * the JIT waits for a processor as long as this thread does.
     */
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** A word of {@code java.vm.info} of a JVM with {@code -Xint} or {@code -XX:TieredStopAtLevel=1}. */
    private static final Pattern WITHOUT_C2 = Pattern.compile("interpreted|emulated-client");

    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    /** The time between two comparisons: the processors are for the JIT and for the calls. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The most time of vectors, in times of the tiles. In a cache, where no copy waits for memory, both may take as
     * long; vectors that are objects take ten times as long.
     */
    private static final double MOST = 1.5;

    /** The number of elements of a span, and of a tile. With short spans the JIT compiles after fewer steps. */
    private static final int FLOATS = 512;

    /** The number of spans in a turn that is timed. */
    private static final int TURN = 64;

    /** The number of turns of which the least times are compared. */
    private static final int TURNS = 16;

    private final Kernel kernel;
    private final int steps;
    private final FloatArray w = offHeap();
    private final FloatArray g = offHeap();
    private final FloatArray[] state;
    private final float[] wTile = new float[FLOATS];
    private final float[] gTile = new float[FLOATS];
    private final float[][] stateTiles;

    WarmUp(Kernel kernel) {
        this.kernel = kernel;
        this.steps = kernel.counting() == Kernel.Counting.NONE ? 0 : 1;
        int states = kernel.state().size();
        this.stateTiles = new float[states][FLOATS];
        this.state = new FloatArray[states];
        for (int s = 0; s < states; s++) {
            state[s] = offHeap();
        }
        g.fill(0.5f);
    }

    private static FloatArray offHeap() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(Float.BYTES * FLOATS + 64).alignedSlice(64);
        return FloatArray.view(bytes.limit(Float.BYTES * FLOATS));
    }

    /**
     * Runs the formula, and the same steps through tiles, until it takes no longer, or the limit has passed. Returns
     * true if it takes no longer; false also if vectors do not support it, or this JVM runs without the compiler that
     * knows them.
     */
    boolean isCompiled() {
        SpanKernel span = Formulas.of(kernel, floats(w), floats(g), floats(state));
        if (span == null
                || WITHOUT_C2.matcher(System.getProperty("java.vm.info", "")).find()) {
            return false;
        }
        long begin = THREADS.getCurrentThreadCpuTime();
        while (true) {
            long vectors = Long.MAX_VALUE;
            long tiles = Long.MAX_VALUE;
            for (int turn = 0; turn < TURNS; turn++) {
                vectors = Math.min(vectors, timeOf(span));
                tiles = Math.min(tiles, timeOf(null));
            }
            if (vectors < MOST * tiles) {
                return true;
            }
            if (THREADS.getCurrentThreadCpuTime() - begin > LIMIT_NANOS) {
                return false;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private long timeOf(@Nullable SpanKernel span) {
        long begin = System.nanoTime();
        for (int i = 0; i < TURN; i++) {
            if (span == null) {
                stepTile();
            } else {
                span.step(0, 0, FLOATS, steps);
            }
        }
        return System.nanoTime() - begin;
    }

    private void stepTile() {
        w.copyTo(0, wTile, 0, FLOATS);
        g.copyTo(0, gTile, 0, FLOATS);
        for (int s = 0; s < state.length; s++) {
            state[s].copyTo(0, stateTiles[s], 0, FLOATS);
        }
        kernel.step(wTile, gTile, stateTiles, 0, FLOATS, steps);
        w.copyFrom(0, wTile, 0, FLOATS);
        for (int s = 0; s < state.length; s++) {
            state[s].copyFrom(0, stateTiles[s], 0, FLOATS);
        }
    }

    private static Floats floats(FloatArray array) {
        return requireNonNull(Floats.of(array), "memory off the heap");
    }

    private static Floats[] floats(FloatArray[] arrays) {
        Floats[] floats = new Floats[arrays.length];
        for (int i = 0; i < arrays.length; i++) {
            floats[i] = floats(arrays[i]);
        }
        return floats;
    }
}
