package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The name of a node is looked up at each connection: the address of a pod changes. */
@Timeout(120)
final class HostNamesTest {
    @TempDir
    Path folder = Path.of("");

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "netty"})
    void aWorkerFollowsNamesToTheirNewAddresses(String transport) throws Exception {
        assumeTrue(hasManyLoopbackAddresses(), "127.0.0.2 is no address of this machine");
        Path hosts = Files.writeString(folder.resolve("hosts"), "");
        Path log = folder.resolve("log");
        Process program = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-Djdk.net.hosts.file=" + hosts,
                        "-Dsun.net.inetaddr.ttl=0",
                        "-Dsun.net.inetaddr.negative.ttl=0",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MovingHosts.class.getName(),
                        transport)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            assertThat(program.waitFor(100, TimeUnit.SECONDS)).as("ended").isTrue();
            assertThat(Files.readString(log)).contains("moved");
        } finally {
            program.destroyForcibly();
        }
    }

    private static boolean hasManyLoopbackAddresses() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.2"))) {
            return socket.getLocalPort() > 0;
        } catch (IOException e) {
            return false;
        }
    }
}
