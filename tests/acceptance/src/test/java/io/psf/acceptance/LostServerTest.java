package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.PsException.Code;
import io.psf.api.Role;
import io.psf.api.TensorId;
import io.psf.builtin.EmbeddingCache;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.kvstore.KVStore;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that is killed takes with it what it has acknowledged: those who pushed are told, though no call fails. */
@Timeout(120)
final class LostServerTest {
    /** The second worker does nothing after its push but end. */
    @Test
    void whoeverHasPushedToALostServerIsTold() throws Exception {
        try (LocalJob job = LocalJob.builder()
                .workers(2)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "3s"))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            WorkerConfig config = WorkerConfig.of(address[0], Integer.parseInt(address[1]));
            CompletableFuture<Worker> connecting = CompletableFuture.supplyAsync(() -> Worker.connect(config));
            Worker one = Worker.connect(config);
            Worker two = connecting.get(60, TimeUnit.SECONDS);
            TensorId w = Tensors.init(one, TensorSpec.dense("w", 100));
            CompletableFuture<Void> barrier = CompletableFuture.runAsync(two::barrier);
            one.barrier();
            barrier.get();
            one.awaitAll();
            for (Worker worker : List.of(one, two)) {
                Tensors.push(worker, w, new float[100]).await(); // acknowledged
            }
            job.kill("server 0");
            assertTold(one::barrier);
            assertTold(one::awaitAll);
            assertThat(one.lost()).hasSize(1);
            assertThat(KVStore.create(one, "dist_sync").numDeadNode()).isEqualTo(1);
            assertThat(KVStore.create(one, "dist_sync").numDeadNode(Role.WORKER))
                    .isZero();
            assertTold(one::close).hasNoCause(); // the message has it all
            assertTold(two::close);
        }
    }

    /** It is not known whether the push was applied, so its updates are not sent again. */
    @Test
    void aCacheFailsAfterTheLossOfAServer() throws Exception {
        try (LocalJob job = LocalJob.builder()
                .servers(2)
                .workers(1)
                .environment(Map.of("PSF_HEARTBEAT_LIMIT", "3s"))
                .endOnFailure(false)
                .onLine((node, line) -> {})
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])));
            TensorSpec spec = TensorSpec.table("table", 100, 16).optimizer(Optimizers.sgd(1));
            EmbeddingCache cache = EmbeddingCache.of(worker, spec).rows(10).open();
            float[] values = new float[32];
            float[] ones = new float[32];
            Arrays.fill(ones, 1);
            long[] keys = {1, 99};
            cache.lookUp(keys, values);
            cache.update(keys, ones);
            cache.flush();
            job.kill("server 1");
            assertUnavailable(() -> {
                for (int step = 0; step < 1_000_000; step++) {
                    cache.update(keys, ones);
                }
            });
            assertUnavailable(() -> cache.lookUp(keys, values));
            assertUnavailable(() -> cache.update(keys, values));
            assertUnavailable(cache::flush);
            assertUnavailable(cache::close);
            assertUnavailable(worker::close);
        }
    }

    private static AbstractThrowableAssert<?, ?> assertUnavailable(ThrowingCallable action) {
        return assertThatThrownBy(action)
                .isInstanceOfSatisfying(
                        PsException.class, e -> assertThat(e.code()).isEqualTo(Code.UNAVAILABLE));
    }

    private static AbstractThrowableAssert<?, ?> assertTold(ThrowingCallable action) {
        return assertUnavailable(action)
                .hasMessageContaining("lost server ")
                .hasMessageContaining("it held changes of this worker");
    }
}
