package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePushPsf;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks that are run again, after each other and at the same time: each slice has each of their changes once. */
@Timeout(180)
final class TaskCallerTest {
    private static final int DENSE = 1000;
    private static final TensorSpec SUM =
            TensorSpec.dense("sum", DENSE).optimizer(Optimizers.add()).slices(3);
    private static final TensorSpec ROWS =
            TensorSpec.table("rows", 50, 2).optimizer(Optimizers.add()).slices(3);
    private static final TensorSpec GROWING = TensorSpec.growing("growing", 2).optimizer(Optimizers.add());

    private static final TensorId W = TensorId.of("sum");
    private static final TensorId T = TensorId.of("rows");
    private static final TensorId G = TensorId.of("growing");

    @TempDir
    Path folder;

    private final List<Breaking> transports = new CopyOnWriteArrayList<>();

    @BeforeEach
    void reset() {
        StepProbe.RUNS.set(0);
        StepProbe.FAILURES.set(0);
        StepProbe.LATER.clear();
    }

    private PsCluster.Builder builder(int workers) {
        return PsCluster.builder()
                .servers(2)
                .workers(workers)
                .lanes(2)
                .deadline(Duration.ofSeconds(60))
                .checkpoints(folder)
                .aroundWorkers(inner -> {
                    Breaking breaking = new Breaking(inner);
                    transports.add(breaking);
                    return breaking;
                });
    }

    private static void init(Worker worker) {
        Tensors.init(worker, List.of(SUM, ROWS, GROWING));
    }

    private static float[] ones(int n) {
        float[] ones = new float[n];
        Arrays.fill(ones, 1f);
        return ones;
    }

    /**
     * Runs an attempt of a task: in each round three changes, and a read. Some slices of the tables get few of them.
     */
    private static void attempt(TaskCaller task, int rounds) {
        List<Pending<?>> pending = new ArrayList<>();
        for (int i = 0; i < rounds; i++) {
            pending.add(Tensors.push(task, W, ones(DENSE)));
            pending.add(Tensors.pushRows(task, T, new long[] {i % 50, 49}, ones(4)));
            pending.add(Tensors.pushRows(task, G, new long[] {-i % 50, 7}, ones(4)));
            if (i % 10 == 9) {
                assertThat(Tensors.pull(task, W)[0]).isPositive();
            }
        }
        pending.forEach(Pending::await);
    }

    private static void assertChangedTimes(ConnectedCaller reader, int tasks, int rounds) {
        assertThat(Tensors.pull(reader, W)).containsOnly(tasks * rounds);
        float[] rows = new float[4];
        Tensors.pullRows(reader, T, new long[] {0, 49}, rows).await();
        assertThat(rows[0]).isEqualTo(tasks * ((rounds + 49) / 50));
        assertThat(rows[2]).isEqualTo(tasks * (rounds + rounds / 50));
        Tensors.pullRows(reader, G, new long[] {0, 7}, rows).await();
        assertThat(rows[0]).isEqualTo(tasks * ((rounds + 49) / 50));
        assertThat(rows[2]).isEqualTo(tasks * rounds);
    }

    private enum Over {
        MEMORY,
        TCP,
        SHARED_MEMORY
    }

    private PsCluster start(Over over) {
        PsCluster.Builder builder = builder(2);
        return switch (over) {
            case MEMORY -> builder.start();
            case TCP -> builder.tcp().start();
            case SHARED_MEMORY ->
                builder.over(TransportConfig.usual().withKind(TransportConfig.Kind.SHM))
                        .start();
        };
    }

