package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Pending;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections that carry nothing any more, or something else, are replaced; nothing is lost, and nothing is done twice.
 */
@Timeout(60)
final class SilenceTest {
    private final List<Swallowing> transports = new ArrayList<>();

    private PsCluster start() {
        return PsCluster.builder()
                .servers(2)
                .workers(1)
                .tcp()
                .deadline(Duration.ofMinutes(5))
                .heartbeatLimit(Duration.ofSeconds(2))
                .aroundWorkers(inner -> {
                    transports.add(new Swallowing(inner));
                    return transports.get(0);
                })
                .start();
    }

    private static void pushOnes(Worker worker, TensorId w, int times) {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1f);
        List<Pending<?>> pending = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            pending.add(Tensors.push(worker, w, ones));
        }
        pending.forEach(Pending::await);
    }

    @Test
    void aConnectionThatFellSilentIsReplacedLongBeforeTheDeadline() {
        try (PsCluster cluster = start()) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
            pushOnes(worker, w, 10);
            Swallowing proxy = transports.get(0);
            int before = proxy.connections();
            proxy.fallSilent();
            pushOnes(worker, w, 10);
            assertThat(Tensors.pull(worker, w)).containsOnly(20f);
            assertThat(proxy.connections()).isGreaterThanOrEqualTo(before + 2);
        }
    }

    @Test
    void aServerThatRefusesAConnectionOnceIsConnectedToAgain() {
        try (PsCluster cluster = start()) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
            pushOnes(worker, w, 10);
            transports.get(0).garble();
            pushOnes(worker, w, 10);
            assertThat(Tensors.pull(worker, w)).containsOnly(20f);
        }
    }
}
