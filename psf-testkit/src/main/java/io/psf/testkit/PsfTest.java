package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.StoredShard;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tests a PS function in one line, without a cluster. Codec, partition, handler and merge run in process, over slices
 * on the heap. The answer must not depend on the number of slices.
 *
 * <pre>{@code
 * PsfTest.of(AxpyPsf.bind(new AxpyOnHost())).tensor(w, 100, 8).sameOnAnySlices(new Axpy.Request(w, 0.1f, x));
 * }</pre>
 *
 * <p>A difference is an {@link AssertionError} that names the component. An exception of a handler is the call's
 * {@link PsException}, if the handler throws it on any number of slices. Each method that configures the test changes
 * this object and returns it. Not thread-safe.
 *
 * @param <Q> the request
 * @param <R> the response
 */
public final class PsfTest<Q, R> {
    private static final int[] SLICES = {1, 2, 3, 7};

    private final Binding<Q, R> function;
    private final Map<String, Binding<?, ?>> functions = new LinkedHashMap<>();
    private final Map<TensorId, TestTensor> tensors = new LinkedHashMap<>();
    private @Nullable TensorId last;
    private int workers = 1;
    private @Nullable Path checkpoints;
    private double reduced = 1e-6;
    private double others;

    private PsfTest(Binding<Q, R> function) {
        this.function = function;
        and(function);
    }

    /**
     * Creates a test of a function.
     *
     * @param function the binding, created by {@code XPsf.bind(handler)} of interface {@code X}
     * @throws IllegalArgumentException if the handler serves only a kind of shard that a test does not have: the shards
     *     are {@link StoredShard}s
     */
    public static <Q, R> PsfTest<Q, R> of(Binding<Q, R> function) {
        return new PsfTest<>(function);
    }

    /**
     * Adds another function, for steps that call several functions.
     *
     * @throws IllegalArgumentException as {@link #of} does
     */
    public PsfTest<Q, R> and(Binding<?, ?> other) {
        String name = other.function().info().name();
        if (!other.shard().isAssignableFrom(StoredShard.class)) {
            throw new IllegalArgumentException("kind of shard of \"" + name + "\": "
                    + other.shard().getSimpleName() + " (expected: Shard, or StoredShard; test it with PsCluster)");
        }
        functions.put(name, other);
        return this;
    }

    /**
     * Adds a tensor [rows, width] float32 that exists when the test starts, with the same values each time. By default,
     * neighbouring values differ and are small multiples of 1/8; {@link #values} sets others. By default, pushes are
     * added; {@link #optimizer} sets another rule. All tensors of a test are colocated.
     *
     * @param rows the number of rows; with fewer than 7 rows the test uses at most as many slices
     * @param width the number of floats in a row
     * @throws IllegalArgumentException if the values do not fit into one array; a growing table is {@link #growing}
     */
    public PsfTest<Q, R> tensor(TensorId tensor, long rows, int width) {
        if (rows > Integer.MAX_VALUE / 4 / Math.max(1, width)) {
            throw new IllegalArgumentException("tensor \"" + tensor + "\" of a test: [" + rows + ", " + width
                    + "] (expected: at most " + Integer.MAX_VALUE / 4 + " floats)");
        }
        last = tensor;
        tensors.put(tensor, new TestTensor(new TensorInfo(tensor, rows, width), TestTensor::unlike, new Additive()));
        return this;
    }

    /**
     * Adds a growing table, which has no rows when the test starts. A row of zeros is created when a handler first
     * calls {@code Shard.row} or {@code Shard.rows} with its key. By default, pushes are added; {@link #optimizer} sets
     * another rule.
     *
     * @param width the number of floats in a row
     */
    public PsfTest<Q, R> growing(TensorId tensor, int width) {
        last = tensor;
        tensors.put(tensor, new TestTensor(new TensorInfo(tensor, TensorInfo.GROWING, width), i -> 0, new Additive()));
        return this;
    }

