package io.psf.runtime.server;

import io.psf.api.CallInfo;
import io.psf.api.PsException;
import io.psf.api.RequestListener;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.call.EventListeners;
import io.psf.runtime.server.session.CallRecord;
import io.psf.runtime.server.session.Connection;
import io.psf.runtime.transport.Frame;
import io.psf.runtime.transport.FramePool;
import io.psf.runtime.transport.Frames;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request, from its handler to its answer. Anything that the handler throws becomes the answer. Once queued, it
 * belongs to the lane of its shard or node.
 */
final class Invocation extends HeldRequest implements Lane.Turn {
    /**
     * Memory for answers longer than this is awaited, but only on the lane's own thread: other threads may have to send
     * answers.
     */
    private static final int LONG_ANSWER = 64 << 10;

    private final Binding<?, ?> binding;
    private final Place place;
    private final FramePool pool;
    private final Order order;
    private final long deadline;
    private final long call;
    private final int attempt;
    private final long arrival;
    /** True if the calls of its connection on its shard run in order, and this call is one of them. */
    private final boolean ordered;

    private boolean answered;
    /** The stage that the handler returned instead of an answer; null if the handler has answered. */
    private @Nullable CompletionStage<?> later;

    /** The calls that the handler makes for this one; null until the handler requests a caller. */
    private @Nullable LaneCaller caller;

    Invocation(Connection connection, Frame request, Binding<?, ?> binding, Place place, FramePool pool, Order order) {
        super(connection, request);
        this.binding = binding;
        this.place = place;
        this.pool = pool;
        this.order = order;
        this.deadline = System.nanoTime() + request.timeout() * 1_000_000L;
        this.call = request.call();
        this.attempt = request.attempt();
        this.arrival = connection.nextArrival();
        this.ordered = place.shard() != null && function().ordered() && connection.isOfWorker();
    }

    /** How later requests see this one; null for a request that no other depends on. */
    @Nullable
    CallRecord record() {
        return order.record();
    }

    long call() {
        return call;
    }

    Lane lane() {
        return place.lane();
    }

