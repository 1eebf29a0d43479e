package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.Member;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorCaller;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.Routing;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a test, in process. Each server holds one slice of each tensor, and every request and answer is
 * serialized. Tensors may also be declared later, as on a worker: {@code Tensors.init(cluster, spec)}. A stub of the
 * cluster, {@code AxpyPsf.stub(cluster)}, calls as worker 0. Used by the test's thread only.
 *
 * <p>A call has run when {@code call} returns, unless its handler answers later. In that case a later call, perhaps of
 * another worker, or {@link #advance} completes the answer; an earlier {@code await} fails with {@code TIMED_OUT}.
 * Handlers that answer from a thread of their own are not supported.
 */
public final class TestCluster implements TensorCaller, FunctionCaller {
    /** The number that selects the lanes of all tensors that the cluster begins with. */
    private static final long COLOCATED = 1;

    private final int slices;
    private final List<Member> members = new ArrayList<>();
    private final Map<Integer, Binding<?, ?>> bindings = new LinkedHashMap<>();
    private final TestTensors tensors = new TestTensors();
    private final List<TestNode> servers = new ArrayList<>();
    private final TestPlaces places;
    private final TestNode scheduler;
    /** The latest call of each worker on each shard; the worker's next call there waits for its answer. */
    private final Map<Turn, CompletableFuture<TupleReader>> latest = new HashMap<>();

    private final TestLane lane = new TestLane();
    private final TestClock clock = new TestClock(lane);
    private long calls;

    private record Turn(int worker, TestShard shard) {}

    TestCluster(
            Collection<Binding<?, ?>> functions,
            Collection<TestTensor> tensors,
            int slices,
            int workers,
            @Nullable Path checkpoints) {
        this.slices = slices;
        for (int rank = 0; rank < slices; rank++) {
            members.add(new Member(Role.SERVER, rank, "test", rank + 1));
        }
        for (int rank = 0; rank < workers; rank++) {
            members.add(new Member(Role.WORKER, rank, "", 0));
        }
        places = new TestPlaces(members, lane, clock, onward(), new TestReading(), this.tensors, checkpoints);
        scheduler = new TestNode(Role.SCHEDULER, 0, places);
        for (int rank = 0; rank < slices; rank++) {
            servers.add(new TestNode(Role.SERVER, rank, places));
        }
        functions.forEach(each -> bindings.put(each.function().info().id(), each));
        tensors.forEach(this::create);
    }

    private void create(TestTensor tensor) {
        TensorLayout even = TensorLayout.even(tensor.info(), ranks(slices));
        TensorLayout layout = new TensorLayout(even.info(), even.bounds(), even.servers(), COLOCATED);
        tensors.declare(layout, tensor.info().shape() + " of the test", null);
        for (int slice = 0; slice < slices; slice++) {
            servers.get(slice).create(layout, slice, tensor.optimizer(), tensor);
        }
    }

    private static int[] ranks(int servers) {
        return IntStream.range(0, servers).toArray();
    }

    /** Creates a cluster of one server, without functions. */
    static TestCluster empty() {
        return new TestCluster(List.of(), List.of(), 1, 0, null);
    }

    TestPlaces places() {
        return places;
    }

    /** Returns the number of slices of each tensor. */
    public int slices() {
        return slices;
    }

    /** Returns the worker of a rank, for a stub to call as. */
    public TensorCaller worker(int rank) {
        return new TestWorker(this, rank);
    }

    /** Returns a server, for a test that runs a handler of place {@code SERVER} itself. */
    public StoredNode server(int rank) {
        return servers.get(rank);
    }

    /**
     * Returns the shard of a slice, for a test that looks at it or changes it.
     *
     * @throws PsException with {@code UNKNOWN_TENSOR} if no server has it
     */
    public TestShard shard(TensorId tensor, int slice) {
        return tensors.shard(tensor, slice);
    }

    /**
     * Registers tensors, whose shards a later call creates, such as that of {@code Tensors.init}. Each has as many slices
     * as the cluster, each on its server, or one for each row if its rows are fewer. Tensors with equal numbers of rows
     * are colocated, and so are those that are declared beside another. The declared number of slices has no other
     * effect.
     */
    @Override
    public List<TensorLayout> declare(List<TensorDeclaration> declarations) {
        return declarations.stream().map(this::declareOne).toList();
    }

    private TensorLayout declareOne(TensorDeclaration declaration) {
        TensorInfo info = declaration.info();
        String beside = declaration.beside();
        TensorLayout layout = beside.isEmpty()
                ? TensorLayout.even(info, ranks((int) Math.min(this.slices, info.rows())))
                : TensorLayout.beside(info, layout(TensorId.of(beside)));
        if (layout.slices() > info.rows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices of tensor \"" + info.id() + "\" beside \"" + beside + "\": " + info.rows()
                            + " at most, its rows (expected: " + layout.slices() + ", as many as that has)");
        }
        return tensors.declare(layout, declaration.text(), declaration);
    }

    @Override
    public TensorLayout layout(TensorId tensor) {
        return tensors.layout(tensor);
    }

    @Override
    public void forget(TensorId tensor) {
        tensors.forget(tensor);
    }

    /** Returns the caller for handlers. Its calls have no worker and no order, and are answered on the lane. */
    private Caller onward() {
        return new FunctionCaller() {
            @Override
            public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
                CompletableFuture<R> answer = new CompletableFuture<>();
                TestCluster.this
                        .call(-1, function, request, into)
                        .toCompletableFuture()
                        .whenComplete((response, failure) -> lane.execute(() -> {
                            if (failure == null) {
                                answer.complete(response);
                            } else {
                                answer.completeExceptionally(
                                        failure instanceof CompletionException ? failure.getCause() : failure);
                            }
                        }));
                return new TestPending<>(function.info().name(), answer, lane::isRunning);
            }
        };
    }

    /** Advances the test's time, which stands still otherwise. Runs the work that handlers have deferred until then. */
    public void advance(Duration time) {
        clock.advance(time);
    }

    /** Returns a tensor's current values: [rows, width] float32, for a growing table in the order of {@link #keys}. */
    public float[] values(TensorId tensor) {
        return inOrder(tensor, layout(tensor).info().width(), StoredShard::storedValues);
    }

    /** Returns the keys that have rows now: [rows] int64, ascending. */
    public long[] keys(TensorId tensor) {
        return tensors.shards(tensor).stream()
                .flatMapToLong(shard -> IntStream.range(0, shard.rows()).mapToLong(shard::key))
                .sorted()
                .toArray();
    }

    /** Concatenates an array of each shard, in the order of the keys; zero where a shard has none. */
    private float[] inOrder(
            TensorId tensor, int width, java.util.function.Function<TestShard, @Nullable StoredColumn> of) {
        long[] keys = keys(tensor);
        float[] all = new float[Math.multiplyExact(keys.length, width)];
        for (TestShard shard : tensors.shards(tensor)) {
            StoredColumn column = of.apply(shard);
            FloatArray part = column == null ? FloatArray.allocate(0) : column.read(0, shard.rows());
            for (int row = 0; row < part.length() / width; row++) {
                part.copyTo(row * width, all, Arrays.binarySearch(keys, shard.key(row)) * width, width);
            }
        }
        return all;
    }

    /** Returns a tensor's slots by name; zero for shards without the slot. */
    Map<String, float[]> slots(TensorId tensor) {
        Map<String, float[]> slots = new LinkedHashMap<>();
        Map<String, Integer> widths = new TreeMap<>();
        tensors.shards(tensor)
                .forEach(shard -> shard.storedSlots().forEach((name, slot) -> widths.put(name, slot.width())));
        widths.forEach((name, width) -> slots.put(
                name, inOrder(tensor, width, shard -> shard.storedSlots().get(name))));
        return slots;
    }

    /** Returns the tensors that have shards. */
    List<TensorId> tensors() {
        return tensors.there();
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return call(0, function, request, into);
    }

    <Q, R> Pending<R> call(int worker, Function<Q, R> function, Q request, @Nullable R into) {
        Binding<Q, R> binding = binding(function);
        TensorId tensor = function.target(request);
        List<? extends TestPlace> places = switch (function.info().place()) {
            case SHARD -> tensors.shards(Objects.requireNonNull(tensor));
            case SERVER -> {
                OptionalLong key = function.ownerKey(request);
                yield key.isPresent()
                        ? List.of(servers.get(Routing.partition(key.getAsLong()) % servers.size()))
                        : servers;
            }
            case SCHEDULER -> List.of(scheduler);
        };
        try {
            Routing routing = tensor == null
                    ? Routing.overNodes(places.size())
                    : Routing.overSlices(function, request, layout(tensor), this::layout);
            Merge<R> merge = function.merge(request, routing, into);
            CallInfo call = new CallInfo(worker, calls++, 0);
            List<TestInvocation<Q, R>> invocations = new ArrayList<>();
            for (int part = 0; part < routing.parts(); part++) {
                TupleWriter out = new TupleWriter();
                write(function, request, routing, part, out);
                TestPlace place = places.get(routing.slice(part));
                invocations.add(new TestInvocation<>(binding, call, out, tensor, place));
            }
            invocations.forEach(each -> send(each, worker));
            String name = function.info().name();
            CompletableFuture<R> answer = merged(merge, invocations, name, tensor == null ? null : tensor.name());
            return new TestPending<>(name, answer, () -> false);
        } catch (PsException e) {
            throw e.at(function.info().name(), tensor == null ? null : tensor.name(), null, null);
        }
    }

    private static <Q> void write(Function<Q, ?> function, Q request, Routing routing, int part, TupleWriter out) {
        try {
            out.ofTensor(routing.tensor());
            function.write(request, routing, part, out);
        } catch (NullPointerException e) {
            throw Nulls.named(request, PsException.Code.BAD_REQUEST, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(request, PsException.Code.BAD_REQUEST, e);
        }
    }

    /**
     * Runs a request. An ordered request on a shard runs after the worker's earlier request there has been answered.
     */
    private void send(TestInvocation<?, ?> invocation, int worker) {
        if (!(invocation.place() instanceof TestShard shard) || !invocation.isOrdered()) {
            lane.execute(invocation::run);
            return;
        }
        CompletableFuture<TupleReader> before = latest.put(new Turn(worker, shard), invocation.answer());
        if (before == null || before.isDone()) {
            lane.execute(invocation::run);
        } else {
            before.whenComplete((answer, failure) -> lane.execute(invocation::run));
        }
    }

    private static <R> CompletableFuture<R> merged(
            Merge<R> merge,
            List<? extends TestInvocation<?, R>> invocations,
            String function,
            @Nullable String tensor) {
        List<CompletableFuture<TupleReader>> answers =
                invocations.stream().map(TestInvocation::answer).toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    PsException first = null;
                    for (CompletableFuture<TupleReader> answer : answers) {
                        if (answer.isCompletedExceptionally()) {
                            PsException failed = TestInvocation.failure(answer);
                            if (first == null) {
                                first = failed;
                            } else {
                                first.addSuppressed(failed);
                            }
                        }
                    }
                    if (first != null) {
                        throw first;
                    }
                    try {
                        for (int part = 0; part < answers.size(); part++) {
                            merge.add(part, answers.get(part).join());
                        }
                        return result(merge, answers.size());
                    } catch (PsException e) {
                        throw e.at(function, tensor, null, null);
                    }
                });
    }

    /** Runs the caller's code, as a worker does. */
    private static <R> R result(Merge<R> merge, int parts) {
        R result;
        try {
            for (int part = 0; part < parts; part++) {
                merge.decode(part);
            }
            result = merge.result();
        } catch (Throwable e) {
            throw Merge.failed(e);
        }
        if (result == null) {
            throw Merge.failedWithNull();
        }
        return result;
    }

    private <Q, R> Binding<Q, R> binding(Function<Q, R> function) {
        Binding<?, ?> binding = bindings.get(function.info().id());
        if (binding == null) {
            throw new PsException(
                    PsException.Code.UNKNOWN_FUNCTION,
                    "function: " + function.info().name() + " (expected: one that the test binds, with and(..))");
        }
        @SuppressWarnings("unchecked") // bound under the function's own id
        Binding<Q, R> bound = (Binding<Q, R>) binding;
        return bound;
    }
}
