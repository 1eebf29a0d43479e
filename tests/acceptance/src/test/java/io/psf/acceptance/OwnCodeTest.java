package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.within;

import io.psf.acceptance.Chosen.Fault;
import io.psf.acceptance.Clusters.Over;
import io.psf.api.CallInterceptor;
import io.psf.api.Intercepted;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Chain;
import io.psf.runtime.GivenTime;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The caller's own code on the worker: merge, finish, records, interceptors. Every call ends, whatever that code does.
 */
@NullUnmarked
@Timeout(60)
final class OwnCodeTest {
    private static final LongArray KEYS = LongArray.of(0, 99, 50);

    private static TensorId init(Worker worker) {
        return Tensors.init(worker, TensorSpec.dense("w", 100, 1).initializer(Initializers.constant(2)));
    }

    private static PsException failure(Pending<?> pending) {
        return catchThrowableOfType(PsException.class, pending::await);
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP", "SHARED_MEMORY", "NETTY"})
    void everyCallEndsWhateverItsMergeDoes(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = init(worker);
            ChosenPsf.Stub chosen = ChosenPsf.stub(worker);
            assertThat(chosen.call(w, KEYS, Fault.NONE, null).await().hits()).hasSize(3);
            for (Fault fault : List.of(Fault.NULL, Fault.EXCEPTION, Fault.ERROR, Fault.STACK_OVERFLOW)) {
                PsException e = failure(chosen.call(w, KEYS, fault, null));
                assertThat(e.code()).as(e.getMessage()).isEqualTo(Code.CALLER_FAILED);
                assertThat(e.function()).isEqualTo("acceptance.chosen");
                assertThat(e.tensor()).isEqualTo("w");
                assertThat(e.server()).isNull();
            }
            Pending<?> blocked = chosen.withDeadline(Duration.ofMillis(200)).call(w, KEYS, Fault.BLOCKED, null);
            assertThat(failure(blocked).code()).isEqualTo(Code.TIMED_OUT);
            assertThat(Thread.currentThread().isInterrupted()).isFalse();

            PsException refused = failure(chosen.call(w, KEYS, Fault.REFUSED, null));
            assertThat(refused.code()).isEqualTo(Code.CALLER_FAILED);
            assertThat(refused).hasMessageContaining("name: refused").hasMessageContaining("slice [0, 50)");
            assertThat(chosen.call(w, KEYS, Fault.NONE, null).await().hits()).hasSize(3);
        }
    }