    FunctionInfo function() {
        return binding.function().info();
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
            caller = new LaneCaller(place.node(), lane(), deadline, reading());
        }
        return caller;
    }

    /** True if the call must not run again if it is sent again. */
    boolean isRemembered() {
        return isRemembered(connection(), function());
    }

    /** True if a call of that function must not run again if it is sent again. */
    static boolean isRemembered(Connection connection, FunctionInfo function) {
        return connection.hasSession() && !function.readOnly();
    }

    /** Returns the function if it is read-only; null for another. */
    @Nullable
    String reading() {
        return function().readOnly() ? function().name() : null;
    }

    /** True if the call probably does not block the thread that runs it for long. */
    boolean isQuick() {
        LaneShard shard = place.shard();
        return shard != null && shard.cost().isQuick();
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
                && connection() == other.connection()
                && place.shard() == other.place.shard()
                && arrival < other.arrival;
    }

    /** Runs on the lane, in turn. */
    @Override
    public void run() {
        LaneShard shard = place.shard();
        if (shard != null && ordered) {
            shard.sequence(connection()).run(this);
        } else if (isNext(this::runInNoOrder)) {
            runInNoOrder();
        }
    }

    /**
     * Returns true if the previous call in its chain has answered.
     *
     * @param work runs on the lane once that call has answered, if it has not
     */
    boolean isNext(Runnable work) {
        CallRecord before = order.before();
        if (before == null || before.isAnswered()) {
            return true;
        }
        before.whenAnswered(() -> lane().execute(work));
        return false;
    }

    private void runInNoOrder() {
        Runnable again = this::runAgain;
        if (place.shard() == null ? mayRunOnNode(again) : connection().mayRun(again)) {
            runNow();
        }
    }

    private void runAgain() {
        if (connection().isOpen()) {
            lane().execute(this::runInNoOrder);
        }
    }

    /** Calls the handler, on the lane, unless the call has become pointless. */
    void runNow() {
        started();
        LaneShard shard = place.shard();
        PsException failedBefore =
                order.before() == null ? null : order.before().failure();
        if (failedBefore != null) {
            fail(HandlerCall.afterFailed(failedBefore));
            return;
        }
        long begin = System.nanoTime();
        PsException pointless = whyPointless(begin);
        if (pointless != null) {
            fail(pointless.code() == PsException.Code.UNKNOWN_TENSOR ? new Refused(pointless) : pointless);
            return;
        }
        EventListeners<RequestListener> events = place.node().events();
        long waited = events == null ? 0 : begin - arrivedAt();
        CallInfo call = new CallInfo(connection().worker(), this.call, attempt);
        try {
            handle(binding, call);
        } catch (Throwable e) { // no request may end the server
            HandlerCall.oncePossible(() -> fail(e));
        } finally {
            lane().scratch().reset();
            lane().reader().end();
            if (shard != null || events != null) {
                long took = System.nanoTime() - begin;
                if (shard != null) {
                    shard.cost().took(took);
                }
                if (events != null) {
                    events.forEach(each -> each.handled(function().name(), waited, took));
                }
            }
        }
    }

    /** Returns why the answer is not needed any more; null if it may be needed. */
    private @Nullable PsException whyPointless(long now) {
        if (connection().hasCancelled(call)) {
            return new PsException(PsException.Code.CANCELLED, "the caller gave the call up");
        }
        if (isDropped()) {
            return dropped();
        }
        return now - deadline > 0
                ? new PsException(PsException.Code.TIMED_OUT, "the deadline passed before the call was run")
                : null;
    }

    @Nullable
    LaneShard shard() {
        return place.shard();
    }

    /** True if the call runs on a shard whose tensor was cleared. */
    boolean isDropped() {
        LaneShard shard = place.shard();
        return shard != null && shard.isDropped();
    }

    static PsException dropped() {
        return new PsException(PsException.Code.UNKNOWN_TENSOR, "the tensor was cleared");
    }

    private <Q, R> void handle(Binding<Q, R> binding, CallInfo call) {
        Object answer = HandlerCall.run(binding, request(), place, call, this);
        @SuppressWarnings("unchecked") // the binding's kind says which of the two it is
        R response = binding.kind().later() ? HandlerCall.now((CompletionStage<R>) answer) : (R) answer;
        if (response != null) {
            answer(binding, response);
            return;
        }
        @SuppressWarnings("unchecked")
        CompletionStage<R> stage = (CompletionStage<R>) answer;
        lend(); // even if the stage rejects the callback: the work behind it continues
        try {
            stage.whenComplete((late, failure) -> lane().executeHere(() -> answerLater(binding, late, failure)));
        } finally {
            if (isLent()) {
                lane().leaveScratch();
            }
        }
        if (!answered) {
            later = stage;
            awaits(stage, deadline);
            keepHeaderIfRead();
            place.node().deferred().add(this);
        }
    }

    /** Releases the request: the handler does not read it any more. Called on the lane. */
    void releaseRequest() {
        if (place.node().isIntercepted()) {
            return; // an interceptor may read it
        }
        read();
    }

    private <Q, R> void answerLater(Binding<Q, R> binding, @Nullable R response, @Nullable Throwable failure) {
        if (answered) {
            return;
        }
        later = null; // it references the response, and this object may be recorded
        endUse();
        try {
            if (failure != null) {
                fail(HandlerCall.unwrapped(failure));
            } else if (response == null) {
                fail(new PsException(PsException.Code.HANDLER_FAILED, "answer: null (expected: a response)"));
            } else {
                answer(binding, response);
            }
        } catch (Throwable e) { // no answer may end the server
            HandlerCall.oncePossible(() -> fail(e));
        }
        afterAnswer();
    }

    private <R> void answer(Binding<?, R> binding, R response) {
        TupleWriter writer = lane().writer();
        try {
            HandlerCall.write(binding, response, place, writer);
            Answer answer = new Answer(binding.function().info(), request(), writer);
            if (answer.length() > LONG_ANSWER && lane().isOwnThread()) {
                connection().awaitMemory(answer.length());
            }
            if (isRemembered()) {
                send(Objects.requireNonNull(Frames.of(pool, answer)));
            } else {
                connection().send(answer);
                place.node().tellAnswered(this, PsException.Code.OK, answer.length());
                answered();
            }
        } finally {
            writer.reset();
        }
    }

    /** Answers with an error. */
    void fail(Throwable thrown) {
        if (answered) {
            return;
        }
        PsException failure = thrown instanceof Refused refused ? refused.why() : HandlerCall.failure(binding, thrown);
        if (failure.code() == PsException.Code.HANDLER_FAILED) {
            place.node().handlerFailed(function().name(), thrown);
        }
        if (order.record() != null) {
            order.record().failed(failure);
        }
        send(
                thrown instanceof Refused
                        ? Frames.refusal(pool, request(), failure)
                        : Frames.failure(
                                pool, request().function(), request().slice(), call, failure.code(), failure.detail()));
    }

    private void send(Frame answer) {
        answered = true; // even if sending fails: then the caller sends the call again
        place.node().tellAnswered(this, answer.status(), answer.length());
        try {
            if (order.record() != null && isRemembered()) {
                connection().answers().answered(order.record(), answer);
            }
            connection().send(answer);
        } finally {
            answered();
        }
    }

    /** Returns when the request arrived, as {@link System#nanoTime} counts. Must not be called after the answer. */
    long arrivedAt() {
        return deadline - request().timeout() * 1_000_000L;
    }

    private void answered() {
        answered = true;
        done();
        if (order.record() != null) {
            order.record().answered();
        }
    }

    /** Runs the calls that waited behind this one. */
    private void afterAnswer() {
        place.node().deferred().remove(this);
        LaneShard shard = place.shard();
        if (shard != null && ordered) {
            shard.sequence(connection()).answered(this);
        }
    }

    boolean isAnswered() {
        return answered;
    }

    /** Fails a call whose request holds memory while the call waits. Callable from any thread. */
    void endIfHolding(PsException why) {
        lane().execute(() -> {
            if (isLent()) {
                end(why);
            }
        });
    }

    /** Answers with an error instead of running. Called on the lane. */
    void refuse(PsException why) {
        started();
        fail(why);
    }

    /** Fails the call unless it is answered. Callable from any thread. */
    void end(PsException why) {
        lane().execute(() -> {
            if (!answered) {
                fail(HandlerCall.explained(why, later));
                afterAnswer();
                if (caller != null) {
                    caller.giveUp();
                }
                HandlerCall.end(binding, later, why);
            }
        });
    }
}
