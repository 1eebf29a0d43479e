package io.psf.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.spi.transport.Transport;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that its scheduler does not hear acknowledges nothing that the server in its place would not have. */
@Timeout(60)
final class PartitionTest {
    private final List<FromScheduler> transports = Collections.synchronizedList(new ArrayList<>());

    /** A transport whose connection to the scheduler, which is the first one, can fall silent. */
    private static final class FromScheduler extends Proxied {
        FromScheduler(Transport inner) {
            super(inner);
        }

        @Override
        boolean isDirect(int before) {
            return before > 0;
        }

        void fallSilent() {
            links.forEach(link -> link.silent = true);
        }

        /** Ends the silent connection: another one is made. */
        void heal() throws IOException {
            for (Link link : links) {
                link.near.close();
                link.far.close();
            }
        }
    }

    private Transport around(Transport inner) {
        FromScheduler transport = new FromScheduler(inner);
        transports.add(transport);
        return transport;
    }

    private PsCluster start(Duration limit, Duration deadline) {
        return PsCluster.builder()
                .tcp()
                .heartbeatLimit(limit)
                .deadline(deadline)
                .aroundServers(this::around)
                .aroundWorkers(this::around)
                .start();
    }

    /** The scheduler hears neither the server nor the client, which hear each other. The worker hears all of them. */
    @Test
    void aServerAcknowledgesNothingFromThenOnThatItCountsAsLost() throws IOException {
        try (PsCluster cluster = start(Duration.ofSeconds(2), Duration.ofSeconds(1))) {
            Worker worker = cluster.worker();
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
            Client client = cluster.client();
            Server server = cluster.servers().get(0);
            transports.get(0).fallSilent();
            transports.get(transports.size() - 1).fallSilent();
            int before = 0;
            int after = 0;
            while (!server.health(Duration.ofMinutes(1)).readiness().endsWith("is about to end")) {
                boolean isLost = !worker.lost().isEmpty();
                try {
                    Tensors.push(client, w, new float[10]).await();
                    before += isLost ? 0 : 1;
                    after += isLost ? 1 : 0;
                } catch (PsException e) {
                    assertThat(e.code()).isIn(PsException.Code.TIMED_OUT, PsException.Code.UNAVAILABLE);
                }
            }
            assertThat(before).as("acknowledged before the loss").isPositive();
            assertThat(after).as("acknowledged after the loss").isZero();
            for (FromScheduler each : List.copyOf(transports)) {
                each.heal();
            }
        }
    }

    /** The scheduler stands still, and nobody is lost. */
    @Test
    void callsWaitForAServerThatHasStoppedServingUntilTheSchedulerAnswersIt() {
        try (PsCluster cluster = start(Duration.ofSeconds(4), Duration.ofSeconds(50))) {
            Worker worker = cluster.worker();
            Server server = cluster.servers().get(0);
            TensorId w = Tensors.init(worker, TensorSpec.dense("w", 10));
            CountDownLatch stands = new CountDownLatch(1);
            CompletableFuture<Void> moved = cluster.scheduler().move(w, List.of(0), to -> {
                try {
                    stands.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                throw new IllegalStateException("not moved");
            });
            await().forever().until(() -> !server.health(Duration.ofMinutes(1)).isReady());
            Pending<?> push = Tensors.push(worker, w, new float[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
            assertThat(server.health(Duration.ofMinutes(1)).readiness())
                    .startsWith("server 0: has stopped serving, since the scheduler has answered no heartbeat for ");
            assertThat(push.isDone()).isFalse();
            stands.countDown();
            push.await();
            assertThat(moved).isCompletedExceptionally();
            assertThat(Tensors.pull(worker, w)).containsOnly(1f);
            await().forever().until(() -> server.health(Duration.ofMinutes(1)).isReady());
            assertThat(worker.lost()).isEmpty();
        }
    }
}
