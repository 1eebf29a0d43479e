package io.psf.api.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ByteFloatsTest {
    /** Bytes of n random values, behind others, and the values. */
    private record Sent(ByteBuffer bytes, float[] values) {
        static Sent random(int block, int n) {
            Random random = new Random(block + n);
            int blocks = (n + block - 1) / block;
            ByteBuffer bytes = ByteBuffer.allocateDirect(3 + 4 * blocks + n).order(ByteOrder.LITTLE_ENDIAN);
            float[] factors = new float[blocks];
            bytes.position(3);
            for (int b = 0; b < blocks; b++) {
                factors[b] = random.nextFloat();
                bytes.putFloat(factors[b]);
            }
            float[] values = new float[n];
            for (int i = 0; i < n; i++) {
                byte value = (byte) (random.nextInt(255) - 127);
                bytes.put(value);
                values[i] = value * factors[i / block];
            }
            return new Sent(bytes.position(3), values);
        }
    }

    @ParameterizedTest
    @CsvSource({"8, 80", "8, 81", "24, 2400", "256, 2000", "1000, 2999", "70000, 600", "1, 5", "256, 0"})
    void eachWayToReadHasTheSameValues(int block, int n) {
        Sent sent = Sent.random(block, n);
        FloatArray read = ArrayMemory.viewBlocks(sent.bytes(), block, n);
        FloatArray expected = FloatArray.wrap(sent.values());
        assertThat(read.stored()).isEqualTo(FloatType.INT8);
        assertThat(read.length()).isEqualTo(n);
        assertThat(read).isEqualTo(expected).hasSameHashCodeAs(expected);
        assertThat(read.toString()).isEqualTo(expected.toString());
        for (int i = 0; i < n; i++) {
            assertThat(read.get(i)).isEqualTo(expected.get(i));
        }
        Random random = new Random(n);
        for (int i = 0; i < 50; i++) {
            int begin = random.nextInt(n + 1);
            int end = begin + random.nextInt(n - begin + 1);
            FloatArray slice = read.slice(begin, end);
            assertThat(slice).isEqualTo(expected.slice(begin, end));
            int middle = random.nextInt(slice.length() + 1);
            assertThat(slice.slice(middle, slice.length())).isEqualTo(expected.slice(begin + middle, end));
            float[] into = new float[end - begin + 2];
            read.copyTo(begin, into, 1, end - begin);
            assertThat(FloatArray.wrap(into, 1, end - begin)).isEqualTo(slice);
        }
        ByteBuffer out = ByteBuffer.allocate(4 * n).order(ByteOrder.LITTLE_ENDIAN);
        read.write(0, n, out);
        assertThat(FloatArray.view(out.flip())).isEqualTo(expected);
        assertThat(read.dot(read)).isEqualTo(expected.dot(expected));
    }

    private static List<Supplier<FloatArray>> targets(int n) {
        return List.of(
                () -> FloatArray.allocate(n),
                () -> FloatArray.view(ByteBuffer.allocateDirect(4 * n).order(ByteOrder.LITTLE_ENDIAN)),
                () -> ArrayMemory.view(ByteBuffer.allocate(2 * n), FloatType.BFLOAT16));
    }

    @ParameterizedTest
    @CsvSource({"8, 8", "24, 24", "256, 3", "600, 600", "256, 1"})
    void rowsAreCopiedToArraysOfEachKind(int block, int width) {
        int rows = 40;
        Sent sent = Sent.random(block, rows * width);
        FloatArray read = ArrayMemory.viewBlocks(sent.bytes(), block, rows * width);
        FloatArray expected = FloatArray.wrap(sent.values());
        int[] some = {7, 39, 0, 1, 2, 3, 7};
        for (Supplier<FloatArray> target : targets(rows * width)) {
            assertSame(target, read, expected, (to, from) -> to.copyFrom(0, from));
            assertSame(target, read, expected, (to, from) -> to.copyRows(2, from, 5, 9, width));
            assertSame(target, read, expected, (to, from) -> to.gather(from, some, 1, some.length, width));
            assertSame(target, read, expected, (to, from) -> to.scatter(from, some, 0, 6, width));
        }
        ByteBuffer out = ByteBuffer.allocate(4 * some.length * width).order(ByteOrder.LITTLE_ENDIAN);
        read.writeRows(some, 0, some.length, width, out);
        FloatArray gathered = FloatArray.allocate(some.length * width);
        gathered.gather(expected, some, 0, some.length, width);
        assertThat(FloatArray.view(out.flip())).isEqualTo(gathered);
    }

    private interface Copy {
        void run(FloatArray to, FloatArray from);
    }

    private static void assertSame(Supplier<FloatArray> target, FloatArray read, FloatArray expected, Copy copy) {
        FloatArray one = target.get();
        FloatArray two = target.get();
        copy.run(one, read);
        copy.run(two, expected);
        assertThat(one).isEqualTo(two);
    }

    @Test
    void aReadBeyondTheEndAndAnyWriteAreRefused() {
        FloatArray read =
                ArrayMemory.viewBlocks(Sent.random(8, 20).bytes(), 8, 20).slice(4, 12);
        assertThatThrownBy(() -> read.get(8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> read.copyTo(5, new float[9], 0, 4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> read.slice(3, 9)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> read.set(0, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage("write: to an array of INT8, which is read-only (expected: a write to its copy())");
        assertThatThrownBy(() -> read.scale(2)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> read.copyFrom(read)).isInstanceOf(UnsupportedOperationException.class);
        FloatArray copy = read.copy();
        copy.fill(3);
        assertThat(copy.get(0)).isEqualTo(3);
        assertThatThrownBy(() -> ArrayMemory.viewBlocks(ByteBuffer.allocate(27), 8, 20))
                .hasMessage("bytes: 27 (expected: 32, for 20 values in blocks of 8)");
    }
}
