package io.psf.runtime.internal.server.invocation;

import io.psf.api.CallInfo;
import io.psf.api.CallPart;
import io.psf.api.DeferredAnswer;
import io.psf.api.PsException;
import io.psf.api.TensorInfo;
import io.psf.api.Waiting;
import io.psf.api.spi.Binding;
import io.psf.api.spi.FunctionInfo;
import io.psf.runtime.internal.server.lane.CallOrder;
import io.psf.runtime.internal.server.lane.Completion;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.lane.OrderedCall;
import io.psf.runtime.internal.server.lane.ReadsOfChain;
import io.psf.runtime.internal.server.lane.Turn;
import io.psf.runtime.internal.server.session.CallRecord;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.Frame;
import io.psf.runtime.spi.transport.FullHeap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One request, from its handler to its answer. Anything that the handler throws becomes the answer. Once queued, it
 * belongs to the lane of its target.
 */
public final class Invocation implements Turn, OrderedCall, Serving, Failures.FailedCall, DeferredCalls.DeferredCall {
    /**
     * Memory for answers longer than this is awaited, but only on the lane's own thread: other threads may have to send
     * answers.
     */
    private static final int LONG_ANSWER = 64 << 10;

    private final HeldRequest held;
    private final Binding<?, ?> binding;
    private final CallTarget target;
    /** The previous request in its chain, which must succeed; null for none. */
    private final @Nullable Completion before;
    /** The order that it keeps with the other calls of its worker; null for none. */
    private final @Nullable CallOrder order;

    private final long deadline;
    private final long call;
    private final long arrival;

    /** The stage that the handler returned instead of an answer; null if the handler has answered. */
    private @Nullable CompletionStage<?> later;

    /** The calls that the handler makes for this one; null until the handler requests a caller. */
    private @Nullable LaneCaller caller;

    /**
     * Creates the invocation of a request, which owns its frame from then on.
     *
     * @param record how later requests see this one; null for a request that no other depends on
     * @param before the previous request in its chain; null for none
     */
    public Invocation(
            Connection connection,
            Frame request,
            Binding<?, ?> binding,
            CallTarget target,
            @Nullable CallRecord record,
            @Nullable CallRecord before) {
        this.held = new HeldRequest(connection, request, record);
        this.binding = binding;
        this.target = target;
        this.before = before == null ? null : before.completion();
        this.order = function().ordered() && connection.isOfWorker() ? target.order() : null;
        this.deadline = System.nanoTime() + request.timeout() * 1_000_000L;
        this.call = request.call();
        this.arrival = connection.nextArrival();
    }

    /** Returns how later requests see this one; null for a request that no other depends on. */
    public @Nullable CallRecord record() {
        return held.record();
    }

    @Override
    public long call() {
        return call;
    }

    /** Returns what listeners are told of the request. */
    CallPart part() {
        TensorInfo tensor = target.tensor();
        return new CallPart(
                function().name(),
                tensor == null ? null : tensor.id(),
                target.slice(),
                connection().worker(),
                call);
    }

    /** Returns the lane that the call runs on. */
    @Override
    public Lane lane() {
        return target.lane();
    }

    @Override
    public FunctionInfo function() {
        return binding.function().info();
    }

    @Override
    public Connection connection() {
        return held.connection();
    }

    @Override
    public LaneCaller caller() {
        if (caller == null) {
            caller = new LaneCaller(target.environment(), lane(), deadline, Serving.reading(this));
        }
        return caller;
    }

    /** True if a call of that function must not run again if it is sent again. */
    public static boolean isRemembered(Connection connection, FunctionInfo function) {
        return connection.hasSession() && !function.readOnly();
    }

    /** True if the call must not run again if it is sent again. */
    public boolean isRemembered() {
        return isRemembered(connection(), function());
    }

    /** True if the call probably does not block the thread that runs it for long. */
    public boolean isQuick() {
        HandlerCost cost = target.cost();
        return cost != null && cost.isQuick();
    }

    // Its order.

    @Override
    public OrderedCall first() {
        return this;
    }

