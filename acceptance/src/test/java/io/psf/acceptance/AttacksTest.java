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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guests of a server with little memory that cost it as much as they can, while a worker trains. */
@Timeout(120)
final class AttacksTest {
    private static final int GUESTS = 130;

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
                Pushes before = new Pushes(worker, w).forSeconds(2);
                Path log = folder.resolve("guests.log");
                guests = guests(job.schedulerAddress(), function, log);
                await().atMost(60, TimeUnit.SECONDS)
                        .until(() -> Files.readString(log).contains("ADMITTED"));
                assertThat(log).content().contains("ADMITTED 100 REFUSED " + (GUESTS - 100));
                Pushes calling = new Pushes(worker, w).forSeconds(2);
                ProcessesTest.signal("STOP", guests);
                Pushes stopped = new Pushes(worker, w).forSeconds(3);
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
                await().atMost(20, TimeUnit.SECONDS)
                        .ignoreException(PsException.class)
                        .until(() -> {
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

    private static Process guests(String scheduler, String function, Path log) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xss256k",
                        "-Xmx1g",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GuestFlood.class.getName(),
                        GUESTS + "",
                        function)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().putAll(Map.of("PSF_SCHEDULER", scheduler, "PSF_TRANSPORT", "tcp"));
        return builder.start();
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
