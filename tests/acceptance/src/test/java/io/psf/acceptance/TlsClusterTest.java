package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Optimizers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Guest;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.TransportConfig;
import io.psf.runtime.TransportConfig.Kind;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import io.psf.runtime.internal.transport.tls.TlsAuthority;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Clusters all of whose connections have TLS. */
@Timeout(120)
final class TlsClusterTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private static Path folder;

    @SuppressWarnings("NullAway.Init") // below
    private static TlsAuthority authority;

    @SuppressWarnings("NullAway.Init") // below
    private static Tls node;

    @BeforeAll
    static void issue() throws IOException {
        authority = new TlsAuthority(folder, "cluster");
        node = issue(authority, "node");
    }

    private static Tls issue(TlsAuthority by, String name) throws IOException {
        TlsAuthority.Issued files = by.issue(name);
        return new Tls(files.certificate(), files.key(), files.authority());
    }

    private record Cluster(Scheduler scheduler, Server server, Worker worker) implements AutoCloseable {
        static Cluster start(Tls tls, Kind kind) throws Exception {
            TransportConfig transport = TransportConfig.usual().withKind(kind);
            Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(tls));
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(
                    ServerConfig.of("127.0.0.1", scheduler.port()).withTls(tls).withTransport(transport)));
            Worker worker = Worker.connect(
                    WorkerConfig.of("127.0.0.1", scheduler.port()).withTls(tls).withTransport(transport));
            return new Cluster(scheduler, server.get(20, TimeUnit.SECONDS), worker);
        }

        @Override
        public void close() {
            worker.close();
            server.close();
            scheduler.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aClusterWorksOverTls(Kind kind) throws Exception {
        try (Cluster cluster = Cluster.start(node, kind)) {
            int length = 3_000_000; // more than a socket takes at once
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", length).optimizer(Optimizers.add()));
            float[] ones = new float[length];
            java.util.Arrays.fill(ones, 1);
            for (int i = 0; i < 5; i++) {
                Tensors.push(cluster.worker(), w, ones).await();
            }
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(5);
            WorkerConfig visits = WorkerConfig.of(
                            "127.0.0.1", cluster.scheduler().port())
                    .withTls(node)
                    .withTransport(TransportConfig.usual().withKind(kind));
            try (Guest guest = Guest.visit(visits)) {
                assertThat(Tensors.list(guest).get(0).rows()).isEqualTo(length);
            }
        }
    }

    @Test
    void aNodeWithoutTlsDoesNotJoinAndIsTold() {
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(node))) {
            WorkerConfig plain = WorkerConfig.of("127.0.0.1", scheduler.port()).withJoinTimeout(Duration.ofSeconds(2));
            assertThatThrownBy(() -> Worker.connect(plain))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("this node requires TLS");
        }
    }

    @Test
    void theLastMessageOfANodeThatIsRefusedNamesTheCause() throws Exception {
        Path others = Files.createDirectory(folder.resolve("others"));
        Tls stranger = issue(new TlsAuthority(others, "others"), "stranger");
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(node))) {
            WorkerConfig unknown = WorkerConfig.of("127.0.0.1", scheduler.port())
                    .withJoinTimeout(Duration.ofSeconds(2))
                    .withTls(new Tls(stranger.certificate(), stranger.key(), node.authority()));
            assertThatThrownBy(() -> Worker.connect(unknown))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("TLS: the other end refuses the certificate of CN=stranger");
        }
    }

    /** Each call is counted once while the files are replaced; the next connection is made with the new ones. */
    @Test
    void renewedCertificatesLoseAndDoubleNoCall() throws Exception {
        Path certificate = Files.copy(node.certificate(), folder.resolve("renewed.pem"));
        Path key = Files.copy(node.key(), folder.resolve("renewed.key"));
        Tls next = issue(authority, "next");
        int rounds = 200;
        try (Cluster cluster = Cluster.start(new Tls(certificate, key, node.authority()), Kind.TCP)) {
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", 1000).optimizer(Optimizers.add()));
            float[] ones = new float[1000];
            java.util.Arrays.fill(ones, 1);
            for (int i = 0; i < rounds; i++) {
                Tensors.push(cluster.worker(), w, ones).await();
                if (i == rounds / 2) {
                    Files.copy(next.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
                    Files.copy(next.key(), key, StandardCopyOption.REPLACE_EXISTING);
                }
            }
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(rounds);
            WorkerConfig visits = WorkerConfig.of(
                            "127.0.0.1", cluster.scheduler().port())
                    .withTls(new Tls(certificate, key, node.authority()))
                    .withTransport(TransportConfig.usual().withKind(Kind.TCP));
            try (Guest guest = Guest.visit(visits)) {
                assertThat(Tensors.list(guest)).hasSize(1);
            }
        }
    }
}
