package io.psf.testkit;

import io.psf.api.CallInfo;
import io.psf.api.Caller;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Binding;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.ReadOnly;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.internal.server.invocation.CallTarget;
import io.psf.runtime.internal.server.invocation.Serving;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.CallSource;
import io.psf.runtime.internal.server.lane.Completion;
import io.psf.runtime.internal.server.lane.OrderedCall;
import io.psf.runtime.internal.server.session.Connection;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One request: serialized, handled, and its answer serialized. Once answered, the request's memory is overwritten, so
 * that a test detects a handler that retains a borrowed array.
 */
final class TestInvocation<Q, R> implements OrderedCall, Serving {
    private static final byte SPOILED = 0x7f; // as a float 3.4e38, as a key far out of range

    private final Binding<Q, R> binding;
    private final CallInfo call;
    private final ByteBuffer request;
    private final TupleReader reader;
    private final @Nullable TensorId tensor;
    private final TestTarget to;
    private final CallTarget target;
    private final CompletableFuture<TupleReader> answer = new CompletableFuture<>();
    /** True if later calls of the worker wait for this one's answer. */
    private boolean delays;

    TestInvocation(
            Binding<Q, R> binding, CallInfo call, TupleWriter written, @Nullable TensorId tensor, TestTarget to) {
        this.binding = binding;
        this.call = call;
        this.request = body(written);
        this.reader = reader(request, binding.function(), written, tensor);
        this.tensor = tensor;
        this.to = to;
        this.target = to.target();
    }

    /** The worker that calls. It always takes its answers. */
    private record Source(int worker) implements CallSource {
        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean mayRun(Runnable again) {
            return true;
        }
    }

    private static ByteBuffer body(TupleWriter written) {
        ByteBuffer body =
                ByteBuffer.allocate(Math.toIntExact(written.bodyLength())).order(ByteOrder.LITTLE_ENDIAN);
        written.writeBody(body);
        return body.flip();
    }

    private static TupleReader reader(
            ByteBuffer body, Function<?, ?> function, TupleWriter written, @Nullable TensorId tensor) {
        return new TupleReader(
                body, written.blockLength(), written.arrays(), function.info().version(), tensor);
    }

    /** Queues the request on its lane. */
    void send() {
        target.lane().execute(this);
    }

    /** Returns the future of the answer's bytes, which may fail with a {@link PsException}. */
    CompletableFuture<TupleReader> answer() {
        return answer;
    }

    @Override
    public FunctionInfo function() {
        return binding.function().info();
    }

    @Override
    public Connection connection() {
        throw new IllegalStateException("connection of a test's call: none (expected: a call over a transport)");
    }

    @Override
    public Caller caller() {
        return to.caller(function());
    }

    @Override
    public void releaseRequest() {
        to.released(call.worker());
    }

    @Override
    public CallSource source() {
        return new Source(call.worker());
    }

    @Override
    public long arrival() {
        return call.call();
    }

    @Override
    public @Nullable CallOrder order() {
        return call.worker() >= 0 && function().ordered() ? target.order() : null;
    }

    @Override
    public @Nullable Completion before() {
        return null;
    }

    @Override
    public boolean mayRun(Runnable again) {
        return true;
    }

    @Override
    public void refuse(PsException why) {
        fail(why);
    }

    @Override
    public void run() {
        if (CallOrder.begins(this, target.lane())) {
            serve();
        }
    }

    @Override
    public void serve() {
        to.spoilScratch();
        try {
            handle();
        } finally {
            if (binding.kind().later() && !answer.isDone()) {
                target.lane().leaveScratch();
            }
            target.lane().scratch().reset();
        }
        CallOrder order = order();
        if (order != null && !answer.isDone()) {
            delays = true;
            order.waitsFor(this);
        }
    }

    private void handle() {
        Object given;
        try {
            if (target.isDropped()) {
                throw new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
            }
            to.requireUsableBy(function().name());
            Q slice = read();
            target.begin(call, this);
            target.meet(binding.function().others(slice), reader);
            BooleanSupplier unchanged = function().readOnly() ? to.unchanged() : () -> true;
            given = binding.handle(slice, target.handled());
            if (!unchanged.getAsBoolean()) {
                throw ReadOnly.violated(function().name(), "values or slots");
            }
        } catch (Throwable e) { // also checked exceptions of handlers
            fail(e);
            return;
        } finally {
            target.end();
        }
        if (binding.kind().later() && given != null) {
            @SuppressWarnings("unchecked") // the binding's kind says so
            CompletionStage<R> stage = (CompletionStage<R>) given;
            try {
                stage.whenComplete(this::answer);
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        } else {
            @SuppressWarnings("unchecked") // the binding's kind says so
            R response = (R) given;
            answer(response, null);
        }
    }

    private Q read() {
        try {
            return binding.function().read(reader);
        } catch (IllegalArgumentException e) { // a record's own check of its components
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    private void answer(@Nullable R response, @Nullable Throwable failure) {
        if (failure != null) {
            fail(failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure);
            return;
        }
        try {
            if (response == null) {
                throw new PsException(PsException.Code.HANDLER_FAILED, "answer: null (expected: a response)");
            }
            TupleWriter written = new TupleWriter();
            written.ofTensor(target.tensor());
            write(response, written);
            ByteBuffer body = body(written);
            spoil();
            answer.complete(reader(body, binding.function(), written, tensor));
            answered();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    private void write(R response, TupleWriter out) {
        try {
            binding.function().writeAnswer(response, out);
        } catch (NullPointerException e) {
            throw Nulls.named(response, PsException.Code.HANDLER_FAILED, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(response, PsException.Code.HANDLER_FAILED, e);
        }
    }

    private void spoil() {
        for (int i = 0; i < request.limit(); i++) {
            request.put(i, SPOILED);
        }
    }

    private void fail(Throwable failure) {
        PsException known = failure instanceof PsException ps
                ? ps
                : new PsException(
                        PsException.Code.HANDLER_FAILED,
                        binding.handler().getClass().getName() + " threw " + failure,
                        failure);
        answer.completeExceptionally(
                known.at(binding.function().info().name(), tensor == null ? null : tensor.name(), to.label(), null));
        answered();
    }

    /** Continues with the worker's calls that have waited for the answer. */
    private void answered() {
        CallOrder order = order();
        if (delays && order != null) {
            order.answered(this);
        }
    }
}
