package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Restore;
import io.psf.api.TensorId;
import io.psf.builtin.AllReduce;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.builtin.Updates;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What others do while a lost worker is awaited: its connections are cut for good. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // by start
final class AwaitedWorkerTest {
    private static final TransportConfig TCP = new TransportConfig(TransportConfig.Kind.TCP, Duration.ZERO);
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final TensorSpec ROUNDS =
            TensorSpec.dense("rounds", 4).optimizer(Optimizers.add()).updates(Updates.SUM);
    private static final TensorId W = TensorId.of("rounds");
    private static final float[] ONES = {1, 1, 1, 1};

    @TempDir
    private Path folder;

    private Scheduler scheduler;
    private Server server;
    private Proxy proxy;
    private Worker stays;
    private Worker lost;

    /** Starts a cluster of two workers, with a checkpoint of step 1. */
    private void start(Duration workerReturn, Restore restore) throws Exception {
        scheduler = Scheduler.start(SchedulerConfig.of(1, 2)
                .withHeartbeatLimit(Duration.ofSeconds(1))
                .withWorkerReturn(workerReturn));
        proxy = new Proxy(scheduler.port());
        CompletableFuture<Server> starting =
                CompletableFuture.supplyAsync(() -> Server.start(ServerConfig.of("127.0.0.1", scheduler.port())
                        .withTransport(TCP)
                        .withCheckpoints(folder)));
        CompletableFuture<Worker> connecting = CompletableFuture.supplyAsync(() -> connect(0, scheduler.port()));
        lost = connect(1, proxy.port());
        stays = connecting.get();
        server = starting.get();
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> begin(lost, restore));
        begin(stays, restore);
        other.get();
    }

    private static Worker connect(int rank, int port) {
        return Worker.connect(WorkerConfig.of("127.0.0.1", port)
                .withRank(rank)
                .withDeadline(SOON)
                .withTransport(TCP));
    }

    private static void begin(Worker worker, Restore restore) {
        Tensors.init(worker, ROUNDS);
        Tensors.push(worker, W, ONES).await();
        ModelCheckpoints.at(worker, "m").restore(restore).save(1, Map.of());
    }

    private void lose() {
        proxy.refuse(true);
        await().atMost(SOON).until(() -> !stays.lost().isEmpty());
    }

    @AfterEach
    void stop() throws Exception {
        try {
            lost.close();
        } catch (PsException e) { // it may learn that it is lost
            assertThat(e.code()).isEqualTo(Code.UNAVAILABLE);
        }
        server.close();
        scheduler.close();
        proxy.close();
    }

    private static void load(Worker worker) {
        assertThat(ModelCheckpoints.at(worker, "m").loadLatest().orElseThrow().step())
                .isEqualTo(1);
    }

    private static void assertRolledBack(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.ROLLED_BACK));
    }

    @Test
    void pushesAllReducesAndBarriersWaitUntilItIsBack() throws Exception {
        start(Duration.ofMinutes(2), Restore.ALL);
        AllReduce sums = AllReduce.of(stays, "sums", 1);
        AllReduce others = AllReduce.of(lost, "sums", 1);
        for (int call = 0; call < 3; call++) {
            Pending<?> other = others.sum(new float[] {1});
            sums.sum(new float[] {1}).await();
            other.await();
        }
        lose();
        Pending<?> push = Tensors.push(stays, W, ONES);
        Pending<?> sum = sums.sum(new float[] {1});
        CompletableFuture<Void> barrier = CompletableFuture.runAsync(stays::barrier);
        assertThatThrownBy(() -> barrier.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(push.isDone() || sum.isDone()).isFalse();

        Worker back = connect(1, scheduler.port());
        assertThatThrownBy(barrier::join)
                .isInstanceOf(CompletionException.class)
                .hasMessageContaining("ROLLED_BACK");
        assertRolledBack(push::await);
        assertRolledBack(sum::await);
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> load(back));
        load(stays);
        other.get();
        assertThat(Tensors.pull(stays, W)).containsOnly(2);
        float[] total = {1};
        Pending<?> first = sums.sum(total);
        AllReduce.of(back, "sums", 1).sum(new float[] {2}).await();
        first.await();
        assertThat(total).containsExactly(3);
        back.close();
        stays.close();
        scheduler.awaitTermination(); // no node is lost
    }

    /** The other worker has left meanwhile. The job goes on with the one that comes back. */
    @Test
    void aJobDoesNotEndWithoutIt() throws Exception {
        start(Duration.ofMinutes(2), Restore.ALL);
        lose();
        stays.close();
        Worker back = connect(1, scheduler.port());
        assertThat(back.rank()).isEqualTo(1);
        load(back);
        assertThat(Tensors.pull(back, W)).containsOnly(2);
        back.close();
        scheduler.awaitTermination();
    }

    @Test
    void theOthersGoOnWhenItHasNotComeInTime() throws Exception {
        start(Duration.ofSeconds(2), Restore.ALL);
        lose();
        Tensors.push(stays, W, ONES).await();
        stays.barrier();
        assertThat(Tensors.pull(stays, W)).containsOnly(3);
        stays.close();
        scheduler.awaitTermination(); // the others have ended the job well
    }

    @Test
    void aJobEndsWhenItHasNotComeInTimeAndTheOthersHaveLeft() throws Exception {
        start(Duration.ofSeconds(2), Restore.ALL);
        lose();
        stays.close();
        assertThatThrownBy(scheduler::awaitTermination)
                .hasMessageContaining("no worker came in its place within 2000 ms");
    }

    @Test
    void itIsNotAwaitedIfTheModelIsNotExact() throws Exception {
        start(Duration.ofMinutes(2), Restore.LOST);
        lose();
        Tensors.push(stays, W, ONES).await();
        stays.barrier();
        stays.close();
        scheduler.awaitTermination();
    }
}
