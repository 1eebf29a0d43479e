package io.psf.api.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever changes an element of a shard's column marks its row. */
final class RowWritesTest {
    /** Methods of arrays that write to the array, each of which {@link #write} calls. */
    private static final Set<String> WRITERS = Set.of(
            "set",
            "copyFrom",
            "copyRowsFrom",
            "copyRows",
            "copyRow",
            "gather",
            "scatter",
            "fill",
            "addScaled",
            "scale",
            "offHeap");

    private static final Set<String> READERS = Set.of(
            "length",
            "type",
            "slice",
            "copy",
            "write",
            "writeRows",
            "stored",
            "nearest",
            "get",
            "toArray",
            "copyTo",
            "copyRowsTo",
            "prefetch",
            "prefetchRows",
            "dot",
            "equals",
            "hashCode",
            "toString",
            "floats",
            "memory",
            "marking",
            "writes",
            "inColumn",
            "mark",
            "markRows");

    /** A column of a shard. */
    private record Memory(String name, FloatArray values) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Memory> memories() {
        return Stream.of(
                new Memory("on the heap", FloatArray.allocate(600)),
                new Memory("off the heap", FloatArray.view(direct(600 * Float.BYTES))),
                new Memory("FLOAT16", ArrayMemory.view(direct(600 * Short.BYTES), FloatType.FLOAT16)),
                new Memory("FLOAT16 on the heap", ArrayMemory.view(ByteBuffer.allocate(1200), FloatType.FLOAT16)),
                new Memory(
                        "BFLOAT16, stochastic",
                        ArrayMemory.viewStochastic(direct(600 * Short.BYTES), FloatType.BFLOAT16, 3)));
    }

