package io.psf.benchmarks.jmh;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.call.CallClient;
import io.psf.runtime.internal.call.CallLimits;
import io.psf.runtime.internal.call.Peer;
import io.psf.runtime.spi.transport.Acceptor;
import io.psf.runtime.spi.transport.Channel;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.Transport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Makes calls like a worker, to servers that answer at once. */
final class Calls implements FunctionCaller {
    /** A tensor of 16 floats. */
    static final TensorInfo TENSOR = new TensorInfo(TensorId.of("w"), 16, 1);

    private static final long LIMIT = TimeUnit.SECONDS.toNanos(60);

    private final FramePool pool = new FramePool(1 << 20);
    private final CallClient client = new CallClient(pool);
    private final List<Peer> servers = new ArrayList<>();
    private final TensorLayout layout;
    private final java.util.function.Function<TensorId, TensorLayout> others = this::layout;
    private @Nullable Echo last;

    /**
     * Connects to echoes.
     *
     * @param function the function that the echoes answer
     * @param slices the number of echoes, one slice each
     * @param floats [n] float32, the answer of each echo; null for an empty answer
     */
    Calls(FunctionInfo function, int slices, @Nullable FloatArray floats) {
        int[] ranks = new int[slices];
        TupleWriter answer = new TupleWriter();
        if (floats != null) {
            answer.array(floats);
        }
        for (int i = 0; i < slices; i++) {
            ranks[i] = i;
            servers.add(client.connect(to(function, answer), "", 0, "server " + i));
        }
        layout = TensorLayout.even(TENSOR, ranks);
    }

    private TensorLayout layout(TensorId tensor) {
        return layout;
    }

    private Transport to(FunctionInfo function, TupleWriter answer) {
        return new Transport() {
            @Override
            public Listener listen(String host, int port, Acceptor acceptor) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Channel connect(String host, int port, Acceptor acceptor) {
                last = new Echo(pool, acceptor, function, answer);
                return last;
            }

            @Override
            public void close() {}
        };
    }

    /** Returns one of the echoes. */
    Echo echo() {
        if (last == null) {
            throw new IllegalStateException("echo: none");
        }
        return last;
    }

    @Override
    public <Q, R> Pending<R> call(Function<Q, R> function, Q request, @Nullable R into, CallOptions options) {
        return client.start(client.onShards(function, request, into, layout, others, servers, CallLimits.of(LIMIT)));
    }
}
