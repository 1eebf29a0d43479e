package io.psf.testkit;

import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tests a PS function in one line, without a cluster: codec, partition, handler and merge run in process over slices on
 * the heap, and the answer must not tell how many slices there are.
 *
 * <pre>{@code
 * PsfTest.of(AxpyPsf.bind(new AxpyOnHost())).tensor(w, 100, 8).sameOnAnySlices(new Axpy.Request(w, 0.1f, x));
 * }</pre>
 *
 * <p>What fails is an {@link AssertionError} that names the component. What a handler throws comes as the call's
 * {@link PsException}, if it does so on any number of slices. Each method that describes the test changes this object
 * and returns it. Not thread-safe.
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
     * A test of a function.
     *
     * @param function what {@code XPsf.bind(handler)} of interface {@code X} makes
     */
    public static <Q, R> PsfTest<Q, R> of(Binding<Q, R> function) {
        return new PsfTest<>(function);
    }

    /** Another function, for steps that call several. */
    public PsfTest<Q, R> and(Binding<?, ?> other) {
        functions.put(other.function().info().name(), other);
        return this;
    }

    /**
     * A tensor that is there when the test begins, each time the same. Neighbouring values differ and are small
     * multiples of 1/8, unless {@link #values} says otherwise; pushes are added, unless {@link #optimizer} does. All tensors
     * of a test lie beside each other.
     *
     * @param rows how many rows; with fewer than 7 there are at most as many slices as rows
     * @param width floats in a row
     * @throws IllegalArgumentException if the values do not fit in one array; a table that grows is {@link #growing}
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
     * A table that grows, without a row when the test begins: each is made, of zeros, when its key first comes. Pushes are
     * added, unless {@link #optimizer} says otherwise.
     *
     * @param width floats in a row
     */
    public PsfTest<Q, R> growing(TensorId tensor, int width) {
        last = tensor;
        tensors.put(tensor, new TestTensor(new TensorInfo(tensor, TensorInfo.GROWING, width), i -> 0, new Additive()));
        return this;
    }

    /**
     * The first values of the tensor declared last.
     *
     * @param values element i of [rows, width], rounded to float32
     * @throws IllegalStateException if it is a table that grows
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

    /** How pushes change the tensor declared last. */
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

    /** How many workers there are, for handlers that wait for all of them; 1 unless said. */
    public PsfTest<Q, R> workers(int workers) {
        this.workers = workers;
        return this;
    }

    /** The directory that all servers of the test have for checkpoints. */
    public PsfTest<Q, R> checkpoints(Path directory) {
        this.checkpoints = directory;
        return this;
    }

    /**
     * How far floats may differ, relative to the larger. Unless said, those of a component with {@code Reduce} by 1e-6,
     * since sums depend on their order, and all others not at all.
     */
    public PsfTest<Q, R> within(double relative) {
        reduced = relative;
        others = relative;
        return this;
    }

    /** Fresh servers with the tensors as they begin, for calls through the functions' stubs. */
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
     * Calls the function once, on fresh servers.
     *
     * @throws PsException if the call fails
     */
    public R call(int slices, Q request) {
        return on(slices)
                .call(function.function(), request, null, CallOptions.DEFAULT)
                .await();
    }

    /**
     * Checks that the function answers a request in the same way, and leaves the same in values and slots, on 1, 2, 3
     * and 7 slices.
     *
     * @return the response
     * @throws AssertionError if it does not
     * @throws PsException if the call fails in the same way on any number of slices
     */
    public R sameOnAnySlices(Q request) {
        return sameOnAnySlices(cluster -> cluster.call(function.function(), request, null, CallOptions.DEFAULT)
                .await());
    }

    /**
     * The same for several requests, each on fresh servers. A failure names the seed.
     *
     * @param times how many requests; the seeds are 0 to times - 1
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
     * The same for calls one after the other, on the same servers.
     *
     * @return what the steps came to
     */
    public <T> T sameOnAnySlices(Steps<T> steps) {
        Outcome<T> one = Outcome.of(on(1), steps);
        long most = tensors.values().stream()
                .mapToLong(tensor -> tensor.info().rows())
                .min()
                .orElse(Long.MAX_VALUE);
        for (int slices : SLICES) {
            if (slices > 1 && slices <= most) {
                one.requireSame(Outcome.of(on(slices), steps), new Differences(reduced, others), name());
            }
        }
        return one.get();
    }

    private String name() {
        return function.function().info().name();
    }
}
