package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.psf.acceptance.CallOn.How;
import io.psf.acceptance.Clusters.Over;
import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers that call other functions, on other servers and their own. */
@Timeout(60)
final class CallOnTest {
    private static PsCluster shared;
    private static TensorId a;
    private static TensorId b;

    @BeforeAll
    static void start() {
        shared = Clusters.start(Over.TCP, 2, 1);
        a = Tensors.init(shared.worker(), TensorSpec.dense("a", 40).slices(1));
        b = Tensors.init(shared.worker(), TensorSpec.dense("b", 40).slices(2));
    }

    @AfterAll
    static void end() {
        shared.close();
    }

    private static Pending<CallOn.Response> call(How how) {
        return CallOnPsf.stub(shared.worker()).call(a, b, 1, how);
    }

    private static PsException failure(Pending<?> pending) {
        return catchThrowableOfType(PsException.class, pending::await);
    }

    /** Each call goes to all slices of the other tensor, and each of these to all slices of the first one. */
    @ParameterizedTest
    @EnumSource(Over.class)
    void callsGoThereAndBackWithoutADeadlock(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 2)) {
            for (int slices : new int[] {1, 2, 3, 7}) {
                TensorSpec one = TensorSpec.dense("x" + slices, 70).slices(slices);
                TensorSpec two = TensorSpec.dense("y", 70).slices(2);
                Clusters.onEachWorker(cluster, worker -> {
                    TensorId x = Tensors.init(worker, one);
                    TensorId y = Tensors.init(worker, two);
                    List<Pending<CallOn.Response>> pending = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        pending.add(CallOnPsf.stub(worker).call(x, y, 3, How.AGAIN));
                    }
                    int last = 2; // on every slice of y
                    int third = slices * (last + 1);
                    int second = 2 * (third + 1);
                    int first = slices * (second + 1);
                    for (Pending<CallOn.Response> each : pending) {
                        assertThat(each.await()).isEqualTo(new CallOn.Response(first, 0));
                    }
                });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void serversCallEachOtherAndTheirShards(Over over) {
        try (PsCluster cluster = Clusters.start(over, 3, 1)) {
            Worker worker = cluster.worker();
            TensorId x = Tensors.init(worker, TensorSpec.dense("x", 40).slices(7));
            for (long key = 0; key < 5; key++) {
                CountTallies.Response counted =
                        CountTalliesPsf.stub(worker).call(key, x).await();
                assertThat(counted).isEqualTo(new CountTallies.Response(3, 7));
                assertThat(TallyPsf.stub(worker).call(key, 0).await().count()).isEqualTo(3);
            }
            assertThat(CallOnPsf.stub(worker).call(x, x, 9, How.SERVERS).await().calls())
                    .isEqualTo(7 * 3);
            assertThat(CountTalliesPsf.stub(worker)
                            .call(1, TensorId.of("unknown"))
                            .await()
                            .shards())
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = How.class,
            names = {"AWAIT", "JOIN"})
    void waitingOnALaneFailsAtOnce(How how) {
        for (int i = 0; i < 10; i++) { // from the second on, perhaps, on the thread that reads
            PsException e = failure(call(how));
            assertThat(e.code()).isEqualTo(Code.HANDLER_FAILED);
            assertThat(e)
                    .hasMessageContaining("waiting for a call of \"acceptance.call.on\": on the lane ")
                    .hasMessageContaining("expected: a handler that returns a CompletionStage<Response>")
                    .hasMessageContaining("in acceptance.call.on on tensor \"a\"");
        }
    }

    @Test
    void theSchedulerIsCalledToo() {
        assertThat(call(How.SCHEDULER).await().calls()).isEqualTo(1);
        assertThat(call(How.SCHEDULER).await().calls()).isEqualTo(2);
    }

    /** The first call after a tensor was made anew goes to where it was, and is repeated. */
    @Test
    void aTensorThatIsMadeAnewIsFoundAgain() {
        Worker worker = shared.worker();
        TensorId moved = Tensors.init(worker, TensorSpec.dense("moved", 40).slices(1));
        CallOnPsf.Stub stub = CallOnPsf.stub(worker);
        assertThat(stub.call(a, moved, 1, How.AGAIN).await().calls()).isEqualTo(2);
        Tensors.clear(worker, moved);
        Tensors.init(worker, TensorSpec.dense("moved", 50).slices(2));
        assertThat(stub.call(a, moved, 1, How.AGAIN).await().calls()).isEqualTo(3);
    }

    @Test
    void anotherThreadMayWait() {
        assertThat(call(How.BACKGROUND).await()).isEqualTo(new CallOn.Response(2, 0));
    }

    @Test
    void whatACallFailsWithSaysWhere() {
        PsException unknown = failure(call(How.UNKNOWN));
        assertThat(unknown.code()).isEqualTo(Code.UNKNOWN_TENSOR);
        assertThat(unknown).hasMessageContaining("\"unknown\"").hasMessageContaining("on tensor \"a\"");
        PsException failed = failure(call(How.FAILING));
        assertThat(failed.code()).isEqualTo(Code.HANDLER_FAILED);
        assertThat(failed)
                .hasMessageContaining(
                        "a defect of the handler in acceptance.faulty on tensor \"b\", slice [0, 20), server")
                .hasMessageContaining(" in acceptance.call.on on tensor \"a\", slice [0, 40), server");
    }

    @Test
    void aCallEndsByTheDeadlineOfTheOneItIsMadeFor() throws InterruptedException {
        call(How.AGAIN).await(); // connects the servers, and loads the layout
        CallOn.SILENT.clear();
        PsException late = failure(CallOnPsf.stub(shared.worker())
                .withDeadline(Duration.ofSeconds(1))
                .call(a, b, 1, How.NEVER));
        assertThat(late.code()).isEqualTo(Code.TIMED_OUT);
        requireGivenUp();
    }

    /** Else a caller would take the end of the server for an answer of the function. */
    @Test
    void aServerThatEndsDoesNotAnswerWithTheFailuresOfItsCalls() {
        for (int i = 0; i < 5; i++) {
            CallOn.SILENT.clear();
            try (PsCluster cluster = Clusters.start(Over.TCP, 1, 1)) {
                TensorId x =
                        Tensors.init(cluster.worker(), TensorSpec.dense("x", 40).slices(1));
                Pending<?> pending = CallOnPsf.stub(cluster.worker()).call(x, x, 1, How.NEVER);
                await().forever().until(() -> CallOn.SILENT.size() == 1);
                cluster.servers().get(0).close();
                PsException lost = failure(pending);
                assertThat(lost.code()).isEqualTo(Code.UNAVAILABLE);
                assertThat(lost).hasMessageContaining("has left the cluster");
            }
        }
    }

    @Test
    void aCallIsGivenUpWithTheOneItIsMadeFor() throws InterruptedException {
        CallOn.SILENT.clear();
        Pending<?> pending = call(How.NEVER);
        await().forever().until(() -> CallOn.SILENT.size() == 2);
        assertThat(pending.cancel()).isTrue();
        requireGivenUp();
    }

    private static void requireGivenUp() throws InterruptedException {
        for (int slice = 0; slice < 2; slice++) {
            CompletableFuture<?> silent = CallOn.SILENT.poll(10, TimeUnit.SECONDS);
            assertThat(silent).isNotNull();
            await().forever().until(silent::isCompletedExceptionally);
        }
    }
}
