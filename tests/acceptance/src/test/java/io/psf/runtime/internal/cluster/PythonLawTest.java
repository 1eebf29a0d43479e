package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Python;
import io.psf.api.Range;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.FloatTypes;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Frames;
import io.psf.runtime.spi.transport.RequestHeader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random requests over random slices have the same bytes in Python as in Java, and random answers are merged into the
 * same bytes.
 */
@Timeout(60)
final class PythonLawTest {
    private static final int CASES = 300 * Integer.getInteger("psf.laws.times", 1);
    private static final FramePool POOL = new FramePool(1 << 22);

    @TempDir
    Path folder;

    private final Random random = new Random(0);

    /** Returns a call: the parts of a request, an answer to each, and the response that the answers are merged into. */
    private <Q, R> Map<String, Object> written(
            Function<Q, R> function,
            Q request,
            TensorLayout layout,
            TensorLayout beside,
            BiFunction<Q, Range, R> answers) {
        Routing routing = Routing.overSlices(function, request, layout, tensor -> beside);
        Merge<R> merge = function.merge(request, routing, null);
        List<Object> parts = new ArrayList<>();
        for (int part = 0; part < routing.parts(); part++) {
            TupleWriter tuple = new TupleWriter();
            tuple.ofTensor(routing.tensor());
            function.write(request, routing, part, tuple);
            int slice = routing.slice(part);
            RequestHeader header = new RequestHeader(
                    function.info(),
                    new RequestHeader.Target(layout.info().id().number(), slice, layout.stamp(slice)),
                    7,
                    60_000,
                    0,
                    0);
            Frame frame = Frames.request(POOL, header, tuple);
            Q share = function.read(frame.reader(layout.info().id()));
            Frame answer = answer(function, frame, answers.apply(share, layout.range(slice)), routing.tensor());
            merge.add(part, answer.reader(null));
            merge.decode(part);
            parts.add(Map.of(
                    "slice", slice, "hex", Vectors.pieces(frame), "answer", Map.of("hex", Vectors.pieces(answer))));
        }
        Map<String, Object> made = new LinkedHashMap<>();
        made.put("schemas", function.info().schemas());
        made.put("layout", Json.place(layout));
        made.put("others", List.of(Json.place(beside)));
        made.put("request", Json.of(request));
        made.put("parts", parts);
        Frame first = Frames.request(
                POOL,
                new RequestHeader(function.info(), new RequestHeader.Target(0, 0, (short) 0), 7, 1, 0, 0),
                new TupleWriter());
        made.put("merged", Vectors.pieces(answer(function, first, merge.result(), null)));
        return made;
    }

    private static <R> Frame answer(Function<?, R> function, Frame request, R response, @Nullable TensorInfo tensor) {
        TupleWriter tuple = new TupleWriter();
        tuple.ofTensor(tensor);
        function.writeAnswer(response, tuple);
        ByteBuffer bytes = ByteBuffer.allocate(Frames.length(tuple)).order(ByteOrder.LITTLE_ENDIAN);
        Frames.answer(bytes, function.info(), request, tuple);
        return Frame.of(bytes.flip());
    }

    private TensorLayout layout(String name, long rows, int width, FloatType wire, int slices) {
        TensorInfo info =
                new TensorInfo(TensorId.of(name), rows, width, new FloatTypes(FloatType.FLOAT32, false, wire));
        int[] servers = random.ints(slices, 0, 3).toArray();
        return TensorLayout.even(info, servers).declaredIn(1 + random.nextInt(1000));
    }

    private LongArray keys(TensorLayout layout, int n) {
        long[] keys = new long[n];
        int few = 1 + random.nextInt(2 * n + 1);
        for (int i = 0; i < n; i++) {
            long key = (long) (few * Math.pow(random.nextDouble(), 1 + n % 4)); // some occur often
            keys[i] = layout.info().grows()
                    ? key * 0x9E3779B97F4A7C15L
                    : key * 7919 % layout.info().rows();
        }
        return LongArray.wrap(keys);
    }

    private FloatArray floats(int n) {
        FloatArray values = FloatArray.allocate(n);
        float scale = List.of(1f, 1e-30f, 1e-42f, 1e38f).get(random.nextInt(4));
        boolean special = random.nextInt(4) == 0;
        for (int i = 0; i < n; i++) {
            values.set(i, (float) random.nextGaussian() * scale);
            if (special && random.nextInt(20) == 0) {
                values.set(
                        i,
                        List.of(Float.NaN, Float.POSITIVE_INFINITY, 0f, -0f, 0.5f)
                                .get(random.nextInt(5)));
            }
        }
        return values;
    }

    private IntArray ints(int n, int most) {
        return IntArray.wrap(random.ints(n, 0, most).toArray());
    }

