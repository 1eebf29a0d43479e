package io.psf.processor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.testing.compile.Compilation;
import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.PsException;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.HandlerProvider;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Generated code run in this JVM, without a runtime, over random tuples and random slicings. */
class LawTest {
    private static final int ROUNDS = 200;
    static final TensorId TENSOR = TensorId.of("t");
    /** The handlers of these functions do not look at the shard. */
    private static final Shard NO_SHARD = (Shard) Proxy.newProxyInstance(
            LawTest.class.getClassLoader(), new Class<?>[] {Shard.class}, (self, method, args) -> {
                throw new UnsupportedOperationException(method.toString());
            });

    private static final ClassLoader CLASSES = compile();

    private static ClassLoader compile() {
        Compilation law = Fixtures.compiled("law");
        assertThat(law.diagnostics()).isEmpty();
        return Fixtures.load(law, Fixtures.good());
    }

    @Test
    void mergeAfterPartitionIsTheIdentity() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = layout(random);
            int rows = (int) layout.info().rows();
            int width = layout.info().width();
            LongArray keys = keys(random, rows);
            LongArray others = keys(random, rows);
            Object request = Tuples.of(
                    type("law.Echo$Request"),
                    TENSOR,
                    seed,
                    Tuples.random(FloatArray.class, random, rows * width),
                    Tuples.random(LongArray.class, random, rows * 2),
                    keys,
                    Tuples.random(FloatArray.class, random, keys.length() * width),
                    others,
                    Tuples.random(IntArray.class, random, others.length() * 3),
                    Tuples.random(DoubleArray.class, random, random.nextInt(5)));

            Object response = call("law.Echo", request, layout, null, random);

