package io.psf.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.ClusterCaller;
import io.psf.api.PsException;
import io.psf.api.spi.FunctionCaller;
import io.psf.builtin.Optimizers;
import io.psf.builtin.Tensors;
import io.psf.testkit.TestCluster;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The store on the test kit: no sockets, and workers whose steps are in an order that a seed gives. */
final class KVStoreOfTestKitTest {
    private static final int WORKERS = 3;
    private static final int SEEDS = 10;

    private static TestCluster cluster() {
        return TestCluster.of(2, WORKERS);
    }

    @Test
    void aKeyValueStoreInitializesPushesAndPulls() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<Float> pulled = cluster().together(seed, worker -> {
                try (KVStore store = KVStore.create(worker, "dist_sync")) {
                    float[] into = new float[6];
                    store.init("w", new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
                    store.setOptimizer(Optimizers.add());
                    store.push("w", new float[] {1, 1, 1, 1, 1, worker.rank()}).await();
                    store.pull("w", into).await();
                    assertThat(store.numWorkers()).isEqualTo(WORKERS);
                    assertThat(store.numDeadNode()).isZero();
                    return into[5];
                }
            });
            assertThat(pulled).as("seed %d", seed).containsOnly(9f);
        }
    }

    @Test
    void epochsOfWorkersWithUnequalSharesAreTheirRounds() {
        for (int seed = 0; seed < SEEDS; seed++) {
            List<Float> pulled = cluster().together(seed, worker -> {
                try (KVStore store = KVStore.create(worker, "dist_sync")) {
                    store.init("w", new float[4]);
                    store.setOptimizer(Optimizers.momentum(1, 0.5)); // another division into rounds is another value
                    float[] into = new float[4];
                    for (int epoch = 0; epoch < 2; epoch++) {
                        for (int batch = 0; batch <= (worker.rank() + epoch) % WORKERS; batch++) {
                            store.push("w", new float[] {1, 1, 1, 1}).await();
                        }
                        store.endEpoch();
                        store.pull("w", into).await();
                    }
                    return into[3];
                }
            });
            float velocity = 0;
            float value = 0;
            for (int round : new int[] {3, 2, 1, 3, 2, 1}) {
                velocity = 0.5f * velocity - round;
                value += velocity;
            }
            assertThat(pulled).as("seed %d", seed).containsOnly(value);
        }
    }

    /** The tensors are made by rank 0. */
    @Test
    void aCallerWithoutARankIsRefusedAndNothingIsSent() {
        TestCluster cluster = cluster();
        KVStore store = KVStore.create(withoutRank(cluster), "dist_sync");
        assertThatThrownBy(() -> store.init("w", new float[2])).hasMessage("BAD_REQUEST: rank: none");
        assertThat(Tensors.list(cluster)).isEmpty();
    }

    private static ClusterCaller withoutRank(ClusterCaller cluster) {
        return (ClusterCaller) Proxy.newProxyInstance(
                KVStoreOfTestKitTest.class.getClassLoader(),
                new Class<?>[] {ClusterCaller.class, FunctionCaller.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("rank") || method.getName().equals("barrier")) {
                        throw new PsException(PsException.Code.BAD_REQUEST, "rank: none");
                    }
                    try {
                        return method.invoke(cluster, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
