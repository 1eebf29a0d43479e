package io.psf.api.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows of arrays that do not fit in a cache, which are loaded ahead: the copies are those of a plain loop. */
final class RowsAheadTest {
    /** Elements: above the size from which rows are loaded ahead. */
    private static final int LENGTH = 1 << 17;

    /**
     * Returns an array of distinct values.
     *
     * @param offset the bytes between the beginning of a cache line and the first value
     */
    private static FloatArray values(int offset) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH * Float.BYTES + 128).alignedSlice(64);
        bytes.position(offset).limit(offset + LENGTH * Float.BYTES);
        FloatArray values = FloatArray.view(bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
        for (int i = 0; i < LENGTH; i++) {
            values.set(i, i);
        }
        return values;
    }

    /** Returns row numbers with repetitions, the first and the last row among them. */
    private static int[] rows(int width, int n) {
        int last = LENGTH / width - 1;
        int[] rows = new Random(width).ints(n, 0, last + 1).toArray();
        rows[n / 2] = 0;
        rows[n - 1] = last;
        return rows;
    }

    private static float[] expected(int[] rows, int from, int n, int width) {
        float[] expected = new float[n * width];
        for (int i = 0; i < n * width; i++) {
            expected[i] = rows[from + i / width] * width + i % width;
        }
        return expected;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 15, 16, 17, 31, 32, 48, 64, 100, 127, 128, 129, 200, 1000})
    void rowsAreCopiedAndGatheredInTheirOrder(int width) {
        for (int offset : new int[] {0, 4, 60}) {
            FloatArray values = values(offset);
            for (int n : new int[] {1, 2, 47, 48, 49, 777}) {
                int[] rows = rows(width, n + 1);
                float[] copied = new float[n * width];
                values.copyRowsTo(rows, 1, n, width, copied);
                assertThat(copied).as("%d rows", n).isEqualTo(expected(rows, 1, n, width));
                FloatArray gathered = FloatArray.allocate(n * width);
                gathered.gather(values, rows, 1, n + 1, width);
                assertThat(gathered.toArray()).isEqualTo(expected(rows, 1, n, width));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 17, 64, 128, 600})
    void rowsOf16BitsAreGatheredInTheirOrder(int width) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH * Short.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        FloatArray values = ArrayMemory.view(bytes, FloatType.BFLOAT16);
        for (int i = 0; i < LENGTH; i++) {
            values.set(i, i % 251); // exact in 8 bits
        }
        int[] rows = rows(width, 778);
        float[] expected = expected(rows, 1, 777, width);
        for (int i = 0; i < expected.length; i++) {
            expected[i] %= 251;
        }
        FloatArray gathered = FloatArray.allocate(777 * width);
        gathered.gather(values, rows, 1, 778, width);
        assertThat(gathered.toArray()).isEqualTo(expected);
        FloatArray halves = ArrayMemory.view(ByteBuffer.allocateDirect(777 * width * 2), FloatType.BFLOAT16);
        halves.gather(values, rows, 1, 778, width);
        assertThat(halves.toArray()).isEqualTo(expected);
    }

    @Test
    void rowsToPrefetchFitInTheFirstLevelCache() {
        for (int width : new int[] {1, 16, 64, 100, 128, 5000}) {
            for (int arrays = 1; arrays <= 4; arrays++) {
                int rows = FloatArray.rowsToPrefetch(width, arrays);
                assertThat(rows).isPositive();
                assertThat(rows == 1 || (long) rows * width * arrays * Float.BYTES <= 24 << 10)
                        .as("%d rows, %d wide, of %d arrays", rows, width, arrays)
                        .isTrue();
            }
        }
    }

    @Test
    void aRowThatIsNotThereIsRefused() {
        FloatArray values = values(0);
        int[] rows = rows(16, 100);
        rows[70] = LENGTH / 16;
        assertThatThrownBy(() -> values.copyRowsTo(rows, 0, 100, 16, new float[1600]))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> FloatArray.allocate(1600).gather(values, rows, 0, 100, 16))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> values.prefetchRows(rows, 0, 100, 16)).isInstanceOf(IndexOutOfBoundsException.class);
        values.prefetchRows(rows, 0, 70, 16);
        FloatArray.allocate(10).prefetchRows(rows, 0, 100, 16); // on the heap, and small
    }
}