    @Test
    void aCallWithoutKeysGivesItsMergeAnEmptyList() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            TensorId w = init(cluster.worker());
            ChosenPsf.Stub chosen = ChosenPsf.stub(cluster.worker());
            LongArray none = LongArray.allocate(0);
            assertThat(chosen.call(w, none, Fault.NONE, null).await().hits()).isEmpty();
            assertThat(failure(chosen.call(w, none, Fault.EXCEPTION, null)))
                    .hasMessageStartingWith("CALLER_FAILED: the caller's own merge, finish or record constructor"
                            + " threw java.lang.ArrayIndexOutOfBoundsException")
                    .hasMessageEndingWith("in acceptance.chosen on tensor \"w\"");
        }
    }

    @Test
    void whatIsNullIsNamedOnTheWayThereAndBack() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            TensorId w = init(cluster.worker());
            ChosenPsf.Stub chosen = ChosenPsf.stub(cluster.worker());
            assertThat(failure(chosen.call(w, KEYS, Fault.NULL_NAME, null)))
                    .hasMessageStartingWith("HANDLER_FAILED: Response.hits[0].name: null (expected: a value")
                    .hasMessageContaining("slice [0, 50)");
            assertThat(failure(chosen.call(w, KEYS, Fault.NULL_HIT, null)))
                    .hasMessageStartingWith("HANDLER_FAILED: Response.hits[0]: null (expected: a value");
            assertThat(failure(chosen.call(w, KEYS, Fault.NONE, new Chosen.Filter(null, null))))
                    .hasMessageStartingWith("BAD_REQUEST: Request.filter.name: null (expected: a value");
            assertThat(chosen.call(w, KEYS, Fault.NONE, new Chosen.Filter("all", null))
                            .await()
                            .hits())
                    .hasSize(3);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP"})
    void finishGoesOnFromWhatTheLayoutsHaveMerged(Over over) {
        try (PsCluster cluster = Clusters.start(over, 2, 1)) {
            Worker worker = cluster.worker();
            TensorId w = init(worker);
            SharesPsf.Stub shares = SharesPsf.stub(worker);
            Shares.Response response = shares.call(w, KEYS, 100).await();
            assertThat(response.total()).isEqualTo(6);
            assertThat(response.shares().get(0)).isCloseTo(33.33f, within(0.01f));

            FloatArray own = FloatArray.allocate(3);
            shares.call(w, KEYS, 1, new Shares.Response(own, 0)).await();
            assertThat(own.get(2)).isCloseTo(0.333f, within(0.001f));

            Chain chain = worker.chain();
            Pending<Shares.Response> first = SharesPsf.stub(chain).call(w, KEYS, 100);
            Pending<Shares.Response> second = SharesPsf.stub(chain).call(w, KEYS, 200);
            chain.send();
            assertThat(first.await().shares().get(1)).isCloseTo(33.33f, within(0.01f));
            assertThat(second.await().shares().get(1)).isCloseTo(66.67f, within(0.01f));

            assertThat(MeanRowsPsf.stub(worker).call(2).await()).isEqualTo(new MeanRows.Response(100, 2, 100));
        }
    }

    /** Goes on with every call, and then goes wrong. */
    private static final class Failing implements CallInterceptor {
        private final List<Pending<?>> sent = new ArrayList<>();
        private final boolean throwing;

        Failing(boolean throwing) {
            this.throwing = throwing;
        }

        @Override
        public <R> Pending<R> call(Intercepted call, Supplier<Pending<R>> next) {
            sent.add(next.get());
            if (throwing) {
                throw new StackOverflowError("of the interceptor");
            }
            return null;
        }
    }

    @Test
    void whatAnInterceptorDoesWrongIsTheCallersOwnAndGivesTheCallUp() {
        try (PsCluster cluster = Clusters.start(Over.MEMORY, 2, 1)) {
            TensorId w = init(cluster.worker());
            for (boolean throwing : new boolean[] {true, false}) {
                Failing failing = new Failing(throwing);
                FaultyPsf.Stub faulty = FaultyPsf.stub(cluster.worker().intercept(failing));
                PsException e = catchThrowableOfType(PsException.class, () -> faulty.call(w, Faulty.Fault.NEVER));
                assertThat(e)
                        .hasMessage("CALLER_FAILED: interceptor " + Failing.class.getName()
                                + (throwing
                                        ? " threw java.lang.StackOverflowError: of the interceptor"
                                        : ": null (expected: a pending answer)")
                                + " in acceptance.faulty on tensor \"w\"");
                assertThat(failure(failing.sent.get(0)).code()).isEqualTo(Code.CANCELLED);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Over.class,
            names = {"MEMORY", "TCP"})
    void closingEndsCallsThatNobodyAnswersAndKeepsThoseThatAreAnswered(Over over) {
        PsCluster cluster = Clusters.start(over, 2, 2); // with a deadline of 30 s
        Pending<?> pushed;
        Pending<?> never;
        Pending<?> blocked;
        long begin;
        try (cluster) {
            Worker worker = cluster.worker(0);
            TensorId w = init(worker);
            pushed = Tensors.push(worker, w, new float[100]);
            never = FaultyPsf.stub(worker).call(w, Faulty.Fault.NEVER);
            TensorId other = Tensors.init(cluster.worker(1), TensorSpec.dense("other", 100, 1));
            ChosenPsf.Stub chosen = ChosenPsf.stub(cluster.worker(1));
            if (over == Over.MEMORY) { // the thread that calls would merge
                blocked = chosen.withDeadline(Duration.ofMillis(200)).call(other, KEYS, Fault.BLOCKED, null);
            } else {
                blocked = chosen.call(other, KEYS, Fault.BLOCKED, null);
            }
            begin = GivenTime.nanos();
        }
        assertThat(Duration.ofNanos(GivenTime.nanos() - begin)).isLessThan(Duration.ofSeconds(15));
        pushed.await();
        assertThat(failure(never)).hasMessageStartingWith("CLOSED: worker 0: closed before the answer arrived");
        assertThat(failure(blocked).code()).isIn(Code.CLOSED, Code.TIMED_OUT);
    }

    @Test
    void aFutureThatIsCancelledGivesTheCallUpOnTheServerToo() {
        try (PsCluster cluster = Clusters.start(Over.TCP, 2, 1)) {
            TensorId w = init(cluster.worker());
            Pending<?> never = FaultyPsf.stub(cluster.worker()).call(w, Faulty.Fault.NEVER);
            assertThat(never.toCompletableFuture().cancel(false)).isTrue();
            assertThat(failure(never).code()).isEqualTo(Code.CANCELLED);
            // Later calls of this worker on the shard do not wait for the answer that nobody wants.
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(2);
        }
    }
}
