package io.psf.testkit;

import io.psf.api.CallInfo;
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
final class TestInvocation<Q, R> {
    private static final byte SPOILED = 0x7f; // as a float 3.4e38, as a key far out of range

    private final Binding<Q, R> binding;
    private final CallInfo call;
    private final ByteBuffer request;
    private final TupleReader reader;
    private final @Nullable TensorId tensor;
    private final TestPlace place;
    private final CompletableFuture<TupleReader> answer = new CompletableFuture<>();

    TestInvocation(
            Binding<Q, R> binding, CallInfo call, TupleWriter written, @Nullable TensorId tensor, TestPlace place) {
        this.binding = binding;
        this.call = call;
        this.request = body(written);
        this.reader = reader(request, binding.function(), written, tensor);
        this.tensor = tensor;
        this.place = place;
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

    TestPlace place() {
        return place;
    }

    /** True if the request waits for the answer to its worker's previous call on the shard. */
    boolean isOrdered() {
        return call.worker() >= 0 && binding.function().info().ordered();
    }

    /** Returns the future of the answer's bytes, which may fail with a {@link PsException}. */
    CompletableFuture<TupleReader> answer() {
        return answer;
    }

    void run() {
        Object given;
        try {
            Q slice = read();
            FunctionInfo info = binding.function().info();
            place.begin(call, info);
            if (place instanceof TestShard shard) {
                shard.meet(binding.function().others(slice));
            }
            BooleanSupplier unchanged =
                    info.readOnly() && place instanceof TestShard shard ? shard.unchanged() : () -> true;
            given = binding.handle(slice, place);
            if (!unchanged.getAsBoolean()) {
                throw ReadOnly.violated(info.name(), "values or slots");
            }
        } catch (Throwable e) { // also checked exceptions of handlers
            fail(e);
            return;
        } finally {
            place.end();
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
            if (place instanceof TestShard shard) {
                written.ofTensor(shard.spec());
            }
            write(response, written);
            ByteBuffer body = body(written);
            spoil();
            answer.complete(reader(body, binding.function(), written, tensor));
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
                known.at(binding.function().info().name(), tensor == null ? null : tensor.name(), place.label(), null));
    }

    /** Returns the failure of an answer. */
    static PsException failure(CompletableFuture<TupleReader> answer) {
        try {
            answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof PsException failure) {
                return failure;
            }
            throw e;
        }
        throw new IllegalStateException("answer: given (expected: a failure)");
    }
}
