package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.ClusterCaller;
import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.ForwardingCaller;
import io.psf.api.spi.Function;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.Routing;
import io.psf.api.spi.ServiceClassPath;
import io.psf.api.spi.StoredColumn;
import io.psf.api.spi.StoredNode;
import io.psf.api.spi.StoredShard;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.server.handler.Choice;
import io.psf.runtime.internal.server.handler.Handlers;
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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a test, in process. Each server holds one slice of each tensor, and every request and answer is
 * serialized. Tensors may also be declared later, as on a worker: {@code Tensors.init(cluster, spec)}. A stub of the
 * cluster, {@code AxpyPsf.stub(cluster)}, calls as worker 0. Used by the test's thread, and by the programs of {@link
 * #together}.
 *
 * <p>A call has run when {@code call} returns, unless its handler answers later. In that case a later call, perhaps of
 * another worker, or {@link #advance} completes the answer; an earlier {@code await} fails with {@code TIMED_OUT},
 * except in the programs of {@link #together}, which wait.
 * Handlers that answer from a thread of their own are not supported.
 */
public final class TestCluster extends ForwardingCaller {
    /** The number that selects the lanes of all tensors that the cluster begins with. */
    private static final long COLOCATED = 1;

    private final int slices;
    private final List<Member> members = new ArrayList<>();
    private final Map<Integer, Binding<?, ?>> bindings = new LinkedHashMap<>();
    private final TestLane lane = new TestLane();
    private final TestNodes nodes;
    private final TestTensors tensors;
    private final TestPrograms programs = new TestPrograms(lane.clock());
    private final TestBarrier barrier;
    private final Map<Integer, TestWorker> workers = new HashMap<>();
    private long calls;
    private volatile boolean ended;

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
        barrier = new TestBarrier(programs, Math.max(1, workers));
        nodes = new TestNodes(
                lane, members, new OnwardCaller(this, lane, programs), (names, epoch) -> declared(names), checkpoints);
        this.tensors = new TestTensors(nodes);
        functions.forEach(each -> bindings.put(each.function().info().id(), each));
        tensors.forEach(this::create);
    }

    private void create(TestTensor tensor) {
        TensorLayout even = TensorLayout.even(tensor.info(), ranks(slices));
        TensorLayout layout = new TensorLayout(even.info(), even.bounds(), even.servers(), COLOCATED);
        tensors.declare(layout, tensor.info().shape() + " of the test", null);
        for (int slice = 0; slice < slices; slice++) {
            nodes.create(layout, slice, tensor.optimizer(), tensor);
        }
    }

    private CompletableFuture<List<DeclaredTensor>> declared(List<TensorId> names) {
        try {
            return CompletableFuture.completedFuture(
                    names.stream().map(tensors::declared).toList());
        } catch (PsException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static int[] ranks(int servers) {
        return IntStream.range(0, servers).toArray();
    }

    /**
     * Creates a cluster with the functions of all handlers on the class path, as a server finds them, for a program of
     * several workers that {@link #together} runs. Handlers of shards on devices are left out.
     *
     * @throws PsException with {@code CONFIGURATION} if a handler cannot be created
     */
    public static TestCluster of(int servers, int workers) {
        return of(servers, workers, null);
    }

    /** As {@link #of(int, int)}, with a checkpoint directory of all servers; null for none. */
    public static TestCluster of(int servers, int workers, @Nullable Path checkpoints) {
        Map<Integer, Binding<?, ?>> first = new LinkedHashMap<>();
        for (Choice each :
                Handlers.found(ServiceClassPath.of(TestCluster.class)).all()) {
            if (each.binding().shard().isAssignableFrom(StoredShard.class)) {
                first.putIfAbsent(each.binding().function().info().id(), each.binding());
            }
        }
        return new TestCluster(first.values(), List.of(), servers, workers, checkpoints);
    }

    /** Returns the number of slices of each tensor. */
    public int slices() {
        return slices;
    }

    /** Returns the worker of a rank, for a stub to call as. */
    public ClusterCaller worker(int rank) {
        return workers.computeIfAbsent(rank, of -> new TestWorker(this, programs, barrier, of));
    }

    /** Returns the worker as which the cluster itself calls. */
    @Override
    protected ClusterCaller to() {
        return worker(0);
    }

    /**
     * Runs a program for each worker. The programs take turns: one runs until it waits, at {@code await} or at a
     * barrier, or makes a call, then the next one is drawn at random. If all wait, the test's time advances to the next
     * work that is due, or to the first deadline; a call or a barrier without one has 60 seconds. Blocks until all
     * programs have ended, and throws what the first of them threw that failed, with the seed suppressed.
     *
     * @param seed selects the order of the turns; the same seed gives the same order
     * @return the results, in the order of the ranks
     */
    public <T> List<T> together(long seed, WorkerProgram<T> program) {
        List<ClusterCaller> all =
                IntStream.range(0, workers()).mapToObj(this::worker).toList();
        return programs.run(seed, all, program);
    }

    /** Calls fail from now on. What the shards hold can still be read. */
    @Override
    public void end() {
        ended = true;
    }

    void requireRunning() {
        if (ended) {
            throw new PsException(PsException.Code.CLOSED, "the cluster has ended (expected: running)");
        }
    }

    @Override
    public List<Member> members() {
        return List.copyOf(members);
    }

    /** Returns a server, for a test that runs a handler of place {@code SERVER} itself. */
    public StoredNode server(int rank) {
        return nodes.server(rank).handledNode();
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
     * Registers tensors, whose shards a later call creates, such as the call of {@code Tensors.init}. Each has as many
     * slices as the cluster, each on its server, or one for each row if its rows are fewer. Tensors with equal numbers
     * of rows are colocated, and so are tensors that are declared beside another. The declared number of slices has no
     * other effect.
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
                            + " at most, one for each row (expected: " + layout.slices() + ", as many as that"
                            + " tensor has)");
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

    /** Advances the test's time, which stands still otherwise. Runs the work that handlers have deferred until then. */
    public void advance(Duration time) {
        lane.clock().advance(time);
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

    /** Sends a call of a worker; of none if it is -1. */
    <Q, R> CompletableFuture<R> call(int worker, Function<Q, R> function, Q request, @Nullable R into) {
        @SuppressWarnings("unchecked") // bound under the function's own id
        Binding<Q, R> binding = (Binding<Q, R>) bindings.get(function.info().id());
        if (binding == null) { // the answer fails, as a server's does
            return CompletableFuture.failedFuture(new PsException(
                    PsException.Code.UNKNOWN_FUNCTION,
                    "function: " + function.info().name() + " (expected: one that the test binds, with and(..))"));
        }
        TensorId tensor = function.target(request);
        List<TestTarget> targets = switch (function.info().place()) {
            case SHARD ->
                tensors.shards(Objects.requireNonNull(tensor)).stream()
                        .map(nodes::target)
                        .toList();
            case SERVER -> {
                OptionalLong key = function.ownerKey(request);
                yield key.isPresent()
                        ? List.of(nodes.server(Routing.partition(key.getAsLong()) % slices))
                        : nodes.servers();
            }
            case SCHEDULER -> List.of(nodes.scheduler());
        };
        try {
            Routing routing = tensor == null
                    ? Routing.overNodes(targets.size())
                    : Routing.overSlices(function, request, layout(tensor), this::layout);
            Merge<R> merge = function.merge(request, routing, into);
            CallInfo call = new CallInfo(worker, calls++, 0);
            List<TestInvocation<Q, R>> invocations = new ArrayList<>();
            for (int part = 0; part < routing.parts(); part++) {
                TupleWriter out = new TupleWriter();
                write(function, request, routing, part, out);
                invocations.add(new TestInvocation<>(binding, call, out, tensor, targets.get(routing.slice(part))));
            }
            invocations.forEach(TestInvocation::send);
            List<CompletableFuture<TupleReader>> answers =
                    invocations.stream().map(TestInvocation::answer).toList();
            return new TestAnswers<>(merge, answers, function.info().name(), tensor == null ? null : tensor.name())
                    .merged();
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
}
