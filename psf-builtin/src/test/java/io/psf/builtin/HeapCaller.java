package io.psf.builtin;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Function;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TensorLayout;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.dense.DensePushPull;
import io.psf.builtin.dense.DensePushPullPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushDensePull;
import io.psf.builtin.sparse.SparsePushDensePullPsf;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.builtin.sparse.SparsePushPull;
import io.psf.builtin.sparse.SparsePushPullPsf;
import io.psf.builtin.tensor.InitTensor;
import io.psf.builtin.tensor.InitTensorPsf;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** One tensor on several servers without a cluster: each call goes through routing, codec and handler, and back. */
final class HeapCaller implements Caller {
    final TensorId tensor;
    /** How many requests the shards have been sent. */
    int requests;

    private final TensorLayout layout;
    private final List<HeapNode> servers = new ArrayList<>();
    private final Map<Integer, Binding<?, ?>> bindings = new HashMap<>();

    HeapCaller(TensorSpec spec, int servers) {
        tensor = spec.tensor().id();
        int[] ranks = new int[servers];
        for (int rank = 0; rank < servers; rank++) {
            ranks[rank] = rank;
            this.servers.add(new HeapNode(rank));
        }
        layout = TensorLayout.even(spec.tensor(), ranks);
        add(InitTensorPsf.bind(new InitTensor() {}));
        add(DensePushPsf.bind(new DensePush() {}));
        add(DensePullPsf.bind(new DensePull() {}));
        add(DensePushPullPsf.bind(new DensePushPull() {}));
        add(SparsePushPsf.bind(new SparsePush() {}));
        add(SparsePullPsf.bind(new SparsePull() {}));
        add(SparsePushPullPsf.bind(new SparsePushPull() {}));
        add(SparsePushDensePullPsf.bind(new SparsePushDensePull() {}));
        Initializer first = spec.initializer();
        InitTensorPsf.stub(this)
                .call(
                        tensor,
                        spec.tensor().rows(),
                        spec.tensor().width(),
                        first.distribution(),
                        first.a(),
                        first.b(),
                        first.seed(),
                        spec.optimizer().rule(),
                        FloatArray.wrap(spec.optimizer().values()),
                        spec.updates() != Updates.EACH,
                        spec.updates() == Updates.MEAN,
                        LongArray.wrap(layout.bounds().stream()
                                .mapToLong(Long::longValue)
                                .toArray()),
                        IntArray.wrap(ranks))
                .await();
    }

    private void add(Binding<?, ?> binding) {
        bindings.put(binding.function().info().id(), binding);
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        @SuppressWarnings("unchecked") // bound under the function's own id
        Binding<Q, R> binding = (Binding<Q, R>)
                Objects.requireNonNull(bindings.get(function.info().id()));
        boolean onShards = binding.kind() == Binding.Kind.SHARD || binding.kind() == Binding.Kind.SHARD_LATER;
        Routing routing = onShards ? Routing.overSlices(function, request, layout) : Routing.overNodes(servers.size());
        Merge<R> merge = function.merge(request, routing, into);
        for (int part = 0; part < routing.parts(); part++) {
            requests += onShards ? 1 : 0;
            HeapNode server = servers.get(routing.slice(part));
            TupleWriter out = new TupleWriter();
            function.write(request, routing, part, out);
            Object place = onShards ? server.shard(routing.slice(part)) : server;
            Object answer = binding.handle(function.read(sent(out)), place);
            @SuppressWarnings("unchecked") // a handler answers with its response or a stage of it
            R response = (R)
                    (answer instanceof CompletionStage<?> stage
                            ? stage.toCompletableFuture().join()
                            : answer);
            TupleWriter back = new TupleWriter();
            function.writeAnswer(response, back);
            merge.add(part, sent(back));
        }
        for (int part = 0; part < routing.parts(); part++) {
            merge.decode(part);
        }
        return new Done<>(merge.result());
    }

    private TupleReader sent(TupleWriter out) {
        ByteBuffer body = ByteBuffer.allocateDirect((int) out.bodyLength()).order(ByteOrder.LITTLE_ENDIAN);
        out.writeBody(body);
        return new TupleReader(body.flip(), out.blockLength(), out.arrays(), 1, tensor);
    }

    private record Done<R>(R result) implements Pending<R> {
        @Override
        public R await() {
            return result;
        }

        @Override
        public R await(Duration limit) {
            return result;
        }

        @Override
        public boolean cancel() {
            return false;
        }

        @Override
        public boolean isDone() {
            return true;
        }

        @Override
        public CompletableFuture<R> toCompletableFuture() {
            return CompletableFuture.completedFuture(result);
        }
    }
}
