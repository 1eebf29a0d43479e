package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.psf.api.Pending;
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
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
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

    /** Also the keys of the authority itself, which lie in a folder of their own. */
    @Test
    void keysAreTheirOwnersAlone() throws IOException {
        assertThat(Files.getPosixFilePermissions(node.key())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(Files.getPosixFilePermissions(folder.resolve("cluster.private")))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(folder.resolve("cluster.private/authority.p12")).exists();
        assertThat(folder.toFile().list((in, name) -> name.endsWith(".p12"))).isEmpty();
    }

    private record Cluster(Scheduler scheduler, Server server, Worker worker) implements AutoCloseable {
        static Cluster start(Tls tls, Kind kind) throws Exception {
            TransportConfig transport = TransportConfig.usual().withKind(kind);
            Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(tls));
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() -> Server.start(
                    ServerConfig.of("127.0.0.1", scheduler.port()).withTls(tls).withTransport(transport)));
            Worker worker = Worker.connect(
                    WorkerConfig.of("127.0.0.1", scheduler.port()).withTls(tls).withTransport(transport));
            return new Cluster(scheduler, server.get(), worker);
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
            int length = 2_000_000; // more than a socket takes at once
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", length).optimizer(Optimizers.add()));
            float[] ones = new float[length];
            Arrays.fill(ones, 1);
            for (int i = 0; i < 2; i++) {
                Tensors.push(cluster.worker(), w, ones).await();
            }
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(2);
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
                    .hasMessageContaining("this node requires TLS (expected: ")
                    .hasMessageNotContaining("another program may listen there");
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

    /** The files of a node whose certificate is renewed. */
    private record Renewed(Path certificate, Path key) {
        static Renewed of(Tls first, String name) throws IOException {
            Path certificate = Files.copy(first.certificate(), folder.resolve(name + ".pem"));
            return new Renewed(certificate, Files.copy(first.key(), folder.resolve(name + ".key")));
        }

        /** Replaces one file after the other: in between, the key is not that of the certificate. */
        void by(Tls next) throws IOException {
            replace(next.certificate(), certificate);
            replace(next.key(), key);
        }

        private static void replace(Path by, Path file) throws IOException {
            Path whole = Files.copy(by, file.resolveSibling(file.getFileName() + ".new"));
            Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE);
        }

        Tls tls() {
            return new Tls(certificate, key, node.authority());
        }
    }

    /**
     * Each call is counted once while the files of all nodes are replaced again and again, workers push without a
     * pause, and guests connect. Each certificate is served once its file is there.
     */
    @Test
    void renewedCertificatesLoseAndDoubleNoCallUnderLoad() throws Exception {
        Map<String, Tls> issued = Map.of("next1", issue(authority, "next1"), "next2", issue(authority, "next2"));
        Renewed files = Renewed.of(node, "renewed");
        TransportConfig tcp = TransportConfig.usual().withKind(Kind.TCP);
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger pushes = new AtomicInteger();
        AtomicInteger visits = new AtomicInteger();
        try (Cluster cluster = Cluster.start(files.tls(), Kind.TCP)) {
            WorkerConfig guest = WorkerConfig.of(
                            "127.0.0.1", cluster.scheduler().port())
                    .withTls(files.tls())
                    .withTransport(tcp);
            TensorId w =
                    Tensors.init(cluster.worker(), TensorSpec.dense("w", 1000).optimizer(Optimizers.add()));
            float[] ones = new float[1000];
            Arrays.fill(ones, 1);
            CompletableFuture<Void> load = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    Pending<?> first = Tensors.push(cluster.worker(), w, ones);
                    Tensors.push(cluster.worker(), w, ones).await();
                    first.await();
                    pushes.addAndGet(2);
                }
            });
            CompletableFuture<Void> guests = CompletableFuture.runAsync(() -> {
                while (!over.get()) {
                    try (Guest visitor = Guest.visit(guest)) {
                        assertThat(Tensors.list(visitor)).hasSize(1);
                        visits.incrementAndGet();
                    } catch (PsException e) { // a guest begins anew, and may do so between the two files
                        assertThat(e).hasMessageContaining("the key of another certificate");
                    }
                }
            });
            try {
                for (String name : List.of("next1", "next2", "next1", "next2", "next1", "next2")) {
                    int seen = visits.get();
                    files.by(Objects.requireNonNull(issued.get(name)));
                    await().forever().until(() -> visits.get() > seen || guests.isDone());
                    await().forever()
                            .until(() -> served(cluster.scheduler().port()).contains("CN=" + name));
                }
            } finally {
                over.set(true);
            }
            load.get();
            guests.get();
            assertThat(Tensors.pull(cluster.worker(), w)).containsOnly(pushes.get());
            assertThat(pushes.get()).isPositive();
        }
    }

    /** Returns the name in the certificate of the node at that port. */
    private static String served(int port) throws Exception {
        CompletableFuture<String> name = new CompletableFuture<>();
        X509TrustManager any = new X509TrustManager() {
            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type) {
                name.complete(chain[0].getSubjectX500Principal().getName());
            }

            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {}

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        };
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {any}, null);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.startHandshake();
        } catch (IOException e) {
            assertThat(name).isDone(); // this end has no certificate
        }
        return name.get();
    }
}
