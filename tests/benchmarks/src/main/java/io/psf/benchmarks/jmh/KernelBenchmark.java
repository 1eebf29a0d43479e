package io.psf.benchmarks.jmh;

import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.array.ArrayMemory;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.array.RowWrites;
import io.psf.builtin.OptimizerSpec;
import io.psf.builtin.Optimizers;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Optimizer steps on an off-heap shard of 64 MB, with their floors: saxpy over Java arrays of the same size, and adding
 * rows to rows of a Java array. SGD reads and writes as many bytes as saxpy, 12 per element; Adam 28 per element.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 2,
        jvmArgsAppend = {
            "--add-modules=jdk.incubator.vector",
            "--add-exports=java.base/jdk.internal.vm.vector=ALL-UNNAMED",
            "-Xmx1g",
            "-XX:MaxDirectMemorySize=1g"
        })
public class KernelBenchmark {
    private static final int FLOATS = 1 << 24;

    /** A gradient of every element. */
    @State(Scope.Thread)
    public static class Dense {
        @Param({"sgd", "adagrad", "rmsprop", "adadelta", "ftrl", "adam", "adamw", "lazy-adam"})
        String optimizer = "sgd";

        final FloatArray gradient = ones(FLOATS);
        final Shard shard = shard(16, new RowWrites());
        Optimizer step = Optimizers.sgd(0.01).create();

        /** Creates the optimizer. */
        @Setup
        public void create() {
            step = spec().create();
        }

        private OptimizerSpec spec() {
            return switch (optimizer) {
                case "sgd" -> Optimizers.sgd(0.01);
                case "adagrad" -> Optimizers.adaGrad(0.01);
                case "rmsprop" -> Optimizers.rmsProp(0.01);
                case "adadelta" -> Optimizers.adaDelta();
                case "ftrl" -> Optimizers.ftrl(0.01, 0.1, 0.1);
                case "adam" -> Optimizers.adam(0.01);
                case "adamw" -> Optimizers.adamW(0.01);
                case "lazy-adam" -> Optimizers.lazyAdam(0.01);
                default -> throw new IllegalArgumentException("optimizer: " + optimizer);
            };
        }
    }

    /** Updates of 1 MB of rows, in random order, each once. */
    @State(Scope.Thread)
    public static class Sparse {
        @Param({"16", "64"})
        int width = 16;

        /** True if the rows are marked that are written to, as from the first incremental save on. */
        @Param({"false", "true"})
        boolean marked = false;

        final int floats = 1 << 18;
        final FloatArray update = ones(floats);
        final float[] updateOnHeap = update.toArray();
        final float[] valuesOnHeap = new float[FLOATS];
        final Optimizer sgd = Optimizers.sgd(0.01).create();
        final Optimizer adam = Optimizers.adam(0.01).create();
        final RowWrites writes = new RowWrites();
        Shard shard = shard(16, writes);
        LongArray[] keys = new LongArray[0];
        int turn;

        /** Creates a shard of this width, and several sets of keys, so that the rows do not stay in a cache. */
        @Setup
        public void keys() {
            shard = shard(width, writes);
            if (marked) {
                writes.begin();
            }
            Random random = new Random(1);
            keys = new LongArray[8];
            for (int i = 0; i < keys.length; i++) {
                keys[i] = LongArray.wrap(random.longs(0, FLOATS / width)
                        .distinct()
                        .limit(floats / width)
                        .toArray());
            }
        }

        LongArray next() {
            return keys[turn++ & 7];
        }
    }

    /** The floor of dense pushes. */
    @State(Scope.Thread)
    public static class OnHeap {
        final float[] x = new float[FLOATS];
        final float[] y = new float[FLOATS];
    }

    /** y += a x over Java arrays: 12 bytes per element. */
    @Benchmark
    public float[] denseFloor(OnHeap arrays) {
        float[] x = arrays.x;
        float[] y = arrays.y;
        for (int i = 0; i < x.length; i++) {
            y[i] += 0.01f * x[i];
        }
        return y;
    }

    /** A dense push: 12 bytes per element with SGD, 20 with one state, 28 with two. */
    @Benchmark
    public void denseStep(Dense dense) {
        dense.step.apply(dense.shard, dense.gradient);
    }

    /** w[row] += a g over Java arrays. */
    @Benchmark
    public float[] sparseFloor(Sparse sparse) {
        float[] w = sparse.valuesOnHeap;
        float[] g = sparse.updateOnHeap;
        int width = sparse.width;
        LongArray keys = sparse.next();
        for (int i = 0; i < keys.length(); i++) {
            int row = (int) keys.get(i) * width;
            for (int c = 0; c < width; c++) {
                w[row + c] += 0.01f * g[i * width + c];
            }
        }
        return w;
    }

    /** A sparse push with SGD. */
    @Benchmark
    public void sparseSgd(Sparse sparse) {
        sparse.sgd.apply(sparse.shard, sparse.next(), sparse.update);
    }

    /** A sparse push with Adam, whose rows have different numbers of steps. */
    @Benchmark
    public void sparseAdam(Sparse sparse) {
        sparse.adam.apply(sparse.shard, sparse.next(), sparse.update);
    }

    private static FloatArray ones(int n) {
        FloatArray ones = direct(n);
        ones.fill(1);
        return ones;
    }

    /** Returns memory that begins at a cache line, as a server's memory does. */
    private static FloatArray direct(int n) {
        ByteBuffer bytes =
                ByteBuffer.allocateDirect(4 * n + 64).alignedSlice(64).limit(4 * n);
        return FloatArray.view(bytes.order(ByteOrder.LITTLE_ENDIAN));
    }

    /** Returns a shard with only the methods that an optimizer calls. */
    private static Shard shard(int width, RowWrites writes) {
        int rows = FLOATS / width;
        FloatArray values = ArrayMemory.marking(direct(FLOATS), width, writes);
        Map<String, FloatArray> slots = new HashMap<>();
        Map<Object, Object> attachments = new HashMap<>();
        return (Shard) Proxy.newProxyInstance(
                Shard.class.getClassLoader(),
                new Class<?>[] {Shard.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "rows" ->
                        arguments == null ? (Object) rows : local((LongArray) arguments[0], (int[]) arguments[1]);
                    case "width" -> width;
                    case "values" -> values;
                    case "slot" ->
                        slots.computeIfAbsent(
                                (String) arguments[0],
                                name -> ArrayMemory.marking(
                                        direct(rows * (int) arguments[1]), (int) arguments[1], writes));
                    case "attachment" ->
                        attachments.computeIfAbsent(arguments[0], type -> ((Supplier<?>) arguments[1]).get());
                    default -> throw new UnsupportedOperationException(method.toString());
                });
    }

    private static Object local(LongArray keys, int[] rows) {
        for (int i = 0; i < keys.length(); i++) {
            rows[i] = (int) keys.get(i);
        }
        return rows;
    }
}
