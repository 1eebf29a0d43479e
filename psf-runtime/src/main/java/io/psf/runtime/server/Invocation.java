package io.psf.runtime.server;

import io.psf.runtime.server.session.Answers;
import io.psf.runtime.server.session.CallRecord;
import io.psf.runtime.server.session.Connection;
import io.psf.api.CallInfo;
import io.psf.api.Intercepted;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.LoneSurrogates;
import io.psf.api.spi.Nulls;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request, from its handler to its answer. Anything that the handler throws becomes the answer. Once queued, it
 * belongs to the lane of its shard or node.
 */
final class Invocation implements Lane.Turn {
    private static final Logger LOG = LoggerFactory.getLogger(Invocation.class);

    /**
     * A shard whose handlers take no longer than this runs them on the thread that receives the request: the dispatch
     * to a sleeping thread takes about as long. On a machine with one or two processors, a woken thread finds no free
     * processor and may wait for its turn; therefore the limit is higher there.
     */
    private static final long QUICK_NANOS =
            TimeUnit.MICROSECONDS.toNanos(Runtime.getRuntime().availableProcessors() > 2 ? 200 : 1000);

    /**
     * Memory for answers longer than this is awaited, but only on the lane's own thread: other threads may have to send
     * answers.
     */
    private static final int LONG_ANSWER = 64 << 10;

    private static final Frame DONE = Frame.of(ByteBuffer.allocate(Frame.HEADER));

    private final Connection connection;
    /** Only the header once the handler does not read the request any more, and {@link #DONE} once it is answered. */
    private Frame request;

    private final Binding<?, ?> binding;
    private final FramePool pool;
    private final Lane lane;
    private final @Nullable HostShard shard;
    private final HostNode node;
    private final long deadline;
    private final int bytes;
    /** How later requests see this one; null for a request that nothing depends on. */
    private final @Nullable CallRecord record;

    private final long call;
    private final int attempt;
    private final long arrival;
    /** True if the calls of its connection on its shard run in order, and this call is one of them. */
    private final boolean ordered;
    /** The previous call in its chain, which must have succeeded; null for none. */
    private final @Nullable CallRecord before;

    private boolean answered;
    /**
     * True if a handler that has not answered may still read the request. Then its memory is left to the garbage
     * collector.
     */
    private boolean lent;
    /** True if the handler has declared that it does not read the request any more. */
    private boolean isRead;

    /** The stage that the handler returned instead of an answer; null if the handler has answered. */
    private @Nullable CompletionStage<?> later;

    /** The calls that the handler makes for this one; null until the handler requests a caller. */
    private @Nullable LaneCaller caller;

    Invocation(
            Connection connection,
            Frame request,
            Binding<?, ?> binding,
            FramePool pool,
            Lane lane,
            @Nullable HostShard shard,
            HostNode node,
            boolean isChained,
            @Nullable CallRecord before) {
        this.connection = connection;
        this.request = request;
        this.binding = binding;
        this.pool = pool;
        this.lane = lane;
        this.shard = shard;
        this.node = node;
        this.deadline = System.nanoTime() + request.timeout() * 1_000_000L;
        this.bytes = request.bytes().capacity();
        this.call = request.call();
        this.attempt = request.attempt();
        this.arrival = connection.nextArrival();
        this.ordered = shard != null && binding.function().info().ordered() && connection.isOfWorker();
        this.before = before;
        this.record = isChained || isRemembered() ? new CallRecord(call, request.slice(), attempt) : null;
    }

    /** How later requests see this one; null for a request that nothing depends on. */
    @Nullable
    CallRecord record() {
        return record;
    }

    Lane lane() {
        return lane;
    }

    FunctionInfo function() {
        return binding.function().info();
    }

    Connection connection() {
        return connection;
    }

    /** Returns the call being answered. Fails if there is none. */
    static Invocation require(@Nullable Invocation serving) {
        if (serving == null) {
            throw new IllegalStateException(
                    "call being answered: none (expected: asked for within handle, on its thread, before it returns)");
        }
        return serving;
    }

    /** Returns the caller with which the handler makes calls for this one. Called on the lane. */
    LaneCaller caller() {
        if (caller == null) {
            caller = new LaneCaller(node, node.outgoing(), lane, deadline);
        }
        return caller;
    }

    /** True if the call must not run again if it is sent again. */
    boolean isRemembered() {
        return connection.hasSession() && !isReadOnly();
    }

    /** True if the function only reads. */
    boolean isReadOnly() {
        return binding.function().info().readOnly();
    }

