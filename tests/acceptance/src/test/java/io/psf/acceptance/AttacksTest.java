package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.TensorSpec;
import io.psf.builtin.Tensors;
import io.psf.cli.LocalJob;
import io.psf.runtime.Guest;
import io.psf.runtime.Worker;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guests and strangers of a server with little memory that cost it as much as they can, while a worker trains. */
@Tag("long")
@Timeout(120)
final class AttacksTest {
    private static final int GUESTS = 130;
    private static final int STRANGERS = 3000;

    /**
     * The guests' process is stopped in the middle of its calls, so that their answers stay at the server.
     *
     * @param rss the most memory of the server's process, in MB
     */
    @ParameterizedTest
    @CsvSource({"list, 450", "statistics, 450"})
    void guestsThatTakeNoAnswersDelayNoPushAndFillNoMemory(String function, int rss, @TempDir Path folder)
            throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .workers(1)
                .nodeFlags(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=64m"))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            WorkerConfig config = WorkerConfig.of(address[0], Integer.parseInt(address[1]));
            Process server = job.process("server 0");
            Process guests = null;
            try (Worker worker = Worker.connect(config)) {
                for (int i = 0; i < 200; i++) {
                    Tensors.init(worker, TensorSpec.dense("another tensor of a model with a long name " + i, 10));
                }
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
                Pushes before = new Pushes(worker, w).forSeconds(1);
                Path log = folder.resolve("guests.log");
                guests = started(job.schedulerAddress(), log, GuestFlood.class, GUESTS + "", function);
                await().atMost(60, TimeUnit.SECONDS)
                        .until(() -> Files.readString(log).contains("ADMITTED"));
                assertThat(log).content().contains("ADMITTED 100 REFUSED " + (GUESTS - 100));
                Pushes calling = new Pushes(worker, w).forSeconds(2);
                ProcessesTest.signal("STOP", guests);
                Pushes stopped = new Pushes(worker, w).forSeconds(2);
                System.out.printf(
                        "%d guests, %s: the slowest of a worker's pushes took %d ms before, %d ms while they called, %d ms"
                                + " while they took no answers; server: at most %d MB, %d descriptors%n",
                        GUESTS,
                        function,
                        before.slowestMillis,
                        calling.slowestMillis,
                        stopped.slowestMillis,
                        peakMegabytes(server),
                        descriptors(server));
                assertThat(Math.max(calling.slowestMillis, stopped.slowestMillis))
                        .as("slowest push")
                        .isLessThan(5000);
                assertThat(Tensors.pull(worker, w)).containsOnly(before.count + calling.count + stopped.count);
                assertThat(peakMegabytes(server)).isLessThan(rss);
                guests.destroyForcibly().waitFor();
                await().forever().ignoreException(PsException.class).until(() -> {
                    try (Guest guest = Guest.visit(config)) {
                        return Tensors.list(guest).size() == 201;
                    }
                });
            } finally {
                if (guests != null) {
                    guests.destroyForcibly();
                }
            }
            assertThat(job.awaitExit(Duration.ofSeconds(30))).isTrue();
        }
        assertThat(lines).noneMatch(line -> line.contains("ERROR") || line.contains("OutOfMemoryError"));
    }

    /**
     * The other worker's process is stopped in the middle of its calls, so that their answers stay at the server.
     *
     * @param rss the most memory of the server's process, in MB
     */
    @ParameterizedTest
    @CsvSource({"list, 450", "statistics, 450"})
    void aWorkerThatTakesNoAnswersDelaysNoPushAndFillsNoMemory(String function, int rss, @TempDir Path folder)
            throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        Process other = null;
        try (LocalJob job = LocalJob.builder()
                .workers(2)
                .nodeFlags(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=64m"))
                .onLine((node, line) -> lines.add(node + ": " + line))
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Process server = job.process("server 0");
            Path log = folder.resolve("worker.log");
            other = started(job.schedulerAddress(), log, WorkerFlood.class, function);
            try (Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])))) {
                Tensors.init(
                        worker,
                        IntStream.range(0, 200)
                                .mapToObj(i -> TensorSpec.dense("another tensor of a model with a long name " + i, 10))
                                .toList());
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
                await().atMost(60, TimeUnit.SECONDS)
                        .until(() -> Files.readString(log).contains("FLOODING"));
                Pushes calling = new Pushes(worker, w).forSeconds(2);
                ProcessesTest.signal("STOP", other);
                Pushes stopped = new Pushes(worker, w).forSeconds(2);
                System.out.printf(
                        "a worker, %s: the slowest of another worker's pushes took %d ms while it called, %d ms while it"
                                + " took no answers; server: at most %d MB%n",
                        function, calling.slowestMillis, stopped.slowestMillis, peakMegabytes(server));
                assertThat(Math.max(calling.slowestMillis, stopped.slowestMillis))
                        .as("slowest push")
                        .isLessThan(5000);
                assertThat(Tensors.pull(worker, w)).containsOnly(calling.count + stopped.count);
                assertThat(peakMegabytes(server)).isLessThan(rss);
            }
        } finally {
            if (other != null) {
                other.destroyForcibly();
            }
        }
        assertThat(lines).noneMatch(line -> line.contains("ERROR") || line.contains("OutOfMemoryError"));
    }

    /**
     * Connections that never say hello, and for five seconds others that send what is no frame, as fast as they can.
     */
    @Test
    void strangersDelayNoPushAndFillNeitherMemoryNorLog() throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        List<Socket> silent = new ArrayList<>();
        try (LocalJob job = LocalJob.builder()
                .workers(1)
                .nodeFlags(List.of("-Xmx128m", "-XX:MaxDirectMemorySize=64m"))
                .environment(Map.of("PSF_TRANSPORT", "tcp"))
                .onLine((node, line) -> lines.add(line))
                .start()) {
            String[] address = job.schedulerAddress().split(":", 2);
            Process server = job.process("server 0");
            try (Worker worker = Worker.connect(WorkerConfig.of(address[0], Integer.parseInt(address[1])))) {
                TensorId w = Tensors.init(worker, TensorSpec.dense("w", 1000));
                Pushes before = new Pushes(worker, w).forSeconds(1);
                int port = port(server);
                for (int i = 0; i < STRANGERS; i++) {
                    silent.add(new Socket(InetAddress.getLoopbackAddress(), port));
                }
                long linesBefore = lines.size();
                AtomicInteger junk = new AtomicInteger();
                AtomicBoolean over = new AtomicBoolean();
                Thread stranger = new Thread(() -> sendJunk(port, junk, over));
                stranger.start();
                Pushes meanwhile = new Pushes(worker, w).forSeconds(5);
                over.set(true);
                stranger.join();
                long logged = lines.size() - linesBefore;
                System.out.printf(
                        "%d silent connections and %d that sent junk in 5 s: the slowest of a worker's pushes took %d ms"
                                + " before, %d ms meanwhile; server: at most %d MB, %d descriptors, %d lines%n",
                        STRANGERS,
                        junk.get(),
                        before.slowestMillis,
                        meanwhile.slowestMillis,
                        peakMegabytes(server),
                        descriptors(server),
                        logged);
                assertThat(junk).hasValueGreaterThan(100);
                assertThat(meanwhile.slowestMillis).as("slowest push").isLessThan(5000);
                assertThat(Tensors.pull(worker, w)).containsOnly(before.count + meanwhile.count);
                assertThat(peakMegabytes(server)).isLessThan(450);
                assertThat(descriptors(server)).isLessThan(STRANGERS);
                assertThat(logged).isLessThan(200);
            }
            assertThat(job.awaitExit(Duration.ofSeconds(30))).isTrue();
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    /** The pushes of a worker, one after another. */
    private static final class Pushes {
        private final Worker worker;
        private final TensorId w;
        private final float[] ones = new float[1000];
        private int count;
        private long slowestMillis;

        Pushes(Worker worker, TensorId w) {
            this.worker = worker;
            this.w = w;
            Arrays.fill(ones, 1);
        }

        Pushes forSeconds(int seconds) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
            while (System.nanoTime() - end < 0) {
                long begin = System.nanoTime();
                Tensors.push(worker, w, ones).await();
                slowestMillis = Math.max(slowestMillis, (System.nanoTime() - begin) / 1_000_000);
                count++;
            }
            return this;
        }
    }

    private static Process started(String scheduler, Path log, Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xss256k",
                "-Xmx1g",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(Map.of("PSF_SCHEDULER", scheduler, "PSF_TRANSPORT", "tcp"));
        return builder.start();
    }

    private static void sendJunk(int port, AtomicInteger sent, AtomicBoolean over) {
        byte[] junk = "GET / HTTP/1.1\r\nHost: psf\r\n\r\n".repeat(10).getBytes(StandardCharsets.US_ASCII);
        while (!over.get()) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                socket.getOutputStream().write(junk);
                socket.setSoTimeout(1000);
                socket.getInputStream().readAllBytes(); // the refusal
                sent.incrementAndGet();
            } catch (IOException e) {
                sent.incrementAndGet(); // reset by the server
            }
        }
    }

    /** Returns the port on which a process listens. */
    private static int port(Process process) throws IOException {
        Set<String> sockets = new HashSet<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/" + process.pid() + "/fd"))) {
            for (Path each : all) {
                sockets.add(Files.readSymbolicLink(each).toString());
            }
        }
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                String[] columns = line.strip().split("\\s+", -1);
                if (columns[3].equals("0A") && sockets.contains("socket:[" + columns[9] + "]")) {
                    return Integer.parseInt(columns[1].substring(columns[1].indexOf(':') + 1), 16);
                }
            }
        }
        throw new IllegalStateException("no socket of process " + process.pid() + " listens");
    }

    /** Returns the most memory that a process has had, in MB. */
    private static long peakMegabytes(Process process) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + process.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) >> 10)
                .findFirst()
                .orElseThrow();
    }

    private static long descriptors(Process process) throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return all.count();
        }
    }
}
