package io.psf.api.array;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class ArraysTest {
    private static FloatArray offHeap(float... values) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
        FloatArray array = FloatArray.view(bytes);
        array.copyFrom(0, values, 0, values.length);
        return array;
    }

    private static float[] random(int n) {
        Random random = new Random(n);
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextFloat() - 0.5f;
        }
        return values;
    }

    static Stream<int[]> lengths() {
        return Stream.of(0, 1, 511, 512, 513, 2000).map(n -> new int[] {n});
    }

    @ParameterizedTest
    @MethodSource("lengths")
    void kernelsAreTheSameOnTheHeapAndOffIt(int[] length) {
        float[] ys = random(length[0]);
        float[] xs = random(length[0]);
        FloatArray heap = FloatArray.of(ys);
        FloatArray native_ = offHeap(ys);
        heap.addScaled(0.3f, FloatArray.wrap(xs));
        native_.addScaled(0.3f, offHeap(xs));
        heap.scale(1.5f);
        native_.scale(1.5f);
        double dot = 0;
        for (int i = 0; i < ys.length; i++) {
            ys[i] = (ys[i] + 0.3f * xs[i]) * 1.5f;
            dot += (double) ys[i] * xs[i];
        }
        assertThat(heap.toArray()).containsExactly(ys);
        assertThat(native_).isEqualTo(heap);
        assertThat(native_.dot(FloatArray.wrap(xs))).isEqualTo(dot);
        native_.fill(7);
        assertThat(native_.toArray()).hasSize(ys.length).containsOnly(ys.length == 0 ? new float[0] : new float[] {7});
    }

    @Test
    void whatIsPrefetchedIsWithinTheArrayAndStaysAsItIs() {
        float[] values = random(100);
        for (FloatArray array : List.of(FloatArray.of(values), offHeap(values))) {
            array.prefetch(0, 100);
            array.prefetch(99, 1);
            array.prefetch(100, 0);
            array.prefetch(500, -3);
            assertThat(array.toArray()).containsExactly(values);
            assertThatThrownBy(() -> array.prefetch(100, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aViewWritesThrough() {
        float[] values = {1, 2, 3, 4};
        FloatArray.wrap(values).slice(1, 3).fill(0);
        assertThat(values).containsExactly(1, 0, 0, 4);
        FloatArray.wrap(values, 2, 2).set(1, 9);
        assertThat(values).containsExactly(1, 0, 0, 9);
        FloatArray.of(values).set(0, 5);
        assertThat(values[0]).isEqualTo(1);
    }

    @Test
    void nothingIsReadOrWrittenBeyondTheEnd() {
        for (FloatArray array : new FloatArray[] {FloatArray.of(1, 2), offHeap(1, 2)}) {
            assertThatThrownBy(() -> array.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> array.set(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> array.slice(1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> array.copyRow(1, FloatArray.of(1, 2), 0, 2))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> FloatArray.of(1).addScaled(1, FloatArray.of(1, 2)))
                .hasMessage("length of x: 2 (expected: 1, the length of this array)");
        assertThatThrownBy(() -> FloatArray.allocate(-1)).hasMessage("length: -1 (expected: >= 0)");
        assertThatThrownBy(() -> LongArray.view(ByteBuffer.allocate(12)))
                .hasMessage("bytes: 12 (expected: a multiple of 8, the size of LONG)");
    }

    @Test
    void theBytesOffTheHeapAreThoseOfTheView() {
        ByteBuffer memory = ByteBuffer.allocateDirect(64);
        FloatArray array = FloatArray.view(memory.position(12).limit(52));
        memory.clear().order(ByteOrder.BIG_ENDIAN).position(40);
        array.set(3, 7);
        ByteBuffer bytes = requireNonNull(array.slice(2, 6).offHeap());
        assertThat(bytes.remaining()).isEqualTo(16);
        assertThat(bytes.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.getFloat(4)).isEqualTo(7);
        assertThat(requireNonNull(array.offHeap()).remaining()).isEqualTo(40);
        assertThat(FloatArray.allocate(3).offHeap()).isNull();
        assertThat(FloatArray.view(ByteBuffer.allocate(8)).offHeap()).isNull();
    }

    /** Returns the elements off the heap, as the array's own buffer. */
    private static @Nullable Buffer elements(SharedArray array) {
        return switch (array.type()) {
            case BYTE -> ((ByteArray) array).offHeap();
            case INT -> ((IntArray) array).offHeap();
            case LONG -> ((LongArray) array).offHeap();
            case DOUBLE -> ((DoubleArray) array).offHeap();
            case FLOAT -> throw new AssertionError("not reached");
        };
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FLOAT")
    void theElementsOffTheHeapAreThoseOfTheView(ElementType type) {
        SharedArray array = view(type, bytes(true, type, 10)).slice(2, 6);
        Buffer elements = requireNonNull(elements(array));
        assertThat(elements.isDirect()).isTrue();
        assertThat(elements.remaining()).isEqualTo(4);
        assertThat(elements(array.copy())).isNull();
    }

    @Test
    void rowsAreCopiedOutAndBack() {
        int[] rows = {9, 2, 1, 0};
        for (int width : new int[] {1, 2}) {
            FloatArray array = FloatArray.of(0, 1, 2, 3, 4, 5);
            float[] copied = new float[2 * width];
            array.copyRowsTo(rows, 1, 2, width, copied);
            assertThat(copied).isEqualTo(width == 1 ? new float[] {2, 1} : new float[] {4, 5, 2, 3});
            copied[0] = 40;
            array.copyRowsFrom(rows, 1, 2, width, copied);
            assertThat(array.get(2 * width)).isEqualTo(40);
            assertThatThrownBy(() -> array.copyRowsTo(rows, 0, 1, width, copied))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void bytesAreLittleEndian() {
        ByteBuffer out = ByteBuffer.allocate(12);
        LongArray.of(1).write(0, 1, out);
        IntArray.of(5, 6).writeRows(new int[] {1}, 0, 1, 1, out);
        assertThat(out.array()).containsExactly(1, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0);
    }

    /** Bytes that hold n elements, on the heap or off it. */
    private static ByteBuffer bytes(boolean offHeap, ElementType type, int n) {
        int bytes = n * type.size();
        ByteBuffer memory = offHeap ? ByteBuffer.allocateDirect(bytes) : ByteBuffer.allocate(bytes);
        return memory.order(ByteOrder.LITTLE_ENDIAN);
    }

    private static SharedArray view(ElementType type, ByteBuffer bytes) {
        return switch (type) {
            case BYTE -> ByteArray.view(bytes);
            case INT -> IntArray.view(bytes);
            case LONG -> LongArray.view(bytes);
            case FLOAT -> FloatArray.view(bytes);
            case DOUBLE -> DoubleArray.view(bytes);
        };
    }

    private static SharedArray random(Random random, boolean offHeap, ElementType type, int n) {
        ByteBuffer bytes = bytes(offHeap, type, n);
        for (int i = 0; i < n * type.size(); i++) {
            bytes.put(i, (byte) random.nextInt(64)); // no NaN, which is not equal to itself
        }
        return random.nextBoolean() || offHeap
                ? view(type, bytes)
                : view(type, bytes).copy();
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void rowsThatAreGatheredAreScatteredBack(ElementType type) {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int width = 1 + random.nextInt(random.nextBoolean() ? 3 : 70);
            int rows = 1 + random.nextInt(50);
            boolean inOrder = random.nextBoolean();
            List<Integer> some = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                if (random.nextInt(10) != 0) {
                    some.add(row);
                }
            }
            if (!inOrder) {
                Collections.shuffle(some, random);
            }
            int[] which = some.stream().mapToInt(Integer::intValue).toArray();
            int begin = random.nextInt(which.length + 1);
            int n = which.length - begin;
            SharedArray table = random(random, random.nextBoolean(), type, rows * width);
            SharedArray gathered = random(random, random.nextBoolean(), type, n * width);
            SharedArray back = random(random, random.nextBoolean(), type, rows * width);
            ByteBuffer written = bytes(random.nextBoolean(), type, n * width);

            gathered.gather(table, which, begin, which.length, width);
            back.scatter(gathered, which, begin, which.length, width);
            table.writeRows(which, begin, which.length, width, written);

            assertThat(view(type, written.flip())).as("seed %d", seed).isEqualTo(gathered);
            for (int i = 0; i < n; i++) {
                int at = which[begin + i] * width;
                SharedArray row = table.slice(at, at + width);
                assertThat(gathered.slice(i * width, (i + 1) * width))
                        .as("seed %d, row %d", seed, i)
                        .isEqualTo(row);
                assertThat(back.slice(at, at + width))
                        .as("seed %d, row %d", seed, i)
                        .isEqualTo(row);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void noRowIsReadOrWrittenThatIsNotThere(ElementType type) {
        int[][] wrong = {{3}, {-1}, {0, 2, 1, 3}, {0, 1, 2, 3}, {1 << 29, 0}, {0, 1 << 30}};
        for (boolean offHeap : new boolean[] {false, true}) {
            for (int width : new int[] {1, 2, 16}) {
                SharedArray table = view(type, bytes(offHeap, type, 3 * width));
                SharedArray other = view(type, bytes(offHeap, type, 4 * width));
                for (int[] rows : wrong) {
                    String what = Arrays.toString(rows) + " x " + width;
                    assertThatThrownBy(() -> other.gather(table, rows, 0, rows.length, width))
                            .as(what)
                            .isInstanceOf(IndexOutOfBoundsException.class);
                    assertThatThrownBy(() -> table.scatter(other, rows, 0, rows.length, width))
                            .as(what)
                            .isInstanceOf(IndexOutOfBoundsException.class);
                }
                int[] more = {2, 0, 1, 2};
                assertThatThrownBy(() -> table.gather(other, more, 0, 4, width))
                        .isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> other.scatter(table, more, 0, 4, width))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
        SharedArray three = view(type, bytes(false, type, 3));
        assertThatThrownBy(() -> three.copyRows(0, three, 2, 2, 1))
                .hasMessage("rows: [2, 4), 1 wide (expected: rows within the 3 elements)");
    }
}
