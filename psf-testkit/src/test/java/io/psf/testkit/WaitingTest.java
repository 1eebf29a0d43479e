package io.psf.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Handlers that wait for time and for others. */
class WaitingTest {
    private static final TensorId T = TensorId.of("t");
    private static final TensorId OTHER = TensorId.of("other");

    private static PsfTest<Delayed.Request, Delayed.Response> delayed() {
        return PsfTest.of(DelayedPsf.bind(new Delayed() {}))
                .and(AxpyPsf.bind(new Axpy() {}))
                .tensor(T, 20, 1)
                .values(i -> 1);
    }

    /** The push that comes behind them is not held back, and seen by what is due after it. */
    @Test
    void callsInNoOrderAnswerWhenTheirTimeHasCome() {
        FloatArray ones = FloatArray.allocate(20);
        ones.fill(1);
        List<Double> sums = delayed().sameOnAnySlices(cluster -> {
            DelayedPsf.Stub stub = DelayedPsf.stub(cluster);
            Pending<Delayed.Response> second = stub.call(T, 20, false);
            Pending<Delayed.Response> first = stub.call(T, 10, false);
            cluster.advance(Duration.ofMillis(10));
            double before = first.await().sum();
            assertThat(second.isDone()).isFalse();
            AxpyPsf.stub(cluster).call(T, 1, ones).await();
            cluster.advance(Duration.ofMillis(10));
            return List.of(before, second.await().sum());
        });
        assertThat(sums).containsExactly(20.0, 40.0);
    }

    @Test
    void workThatIsCancelledIsNotRun() {
        TestCluster cluster = delayed().on(3);
        Pending<Delayed.Response> cancelled = DelayedPsf.stub(cluster).call(T, 10, false);
        Pending<Delayed.Response> later = DelayedPsf.stub(cluster).call(T, 30, true);
        cluster.advance(Duration.ofMinutes(1));
        assertThat(later.isDone()).isTrue();
        assertThat(cancelled.isDone()).isFalse();
    }

    private static PsfTest<Relay.Request, Relay.Response> relay() {
        return PsfTest.of(RelayPsf.bind(new Relay() {})).tensor(T, 20, 1).tensor(OTHER, 20, 1);
    }

    @Test
    void handlersCallOnAndComeBack() {
        Relay.Response response = relay().sameOnAnySlices(new Relay.Request(T, OTHER, 5, Relay.How.RETURNED));
        assertThat(response).isEqualTo(new Relay.Response(6, 5));
    }

    @Test
    void whatAHandlerAwaitsFailsAtOnce() {
        assertThatThrownBy(() -> relay().sameOnAnySlices(new Relay.Request(T, OTHER, 1, Relay.How.AWAITED)))
                .hasMessageContaining("waiting for a call of \"test.relay\": on a lane"
                        + " (expected: a handler that returns a CompletionStage<Response>");
    }

    @Test
    void aCallerIsAskedForWithinHandle() {
        assertThatThrownBy(() -> relay().sameOnAnySlices(new Relay.Request(T, OTHER, 1, Relay.How.TOO_LATE)))
                .hasMessageContaining("call being answered: none (expected: asked for within handle");
    }
}
