package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker in Python with little memory trains a large embedding, while one of the servers is killed. */
@Tag("chaos")
@Timeout(300)
final class PythonKilledServerTest {
    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path folder;

    private Map<String, String> settings = Map.of();

    @BeforeEach
    void aSchedulerOnAFreePort() throws IOException {
        settings = Map.of(
                "PSF_SCHEDULER", "127.0.0.1:" + FixedPort.free(),
                "PSF_SERVERS", "2",
                "PSF_WORKERS", "1",
                "PSF_SERVER_RETURN", "60s",
                "PSF_HEARTBEAT_LIMIT", "10s",
                "PSF_CHECKPOINTS", folder.toString());
    }

    @AfterEach
    void endAll() {
        started.forEach(Process::destroyForcibly);
    }

    private Process node(String role) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.psf.cli.Main",
                        "node")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(role + started.size()).toFile());
        builder.environment().putAll(settings);
        builder.environment().put("PSF_ROLE", role);
        started.add(builder.start());
        return started.get(started.size() - 1);
    }

    @Test
    void anEmbeddingLargerThanTheWorkerTrainsThroughTheLossOfAServer() throws Exception {
        String python = Python.with("torch");
        node("scheduler");
        node("server");
        Process server = node("server");
        Map<String, String> ofWorker = new HashMap<>(settings);
        ofWorker.put("PSF_ROLE", "worker");
        ofWorker.put("MALLOC_ARENA_MAX", "1");
        Process worker = Python.start(
                python,
                ofWorker,
                List.of("../examples/python/large.py", "--rows", "3000000", "--memory", "256", "--steps", "600"));
        started.add(worker);
        List<String> lines = new ArrayList<>();
        try (BufferedReader printed = worker.inputReader(StandardCharsets.UTF_8)) {
            for (String line = printed.readLine(); line != null; line = printed.readLine()) {
                lines.add(line);
                if (line.startsWith("step 40:") && server.isAlive()) {
                    server.destroyForcibly().waitFor();
                    node("server");
                }
            }
        }
        assertThat(worker.waitFor()).as(String.join("\n", lines)).isZero();
        assertThat(lines)
                .anyMatch(line -> line.matches("worker 0 goes back from step \\d+: .*ROLLED_BACK.*"))
                .anyMatch(line ->
                        line.matches("loss: 0\\.\\d+ at first, 0\\.0\\d+ at last; 600 steps, [1-9]\\d* of them again"))
                .anyMatch(line ->
                        line.matches("the whole table, 366 MB: (RESOURCE_EXHAUSTED: answer of|Unable to allocate) .*"));
    }
}