    @Override
    public Set<CallOrder> orders() {
        return order == null ? Set.of() : Set.of(order);
    }

    @Override
    public Connection source() {
        return connection();
    }

    @Override
    public long arrival() {
        return arrival;
    }

    @Override
    public @Nullable CallOrder order() {
        return order;
    }

    @Override
    public @Nullable Completion before() {
        return before;
    }

    @Override
    public boolean mayRun(Runnable again) {
        return target.tensor() == null
                ? held.mayRunOnNode(binding.kind().later() && function().readOnly(), again)
                : connection().mayRun(again);
    }

    /**
     * Marks the call as waiting for its turn, before it is passed to its lane.
     *
     * @param taken the bytes that were taken for what the request has become
     */
    public void queued(long taken) {
        held.queued(taken);
        CallEnvironment environment = target.environment();
        if (environment.isHeard()) {
            environment.tellQueued(part(), held.request().length(), lane().depth());
        }
    }

    /** Releases the request: the call does not run. */
    public void discard() {
        held.discard();
    }

    /** Runs on the lane, in turn. */
    @Override
    public void run() {
        if (CallOrder.begins(this, lane())) {
            serve();
        }
    }

    // Its handler.

    /** Calls the handler, on the lane, unless the call has become pointless. */
    @Override
    public void serve() {
        held.started();
        ReadsOfChain reads = lane().reads();
        reads.begin(HandlerCall.onlyReads(binding, target)); // may answer the call before
        long begin = lane().runsAtOnce(this) ? arrivedAt() : System.nanoTime();
        PsException pointless = Failures.whyPointless(connection(), call, before, isDropped(), begin - deadline > 0);
        if (pointless != null) {
            fail(pointless.code() == PsException.Code.UNKNOWN_TENSOR ? new Refused(pointless) : pointless);
            return;
        }
        long waited = begin - arrivedAt();
        CallInfo info = new CallInfo(connection().worker(), call, held.request().attempt());
        try {
            handle(binding, info);
        } catch (Throwable e) { // no request may end the server
            reads.answerAll();
            Failures.answer(this, e);
        } finally {
            lane().handled();
            HandlerCall.ended(target, this, begin, waited);
        }
    }

    private <Q, R> void handle(Binding<Q, R> binding, CallInfo info) {
        Object answer = HandlerCall.run(binding, held, target, info, this);
        @SuppressWarnings("unchecked") // the binding's kind says which of the two it is
        R response = binding.kind().later() ? HandlerCall.now((CompletionStage<R>) answer) : (R) answer;
        Runnable work = lane().reads().end();
        if (response != null) {
            if (work == null) {
                answer(binding, response);
            } else {
                held.letNextRun();
                lane().reads().add(() -> answerAfter(work, binding, response));
            }
            return;
        }
        @SuppressWarnings("unchecked")
        CompletionStage<R> stage = (CompletionStage<R>) answer;
        held.lend(); // even if the stage rejects the callback: the work behind it continues
        try {
            stage.whenComplete((late, failure) -> lane().executeHere(() -> answerLater(binding, late, failure)));
        } finally {
            if (held.isLent()) {
                lane().leaveScratch();
            }
        }
        if (!held.isAnswered()) {
            later = stage;
            held.awaits(stage, deadline);
            held.keepHeaderIfRead();
            target.environment().deferred().add(this);
            if (order != null) {
                order.waitsFor(this);
            }
        }
    }

    @Override
    public void releaseRequest() {
        if (target.environment().isIntercepted()) {
            return; // an interceptor may read it
        }
        held.read();
    }

    // Its answer.

    private <Q, R> void answerLater(Binding<Q, R> binding, @Nullable R response, @Nullable Throwable failure) {
        if (held.isAnswered()) {
            return;
        }
        later = null; // it references the response, and this object may be recorded
        held.endUse();
        try {
            if (failure != null) {
                fail(Failures.unwrapped(failure));
            } else if (response == null) {
                fail(new PsException(PsException.Code.HANDLER_FAILED, "answer: null (expected: a response)"));
            } else {
                answer(binding, response);
            }
        } catch (Throwable e) { // no answer may end the server
            Failures.answer(this, e);
        }
        afterAnswer();
    }

