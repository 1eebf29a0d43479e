package io.psf.builtin.internal.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.TensorId;
import io.psf.api.spi.FolderStore;
import io.psf.builtin.Model;
import io.psf.builtin.ModelCheckpoints;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.PsCluster;
import io.psf.runtime.Worker;
import io.psf.testkit.FaultyStore;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A large shard is saved while calls change it: a checkpoint lies between two of them. */
@Timeout(120)
final class CopiedMeanwhileTest {
    private static final int ROWS = 30_000;
    private static final int WIDTH = 64;

    @TempDir
    private Path folder;

    /** Steps rows of all parts of the table, in one call, until the end. */
    private static void push(Client client, TensorId table, AtomicBoolean ended) {
        long[] keys = new long[50];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = i * (ROWS - 1L) / (keys.length - 1);
        }
        float[] ones = new float[keys.length * WIDTH];
        Arrays.fill(ones, 1);
        while (!ended.get()) {
            Tensors.pushRows(client, table, keys, ones).await();
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "3, false", "0, true"})
    void eachCheckpointHasAllOfACallOrNothing(int increments, boolean policy) {
        try (PsCluster cluster =
                        PsCluster.builder().servers(1).checkpoints(folder).start();
                Worker worker = cluster.worker();
                Client client = cluster.client()) {
            TensorId table =
                    Tensors.init(worker, TensorSpec.table("t", ROWS, WIDTH).optimizer(Optimizers.momentum(1, 0.5)));
            ModelCheckpoints checkpoints =
                    ModelCheckpoints.at(worker, "m").keep(10).incremental(increments);
            AtomicBoolean ended = new AtomicBoolean();
            CompletableFuture<Void> pushes = CompletableFuture.runAsync(() -> push(client, table, ended));
            Set<Float> seen = new HashSet<>();
            for (int step = 1; step <= 6; step++) {
                checkpoints.save(step, Map.of());
                Set<Float> pushed = new HashSet<>();
                Model.open(folder, "m").rows(table, (key, values) -> {
                    for (float value : values) {
                        pushed.add(value);
                    }
                });
                pushed.remove(0f); // of the rows that nobody pushes to
                assertThat(pushed).as("step %d", step).hasSizeLessThanOrEqualTo(1);
                seen.addAll(pushed);
            }
            ended.set(true);
            pushes.join();
            assertThat(seen).hasSizeGreaterThan(1);
        }
    }

    /** The disk takes nothing for a while, as when the file system has no memory left. */
    @Test
    void noCallWaitsForTheDisk() throws InterruptedException {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch isFree = new CountDownLatch(1);
        FaultyStore store = new FaultyStore(new FolderStore(folder), name -> {
            if (name.endsWith(Pack.SUFFIX)) {
                blocked.countDown();
                awaitQuietly(isFree);
            }
        });
        try (PsCluster cluster =
                        PsCluster.builder().servers(1).checkpoints(store).start();
                Worker worker = cluster.worker();
                Client client = cluster.client()) {
            TensorId table =
                    Tensors.init(worker, TensorSpec.table("t", ROWS, WIDTH).optimizer(Optimizers.add()));
            CompletableFuture<Void> save = CompletableFuture.runAsync(
                    () -> ModelCheckpoints.at(worker, "m").save(1, Map.of()));
            blocked.await();
            long[] keys = {0, ROWS - 1};
            float[] ones = new float[keys.length * WIDTH];
            Arrays.fill(ones, 1);
            for (int i = 0; i < 1000; i++) {
                Tensors.pushRows(client, table, keys, ones).await();
            }
            assertThat(save).isNotDone();
            isFree.countDown();
            save.join();
            assertThat(Model.open(folder, "m").row(table, 0).orElseThrow()).containsOnly(0);
            float[] rows = new float[ones.length];
            Tensors.pullRows(client, table, keys, rows).await();
            assertThat(rows).containsOnly(1000);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
