package io.psf.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Partition and merge over random slicings. */
final class RoutingTest {
    /** Keys and rows, as a push by key would have them. */
    private record Rows(LongArray keys, FloatArray values, Reduction combine) {}

    private static final class ByKey extends Function<Rows, FloatArray> {
        ByKey() {
            super(FunctionInfo.of("test.by.key", Place.SHARD, true, "test"));
        }

        @Override
        public void route(Rows request, Routing routing) {
            routing.keys(0, "keys", request.keys(), request.combine(), false);
            routing.along(1, "values", 0, request.values(), 0);
        }

        @Override
        public void write(Rows request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
            routing.write(1, part, out);
        }

        @Override
        public Rows read(TupleReader in) {
            return new Rows(in.longArray(), in.floatArray(), Reduction.NONE);
        }

        @Override
        public void writeAnswer(FloatArray answer, TupleWriter out) {
            out.array(answer);
        }

        @Override
        public Merge<FloatArray> merge(Rows request, Routing routing, @Nullable FloatArray into) {
            throw new UnsupportedOperationException();
        }
    }

    private static TupleReader sent(TupleWriter writer) {
        ByteBuffer body = ByteBuffer.allocate((int) writer.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        writer.writeBody(body);
        return new TupleReader(body.flip(), writer.blockLength(), writer.arrays(), 1, null);
    }

    @ParameterizedTest
    @EnumSource(
            value = Reduction.class,
            names = {"NONE", "SUM", "MIN", "MAX", "LAST"})
    void everyKeyGoesToItsOwnerOnceAndItsRowComesBackToWhereItStands(Reduction combine) {
        ByKey function = new ByKey();
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            int slices = 1 + random.nextInt(7);
            int rows = slices + random.nextInt(100);
            int width = 1 + random.nextInt(4);
            int n = random.nextInt(60);
            TensorInfo info = new TensorInfo(TensorId.of("w"), rows, width);
            TensorLayout layout = TensorLayout.even(info, new int[slices]);
            long[] keys = random.longs(n, 0, rows).toArray();
            float[] values = new float[n * width];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextInt(1000);
            }
            Rows request = new Rows(LongArray.wrap(keys), FloatArray.wrap(values), combine);
            Routing routing = Routing.overSlices(function, request, layout);
            FloatArray back = FloatArray.allocate(routing.alongLength(0, 0));
            TreeMap<Long, Integer> arrived = new TreeMap<>();
            for (int part = 0; part < routing.parts(); part++) {
                TupleWriter writer = new TupleWriter();
                function.write(request, routing, part, writer);
                Rows slice = function.read(sent(writer));
                for (int i = 0; i < slice.keys().length(); i++) {
                    assertThat(layout.range(routing.slice(part))
                                    .contains(slice.keys().get(i)))
                            .as("seed %d: key %d in slice", seed, slice.keys().get(i))
                            .isTrue();
                    arrived.merge(slice.keys().get(i), 1, Integer::sum);
                }
                routing.mergeAlong("values", part, 0, slice.values(), back, 0);
            }
            assertThat(back.toArray()).as("seed %d", seed).containsExactly(expected(keys, values, width, combine));
            TreeSet<Long> distinct = new TreeSet<>();
            for (long key : keys) {
                distinct.add(key);
            }
            assertThat(arrived.keySet()).as("seed %d", seed).isEqualTo(distinct);
            assertThat(arrived.values().stream().mapToInt(c -> c).sum())
                    .as("seed %d", seed)
                    .isEqualTo(combine == Reduction.NONE ? n : distinct.size());
        }
    }

    /** What stands at each position: its own row, or its key's rows folded. */
    private static float[] expected(long[] keys, float[] values, int width, Reduction combine) {
        float[] expected = values.clone();
        for (int p = 0; combine != Reduction.NONE && p < keys.length; p++) {
            for (int c = 0; c < width; c++) {
                Float folded = null;
                for (int q = 0; q < keys.length; q++) {
                    if (keys[q] == keys[p]) {
                        float value = values[q * width + c];
                        folded = folded == null
                                ? value
                                : switch (combine) {
                                    case SUM -> folded + value;
                                    case MIN -> Math.min(folded, value);
                                    case MAX -> Math.max(folded, value);
                                    default -> value;
                                };
                    }
                }
                expected[p * width + c] = folded == null ? 0 : folded;
            }
        }
        return expected;
    }

    /** Sends and merges as a push that answers what it was sent; what comes back. */
    private static FloatArray through(Rows request, TensorLayout layout, List<Long> arrived) {
        ByKey function = new ByKey();
        Routing routing = Routing.overSlices(function, request, layout);
        FloatArray back = FloatArray.allocate(routing.alongLength(0, 0));
        for (int part = 0; part < routing.parts(); part++) {
            TupleWriter writer = new TupleWriter();
            function.write(request, routing, part, writer);
            Rows slice = function.read(sent(writer));
            List<Long> keys = Arrays.stream(slice.keys().toArray()).boxed().toList();
            assertThat(keys).as("slice %d", routing.slice(part)).allMatch(layout.range(routing.slice(part))::contains);
            arrived.addAll(keys);
            routing.mergeAlong("values", part, 0, slice.values(), back, 0);
        }
        return back;
    }

    @Test
    void slicesMayBeOfAnySizeAndHoldMoreRowsThanAnIntCounts() {
        long[][] bounds = {
            {0, 1L << 40},
            {0, 1, 3, 1L << 33, (1L << 33) + 1, 1L << 40},
            {0, 0, 5, 5, 5, Long.MAX_VALUE / 2, Long.MAX_VALUE - 1},
            {0, Long.MAX_VALUE - 3, Long.MAX_VALUE - 2, Long.MAX_VALUE - 1},
        };
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            long[] some = bounds[random.nextInt(bounds.length)];
            long rows = some[some.length - 1];
            TensorInfo info = new TensorInfo(TensorId.of("w"), rows, 2);
            TensorLayout layout = random.nextInt(4) == 0
                    ? TensorLayout.even(info, new int[1 + random.nextInt(9)])
                    : new TensorLayout(
                            info, Arrays.stream(some).boxed().toList(), Collections.nCopies(some.length - 1, 0));
            int n = random.nextInt(40);
            long[] keys = new long[n];
            for (int i = 0; i < n; i++) { // at the edges of slices, and anywhere
                long edge = layout.bounds().get(random.nextInt(layout.bounds().size()));
                long key = random.nextBoolean() ? edge - random.nextInt(3) + 1 : random.nextLong(rows);
                keys[i] = Math.max(0, Math.min(rows - 1, key));
            }
            if (random.nextBoolean()) {
                Arrays.sort(keys);
            }
            float[] values = new float[2 * n];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.nextInt(1000);
            }
            List<Long> arrived = new ArrayList<>();
            Reduction combine = random.nextBoolean() ? Reduction.SUM : Reduction.NONE;
            FloatArray back =
                    through(new Rows(LongArray.wrap(keys), FloatArray.wrap(values), combine), layout, arrived);
            assertThat(back.toArray()).as("seed %d", seed).containsExactly(expected(keys, values, 2, combine));
            assertThat(arrived)
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(
                            combine == Reduction.NONE
                                    ? Arrays.stream(keys).boxed().toList()
                                    : Arrays.stream(keys).distinct().boxed().toList());
        }
    }

    @Test
    void manyKeysAreFoldedAsFewAreWhateverTheThreadHasGroupedBefore() {
        Random random = new Random(3);
        for (int n : new int[] {5, 100_000, 3000, 0, 70_000, 1, 20_000, 20_000}) {
            long distinct = 1L + random.nextInt(n + 1);
            long[] keys = random.longs(n, 0, distinct).map(key -> key * 1000).toArray();
            TreeMap<Long, Float> sums = new TreeMap<>();
            float[] values = new float[n];
            for (int i = 0; i < n; i++) {
                values[i] = random.nextInt(8);
                sums.merge(keys[i], values[i], Float::sum);
            }
            TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), distinct * 1000, 1), new int[3]);
            List<Long> arrived = new ArrayList<>();
            FloatArray back =
                    through(new Rows(LongArray.wrap(keys), FloatArray.wrap(values), Reduction.SUM), layout, arrived);
            assertThat(arrived).hasSize(sums.size());
            float[] summed = new float[n];
            for (int i = 0; i < n; i++) {
                summed[i] = sums.getOrDefault(keys[i], -1f);
            }
            assertThat(Arrays.equals(back.toArray(), summed)).as("%d keys", n).isTrue();
        }
    }

    @Test
    void aKeyThatIsNoRowIsNamedWithItsPosition() {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), 10, 1), new int[2]);
        for (Reduction combine : new Reduction[] {Reduction.NONE, Reduction.SUM}) {
            Rows request = new Rows(LongArray.of(3, 3, 10), FloatArray.of(1, 2, 3), combine);
            assertThatThrownBy(() -> Routing.overSlices(new ByKey(), request, layout))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("keys[2]: 10 (expected: a row in [0, 10))");
        }
    }

    @Test
    @SuppressWarnings("NullAway") // what callers do whose code no null checker has seen
    void anArrayThatIsNullIsNamed() {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), 10, 1), new int[2]);
        Rows withoutKeys = new Rows(null, FloatArray.of(1), Reduction.NONE);
        Rows withoutValues = new Rows(LongArray.of(3), null, Reduction.NONE);
        assertThatThrownBy(() -> Routing.overSlices(new ByKey(), withoutKeys, layout))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: keys: null (expected: an array)");
        assertThatThrownBy(() -> Routing.overSlices(new ByKey(), withoutValues, layout))
                .isInstanceOf(PsException.class)
                .hasMessage("BAD_REQUEST: values: null (expected: an array)");
    }

    @Test
    void slicesOfAHugeTensorHaveEvenBounds() {
        long rows = (1L << 61) + 1;
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("w"), rows, 1), new int[7]);
        long covered = 0;
        for (int slice = 0; slice < 7; slice++) {
            assertThat(layout.range(slice).begin()).isEqualTo(covered);
            assertThat((double) layout.range(slice).length())
                    .isCloseTo(rows / 7.0, org.assertj.core.data.Offset.offset(4096.0));
            covered = layout.range(slice).end();
        }
        assertThat(covered).isEqualTo(rows);
    }

    @Test
    void lengthsThatAServerSaysAreCheckedBeforeMemoryIsTaken() {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TensorId.of("t"), 8, 1), new int[] {0});
        LongArray keys = LongArray.of(1, 2);
        Routing routing =
                Routing.overSlices(new ByKey(), new Rows(keys, FloatArray.allocate(2), Reduction.NONE), layout);
        FloatArray[] answered = {FloatArray.allocate(1)};
        IntArray huge = IntArray.of(1 << 29, 1 << 29);
        IntFunction<FloatArray> never = n -> {
            throw new AssertionError(n + " elements");
        };
        for (ThrowingCallable merge : List.<ThrowingCallable>of(
                () -> routing.mergeRagged("rows", 0, huge, answered, never),
                () -> Concatenation.ragged("rows", answered, new IntArray[] {huge}, never),
                () -> Concatenation.along("rows", answered, new LongArray[] {keys}, 1 << 29, never))) {
            assertThatThrownBy(merge)
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(PsException.Code.HANDLER_FAILED))
                    .hasMessageContaining("length of rows in the handler's answer: 1 (expected: 1073741824)");
        }
    }
}
