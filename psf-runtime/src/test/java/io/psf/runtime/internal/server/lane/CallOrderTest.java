package io.psf.runtime.internal.server.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class CallOrderTest {
    private final Deque<Runnable> lane = new ArrayDeque<>();
    private final List<String> ran = new ArrayList<>();
    private final CallOrder order = new CallOrder(lane::add);
    private final Worker worker = new Worker();

    /** A source that takes its answers, or does not. */
    private static final class Worker implements CallSource {
        private final List<Runnable> deferred = new ArrayList<>();
        private boolean isOpen = true;
        private boolean takes = true;

        @Override
        public boolean isOpen() {
            return isOpen;
        }

        @Override
        public boolean mayRun(Runnable again) {
            if (!takes) {
                deferred.add(again);
            }
            return takes;
        }

        void takeAnswers() {
            takes = true;
            List<Runnable> all = List.copyOf(deferred);
            deferred.clear();
            all.forEach(Runnable::run);
        }
    }

    private RecordedCall call(CallSource source, int number) {
        return call(source, number, order, null);
    }

    private RecordedCall call(CallSource source, int number, @Nullable CallOrder of, @Nullable Completion before) {
        return new RecordedCall("call " + number, source, number, of, before, ran);
    }

    private void begin(RecordedCall call) {
        if (CallOrder.begins(call, lane::add)) {
            call.serve();
        }
    }

    private void runLane() {
        for (Runnable next = lane.poll(); next != null; next = lane.poll()) {
            next.run();
        }
    }

    @Test
    void aCallOfTheSameWorkerOnTheSameShardPrecedesALaterOne() {
        RecordedCall seven = call(worker, 7);
        assertThat(CallOrder.precedes(seven, call(worker, 8))).isTrue();
        assertThat(CallOrder.precedes(call(worker, 8), seven)).isFalse();
        assertThat(CallOrder.precedes(seven, call(new Worker(), 8))).isFalse();
        assertThat(CallOrder.precedes(seven, call(worker, 8, new CallOrder(lane::add), null)))
                .isFalse();
        assertThat(CallOrder.precedes(call(worker, 7, null, null), call(worker, 8, null, null)))
                .isFalse();
    }

    @Test
    void callsWaitBehindOneThatAnswersLaterAndThoseOfOthersDoNot() {
        RecordedCall seven = call(worker, 7);
        begin(seven);
        order.waitsFor(seven);
        begin(call(worker, 8));
        begin(call(new Worker(), 1));
        begin(call(worker, 9, null, null));
        begin(call(worker, 10));
        runLane();
        assertThat(ran).containsExactly("call 7", "call 1", "call 9");
        order.answered(seven);
        assertThat(ran).as("not within the handler that answers").hasSize(3);
        runLane();
        assertThat(ran).containsExactly("call 7", "call 1", "call 9", "call 8", "call 10");
    }

    @Test
    void aCallWaitsForTheOneBeforeItInItsChainAndDelaysTheLaterOnes() {
        Completion before = new Completion();
        begin(call(worker, 7, order, before));
        begin(call(worker, 8));
        begin(call(worker, 9, null, before));
        begin(call(new Worker(), 1));
        runLane();
        assertThat(ran).containsExactly("call 1");
        before.answered();
        assertThat(ran).hasSize(1);
        runLane();
        assertThat(ran).containsExactly("call 1", "call 7", "call 8", "call 9");
        begin(call(worker, 10, order, before));
        assertThat(ran).endsWith("call 10");
    }

    @Test
    void callsWaitUntilTheirSourceTakesItsAnswersInTheOrderSent() {
        worker.takes = false;
        begin(call(worker, 7));
        begin(call(worker, 8));
        begin(call(worker, 9, null, null));
        runLane();
        assertThat(ran).isEmpty();
        worker.takeAnswers();
        assertThat(ran).isEmpty();
        runLane();
        assertThat(ran).containsExactly("call 7", "call 8", "call 9");
    }

    @Test
    void aCallWhoseSourceHasEndedMeanwhileDoesNotRun() {
        worker.takes = false;
        begin(call(worker, 7));
        begin(call(worker, 8, null, null));
        worker.isOpen = false;
        worker.takeAnswers();
        runLane();
        assertThat(ran).isEmpty();
    }

    @Test
    void waitingCallsAreRefusedOnceAndThoseThatComeLaterWaitAgain() {
        RecordedCall seven = call(worker, 7);
        begin(seven);
        order.waitsFor(seven);
        begin(call(worker, 8));
        order.refuseWaiting(new PsException(Code.RESOURCE_EXHAUSTED, "full"));
        assertThat(ran).containsExactly("call 7", "call 8 RESOURCE_EXHAUSTED");
        begin(call(worker, 9));
        order.answered(seven);
        runLane();
        assertThat(ran).containsExactly("call 7", "call 8 RESOURCE_EXHAUSTED", "call 9");
    }

    @Test
    void aSourceThatIsForgottenLeavesNoOrder() {
        RecordedCall seven = call(worker, 7);
        begin(seven);
        order.waitsFor(seven);
        order.forget(worker);
        begin(call(worker, 8));
        assertThat(ran).containsExactly("call 7", "call 8");
    }
}
