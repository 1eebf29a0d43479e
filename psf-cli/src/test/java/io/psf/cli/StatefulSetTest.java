package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.NodeHealth;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The rules by which the controller of a stateful set of Kubernetes starts and replaces pods, with the probe of
 * docs/operate.md: a pod is started when the one before it is ready.
 */
@Timeout(60)
final class StatefulSetTest {
    private static final Duration PROGRESS = Duration.ofMinutes(1);

    private final List<Pod> pods = new ArrayList<>();

    /** A server and its probes, as {@link NodeCommand} starts them. */
    private static final class Pod implements AutoCloseable {
        private volatile Supplier<NodeHealth> health = () -> new NodeHealth(true, "starts", false, "starts");
        private final ProbeServer probes = ProbeServer.start(
                "PSF_HEALTH",
                InetSocketAddress.createUnresolved("127.0.0.1", 0),
                ProbeServer.probes(() -> health.get()));
        private final CompletableFuture<Server> server = new CompletableFuture<>();

        Pod(ServerConfig config) {
            Thread thread = new Thread(() -> start(config), "pod");
            thread.setDaemon(true);
            thread.start();
        }

        private void start(ServerConfig config) {
            try {
                Server started = Server.start(config, now -> health = () -> now);
                health = () -> started.health(PROGRESS);
                server.complete(started);
            } catch (Throwable e) {
                server.completeExceptionally(e);
            }
        }

        /** Asks the pod's probe. */
        String probe(String path) {
            try {
                HttpURLConnection connection =
                        (HttpURLConnection) URI.create("http://127.0.0.1:" + probes.port() + path)
                                .toURL()
                                .openConnection();
                int status = connection.getResponseCode();
                try (var body = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
                    return status + ": " + new String(body.readAllBytes(), StandardCharsets.UTF_8).strip();
                }
            } catch (IOException e) {
                return e.toString();
            }
        }

        @Override
        public void close() {
            server.whenComplete((started, failure) -> {
                if (started != null) {
                    started.close();
                }
            });
            probes.close();
        }
    }

    /** Returns the path of a probe of docs/operate.md. */
    private static String path(String probe) throws IOException {
        String page = Files.readString(Path.of("..", "docs", "operate.md"));
        Matcher found =
                Pattern.compile(probe + ":\n +httpGet: \\{path: (\\S+), ").matcher(page);
        assertThat(found.find()).as(probe).isTrue();
        return found.group(1);
    }

    private Pod start(Scheduler scheduler) {
        Pod pod = new Pod(ServerConfig.of("127.0.0.1", scheduler.port()));
        pods.add(pod);
        return pod;
    }

    @AfterEach
    void end() {
        pods.forEach(Pod::close);
    }

    @Test
    void aClusterFormsWhosePodsAreStartedOneAfterTheOther() throws IOException {
        String ready = path("readinessProbe");
        String live = path("livenessProbe");
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(3, 1))) {
            for (int ordinal = 0; ordinal < 3; ordinal++) {
                Pod pod = start(scheduler);
                await().forever()
                        .until(() -> pod.probe(ready), "200: server: waits for the other nodes of its cluster"::equals);
                assertThat(pod.probe(live)).startsWith("200: ");
            }
            try (Worker worker = Worker.connect(WorkerConfig.of("127.0.0.1", scheduler.port()))) {
                assertThat(worker.servers()).isEqualTo(3);
                for (Pod pod : pods) {
                    pod.server.join();
                    assertThat(pod.probe(ready)).matches("200: server \\d: serves its slices");
                }
            }
            pods.forEach(pod -> pod.server.join().awaitTermination());
        }
    }

    /** The controller replaces the next pod when this one is ready, so it must not be. */
    @Test
    void aPodIsNotReadyThatWaitsForThePlaceOfALostOne() throws IOException {
        String ready = path("readinessProbe");
        try (Scheduler scheduler =
                Scheduler.start(SchedulerConfig.of(1, 1).asService().withServerReturn(Duration.ofMinutes(1)))) {
            Pod first = start(scheduler);
            first.server.join();
            Pod next = start(scheduler);
            await().forever()
                    .until(
                            () -> next.probe(ready),
                            "503: server: waits until it can take the place of a lost server"::equals);
            scheduler.end();
            first.server.join().awaitTermination();
            assertThatThrownBy(next.server::join).hasMessageContaining("has ended");
        }
    }
}