    private static ByteBuffer direct(int bytes) {
        return ByteBuffer.allocateDirect(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Test
    void eachMethodOfAnArrayReadsOrWrites() {
        Set<String> names = Stream.of(SharedArray.class, FloatArray.class)
                .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
                .filter(method -> !Modifier.isStatic(method.getModifiers())
                        && !Modifier.isPrivate(method.getModifiers())
                        && !method.isSynthetic())
                .map(Method::getName)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = new TreeSet<>(WRITERS);
        known.addAll(READERS);
        assertThat(names).isEqualTo(known);
    }

    @ParameterizedTest
    @MethodSource("memories")
    void aWriteMarksTheRowsThatItChanges(Memory memory) {
        for (long seed = 0; seed < 3000; seed++) {
            Random random = new Random(seed);
            int width = 1 + random.nextInt(9);
            int rows = 600 / width;
            FloatArray column = memory.values().slice(0, rows * width);
            RowWrites writes = new RowWrites();
            FloatArray marking = ArrayMemory.marking(column, width, writes);
            FloatArray before = marking.copy(); // taken while it is off
            writes.begin();
            int begin = random.nextInt(rows * width + 1);
            int end = begin + random.nextInt(rows * width - begin + 1);
            if (random.nextBoolean()) { // whole rows
                begin -= begin % width;
                end -= end % width;
            }
            FloatArray view = marking.slice(begin, end);
            view = random.nextInt(8) == 0 ? view.nearest() : view;
            String what = "seed " + seed + ": " + write(view, random);
            RowWrites.Taken taken = Objects.requireNonNull(writes.take());
            BitSet changed = new BitSet();
            IntStream.range(0, rows * width)
                    .filter(i -> Float.floatToIntBits(before.get(i)) != Float.floatToIntBits(column.get(i)))
                    .forEach(i -> changed.set(i / width));
            BitSet missed = (BitSet) changed.clone();
            missed.andNot(taken.rows());
            assertThat(missed).as(what).isEqualTo(new BitSet());
            assertThat(taken.rows().stream().allMatch(row -> row < rows))
                    .as(what)
                    .isTrue();
            if (end == begin) {
                assertThat(taken.rows()).as(what).isEqualTo(new BitSet());
            }
        }
    }

    /** Writes to a view in one of all ways. */
    private static String write(FloatArray view, Random random) {
        int n = view.length();
        FloatArray some = source(random, n);
        int width = 1 + random.nextInt(Math.max(1, Math.min(n, 9)));
        int rows = n / width;
        int[] numbers = random.ints(Math.min(rows, 1 + random.nextInt(5)), 0, Math.max(1, rows))
                .toArray();
        switch (random.nextInt(13)) {
            case 0 -> {
                if (n > 0) {
                    view.set(random.nextInt(n), random.nextFloat());
                }
                return "set";
            }
            case 1 -> view.copyFrom(n / 3, random(random, n), 0, n - n / 3);
            case 2 -> view.copyFrom(n / 3, some.slice(n / 3, n));
            case 3 -> view.copyFrom(some);
            case 4 -> view.copyRowsFrom(numbers, 0, numbers.length, width, random(random, numbers.length * width));
            case 5 -> view.copyRows(rows / 2, some, 0, rows - rows / 2, width);
            case 6 -> {
                if (rows > 0) {
                    view.copyRow(random.nextInt(rows), some, 0, width);
                }
                return "copyRow";
            }
            case 7 -> view.gather(some, numbers, 0, numbers.length, width);
            case 8 -> view.scatter(some, numbers, 0, numbers.length, width);
            case 9 -> view.fill(random.nextFloat());
            case 10 -> view.addScaled(2, some);
            case 11 -> view.scale(-1.5f);
            default -> {
                ByteBuffer bytes = view.offHeap();
                for (int at = 0; bytes != null && at < bytes.capacity(); at += Float.BYTES) {
                    bytes.putFloat(at, random.nextFloat());
                }
                EncodedFloats encoded = EncodedFloats.of(view);
                if (encoded != null && n > 0) {
                    ((ShortBuffer) encoded.values()).put(n / 2, (short) random.nextInt());
                }
                return "offHeap";
            }
        }
        return "another way, " + n + " elements, rows " + Arrays.toString(numbers) + ", " + width + " wide";
    }

    private static float[] random(Random random, int n) {
        float[] values = new float[n];
        for (int i = 0; i < n; i++) {
            values[i] = random.nextFloat();
        }
        return values;
    }

    private static FloatArray source(Random random, int n) {
        FloatArray values = switch (random.nextInt(4)) {
            case 0 -> FloatArray.allocate(n);
            case 1 -> FloatArray.view(direct(n * Float.BYTES));
            case 2 -> ArrayMemory.view(direct(n * Short.BYTES), FloatType.FLOAT16);
            default -> ArrayMemory.view(direct(n * Short.BYTES), FloatType.BFLOAT16);
        };
        values.copyFrom(0, random(random, n), 0, n);
        return values;
    }

    @Test
    void readingMarksNoRow() {
        RowWrites writes = new RowWrites();
        FloatArray column = ArrayMemory.marking(FloatArray.view(direct(40)), 2, writes);
        writes.begin();
        FloatArray.allocate(10).copyFrom(0, column);
        FloatArray.allocate(4).gather(column, new int[] {1, 3}, 0, 2, 2);
        assertThat(column.dot(column.copy())).isZero();
        assertThat(ArrayMemory.offHeap(column)).isNotNull();
        column.prefetch(0, 10);
        column.copyRowsTo(new int[] {1}, 0, 1, 2, new float[2]);
        assertThat(Objects.requireNonNull(writes.take()).rows()).isEqualTo(new BitSet());
        ArrayMemory.mark(column.slice(4, 10), 1, 2); // elements 5 and 6
        assertThat(Objects.requireNonNull(writes.take()).rows()).isEqualTo(BitSet.valueOf(new long[] {0b1100}));
    }

    /** A view that was taken before marks were switched on marks rows afterwards. */
    @Test
    void itIsOffAtFirstAndAfterTheEnd() {
        RowWrites writes = new RowWrites();
        FloatArray early =
                ArrayMemory.marking(FloatArray.allocate(8), 2, writes).slice(2, 8);
        early.set(1, 1);
        writes.markRemoved(7, 1);
        assertThat(writes.take()).isNull();
        writes.begin();
        early.set(5, 1);
        writes.markRemoved(7, 1);
        writes.markRemoved(9, 0);
        RowWrites.Taken taken = Objects.requireNonNull(writes.take());
        assertThat(taken.rows()).isEqualTo(BitSet.valueOf(new long[] {0b1011}));
        assertThat(taken.removed()).containsExactly(7, 9);
        assertThat(Objects.requireNonNull(writes.take()).removed()).isEmpty();
        writes.end();
        early.set(5, 1);
        assertThat(writes.take()).isNull();
    }

    @Test
    void aWriteBeyondTheEndMarksNothing() {
        RowWrites writes = new RowWrites();
        FloatArray column = ArrayMemory.marking(FloatArray.allocate(8), 2, writes);
        writes.begin();
        assertThatThrownBy(() -> column.set(1 << 30, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> column.copyFrom(1 << 30, new float[1], 0, 1))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> column.copyRowsFrom(new int[] {1 << 28}, 0, 1, 2, new float[2]))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(Objects.requireNonNull(writes.take()).rows()).isEqualTo(new BitSet());
    }
}
