package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.CallListener;
import io.psf.api.CallPart;
import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Slices that go from server to server while workers push. A push is refused by the servers that its slices have left,
 * and has run on the others: only the refused parts are sent again.
 */
@Timeout(300)
final class MovedSlicesTest {
    private static final int SERVERS = 3;
    private static final int SLICES = 6;
    private static final int ROWS = 3000;

    private final List<Breaking> transports = new CopyOnWriteArrayList<>();

    /** The rank of the worker that moves slices; the others push. */
    private static final int MOVER = 2;

    private PsCluster start(boolean tcp) {
        PsCluster.Builder builder = PsCluster.builder()
                .servers(SERVERS)
                .workers(3)
                .lanes(2)
                .deadline(Duration.ofSeconds(60))
                .aroundWorkers(inner -> {
                    Breaking breaking = new Breaking(inner);
                    transports.add(breaking);
                    return breaking;
                });
        return tcp ? builder.tcp().start() : builder.start();
    }

    private static TensorId init(PsCluster cluster, String name) {
        return Tensors.init(cluster.worker(0), TensorSpec.dense(name, ROWS).slices(SLICES));
    }

    private static SliceMover mover(PsCluster cluster) {
        return new SliceMover(cluster, cluster.worker(MOVER));
    }

    /** Pushes ones until told to stop, and counts the pushes. */
    private static final class Pushing {
        private final List<Thread> threads = new ArrayList<>();
        private final List<Throwable> failures = new CopyOnWriteArrayList<>();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final AtomicLong pushes = new AtomicLong();

        Pushing(PsCluster cluster, TensorId tensor) {
            for (Worker worker : cluster.workers().subList(0, MOVER)) {
                Thread thread = new Thread(() -> push(worker, tensor));
                thread.setUncaughtExceptionHandler((t, e) -> failures.add(e));
                threads.add(thread);
                thread.start();
            }
        }

        private void push(Worker worker, TensorId tensor) {
            FloatArray ones = FloatArray.allocate(ROWS);
            ones.fill(1f);
            AddEverywherePsf.Stub add = AddEverywherePsf.stub(worker);
            while (!stop.get()) {
                List<Pending<AddEverywhere.Response>> pending = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    pending.add(add.call(tensor, ones));
                }
                for (Pending<AddEverywhere.Response> each : pending) {
                    assertThat(each.await().rows()).isEqualTo(ROWS);
                    pushes.incrementAndGet();
                }
            }
            worker.awaitAll();
        }