            for (String name : List.of("rows", "pairs", "values", "ofOthers", "everywhere")) {
                assertThat(Tuples.<Object>get(response, name))
                        .as("%s, seed %s", name, seed)
                        .isEqualTo(Tuples.get(request, name));
            }
            long[] sorted = keys.toArray();
            Arrays.sort(sorted);
            int n = sorted.length;
            assertThat(Tuples.<Integer>get(response, "keys")).isEqualTo(n);
            assertThat(Tuples.<Long>get(response, "leastKey")).isEqualTo(n == 0 ? Long.MAX_VALUE : sorted[0]);
            assertThat(Tuples.<Long>get(response, "greatestKey")).isEqualTo(n == 0 ? Long.MIN_VALUE : sorted[n - 1]);
            assertThat(Tuples.<Boolean>get(response, "anyKeys")).isEqualTo(n > 0);
            assertThat(Tuples.<Boolean>get(response, "allKeys")).isEqualTo(keysInEverySlice(keys, layout));
            assertThat(Tuples.<Float>get(response, "scalar")).isEqualTo(seed);
        }
    }

    @Test
    void arraysGivenByTheCallerAreFilled() {
        Random random = new Random(1);
        TensorLayout layout = layout(random);
        int rows = (int) layout.info().rows();
        FloatArray x = (FloatArray)
                Tuples.random(FloatArray.class, random, rows * layout.info().width());
        LongArray none = LongArray.allocate(0);
        Object request = Tuples.of(
                type("law.Echo$Request"),
                TENSOR,
                0,
                x,
                LongArray.allocate(rows * 2),
                none,
                FloatArray.allocate(0),
                none,
                IntArray.allocate(0),
                DoubleArray.allocate(0));
        FloatArray target = FloatArray.allocate(x.length());
        Object into = Tuples.of(
                type("law.Echo$Response"),
                target,
                LongArray.allocate(rows * 2),
                FloatArray.allocate(0),
                IntArray.allocate(0),
                0,
                0L,
                0L,
                false,
                false,
                0f,
                DoubleArray.allocate(0));

        Object response = call("law.Echo", request, layout, into, random);

        assertThat(target).isEqualTo(x);
        assertThat(Tuples.<Object>get(response, "rows")).isSameAs(target);
    }

    @Test
    void foldedDuplicatesComeBackToEveryPosition() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = layout(random);
            LongArray keys = keys(random, (int) layout.info().rows());
            IntArray updates = (IntArray) Tuples.random(IntArray.class, random, keys.length() * 2);
            Map<Long, int[]> sums = new HashMap<>();
            for (int i = 0; i < keys.length(); i++) {
                int[] sum = sums.computeIfAbsent(keys.get(i), key -> new int[2]);
                sum[0] += updates.get(2 * i);
                sum[1] += updates.get(2 * i + 1);
            }

            Object request = Tuples.of(type("law.Folding$Request"), TENSOR, keys, updates);
            Object response = call("law.Folding", request, layout, null, random);

            IntArray answered = Tuples.get(response, "sums");
            for (int i = 0; i < keys.length(); i++) {
                int[] row = {answered.get(2 * i), answered.get(2 * i + 1)};
                assertThat(row).as("row %s, seed %s", i, seed).isEqualTo(sums.get(keys.get(i)));
            }
            assertThat(Tuples.<Object>get(response, "keys")).as("seed %s", seed).isEqualTo(keys);
        }
    }

    @Test
    void theUsersMergeGetsTheSlicesInTheirOrder() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = layout(random);
            int n = (int) layout.info().rows() * layout.info().width();
            FloatArray x = (FloatArray) Tuples.random(FloatArray.class, random, n);
            Object response = call(
                    "law.Concatenate", Tuples.of(type("law.Concatenate$Request"), TENSOR, x), layout, null, random);
            assertThat(Tuples.<Object>get(response, "slice"))
                    .as("seed %s", seed)
                    .isEqualTo(x);
            List<Object> items = Tuples.get(response, "items");
            assertThat(items).as("seed %s", seed).hasSize(n);
            for (int i = 0; i < n; i++) {
                assertThat(Tuples.<Float>get(items.get(i), "x")).isEqualTo(x.get(i));
            }
        }
    }

    @Test
    void keysThatServersProduceComeOneSliceAfterTheOther() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = layout(random);
            int rows = (int) layout.info().rows();
            int width = layout.info().width();
            LongArray ids = (LongArray) Tuples.random(LongArray.class, random, rows);
            FloatArray values = (FloatArray) Tuples.random(FloatArray.class, random, rows * width);
            int[] even = IntStream.range(0, rows)
                    .filter(row -> ids.get(row) % 2 == 0)
                    .toArray();

            Object response = call(
                    "law.Producing",
                    Tuples.of(type("law.Producing$Request"), TENSOR, ids, values),
                    layout,
                    null,
                    random);

            LongArray keys = Tuples.get(response, "even");
            FloatArray found = Tuples.get(response, "rows");
            DoubleArray twice = Tuples.get(response, "twice");
            assertThat(keys.toArray())
                    .as("seed %s", seed)
                    .isEqualTo(Arrays.stream(even).mapToLong(ids::get).toArray());
            assertThat(found.length()).as("seed %s", seed).isEqualTo(even.length * width);
            assertThat(twice.length()).as("seed %s", seed).isEqualTo(even.length * 2);
            for (int i = 0; i < even.length; i++) {
                assertThat(found.slice(i * width, (i + 1) * width))
                        .as("row %s, seed %s", i, seed)
                        .isEqualTo(values.slice(even[i] * width, (even[i] + 1) * width));
                assertThat(twice.get(2 * i + 1)).isEqualTo((double) keys.get(i));
            }
        }
    }

    @Test
    void rowsOfDifferentLengthsComeBackToWhereTheyStand() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = layout(random);
            LongArray keys = keys(random, (int) layout.info().rows());
            LongArray others = keys(random, (int) layout.info().rows());
            IntArray counts = IntArray.wrap(random.ints(keys.length(), 0, 4).toArray());
            FloatArray rows = (FloatArray) Tuples.random(
                    FloatArray.class, random, Arrays.stream(counts.toArray()).sum());

            Object request = Tuples.of(type("law.Uneven$Request"), TENSOR, keys, counts, rows, others);
            Object response = call("law.Uneven", request, layout, null, random);

            assertThat(Tuples.<Object>get(response, "counts"))
                    .as("seed %s", seed)
                    .isEqualTo(counts);
            assertThat(Tuples.<Object>get(response, "rows")).as("seed %s", seed).isEqualTo(rows);
            long[] neighbors = Arrays.stream(others.toArray())
                    .flatMap(key -> LongStream.generate(() -> key).limit(key % 4))
                    .toArray();
            assertThat(Tuples.<LongArray>get(response, "neighbors").toArray())
                    .as("seed %s", seed)
                    .isEqualTo(neighbors);
            LongArray seen = Tuples.get(response, "seen");
            IntArray sizes = Tuples.get(response, "sizes");
            assertThat(seen.toArray())
                    .as("seed %s", seed)
                    .containsExactlyInAnyOrder(
                            Arrays.stream(others.toArray()).distinct().toArray());
            ByteArray bytes = Tuples.get(response, "bytes");
            int at = 0;
            for (int i = 0; i < seen.length(); i++) {
                assertThat(sizes.get(i)).isEqualTo((int) (seen.get(i) % 4));
                for (int j = 0; j < sizes.get(i); j++) {
                    assertThat(bytes.get(at++)).isEqualTo((byte) j);
                }
            }
            assertThat(bytes.length()).isEqualTo(at);
        }
    }

    @Test
    void rowsThatAreNotAsLongAsTheirCountsSayAreAnError() {
        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 1), new int[] {0, 1});
        LongArray keys = LongArray.of(0, 3);
        LongArray none = LongArray.allocate(0);
        Class<?> type = type("law.Uneven$Request");
        Object few = Tuples.of(type, TENSOR, keys, IntArray.of(1, 2), FloatArray.allocate(2), none);
        assertThatThrownBy(() -> call("law.Uneven", few, layout, null, new Random(1)))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("rows length: 2 (expected: 3, the sum of its counts)");
        Object negative = Tuples.of(type, TENSOR, keys, IntArray.of(3, -1), FloatArray.allocate(2), none);
        assertThatThrownBy(() -> call("law.Uneven", negative, layout, null, new Random(1)))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("elements of row 1 of rows: -1 (expected: >= 0)");

        Function<Object, Object> function = function("law.Uneven");
        Object request = Tuples.of(type, TENSOR, keys, IntArray.of(1, 0), FloatArray.allocate(1), none);
        Merge<Object> merge = function.merge(request, Routing.overSlices(function, request, layout), null);
        for (int part = 0; part < 2; part++) {
            TupleWriter out = new TupleWriter();
            out.array(IntArray.of(2));
            out.array(FloatArray.allocate(2 - part));
            out.array(none);
            out.array(IntArray.allocate(0));
            out.array(none);
            out.array(IntArray.allocate(0));
            out.array(ByteArray.allocate(0));
            merge.add(part, reader(out, 1, null));
        }
        assertThatThrownBy(() -> Version.result(merge, 2))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("length of rows in the handler's answer: 1 (expected: 2)");
    }

    @Test
    void rowsThatAServerDoesNotSendAlongItsKeysAreZeroOrAnError() {
        Function<Object, Object> function = function("good.Scan");
        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 2), new int[] {0, 1});
        Object request = Tuples.of(type("good.Scan$Request"), TENSOR, 1f);
        Routing routing = Routing.overSlices(function, request, layout);
        Merge<Object> merge = function.merge(request, routing, null);
        TupleWriter old = new TupleWriter();
        old.array(FloatArray.of(1, 2));
        old.array(LongArray.of(7));
        merge.add(1, reader(old, 1, TENSOR));
        TupleWriter now = new TupleWriter();
        now.array(FloatArray.of(3, 4));
        now.array(LongArray.of(5));
        now.array(IntArray.of(6));
        merge.add(0, reader(now, 2, TENSOR));
        assertThat(Tuples.text(Version.result(merge, 2)))
                .isEqualTo("[rows=[3.0, 4.0, 1.0, 2.0], found=[5, 7], ages=[6, 0]]");

        Merge<Object> wrong = function.merge(request, routing, null);
        wrong.add(0, reader(now, 2, TENSOR));
        TupleWriter few = new TupleWriter();
        few.array(FloatArray.of(1));
        few.array(LongArray.of(7));
        wrong.add(1, reader(few, 1, TENSOR));
        assertThatThrownBy(() -> Version.result(wrong, 2))
                .isInstanceOf(PsException.class)
                .hasMessageContaining("length of rows in the handler's answer: 1 (expected: 2)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"good.Census", "good.Clock", "good.TopK", "good.Turn", "good.Counter", "good.Axpy", "good.Absent"
            })
    void decodeAfterEncodeIsTheIdentity(String name) {
        Function<Object, Object> function = function(name);
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 6, 1), new int[] {0});
            Object request = Tuples.random(type(name + "$Request"), random, 6);
            Routing routing = function.info().place() == Place.SHARD
                    ? Routing.overSlices(function, request, layout)
                    : Routing.overNodes(1);
            TupleWriter out = new TupleWriter();
            function.write(request, routing, 0, out);
            Object decoded = function.read(reader(out, function.info().version(), function.target(request)));
            assertThat(Tuples.text(decoded)).as("seed %s", seed).isEqualTo(Tuples.text(request));
        }
    }

    @Test
    void everyKindOfComponentComesThrough() {
        Function<Object, Object> function = function("good.Everything");
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 6, 1), new int[] {0});
            LongArray keys = LongArray.of(0, 1, 2, 3, 4, 5);
            Object[] values = Arrays.stream(type("good.Everything$Request").getRecordComponents())
                    .map(each -> switch (each.getName()) {
                        case "first", "second" -> keys;
                        case "pairs" -> Tuples.random(each.getGenericType(), random, 12);
                        case "ofSecond" -> Tuples.random(each.getGenericType(), random, 18);
                        default -> Tuples.random(each.getGenericType(), random, 6);
                    })
                    .toArray();
            Object request = Tuples.of(type("good.Everything$Request"), values);
            TupleWriter out = new TupleWriter();
            function.write(request, Routing.overSlices(function, request, layout), 0, out);
            Object decoded = function.read(reader(out, 1, function.target(request)));
            assertThat(Tuples.text(decoded)).as("seed %s", seed).isEqualTo(Tuples.text(request));
        }
    }

    @Test
    void whatMayBeNullComesBackInAnswers() {
        Function<Object, Object> function = function("good.Absent");
        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 6, 1), new int[] {0});
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            Object request = Tuples.random(type("good.Absent$Request"), random, 6);
            Object answer = Tuples.random(type("good.Absent$Response"), random, 6);
            TupleWriter out = new TupleWriter();
            function.writeAnswer(answer, out);
            Merge<Object> merge = function.merge(request, Routing.overSlices(function, request, layout), null);
            merge.add(0, reader(out, 2, null));
            assertThat(Tuples.text(Version.result(merge, 1)))
                    .as("seed %s", seed)
                    .isEqualTo(Tuples.text(answer));
        }
    }

    @Test
    void aKeysOwnerIsOneServerTheSameForEverybodyAndKeysSpread() {
        Function<Object, Object> function = function("good.Counter");
        Object request = Tuples.of(type("good.Counter$Request"), "g", 7L, 1);
        assertThat(function.ownerKey(request)).hasValue(7);
        assertThat(function("good.Census").ownerKey(Tuples.random(type("good.Census$Request"), new Random(1), 1)))
                .isEmpty();
        Merge<Object> merge = function.merge(request, Routing.overNodes(1), null);
        TupleWriter out = new TupleWriter();
        function.writeAnswer(Tuples.of(type("good.Counter$Response"), 3L, "g", FloatArray.of(1)), out);
        merge.add(0, reader(out, 1, null));
        assertThat(Tuples.text(Version.result(merge, 1))).isEqualTo("[count=3, group=g, history=[1.0]]");

        assertThat(List.of(Routing.partition(0), Routing.partition(1), Routing.partition(-1)))
                .containsExactly(0, 346, 723);
        int[] owned = new int[7];
        for (long key = 0; key < 7000; key++) {
            owned[Routing.partition(key) % 7]++;
        }
        assertThat(Arrays.stream(owned).boxed().toList()).allMatch(n -> n > 850 && n < 1150);
    }

    @Test
    void whatAnOlderPeerDoesNotSendIsEmpty() {
        Function<Object, Object> function = function("good.Grown");
        assertThat(function.info().version()).isEqualTo(4);
        assertThat(Tuples.text(function.read(reader(new TupleWriter(), 1, TENSOR))))
                .isEqualTo("[tensor=t, rounds=0, x=[], note=, mode=FAST, ids=[], point=[x=0.0, mode=FAST], points=[]]");

        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 1), new int[] {0, 1});
        Object request = Tuples.of(
                type("good.Grown$Request"),
                Arrays.stream(type("good.Grown$Request").getRecordComponents())
                        .map(each -> Tuples.random(each.getGenericType(), new Random(1), 4))
                        .toArray());
        Routing routing = Routing.overSlices(function, request, layout);
        Merge<Object> merge = function.merge(request, routing, null);
        TupleWriter old = new TupleWriter();
        old.f32(2);
        merge.add(1, reader(old, 1, TENSOR));
        merge.add(0, reader(old, 2, TENSOR));
        assertThat(Tuples.text(Version.result(merge, 2)))
                .isEqualTo("[norm=4.0, sums=[], values=[0.0, 0.0, 0.0, 0.0], count=0]");
    }

    @Test
    void aCallOfAnOlderVersionIsKeptAndSendsWhatAnOlderPeerSends() throws ReflectiveOperationException {
        assertThat(Tuples.text(requestOf("good.Grown", TENSOR)))
                .isEqualTo("[tensor=t, rounds=0, x=[], note=, mode=FAST, ids=[], point=[x=0.0, mode=FAST], points=[]]");
        assertThat(Tuples.text(requestOf("good.Grown", TENSOR, 3, FloatArray.of(1, 2))))
                .startsWith("[tensor=t, rounds=3, x=[1.0, 2.0], note=, mode=FAST");
        assertThat(Tuples.text(requestOf("good.Narrowed", TENSOR)))
                .isEqualTo("[tensor=t, keys=[], counts=[], values=[], before=null]");

        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 1), new int[] {0, 1});
        for (String name : List.of("good.Grown", "good.Narrowed")) {
            Function<Object, Object> function = function(name);
            Object request = requestOf(name, TENSOR);
            Routing routing = Routing.overSlices(function, request, layout);
            assertThat(routing.parts()).isEqualTo(2);
            for (int part = 0; part < 2; part++) {
                TupleWriter out = new TupleWriter();
                function.write(request, routing, part, out);
                Object slice = function.read(reader(out, function.info().version(), TENSOR));
                assertThat(Tuples.text(slice)).isEqualTo(Tuples.text(request));
            }
        }
        LongArray keys = LongArray.of(3);
        Object second = requestOf("good.Narrowed", TENSOR, keys);
        assertThat(Routing.overSlices(function("good.Narrowed"), second, layout).parts())
                .isEqualTo(1);
        Object uncounted = requestOf("good.Narrowed", TENSOR, keys, IntArray.allocate(0), FloatArray.of(1));
        assertThatThrownBy(() -> Routing.overSlices(function("good.Narrowed"), uncounted, layout))
                .hasMessageContaining("values length: 1 (expected: 0, since its counts are null)");
    }

    /** The request that a stub makes of the arguments. */
    private static Object requestOf(String name, Object... arguments) throws ReflectiveOperationException {
        List<Object> requests = new ArrayList<>();
        Caller caller = new FunctionCaller() {
            @Override
            @SuppressWarnings("NullAway")
            public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
                requests.add(request);
                return null;
            }
        };
        Object stub = type(name + "Psf").getMethod("stub", Caller.class).invoke(null, caller);
        Class<?> response = type(name + "$Response");
        for (Method call : stub.getClass().getMethods()) {
            List<Class<?>> types = List.of(call.getParameterTypes());
            if (call.getName().equals("call") && types.size() == arguments.length && !types.contains(response)) {
                call.invoke(stub, arguments);
            }
        }
        assertThat(requests).hasSize(1);
        return requests.get(0);
    }

    @Test
    void anOlderPeerReadsWhatItKnowsOfANewerTuple() {
        Function<Object, Object> function = function("good.Grown");
        Object request = Tuples.of(
                type("good.Grown$Request"),
                Arrays.stream(type("good.Grown$Request").getRecordComponents())
                        .map(each -> Tuples.random(each.getGenericType(), new Random(1), 4))
                        .toArray());
        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 1), new int[] {0});
        TupleWriter out = new TupleWriter();
        function.write(request, Routing.overSlices(function, request, layout), 0, out);
        TupleReader in = reader(out, 2, TENSOR);
        assertThat(in.i32()).isEqualTo(Tuples.<Integer>get(request, "rounds"));
        assertThat(in.floatArray()).isEqualTo(Tuples.get(request, "x"));
    }

    /**
     * What goes out in elements and by keys of two tensors comes back to where it stood, and each slice gets what it
     * owns.
     */
    @Test
    void elementsAndKeysOfTwoTensorsGoToTheirOwnersAndComeBack() {
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            TensorLayout users = layout(random);
            TensorInfo items = new TensorInfo(TensorId.of("items"), 1 + random.nextInt(20), 1 + random.nextInt(3));
            List<Long> bounds = new ArrayList<>(List.of(0L, items.rows()));
            while (bounds.size() <= users.slices()) {
                bounds.add((long) random.nextInt((int) items.rows() + 1));
            }
            Collections.sort(bounds);
            TensorLayout beside = new TensorLayout(items, bounds, users.servers(), users.lanes());
            LongArray user = keys(random, (int) users.info().rows());
            LongArray item = keys(random, (int) items.rows());
            List<Object> clicks = clicks(random, items.rows(), 1);
            List<Object> later = clicks(random, 1, users.info().rows());
            Object request = Tuples.of(
                    type("good.Factors$Request"),
                    TENSOR,
                    user,
                    Tuples.random(
                            FloatArray.class,
                            random,
                            user.length() * users.info().width()),
                    item,
                    Tuples.random(FloatArray.class, random, item.length() * items.width()),
                    items.id(),
                    clicks,
                    later,
                    item);

            Function<Object, Object> function = function("good.Factors");
            assertThat(function.others(request)).containsExactly(items.id(), items.id(), items.id());
            Routing routing = Routing.overSlices(function, request, users, id -> beside);
            assertThat(routing.parts()).isEqualTo(users.slices()); // for clicks
            Merge<Object> merge = function.merge(request, routing, null);
            for (int part = 0; part < routing.parts(); part++) {
                TupleWriter out = new TupleWriter();
                function.write(request, routing, part, out);
                TupleReader reader = reader(out, 2, TENSOR);
                Object slice = function.read(reader);
                assertThat(reader.stamps()).isEqualTo(3);
                assertThat(reader.stamp(2)).isEqualTo(beside.stamp(routing.slice(part)));
                int at = routing.slice(part);
                List<Object> own = owned(clicks, "item", beside.range(at));
                LongArray keys = Tuples.get(slice, "item");
                assertThat(Tuples.<List<Object>>get(slice, "clicks"))
                        .as("seed %s", seed)
                        .isEqualTo(own);
                assertThat(Tuples.<List<Object>>get(slice, "later"))
                        .as("seed %s", seed)
                        .isEqualTo(owned(later, "at", users.range(at)));
                assertThat(keys.toArray())
                        .as("seed %s", seed)
                        .isEqualTo(Arrays.stream(item.toArray())
                                .filter(beside.range(at)::contains)
                                .distinct()
                                .toArray());
                out.reset();
                function.writeAnswer(
                        Tuples.of(
                                type("good.Factors$Response"),
                                Tuples.<Object>get(slice, "ofUsers"),
                                Tuples.<Object>get(slice, "ofItems"),
                                own.stream()
                                        .map(each -> seen(Tuples.get(each, "item"), Tuples.<Integer>get(each, "times")))
                                        .toList(),
                                Arrays.stream(keys.toArray())
                                        .mapToObj(key -> seen(key, at))
                                        .toList()),
                        out);
                merge.add(part, reader(out, 2, null));
                merge.decode(part);
            }
            Object response = merge.result();
            assertThat(Tuples.<Object>get(response, "userRows"))
                    .as("seed %s", seed)
                    .isEqualTo(Tuples.get(request, "ofUsers"));
            assertThat(Tuples.<List<Object>>get(response, "seen"))
                    .as("seed %s", seed)
                    .isEqualTo(clicks.stream()
                            .map(each -> seen(Tuples.get(each, "item"), Tuples.<Integer>get(each, "times")))
                            .toList());
            assertThat(Tuples.<List<Object>>get(response, "again").stream()
                            .mapToLong(each -> Tuples.<Long>get(each, "item"))
                            .toArray())
                    .as("seed %s", seed)
                    .isEqualTo(item.toArray());
        }
    }

    @Test
    void elementsThatAnOlderServerDoesNotSendAreEmpty() {
        Function<Object, Object> function = function("good.Factors");
        TensorLayout layout = TensorLayout.even(new TensorInfo(TENSOR, 4, 1), new int[] {0, 1});
        LongArray none = LongArray.allocate(0);
        Object request = Tuples.of(
                type("good.Factors$Request"),
                TENSOR,
                none,
                FloatArray.allocate(0),
                LongArray.of(3, 0, 3),
                FloatArray.allocate(3),
                TENSOR,
                List.of(),
                List.of(),
                none);
        Merge<Object> merge = function.merge(request, Routing.overSlices(function, request, layout), null);
        for (int part = 0; part < 2; part++) {
            TupleWriter old = new TupleWriter();
            old.array(FloatArray.allocate(0));
            old.array(FloatArray.allocate(1));
            old.count(0);
            merge.add(part, reader(old, 1, null));
            merge.decode(part);
        }
        assertThat(Tuples.<List<Object>>get(merge.result(), "again")).isEqualTo(Collections.nCopies(3, seen(0, 0)));

        Merge<Object> wrong = function.merge(request, Routing.overSlices(function, request, layout), null);
        TupleWriter tooMany = new TupleWriter();
        tooMany.array(FloatArray.allocate(0));
        tooMany.array(FloatArray.allocate(1));
        tooMany.count(1);
        tooMany.i64(1);
        tooMany.f32(1);
        wrong.add(0, reader(tooMany, 1, null));
        assertThatThrownBy(() -> wrong.decode(0))
                .hasMessageContaining("length of seen in the handler's answer: 1 (expected: 0)");
    }

    private static Object seen(long item, float score) {
        return Tuples.of(type("good.Factors$Seen"), item, score);
    }

    private static List<Object> clicks(Random random, long items, long at) {
        return Stream.generate(() -> Tuples.of(
                        type("good.Factors$Click"), random.nextLong(items), random.nextInt(100), random.nextLong(at)))
                .limit(random.nextInt(20))
                .toList();
    }

    private static List<Object> owned(List<Object> clicks, String key, Range range) {
        return clicks.stream()
                .filter(each -> range.contains(Tuples.<Long>get(each, key)))
                .toList();
    }

    /** What a runtime does with a call, without one. Parts are added in any order. */
    private static Object call(String name, Object request, TensorLayout layout, @Nullable Object into, Random random) {
        Function<Object, Object> function = function(name);
        Binding<Object, Object> binding = binding(name);
        Routing routing = Routing.overSlices(function, request, layout);
        Merge<Object> merge = function.merge(request, routing, into);
        List<Integer> parts = new ArrayList<>();
        for (int part = 0; part < routing.parts(); part++) {
            parts.add(part);
        }
        Collections.shuffle(parts, random);
        TupleWriter out = new TupleWriter();
        for (int part : parts) {
            out.reset();
            function.write(request, routing, part, out);
            Object slice = function.read(reader(out, 1, function.target(request)));
            Object answer = binding.handle(slice, NO_SHARD);
            out.reset();
            function.writeAnswer(answer, out);
            merge.add(part, reader(out, 1, null));
        }
        return Version.result(merge, routing.parts());
    }

    static TupleReader reader(TupleWriter out, int version, @Nullable TensorId target) {
        ByteBuffer body = ByteBuffer.allocate((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return new TupleReader(body.flip(), out.blockLength(), out.arrays(), version, target);
    }

    private static TensorLayout layout(Random random) {
        int rows = 1 + random.nextInt(20);
        int slices = 1 + random.nextInt(5);
        List<Long> bounds = new ArrayList<>(List.of(0L, (long) rows));
        List<Integer> servers = new ArrayList<>(List.of(0));
        for (int slice = 1; slice < slices; slice++) {
            bounds.add((long) random.nextInt(rows + 1));
            servers.add(slice);
        }
        Collections.sort(bounds);
        return new TensorLayout(new TensorInfo(TENSOR, rows, 1 + random.nextInt(3)), bounds, servers);
    }

    private static LongArray keys(Random random, int rows) {
        return LongArray.wrap(
                random.longs(random.nextInt(2 * rows + 1), 0, rows).toArray());
    }

    private static boolean keysInEverySlice(LongArray keys, TensorLayout layout) {
        for (int slice = 0; slice < layout.slices(); slice++) {
            int at = slice;
            if (Arrays.stream(keys.toArray()).noneMatch(key -> layout.range(at).contains(key))) {
                return false;
            }
        }
        return true;
    }

    static Class<?> type(String name) {
        try {
            return CLASSES.loadClass(name);
        } catch (ClassNotFoundException e) {
            throw new LinkageError(name, e);
        }
    }

    @SuppressWarnings("unchecked")
    static Function<Object, Object> function(String name) {
        try {
            return (Function<Object, Object>)
                    type(name + "Psf").getField("FUNCTION").get(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
    }

    @SuppressWarnings("unchecked")
    private static Binding<Object, Object> binding(String name) {
        try {
            Object provider = type(name + "PsfProvider").getConstructor().newInstance();
            return (Binding<Object, Object>) ((HandlerProvider) provider).binding();
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(name, e);
        }
    }
}