    /** Whether it will most likely not keep whoever runs it for long. */
    boolean isQuick() {
        return shard != null && shard.cost().nanos() <= QUICK_NANOS;
    }

    /** Marks the call as waiting for its turn. */
    void queued() {
        connection.requested(bytes);
    }

    /** Releases the request: the call does not run. */
    void discard() {
        request.release();
    }

    @Override
    public long arrival() {
        return arrival;
    }

    @Override
    public boolean precedes(Lane.Turn later) {
        if (later instanceof Chained chained) {
            return chained.calls().stream().anyMatch(this::precedes);
        }
        return ordered
                && later instanceof Invocation other
                && other.ordered
                && connection == other.connection
                && shard == other.shard
                && arrival < other.arrival;
    }

    /** Runs on the lane, in turn. */
    @Override
    public void run() {
        if (shard == null || !ordered) {
            if (isFirst()) {
                runInNoOrder();
            }
        } else if (shard.sequence(connection).enter(this)) {
            runInTurn(shard);
        }
    }

    /** True if the previous call in its chain has answered. Otherwise that call continues this one when it answers. */
    private boolean isFirst() {
        if (before == null || before.isAnswered()) {
            return true;
        }
        before.whenAnswered(() -> lane.execute(this::goOn));
        return false;
    }

    private void runInNoOrder() {
        if (shard == null || connection.mayRun(this::runAgain)) {
            runNow();
        }
    }

    private void runAgain() {
        if (connection.isOpen()) {
            lane.execute(this::runInNoOrder);
        }
    }

    private void runInTurn(HostShard shard) {
        Sequence sequence = shard.sequence(connection);
        if (!isFirst()) {
            sequence.hold(this);
        } else if (!connection.mayRun(() -> lane.execute(() -> resume(shard)))) {
            sequence.putOff(this);
        } else {
            runNow();
            if (!answered) {
                sequence.hold(this);
            }
        }
    }

    /** Continues after the previous call in its chain has answered. */
    private void goOn() {
        if (shard == null || !ordered) {
            runInNoOrder();
        } else {
            Sequence sequence = shard.sequence(connection);
            sequence.release();
            sequence.putOff(this);
            resume(shard);
        }
    }

    private void resume(HostShard shard) {
        if (!connection.isOpen()) {
            shard.forget(connection);
            return;
        }
        Sequence sequence = shard.sequence(connection);
        for (Invocation next = sequence.next(); next != null; next = sequence.next()) {
            int waitingBefore = sequence.size();
            next.runInTurn(shard);
            if (sequence.size() > waitingBefore) {
                return; // deferred again
            }
        }
    }

