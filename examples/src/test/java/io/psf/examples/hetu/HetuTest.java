package io.psf.examples.hetu;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.runtime.Settings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class HetuTest {
    private final List<Process> running = new ArrayList<>();

    @TempDir
    Path outputs = Path.of("");

    @AfterEach
    void endAll() {
        running.forEach(Process::destroyForcibly);
    }

    /** The three programs, with the variables of Hetu's own example. */
    @Test
    void ht8_theThreeProgramsOfHetu() throws Exception {
        int root = freePort();
        String ofServer = String.valueOf(freePort());
        String ofWorker = String.valueOf(freePort());
        Process scheduler = start(SchedulerMain.class, root, Map.of("DMLC_ROLE", "scheduler"));
        Process server = start(
                ServerMain.class,
                root,
                Map.of(
                        "DMLC_ROLE", "server",
                        "SERVER_ID", "0",
                        "DMLC_PS_SERVER_URI", "127.0.0.1",
                        "DMLC_PS_SERVER_PORT", ofServer));
        Process worker = start(
                WorkerMain.class,
                root,
                Map.of(
                        "DMLC_ROLE", "worker",
                        "WORKER_ID", "0",
                        "DMLC_PS_WORKER_URI", "127.0.0.1",
                        "DMLC_PS_WORKER_PORT", ofWorker));
        for (Process process : List.of(worker, server, scheduler)) {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output(process)).isZero();
        }
        assertThat(output(scheduler)).contains("server joined from 127.0.0.1:" + ofServer);
        String fives = Collections.nCopies(128, "5.0").toString();
        assertThat(output(worker).lines()).containsOnlyOnce(fives);
    }

    private Process start(Class<?> main, int root, Map<String, String> role) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName());
        Map<String, String> environment = builder.environment();
        for (String place :
                List.of("PSF_ROLE", "PSF_SCHEDULER", "PSF_SERVERS", "PSF_WORKERS", "PSF_LISTEN", "PSF_RANK")) {
            environment.keySet().removeAll(Settings.names(place));
        }
        environment.putAll(role);
        environment.put("DMLC_PS_ROOT_URI", "127.0.0.1");
        environment.put("DMLC_PS_ROOT_PORT", String.valueOf(root));
        environment.put("DMLC_NUM_WORKER", "1");
        environment.put("DMLC_NUM_SERVER", "1");
        environment.put("DMLC_PS_VAN_TYPE", "p3");
        builder.redirectErrorStream(true)
                .redirectOutput(outputs.resolve(running.size() + ".txt").toFile());
        running.add(builder.start());
        return running.get(running.size() - 1);
    }

    private String output(Process process) throws IOException {
        return Files.readString(outputs.resolve(running.indexOf(process) + ".txt"));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