    @ParameterizedTest
    @EnumSource(Over.class)
    void attemptsOfTwoTasksAtTheSameTimeChangeEachSliceOncePerStepThoughConnectionsBreak(Over over) throws Exception {
        int rounds = 100 * Integer.getInteger("psf.laws.times", 1);
        try (PsCluster cluster = start(over);
                Client one = cluster.client();
                Client two = cluster.client()) {
            init(cluster.worker(0));
            List<ConnectedCaller> callers = List.of(one, two, cluster.worker(0), cluster.worker(1));
            List<CompletableFuture<Void>> attempts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                ConnectedCaller caller = callers.get(i / 2);
                TaskCaller task = caller.task(TaskCaller.number("partition", String.valueOf(i % 2)));
                attempts.add(CompletableFuture.runAsync(() -> attempt(task, rounds)));
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new));
            while (!all.isDone()) {
                transports.forEach(Breaking::breakOne);
                LockSupport.parkNanos(Duration.ofMillis(30).toNanos());
            }
            all.get();
            assertThat(transports).as("connections that were broken").anyMatch(each -> each.connections() > 3);
            assertChangedTimes(one, 2, rounds);
            attempt(two.task(TaskCaller.number("partition", "0")), rounds);
            assertChangedTimes(one, 2, rounds);
            attempt(two.task(TaskCaller.number("partition", "0")), rounds + 50);
            assertThat(Tensors.pull(one, W))
                    .as("steps beyond the first attempt's")
                    .containsOnly(2 * rounds + 50);
        }
    }

    @Test
    void aFailedStepIsRunByTheNextAttemptAndLaterStepsAreNotSentForEver() {
        try (PsCluster cluster = builder(1).start();
                Client client = cluster.client()) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("one", 3).slices(1));
            TaskCaller first = client.task(5);
            StepProbe.FAILURES.set(1);
            assertThatThrownBy(() -> StepProbePsf.stub(first).call(w, false).await())
                    .hasMessageContaining("HANDLER_FAILED");
            for (int i = 1; i < 64; i++) {
                StepProbePsf.stub(first).call(w, false).await();
            }
            assertThatThrownBy(() -> StepProbePsf.stub(first).call(w, false))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(Code.HANDLER_FAILED))
                    .hasMessageContaining("step 65 of a task: not sent, since step 1 has failed");
            assertThatThrownBy(() -> StepProbePsf.stub(first).call(w, false)).hasMessageContaining("step 65");
            assertThat(StepProbe.RUNS).hasValue(64);
            TaskCaller second = client.task(5);
            for (int i = 0; i < 70; i++) {
                StepProbePsf.stub(second).call(w, false).await();
            }
            assertThat(StepProbe.RUNS).hasValue(71);
        }
    }

    /** As a task whose rows come from a shuffle: from the third round on the attempts differ. */
    @Test
    void anAttemptThatMayDifferChangesNoSliceThatAnotherOneHasChanged() {
        try (PsCluster cluster = builder(1).start();
                Client client = cluster.client()) {
            init(cluster.worker());
            AtomicInteger round = new AtomicInteger();
            TaskCaller first = client.task(6, () -> round.get() > 2);
            for (int i = 1; i <= 4; i++) {
                round.set(i);
                attempt(first, 1);
            }
            round.set(0);
            for (TaskCaller other : List.of(client.task(6, () -> true), client.task(6))) {
                assertThatThrownBy(() -> attempt(other, 1))
                        .isInstanceOfSatisfying(
                                PsException.class, e -> assertThat(e.code()).isEqualTo(Code.OTHER_ATTEMPT))
                        .hasMessageContaining("step 1 of a task: another attempt has changed the slice");
            }
            attempt(first, 1);
            assertThat(Tensors.pull(client, W)).containsOnly(5);
        }
    }

    /** Counts the calls that reach the probe or are answered in its place. */
    private final AtomicInteger served = new AtomicInteger();

    private PsCluster startServing() {
        return builder(1)
                .interceptors((call, next) -> {
                    Object answer = next.get();
                    if (call.function().equals("acceptance.step-probe")) {
                        served.incrementAndGet();
                    }
                    return answer;
                })
                .start();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void attemptsThatArriveWhileTheFirstOneWaitsForItsAnswerHaveItsOutcome(boolean fails) throws Exception {
        try (PsCluster cluster = startServing();
                Client one = cluster.client();
                Client two = cluster.client()) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("one", 3).slices(1));
            List<Pending<?>> attempts = new ArrayList<>();
            for (ConnectedCaller caller : List.of(one, two, cluster.worker())) {
                attempts.add(StepProbePsf.stub(caller.task(4)).call(w, true));
                await().forever().until(() -> served.get() == attempts.size());
            }
            CompletableFuture<StepProbe.Response> answer = Objects.requireNonNull(StepProbe.LATER.poll());
            assertThat(StepProbe.RUNS).hasValue(1);
            assertThat(attempts).noneMatch(Pending::isDone);
            if (fails) {
                answer.completeExceptionally(new PsException(Code.OUT_OF_RANGE, "on purpose"));
            } else {
                answer.complete(new StepProbe.Response());
            }
            for (Pending<?> each : attempts) {
                if (fails) {
                    assertThatThrownBy(each::await).hasMessageContaining("OUT_OF_RANGE: on purpose");
                } else {
                    each.await();
                }
            }
            StepProbePsf.stub(two.task(4)).call(w, false).await();
            assertThat(StepProbe.RUNS).hasValue(fails ? 2 : 1);
        }
    }

    @Test
    void aStepWhoseAttemptIsCancelledWhileItWaitsIsRunByTheNextOne() {
        try (PsCluster cluster = startServing();
                Client one = cluster.client();
                Client two = cluster.client()) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("one", 3).slices(1));
            Pending<?> first = StepProbePsf.stub(one.task(3)).call(w, true);
            await().forever().until(() -> served.get() == 1);
            Pending<?> second = StepProbePsf.stub(two.task(3)).call(w, true);
            await().forever().until(() -> served.get() == 2);
            first.cancel();
            assertThatThrownBy(second::await).hasMessageContaining("CANCELLED");
            StepProbePsf.stub(two.task(3)).call(w, false).await();
            assertThat(StepProbe.RUNS).hasValue(2);
        }
    }

    @Test
    void aChainOfATaskHasOneChangeAndReadsEachTime() {
        try (PsCluster cluster = builder(1).tcp().start();
                Client client = cluster.client()) {
            init(cluster.worker());
            for (int attempt = 0; attempt < 3; attempt++) {
                TaskCaller task = client.task(TaskCaller.number("chain"));
                for (int i = 1; i <= 100; i++) {
                    Chain chain = task.chain();
                    var before = DensePullPsf.stub(chain).call(W);
                    var unused = DensePushPsf.stub(chain).call(W, FloatArray.wrap(ones(DENSE)));
                    var after = DensePullPsf.stub(chain).call(W);
                    assertThatThrownBy(() -> DensePushPsf.stub(chain).call(W, FloatArray.wrap(ones(DENSE))))
                            .hasMessageContaining("is the second call that changes something (expected: one;");
                    chain.send();
                    assertThat(before.await().values().get(0)).isEqualTo(attempt == 0 ? i - 1 : 100);
                    assertThat(after.await().values().get(DENSE - 1)).isEqualTo(attempt == 0 ? i : 100);
                }
                Chain reads = task.chain();
                var pulled = DensePullPsf.stub(reads).call(W);
                reads.send();
                assertThat(pulled.await().values().get(0)).isEqualTo(100);
            }
        }
    }

    @Test
    void functionsWhoseAnswersCannotBeGivenAgainAreRefused() {
        try (PsCluster cluster = builder(1).start();
                Client client = cluster.client()) {
            init(cluster.worker());
            TaskCaller task = client.task(1);
            for (ThrowingCallable refused : List.<ThrowingCallable>of(
                    () -> Tensors.removeRows(task, G, new long[] {1}),
                    () -> Tensors.pushPull(task, W, ones(DENSE), ones(DENSE)))) {
                assertThatThrownBy(refused)
                        .isInstanceOfSatisfying(
                                PsException.class, e -> assertThat(e.code()).isEqualTo(Code.BAD_REQUEST))
                        .hasMessageContaining("which changes something and responds (")
                        .hasMessageContaining("(expected: an empty response; use a push and then a pull)");
            }
            assertThat(task.members()).hasSize(3);
            assertThat(task.workers()).isOne();
            assertThat(task.layout(W)).isEqualTo(client.layout(W));
            assertThatThrownBy(task::rank).hasMessageContaining("BAD_REQUEST");
            assertThatThrownBy(() -> client.task(0)).hasMessageContaining("task: 0 (expected: another number)");
            assertThat(Tensors.list(task)).as("a call to nodes").isNotEmpty();
        }
    }

    @Test
    void theNumberOfATaskIsOfItsTextsAndTheirBounds() {
        assertThat(TaskCaller.number("a", "bc")).isEqualTo(TaskCaller.number("a", "bc"));
        assertThat(List.of(
                        TaskCaller.number("a", "bc"),
                        TaskCaller.number("ab", "c"),
                        TaskCaller.number("abc"),
                        TaskCaller.number("abc", ""),
                        TaskCaller.number()))
                .doesNotHaveDuplicates()
                .doesNotContain(0L);
        assertThat(TaskCaller.number("job-17", "3", "12")).isEqualTo(7969877728922447382L);
    }

    /**
     * The steps are those of the state that is loaded; an attempt that has made later ones fails, and the next one
     * makes them.
     */
    @Test
    void aTensorThatGoesBackHasTheStepsOfThen() {
        try (PsCluster cluster = builder(1).start();
                Client client = cluster.client()) {
            init(cluster.worker());
            TaskCaller first = client.task(1);
            attempt(first, 40);
            Tensors.save(cluster.worker(), W, "saved");
            Tensors.save(cluster.worker(), T, "saved-t");
            Tensors.save(cluster.worker(), G, "saved-g");
            attempt(first, 100);
            Tensors.load(cluster.worker(), W, "saved");
            Tensors.load(cluster.worker(), T, "saved-t");
            Tensors.load(cluster.worker(), G, "saved-g");
            assertThatThrownBy(() -> attempt(first, 10))
                    .isInstanceOfSatisfying(
                            PsException.class, e -> assertThat(e.code()).isEqualTo(Code.ROLLED_BACK))
                    .hasMessageContaining("which had run (expected: the task is run again;");
            TaskCaller second = client.task(1);
            attempt(second, 40);
            attempt(second, 100);
            attempt(second, 10);
            assertThat(Tensors.pull(client, W)).containsOnly(150);
            float[] row = new float[2];
            Tensors.pullRows(client, G, new long[] {7}, row).await();
            assertThat(row[0]).isEqualTo(150);
        }
    }
}
