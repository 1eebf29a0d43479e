package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.psf.acceptance.Page.Block;
import io.psf.builtin.Initializers;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.runtime.Scheduler;
import io.psf.runtime.SchedulerConfig;
import io.psf.runtime.Server;
import io.psf.runtime.ServerConfig;
import io.psf.runtime.Tls;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the commands of {@code docs/operate.md} that make certificates, and a cluster with the files. */
@Timeout(120)
final class OwnCertificatesTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // by JUnit
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"openssl req", "keytool"})
    void aClusterWorksWithTheFilesAndWithRenewedOnes(String tool) throws Exception {
        assumeTrue(Files.exists(Path.of("/usr/bin/openssl")), "no openssl");
        List<Block> blocks = Page.blocks(Page.ROOT.resolve("docs/operate.md")).stream()
                .filter(block -> block.language().equals("bash"))
                .toList();
        int first = 0;
        while (!blocks.get(first).text().startsWith(tool)) {
            first++;
        }
        bash(blocks.get(first));
        String before = Files.readString(folder.resolve("node.pem"));
        String key = Files.readString(folder.resolve("node.key"));
        requireCluster(); // fails if the names of the page had stayed
        bash(blocks.get(first + 1));
        assertThat(Files.readString(folder.resolve("node.pem"))).isNotEqualTo(before);
        assertThat(Files.readString(folder.resolve("node.key"))).isEqualTo(key);
        requireCluster();
    }

    /** Runs a block; the names of the machine are those of this one. */
    private void bash(Block block) throws IOException, InterruptedException {
        String text = block.text().replace("server-0.example", "localhost").replace("10.0.0.7", "127.0.0.1");
        ProcessBuilder builder = new ProcessBuilder("bash", "-e", "-o", "pipefail", "-c", text)
                .directory(folder.toFile())
                .redirectErrorStream(true);
        builder.environment().merge("PATH", System.getProperty("java.home") + "/bin:", (old, java) -> java + old);
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", block, said).isZero();
    }

    /** A worker pulls from a server; one connects to a name, the other one to an address. */
    private void requireCluster() throws Exception {
        Tls tls = new Tls(folder.resolve("node.pem"), folder.resolve("node.key"), folder.resolve("authority.pem"));
        try (Scheduler scheduler = Scheduler.start(SchedulerConfig.of(1, 1).withTls(tls))) {
            CompletableFuture<Server> server = CompletableFuture.supplyAsync(() ->
                    Server.start(ServerConfig.of("127.0.0.1", scheduler.port()).withTls(tls)));
            try (Worker worker = Worker.connect(
                    WorkerConfig.of("localhost", scheduler.port()).withTls(tls))) {
                assertThat(Tensors.pull(
                                worker,
                                Tensors.init(worker, TensorSpec.dense("w", 3).initializer(Initializers.constant(5)))))
                        .containsExactly(5, 5, 5);
            } finally {
                server.get().close();
            }
        }
    }
}