    private void runNow() {
        connection.started(bytes);
        PsException failedBefore = before == null ? null : before.failure();
        if (failedBefore != null) {
            fail(afterFailed(failedBefore));
            return;
        }
        if (connection.hasCancelled(request.call())) {
            fail(new PsException(PsException.Code.CANCELLED, "the caller gave the call up"));
            return;
        }
        if (shard != null && shard.isDropped()) {
            fail(new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared"));
            return;
        }
        long begin = System.nanoTime();
        if (begin - deadline > 0) {
            fail(new PsException(PsException.Code.TIMED_OUT, "the deadline passed before the call was run"));
            return;
        }
        CallInfo call = new CallInfo(connection.worker(), request.call(), attempt);
        try {
            handle(binding, call);
        } catch (Throwable e) { // no request may end the server
            fail(e);
        } finally {
            lane.scratch().reset();
            lane.reader().end();
            if (shard != null) {
                shard.cost().took(System.nanoTime() - begin);
            }
        }
    }

    private <Q, R> void handle(Binding<Q, R> binding, CallInfo call) {
        Object answer;
        try {
            Q tuple = read(binding);
            if (shard != null) {
                shard.begin(call, isReadOnly(), this);
                List<TensorId> others = binding.function().others(tuple);
                if (!others.isEmpty()) {
                    shard.meet(others, lane.reader());
                }
                answer = invoke(binding, tuple, shard, call);
            } else {
                node.begin(call, this);
                answer = invoke(binding, tuple, node, call);
            }
        } finally {
            if (shard != null) {
                shard.end();
            } else {
                node.end();
            }
        }
        if (answer == null) {
            throw new PsException(
                    PsException.Code.HANDLER_FAILED, "answer of " + handlerName() + ": null (expected: a response)");
        }
        @SuppressWarnings("unchecked") // the binding's kind says which of the two it is
        R response = binding.kind().later() ? now((CompletionStage<R>) answer) : (R) answer;
        if (response != null) {
            answer(binding, response);
            return;
        }
        @SuppressWarnings("unchecked")
        CompletionStage<R> stage = (CompletionStage<R>) answer;
        lent = true; // even if the stage rejects the callback: the work behind it continues
        connection.held(bytes);
        try {
            stage.whenComplete((late, failure) -> lane.executeHere(() -> answerLater(binding, late, failure)));
        } finally {
            if (lent) {
                lane.leaveScratch();
            }
        }
        if (!answered) {
            later = stage;
            if (isRead) {
                giveUpRequest();
                keepHeader();
            }
            node.defer(this);
            if (!connection.isOpen()) {
                drop(connection);
            } else if (connection.hasCancelled(call.call())) {
                cancelIf(connection, call.call());
            }
        }
    }

    /** Releases the memory of the request before the answer, except its header. */
    private void keepHeader() {
        Frame whole = request;
        request = whole.header();
        whole.release();
    }

    /** Releases the request: the handler does not read it any more. Called on the lane. */
    void releaseRequest() {
        if (node.isIntercepted()) {
            return; // an interceptor may read it
        }
        isRead = true;
        if (lent && !answered) {
            giveUpRequest();
            keepHeader();
        }
    }

    /**
     * Ends the handler's use of the request: the handler was notified, or has declared that it does not read it any
     * more.
     */
    private void giveUpRequest() {
        lent = false;
        connection.held(-bytes);
    }

    /**
     * Returns the result of a stage; null if it is not complete, or has failed. Only a plain future is queried: a
     * subclass may not support it, such as that of {@code minimalCompletionStage}.
     */
    private static <R> @Nullable R now(CompletionStage<R> stage) {
        return stage.getClass() == CompletableFuture.class
                        && stage instanceof CompletableFuture<R> future
                        && future.isDone()
                        && !future.isCompletedExceptionally()
                ? future.join()
                : null;
    }

    /** Calls the handler, through the interceptors if there are any. */
    private <Q, R> Object invoke(Binding<Q, R> binding, Q tuple, Object place, CallInfo call) {
        if (!node.isIntercepted()) {
            return binding.handle(tuple, place);
        }
        TensorId tensor = shard == null ? null : shard.spec().id();
        Intercepted seen = new Intercepted(binding.function().info().name(), tensor, call, tuple);
        return node.intercepted(seen, () -> binding.handle(tuple, place));
    }

    private <Q, R> Q read(Binding<Q, R> binding) {
        try {
            return binding.function()
                    .read(request.reader(
                            lane.reader(), shard == null ? null : shard.spec().id()));
        } catch (IllegalArgumentException e) { // a record's own check of its components
            throw new PsException(PsException.Code.BAD_REQUEST, String.valueOf(e.getMessage()), e);
        }
    }

    private <Q, R> void answerLater(Binding<Q, R> binding, @Nullable R response, @Nullable Throwable failure) {
        if (answered) {
            return;
        }
        later = null; // it references the response, and this object may be recorded
        if (lent) {
            giveUpRequest();
        }
        try {
            if (failure != null) {
                fail(
                        failure instanceof CompletionException && failure.getCause() != null
                                ? failure.getCause()
                                : failure);
            } else if (response == null) {
                fail(new PsException(PsException.Code.HANDLER_FAILED, "answer: null (expected: a response)"));
            } else {
                answer(binding, response);
            }
        } catch (Throwable e) { // no answer may end the server
            fail(e);
        }
        afterAnswer();
    }

    private <R> void answer(Binding<?, R> binding, R response) {
        TupleWriter writer = lane.writer();
        try {
            write(binding, response, writer);
            Answer answer = new Answer(binding.function().info(), request, writer);
            if (answer.length() > LONG_ANSWER && lane.isOwnThread()) {
                connection.awaitMemory(answer.length());
            }
            if (isRemembered()) {
                send(Objects.requireNonNull(Frames.of(pool, answer)));
            } else {
                connection.send(answer);
                answered();
            }
        } finally {
            writer.reset();
        }
    }

    private static <R> void write(Binding<?, R> binding, R response, TupleWriter writer) {
        try {
            binding.function().writeAnswer(response, writer);
        } catch (NullPointerException e) {
            throw Nulls.named(response, PsException.Code.HANDLER_FAILED, e);
        } catch (IllegalArgumentException e) {
            throw LoneSurrogates.named(response, PsException.Code.HANDLER_FAILED, e);
        }
    }

    /** Answers with an error. */
    void fail(Throwable failure) {
        if (answered) {
            return;
        }
        PsException.Code code = failure instanceof PsException known ? known.code() : code(failure);
        String detail = failure instanceof PsException known ? detail(known) : handlerName() + " threw " + failure;
        if (code == PsException.Code.HANDLER_FAILED) {
            node.handlerFailed(binding.function().info().name(), failure);
        }
        if (record != null) {
            record.failed(failure instanceof PsException known ? known : new PsException(code, detail));
        }
        send(Frames.failure(pool, request.function(), request.slice(), request.call(), code, detail));
    }

    /**
     * Returns the failure's message. Adds the place if it is the failure of a call that the handler made for this one.
     */
    private String detail(PsException failure) {
        boolean elsewhere = failure.function() != null
                && !failure.function().equals(binding.function().info().name());
        return elsewhere
                ? String.valueOf(failure.getMessage())
                        .substring(failure.code().name().length() + 2)
                : failure.detail();
    }

    private static PsException.Code code(Throwable thrown) {
        return thrown instanceof OutOfMemoryError
                ? PsException.Code.RESOURCE_EXHAUSTED
                : PsException.Code.HANDLER_FAILED;
    }

    /** Returns the failure of a call that follows a failed one in its chain. */
    static PsException afterFailed(PsException before) {
        PsException first = before.getCause() instanceof PsException cause ? cause : before;
        return new PsException(
                PsException.Code.CANCELLED,
                "not run, since a call before it in the chain failed: " + first.code() + ": " + first.detail(),
                first);
    }

    /** Returns the handler's class, or the function's interface if its default body handles the calls. */
    private String handlerName() {
        Class<?> type = binding.handler().getClass();
        return type.isAnonymousClass() && type.getInterfaces().length == 1
                ? type.getInterfaces()[0].getName()
                : type.getName();
    }

    private void send(Frame answer) {
        answered = true; // even if sending fails: then the caller sends the call again
        try {
            if (record != null && isRemembered()) {
                connection.answers().answered(record, answer);
            }
            connection.send(answer);
        } finally {
            answered();
        }
    }

    private void answered() {
        answered = true;
        Frame done = request;
        request = DONE; // this object may be stored for long: let the request be collected
        if (lent) {
            giveUpRequest();
            done.abandon();
        } else {
            done.release();
        }
        if (record != null) {
            record.answered();
        }
    }

    /** Runs the calls that waited behind this one. */
    private void afterAnswer() {
        node.undefer(this);
        if (shard != null && ordered) {
            Sequence sequence = shard.sequence(connection);
            if (sequence.isHeldBy(this)) {
                sequence.release();
                lane.execute(() -> resume(shard)); // not here: this may be within another call's handler
            }
        }
    }

    boolean isOverdue() {
        return System.nanoTime() - deadline > 0;
    }

    /** Fails a call that was not answered before its deadline. Callable from any thread. */
    void expire() {
        end(new PsException(PsException.Code.TIMED_OUT, "the handler has not answered before the deadline"));
    }

    /** Fails a call that its caller has cancelled. Callable from any thread. */
    void cancelIf(Connection from, long call) {
        if (connection == from && this.call == call) {
            end(new PsException(PsException.Code.CANCELLED, "the caller gave the call up"));
        }
    }

    /** Fails a call on a dropped shard. Callable from any thread. */
    void endIfDropped() {
        if (shard != null && shard.isDropped()) {
            end(new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared"));
        }
    }

    /** Fails a call whose request holds memory while the call waits. Callable from any thread. */
    void endIfHolding(PsException why) {
        lane.execute(() -> {
            if (lent) {
                end(why);
            }
        });
    }

    /** Answers with an error instead of running. Called on the lane. */
    void refuse(PsException why) {
        connection.started(bytes);
        fail(why);
    }

    /** Ends a call whose caller is gone. Callable from any thread. */
    void drop(Connection gone) {
        if (connection == gone) {
            end(new PsException(PsException.Code.UNAVAILABLE, "the caller is gone"));
        }
    }

    private void end(PsException why) {
        lane.execute(() -> {
            if (!answered) {
                fail(why);
                afterAnswer();
                if (caller != null) {
                    caller.giveUp();
                }
                tellStage(why);
            }
        });
    }

    /**
     * Completes the handler's stage, so that the work behind it may stop. A stage that does not support this is left as
     * it is.
     */
    private void tellStage(PsException why) {
        if (later != null) {
            try {
                later.toCompletableFuture().completeExceptionally(why);
            } catch (Throwable e) { // unsupported, or thrown by a user's callback
                LOG.debug("a stage of {} cannot be completed", handlerName(), e);
            }
        }
    }
}
