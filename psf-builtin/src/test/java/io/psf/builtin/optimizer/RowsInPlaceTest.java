package io.psf.builtin.optimizer;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.testkit.TestShard;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows by key that a provider's kernel steps in place, beside the same rows through tiles. */
class RowsInPlaceTest {
    private static final int WIDTH = 8;
    private static final int ROWS = 1000;
    private static final int PUSHED = 1200;

    /** A formula with a state that depends on the order of steps, and counts the steps of a row. */
    record Counted() implements Kernel {
        @Override
        public List<String> state() {
            return List.of("counted.v");
        }

        @Override
        public Counting counting() {
            return Counting.ROWS;
        }

        @Override
        public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
            for (int i = begin; i < end; i++) {
                state[0][i] = 0.5f * state[0][i] + g[i] / steps;
                w[i] += state[0][i];
            }
        }
    }

    /** The same formula for a provider. */
    record InPlace() implements Kernel {
        @Override
        public List<String> state() {
            return new Counted().state();
        }

        @Override
        public Counting counting() {
            return Counting.ROWS;
        }

        @Override
        public void step(float[] w, float[] g, float[][] state, int begin, int end, int steps) {
            new Counted().step(w, g, state, begin, end, steps);
        }
    }

    /** Steps {@link InPlace} alone, rows of an even width. */
    public static final class Provider implements KernelProvider {
        static final AtomicInteger STEPPED = new AtomicInteger();

        @Override
        public boolean warmUp(Kernel kernel) {
            return kernel instanceof InPlace;
        }

        @Override
        public @Nullable SpanKernel bind(Kernel kernel, FloatArray w, FloatArray g, FloatArray[] state) {
            FloatArray weights = FloatArray.view(Objects.requireNonNull(ArrayMemory.offHeap(w)));
            FloatArray v = FloatArray.view(Objects.requireNonNull(ArrayMemory.offHeap(state[0])));
            return (at, from, n, steps) -> {
                float[] one = weights.slice(at, at + n).toArray();
                float[] vs = v.slice(at, at + n).toArray();
                kernel.step(one, g.slice(from, from + n).toArray(), new float[][] {vs}, 0, n, steps);
                weights.copyFrom(at, one, 0, n);
                v.copyFrom(at, vs, 0, n);
                STEPPED.incrementAndGet();
                return n;
            };
        }

        @Override
        public boolean stepsRows(int width) {
            return width % 2 == 0;
        }
    }

    @BeforeAll
    @Timeout(60)
    static void warmUp() throws InterruptedException {
        while (KernelProviders.of(new InPlace()) == null) {
            Thread.sleep(1);
        }
    }

    private static LongArray keys() {
        return LongArray.wrap(new Random(1).longs(PUSHED, 0, ROWS / 2).toArray()); // many keys occur more than once
    }

    private static FloatArray update(int width) {
        FloatArray update = FloatArray.view(ByteBuffer.allocateDirect(4 * PUSHED * width));
        Random random = new Random(2);
        for (int i = 0; i < update.length(); i++) {
            update.set(i, (float) random.nextGaussian());
        }
        return update;
    }

    private static TestShard pushed(Kernel kernel, int width) {
        TestShard shard = TestShard.whole(ROWS, width, new TiledOptimizer("counted", kernel));
        for (int push = 0; push < 3; push++) {
            shard.optimizer().apply(shard, keys(), update(width));
        }
        return shard;
    }

    @Test
    void theResultIsThatOfTheTiles() {
        int before = Provider.STEPPED.get();
        TestShard inPlace = pushed(new InPlace(), WIDTH);
        assertThat(Provider.STEPPED.get() - before).isEqualTo(3 * PUSHED);
        TestShard tiles = pushed(new Counted(), WIDTH);
        assertThat(inPlace.values().toArray()).isEqualTo(tiles.values().toArray());
        assertThat(inPlace.slot("counted.v", WIDTH).toArray())
                .isEqualTo(tiles.slot("counted.v", WIDTH).toArray());
        assertThat(inPlace.slot(Kernel.STEPS, 1).toArray())
                .isEqualTo(tiles.slot(Kernel.STEPS, 1).toArray());
    }

    @Test
    void rowsOfAnotherWidthGoThroughTiles() {
        int before = Provider.STEPPED.get();
        assertThat(pushed(new InPlace(), 7).values().toArray())
                .isEqualTo(pushed(new Counted(), 7).values().toArray());
        assertThat(Provider.STEPPED.get()).isEqualTo(before);
    }

    /** A checkpoint of what has changed would miss a row without a mark. */
    @Test
    void steppedRowsAreMarked() {
        TestShard shard = TestShard.whole(ROWS, WIDTH, new TiledOptimizer("counted", new InPlace()));
        RowWrites writes = Objects.requireNonNull(shard.writes());
        writes.begin();
        shard.optimizer().apply(shard, keys(), update(WIDTH));
        assertThat(Objects.requireNonNull(writes.take()).rows().stream())
                .containsExactly(Arrays.stream(keys().toArray())
                        .distinct()
                        .sorted()
                        .mapToInt(key -> (int) key)
                        .boxed()
                        .toArray(Integer[]::new));
    }
}