    /**
     * Sets the initial values of the tensor that was added last.
     *
     * @param values the value of element i of [rows, width], rounded to float32
     * @throws IllegalStateException if the tensor is a growing table
     */
    public PsfTest<Q, R> values(IntToDoubleFunction values) {
        TestTensor tensor = lastTensor();
        if (tensor.info().grows()) {
            throw new IllegalStateException("values of tensor \""
                    + tensor.info().id() + "\": it grows (expected: rows, which begin with zeros, to be pushed)");
        }
        tensors.put(tensor.info().id(), new TestTensor(tensor.info(), values, tensor.optimizer()));
        return this;
    }

    /** Sets the optimizer of the tensor that was added last. */
    public PsfTest<Q, R> optimizer(Optimizer optimizer) {
        TestTensor tensor = lastTensor();
        tensors.put(tensor.info().id(), new TestTensor(tensor.info(), tensor.values(), optimizer));
        return this;
    }

    private TestTensor lastTensor() {
        TestTensor tensor = tensors.get(last);
        if (tensor == null) {
            throw new IllegalStateException("tensors: none (expected: tensor(..) before)");
        }
        return tensor;
    }

    /** Sets the number of workers, for handlers that wait for all of them. The default is 1. */
    public PsfTest<Q, R> workers(int workers) {
        this.workers = workers;
        return this;
    }

    /** Sets the checkpoint directory of all servers of the test. */
    public PsfTest<Q, R> checkpoints(Path directory) {
        this.checkpoints = directory;
        return this;
    }

    /**
     * Sets the tolerance of floats, relative to the larger of the two. The default is 1e-6 for components with
     * {@code Reduce}, since sums depend on their order, and 0 for all others.
     */
    public PsfTest<Q, R> within(double relative) {
        reduced = relative;
        others = relative;
        return this;
    }

    /** Creates new servers with the tensors in their initial state, for calls through the functions' stubs. */
    public TestCluster on(int slices) {
        long fewest = tensors.values().stream()
                .mapToLong(tensor -> tensor.info().rows())
                .min()
                .orElse(slices);
        if (slices < 1 || slices > fewest) {
            throw new IllegalArgumentException("slices: " + slices + " (expected: 1 to " + fewest + ", the rows)");
        }
        return new TestCluster(functions.values(), tensors.values(), slices, workers, checkpoints);
    }

    /**
     * Calls the function once, on new servers.
     *
     * @throws PsException if the call fails
     */
    public R call(int slices, Q request) {
        return on(slices)
                .call(function.function(), request, null, CallOptions.DEFAULT)
                .await();
    }

    /**
     * Checks that the function returns the same answer to a request, and leaves the same values and slots, on 1, 2, 3
     * and 7 slices.
     *
     * @return the response
     * @throws AssertionError if an answer, a value or a slot differs
     * @throws PsException if the call fails in the same way on any number of slices
     */
    public R sameOnAnySlices(Q request) {
        return sameOnAnySlices(cluster -> cluster.call(function.function(), request, null, CallOptions.DEFAULT)
                .await());
    }

    /**
     * Checks several requests like {@link #sameOnAnySlices(Object)}, each on new servers. A failure names the seed.
     *
     * @param times the number of requests; the seeds are 0 to times - 1
     */
    public void sameOnAnySlices(int times, RandomRequest<Q> requests) {
        for (int seed = 0; seed < times; seed++) {
            try {
                sameOnAnySlices(requests.request(new Random(seed)));
            } catch (AssertionError e) {
                throw new AssertionError(e.getMessage() + "; seed " + seed, e);
            } catch (PsException e) {
                e.addSuppressed(new AssertionError("seed " + seed));
                throw e;
            }
        }
    }

    /**
     * Checks a sequence of calls like {@link #sameOnAnySlices(Object)}, on the same servers.
     *
     * @return the value that the steps return
     */
    public <T> T sameOnAnySlices(Steps<T> steps) {
        RunOutcome<T> one = RunOutcome.of(on(1), steps);
        long most = tensors.values().stream()
                .mapToLong(tensor -> tensor.info().rows())
                .min()
                .orElse(Long.MAX_VALUE);
        for (int slices : SLICES) {
            if (slices > 1 && slices <= most) {
                one.requireSame(RunOutcome.of(on(slices), steps), new Differences(reduced, others), name());
            }
        }
        return one.get();
    }

    private String name() {
        return function.function().info().name();
    }
}