    private Map<String, Object> randomCase() {
        int width = 1 + random.nextInt(20);
        FloatType wire = FloatType.values()[random.nextInt(4)];
        int slices = 1 + random.nextInt(9);
        boolean grows = random.nextInt(3) == 0;
        long rows = grows ? TensorInfo.GROWING : slices + random.nextInt(300);
        TensorLayout layout = layout("t", rows, width, wire, slices);
        TensorLayout other = TensorLayout.beside(
                        new TensorInfo(TensorId.of("other"), slices + random.nextInt(50), 1 + random.nextInt(5)),
                        layout)
                .declaredIn(3);
        int n = random.nextInt(200);
        switch (random.nextInt(grows ? 4 : 6)) {
            case 0 -> {
                SparsePush.Request push =
                        new SparsePush.Request(layout.info().id(), keys(layout, n), floats(n * width));
                return written(
                        SparsePushPsf.FUNCTION, push, layout, other, (share, range) -> new SparsePush.Response());
            }
            case 1 -> {
                SparsePull.Request pull = new SparsePull.Request(layout.info().id(), keys(layout, n));
                return written(
                        SparsePullPsf.FUNCTION,
                        pull,
                        layout,
                        other,
                        (share, range) ->
                                new SparsePull.Response(floats(share.keys().length() * width)));
            }
            case 2 -> {
                return written(VectorSectionsPsf.FUNCTION, sections(layout), layout, other, (share, range) -> names());
            }
            case 4 -> {
                DensePush.Request push = new DensePush.Request(layout.info().id(), floats((int) rows * width));
                return written(DensePushPsf.FUNCTION, push, layout, other, (share, range) -> new DensePush.Response());
            }
            case 5 -> {
                DensePull.Request pull = new DensePull.Request(layout.info().id());
                return written(
                        DensePullPsf.FUNCTION,
                        pull,
                        layout,
                        other,
                        (share, range) -> new DensePull.Response(floats((int) range.length() * width)));
            }
            default -> {
                return ofKeys(layout, other, n);
            }
        }
    }

    private Map<String, Object> ofKeys(TensorLayout layout, TensorLayout other, int n) {
        int width = layout.info().width();
        int m = random.nextInt(20);
        List<VectorKeys.Item> items = new ArrayList<>();
        for (long key : keys(layout, m).toArray()) {
            items.add(new VectorKeys.Item(key, random.nextFloat()));
        }
        IntArray degrees = ints(m, 4);
        VectorKeys.Request request = new VectorKeys.Request(
                layout.info().id(),
                other.info().id(),
                VectorKeys.Mode.EXACT,
                (short) random.nextInt(),
                random.ints(m).toArray(),
                Map.of("\u00e9", random.nextDouble()),
                random.nextBoolean() ? null : floats(m),
                keys(layout, n),
                floats(n * width),
                DoubleArray.wrap(random.doubles(2L * n).toArray()),
                keys(other, m),
                ints(m, 100),
                items,
                keys(layout, m),
                degrees,
                LongArray.wrap(random.longs(sum(degrees)).toArray()));
        int sums = random.nextInt(5);
        return written(VectorKeysPsf.FUNCTION, request, layout, other, (share, range) -> ofKeys(share, width, sums));
    }

    private VectorKeys.Response ofKeys(VectorKeys.Request share, int width, int sums) {
        int found = random.nextInt(4);
        IntArray sizes = ints(found, 3);
        IntArray lengths = ints(share.nodes().length(), 3);
        byte[] bytes = new byte[sum(lengths)];
        random.nextBytes(bytes);
        Map<String, Long> ages = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            ages.put("name " + random.nextInt(5), random.nextLong());
        }
        return new VectorKeys.Response(
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(),
                List.of(-0d, 0d, random.nextGaussian(), Double.NaN).get(random.nextInt(4)),
                (float) random.nextGaussian(),
                DoubleArray.wrap(random.doubles(sums).toArray()),
                ages,
                List.of(words()),
                floats(share.keys().length() * width),
                share.items().stream()
                        .map(item -> new VectorKeys.Item(random.nextLong(), random.nextFloat()))
                        .toList(),
                LongArray.wrap(random.longs(found).toArray()),
                sizes,
                DoubleArray.wrap(random.doubles(sum(sizes)).toArray()),
                lengths,
                ByteArray.wrap(bytes));
    }

    private static int sum(IntArray values) {
        return IntStream.of(values.toArray()).sum();
    }

    private String words() {
        return random.ints(random.nextInt(6), 'a', 0x1000)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private VectorSections.Name name() {
        return new VectorSections.Name(words(), random.nextBoolean() ? null : words());
    }

    private VectorSections.Point point() {
        return new VectorSections.Point(random.nextFloat(), VectorSections.Mode.values()[random.nextInt(2)], name());
    }

    private VectorSections.Request sections(TensorLayout layout) {
        return new VectorSections.Request(
                layout.info().id(),
                point(),
                Stream.generate(this::point).limit(random.nextInt(4)).toList(),
                point(),
                random.longs(random.nextInt(4)).toArray());
    }

    private VectorSections.Response names() {
        return new VectorSections.Response(
                Stream.generate(this::name).limit(random.nextInt(3)).toList(), random.nextLong());
    }

    @Test
    void theBytesOfRandomRequestsAndOfMergedAnswersAreJavas() throws IOException {
        String python = Python.with("numpy");
        List<Object> cases = new ArrayList<>();
        for (int i = 0; i < CASES; i++) {
            cases.add(randomCase());
        }
        Path file = Files.writeString(folder.resolve("laws.json"), Json.text(Map.of("cases", cases)));
        assertThat(Python.run(python, Map.of(), "-m", "tests.laws", file.toString()))
                .isEqualTo(CASES + " calls\n");
    }
}