        /** Stops, and returns how many pushes there were. */
        long end() throws InterruptedException {
            stop.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            return pushes.get();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyPushIsAppliedOnceOnEachSliceThoughSlicesMoveAndConnectionsBreak(boolean tcp) throws Exception {
        int most = 20 * Integer.getInteger("psf.laws.times", 1);
        try (PsCluster cluster = start(tcp)) {
            TensorId tensor = init(cluster, "moved-" + tcp);
            SliceMover mover = mover(cluster);
            Pushing pushing = new Pushing(cluster, tensor);
            for (int moves = 0; moves < most || !haveBroken(10); moves++) {
                mover.move(tensor).join();
                transports.forEach(Breaking::breakOne);
                long seen = pushing.pushes.get();
                await().forever().until(() -> pushing.pushes.get() > seen + 5 || !pushing.failures.isEmpty());
            }
            long pushes = pushing.end();
            for (float[] values : mover.values(tensor)) {
                assertThat(values).containsOnly((float) pushes);
            }
            assertThat(cluster.worker(0).layout(tensor).version())
                    .isGreaterThan(cluster.worker(0).layout(tensor).declared() + most - 1);
        }
    }

    private boolean haveBroken(int connections) {
        return transports.stream().allMatch(transport -> transport.connections() > connections);
    }

    /** Counts the requests and the calls of a worker. */
    private static final class Counting implements CallListener {
        private final AtomicLong sent = new AtomicLong();

        @Override
        public void sent(CallPart part, long bytes) {
            if (part.function().equals("acceptance.add-everywhere")) {
                sent.incrementAndGet();
            }
        }
    }

    /** One slice of two leaves its server before the push, and is at a third one when the layout is known. */
    @Test
    void onlyThePartThatWasRefusedIsSentAgain() {
        try (PsCluster cluster = start(false)) {
            SliceMover mover = mover(cluster);
            Worker worker = cluster.worker(0);
            TensorId tensor =
                    Tensors.init(worker, TensorSpec.dense("left", ROWS).slices(2));
            List<Integer> before = worker.layout(tensor).servers();
            List<Integer> after = List.of(before.get(0), 3 - before.get(0) - before.get(1));
            Counting counting = new Counting();
            worker.listen(counting);
            FloatArray ones = FloatArray.allocate(ROWS);
            ones.fill(1f);
            List<Pending<AddEverywhere.Response>> pushed = new ArrayList<>();
            cluster.scheduler()
                    .move(tensor, after, next -> {
                        assertThat(mover.take(tensor, before.get(1))).isOne();
                        pushed.add(AddEverywherePsf.stub(worker).call(tensor, ones));
                        assertThat(mover.put(next)).isOne();
                    })
                    .join();
            assertThat(pushed.get(0).await().rows()).isEqualTo(ROWS);
            assertThat(counting.sent).as("two parts, and one of them again").hasValue(3);
            for (float[] values : mover.values(tensor)) {
                assertThat(values).containsOnly(1);
            }
        }
    }

    /** The repetition of a call finds the tensor nowhere, as the call did: its slices are on their way once more. */
    @Test
    void aPushIsRepeatedUntilTheSlicesStay() {
        try (PsCluster cluster = start(false)) {
            SliceMover mover = mover(cluster);
            Worker worker = cluster.worker(0);
            TensorId tensor =
                    Tensors.init(worker, TensorSpec.dense("twice", ROWS).slices(2));
            Counting counting = new Counting();
            worker.listen(counting);
            FloatArray ones = FloatArray.allocate(ROWS);
            ones.fill(1f);
            List<Pending<AddEverywhere.Response>> pushed = new ArrayList<>();
            List<CompletableFuture<Void>> again = new ArrayList<>();
            List<Integer> before = worker.layout(tensor).servers();
            List<Integer> after =
                    before.stream().map(server -> (server + 1) % SERVERS).toList();
            cluster.scheduler()
                    .move(tensor, after, next -> {
                        mover.take(tensor);
                        pushed.add(AddEverywherePsf.stub(worker).call(tensor, ones));
                        awaitRefused(counting, 2);
                        again.add(cluster.scheduler().move(tensor, before, last -> {
                            mover.take(tensor);
                            awaitRefused(counting, 4);
                            assertThat(mover.put(last)).isEqualTo(2);
                        }));
                        assertThat(mover.put(next)).isEqualTo(2);
                    })
                    .join();
            assertThat(pushed.get(0).await().rows()).isEqualTo(ROWS);
            again.get(0).join();
            for (float[] values : mover.values(tensor)) {
                assertThat(values).containsOnly(1);
            }
        }
    }

    /** Waits until requests have been sent and answered, and the worker has asked for the layout. */
    private static void awaitRefused(Counting counting, int sent) {
        await().forever().until(() -> counting.sent.get() >= sent);
        long until = System.nanoTime() + Duration.ofMillis(300).toNanos();
        await().forever().until(() -> System.nanoTime() > until);
    }

    /** The whole call is split anew, or the part that was refused is sent again alone. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsSentAgainOfAStepIsTheSameStep(boolean whole) {
        try (PsCluster cluster = start(false)) {
            SliceMover mover = mover(cluster);
            Worker worker = cluster.worker(0);
            TensorId tensor =
                    Tensors.init(worker, TensorSpec.dense("task-" + whole, ROWS).slices(2));
            List<Integer> before = worker.layout(tensor).servers();
            List<Integer> after = List.of(before.get(0), 3 - before.get(0) - before.get(1));
            Integer[] from = whole ? new Integer[0] : new Integer[] {before.get(1)};
            StepProbe.RUNS.set(0);
            List<Pending<?>> pending = new ArrayList<>();
            cluster.scheduler()
                    .move(tensor, after, next -> {
                        assertThat(mover.take(tensor, from)).isEqualTo(whole ? 2 : 1);
                        TaskCaller task = worker.task(1);
                        for (int i = 0; i < 50; i++) {
                            pending.add(StepProbePsf.stub(task).call(tensor, false));
                        }
                        assertThat(mover.put(next)).isEqualTo(whole ? 2 : 1);
                    })
                    .join();
            pending.forEach(Pending::await);
            assertThat(StepProbe.RUNS).as("50 steps on two slices").hasValue(100);
            TaskCaller again = cluster.worker(1).task(1);
            for (int i = 0; whole && i < 50; i++) { // else the slice that has not moved has an old layout
                StepProbePsf.stub(again).call(tensor, false).await();
            }
            assertThat(StepProbe.RUNS).hasValue(100);
        }
    }
}