    /** Answers after the work that was put off. */
    private <R> void answerAfter(Runnable work, Binding<?, R> binding, R response) {
        try {
            PsException failedBefore = before == null ? null : before.failure();
            if (failedBefore != null) {
                throw Failures.afterFailed(failedBefore);
            }
            work.run();
            answer(binding, response);
        } catch (Throwable e) { // no answer may end the server
            Failures.answer(this, e);
        }
    }

    private <R> void answer(Binding<?, R> binding, R response) {
        try {
            Answer answer = Answer.of(binding, response, target, held.request());
            if (answer.length() > LONG_ANSWER && lane().isOwnThread()) {
                connection().awaitMemory(answer.length());
            }
            if (isRemembered()) {
                sendAnswer(answer.toFrame(target.environment().pool()));
            } else {
                connection().answer(answer);
                tellAnswered(PsException.Code.OK, answer.length());
                held.done();
            }
        } finally {
            lane().writer().reset();
        }
    }

    @Override
    public void fail(Throwable thrown) {
        if (held.isAnswered()) {
            return;
        }
        PsException failure = Failures.failure(binding, thrown);
        if (failure.code() == PsException.Code.HANDLER_FAILED) {
            target.environment().handlerFailed(function().name(), thrown);
        }
        held.failed(failure);
        sendAnswer(Failures.frame(target.environment().pool(), held.request(), call, thrown, failure));
    }

    private void sendAnswer(Frame answer) {
        held.beginAnswer();
        try {
            tellAnswered(answer.status(), answer.length());
            held.answer(answer, isRemembered());
        } catch (Error e) { // no other answer follows, and this one may be lost
            FullHeap.report(e);
            throw e;
        }
    }

    private void tellAnswered(PsException.Code outcome, int bytes) {
        CallEnvironment environment = target.environment();
        if (environment.isHeard()) {
            environment.tellAnswered(part(), outcome, bytes, System.nanoTime() - arrivedAt());
        }
    }

    /** {@inheritDoc} Must not be called after the answer. */
    @Override
    public long arrivedAt() {
        return deadline - held.request().timeout() * 1_000_000L;
    }

    /** Runs the calls that waited behind this one. */
    private void afterAnswer() {
        target.environment().deferred().remove(this);
        if (order != null) {
            order.answered(this);
        }
    }

    @Override
    public void refuse(PsException why) {
        held.started();
        fail(why);
    }

    // While it waits for its handler's stage.

    @Override
    public @Nullable Object shard() {
        return target.tensor() == null ? null : target;
    }

    @Override
    public boolean isCounted() {
        return !held.isAnswered() && !(target.tensor() == null && function().readOnly());
    }

    @Override
    public Waiting waiting(long now, boolean explained) {
        CallPart part = part();
        DeferredAnswer<?> answer = explained && later instanceof DeferredAnswer<?> known ? known : null;
        return new Waiting(
                part.function(),
                part.tensor() == null ? "" : part.tensor().name(),
                1,
                now - arrivedAt(),
                part.worker() < 0 ? List.of() : List.of(part.worker()),
                answer == null ? List.of() : List.copyOf(answer.reason().workers()),
                answer == null ? "" : answer.reason().text());
    }

    @Override
    public boolean isDropped() {
        return target.isDropped();
    }

    @Override
    public boolean isDue(long now) {
        return held.isDue(now);
    }

    @Override
    public void endIfHolding(PsException why) {
        lane().execute(() -> {
            if (held.isLent()) {
                end(why);
            }
        });
    }

    @Override
    public void end(PsException why) {
        lane().execute(() -> {
            if (!held.isAnswered()) {
                fail(Failures.explained(why, later));
                afterAnswer();
                if (caller != null) {
                    caller.giveUp();
                }
                HandlerCall.end(binding, later, why);
            }
        });
    }
}
