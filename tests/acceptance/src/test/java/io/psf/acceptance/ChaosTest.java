package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.WorkerConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Training jobs of real processes whose servers are killed and stopped at random, and started again by a supervisor, while
 * clients come and go. {@code -Dpsf.chaos.runs=50} for more than one run.
 */
@Timeout(3600)
final class ChaosTest {
    private static final int SERVERS = 3;
    private static final int STEPS = 150;
    private static final Duration LONGEST = Duration.ofSeconds(150);

    private final Map<String, Process> nodes = new ConcurrentHashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private volatile boolean isOver;

    @AfterEach
    void killAll() {
        isOver = true;
        nodes.values().forEach(Process::destroyForcibly);
    }

    @Test
    void theModelIsThatOfAnUndisturbedTrainingHoweverServersComeAndGo(@TempDir Path folder) throws Exception {
        int runs = Integer.getInteger("psf.chaos.runs", 1);
        long seed = Long.getLong("psf.chaos.seed", System.nanoTime());
        String expected = run(folder.resolve("undisturbed"), new Random(seed), 0);
        for (int run = 0; run < runs; run++) {
            Random random = new Random(seed + run);
            String model = run(folder.resolve("run" + run), random, 2 + random.nextInt(3));
            assertThat(model)
                    .as("run %d of -Dpsf.chaos.seed=%d:%n%s", run, seed, String.join("\n", lines))
                    .isEqualTo(expected);
        }
    }

    /** Trains with so many faults. Returns the model. */
    private String run(Path checkpoints, Random random, int faults) throws Exception {
        Files.createDirectories(checkpoints);
        nodes.clear();
        lines.clear();
        isOver = false;
        long began = System.nanoTime();
        int port = freePort();
        start("scheduler", port, checkpoints);
        for (int rank = 0; rank < SERVERS; rank++) {
            start("server " + rank, port, checkpoints);
        }
        for (int rank = 0; rank < 2; rank++) {
            start("worker " + rank, port, checkpoints);
        }
        AtomicLong clients = new AtomicLong();
        Thread visits = new Thread(() -> visit(port, clients), "chaos-clients");
        visits.start();
        await("STEP 10", began);
        for (int fault = 0; fault < faults; fault++) {
            pause(300 + random.nextInt(2000));
            disturb("server " + random.nextInt(SERVERS), random.nextInt(3) == 0);
            supervise(port, checkpoints);
        }
        while (models().size() < 2) {
            supervise(port, checkpoints);
            pause(50);
            assertThat(System.nanoTime() - began)
                    .as(() -> "nanoseconds of a run:\n" + String.join("\n", lines))
                    .isLessThan(LONGEST.toNanos());
        }
        isOver = true;
        visits.join();
        for (Process node : nodes.values()) {
            assertThat(node.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(node("scheduler").exitValue()).isZero();
        List<String> models = models();
        assertThat(models.get(0)).isEqualTo(models.get(1));
        System.out.printf(
                "chaos: %d faults, %d clients, %d returns, %.1f s%n",
                faults,
                clients.get(),
                lines.stream()
                        .filter(line -> line.contains("has its slices after"))
                        .count(),
                (System.nanoTime() - began) / 1e9);
        return models.get(0);
    }

    private Process node(String name) {
        return Objects.requireNonNull(nodes.get(name), name);
    }

    private List<String> models() {
        return lines.stream()
                .filter(line -> line.contains("MODEL"))
                .map(line -> line.substring(line.indexOf("MODEL")))
                .toList();
    }

    private void await(String text, long began) throws InterruptedException {
        while (lines.stream().noneMatch(line -> line.contains(text))) {
            pause(20);
            assertThat(System.nanoTime() - began).as(String.join("\n", lines)).isLessThan(LONGEST.toNanos());
        }
    }

    /** Kills a server, or stops it for longer than the heartbeat's limit and lets it go on. */
    private void disturb(String server, boolean stop) throws IOException, InterruptedException {
        Process node = node(server);
        lines.add("chaos: " + (stop ? "stop " : "kill ") + server);
        if (stop) {
            signal("STOP", node);
            pause(3000);
            signal("CONT", node);
        } else {
            node.destroyForcibly().waitFor();
        }
    }

    private static void signal(String signal, Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start().waitFor();
    }

    /** Starts servers again that have ended, as a supervisor does. */
    private void supervise(int port, Path checkpoints) throws IOException {
        for (int rank = 0; rank < SERVERS; rank++) {
            String name = "server " + rank;
            if (!node(name).isAlive() && models().isEmpty()) {
                start(name, port, checkpoints);
            }
        }
    }

    /** Clients come and go until the run is over. A client may fail with its calls. */
    private void visit(int port, AtomicLong count) {
        while (!isOver) {
            try (Client client = Client.connect(WorkerConfig.of("127.0.0.1", port)
                    .withJoinTimeout(Duration.ofSeconds(10)) // the scheduler may have ended
                    .withDeadline(Duration.ofSeconds(20)))) {
                var unused = Tensors.pull(client, TensorId.of("rounds"));
                count.incrementAndGet();
            } catch (PsException e) { // before the tensor is there, or the cluster has ended
                pause(20);
            }
        }
    }

    private void start(String name, int port, Path checkpoints) throws IOException {
        String role = name.replaceAll(" .*", "");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+IgnoreUnrecognizedVMOptions",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                System.getProperty("java.class.path")));
        command.addAll(
                role.equals("worker")
                        ? List.of(TrainingLoopMain.class.getName(), "" + STEPS)
                        : List.of("io.psf.cli.Main", "node"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Map<String, String> environment = new HashMap<>(Map.of(
                "PSF_ROLE",
                role,
                "PSF_SCHEDULER",
                "127.0.0.1:" + port,
                "PSF_SERVERS",
                "" + SERVERS,
                "PSF_WORKERS",
                "2",
                "PSF_HEARTBEAT_LIMIT",
                "2s",
                "PSF_SERVER_RETURN",
                "60s",
                "PSF_CHECKPOINTS",
                checkpoints.toString()));
        if (!role.equals(name)) {
            environment.put("PSF_RANK", name.replaceAll(".* ", ""));
        }
        builder.environment().putAll(environment);
        Process process = builder.start();
        nodes.put(name, process);
        Thread reader = new Thread(() -> read(name, process), "chaos-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    private void read(String name, Process process) {
        try (BufferedReader output = process.inputReader()) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.add(name + ": " + line);
            }
        } catch (IOException e) {
            lines.add(name + ": " + e);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
