package io.psf.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.builtin.Tensors;
import io.psf.runtime.Client;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Training jobs of real processes, in a service, whose nodes are killed and stopped at random, and started again by a
 * supervisor, while clients come and go. {@code -Dpsf.chaos.runs=50} for more than one run, {@code
 * -Dpsf.chaos.faults=KILL_WORKER} for some kinds of faults alone, {@code -Dpsf.chaos.logs=FOLDER} for what the nodes
 * print.
 */
@Timeout(3600)
@Tag("chaos")
final class ChaosTest {
    private static final Logger LOG = LoggerFactory.getLogger(ChaosTest.class);
    private static final @Nullable String LOGS = System.getProperty("psf.chaos.logs");
    private static final int STEPS = 150;
    private static final Duration LONGEST = Duration.ofMinutes(3);
    /** Longer than the heartbeat's limit. */
    private static final Duration STOP = Duration.ofSeconds(3);

    /** What happens to a node of a role. */
    private enum Fault {
        KILL_SERVER("server", false),
        STOP_SERVER("server", true),
        KILL_WORKER("worker", false),
        STOP_WORKER("worker", true),
        KILL_SCHEDULER("scheduler", false),
        STOP_SCHEDULER("scheduler", true);

        private final String role;
        private final boolean stops;

        Fault(String role, boolean stops) {
            this.role = role;
            this.stops = stops;
        }

        /** Disturbs a node. Returns its name. */
        String strike(TrainingProcesses job, Random random) throws IOException, InterruptedException {
            List<String> nodes = TrainingProcesses.of(role);
            String node = nodes.get(random.nextInt(nodes.size()));
            if (stops) {
                job.stop(node, STOP);
            } else {
                job.kill(node);
            }
            return node;
        }
    }

    private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);
    private volatile boolean isOver;

    @Test
    void theModelIsThatOfAnUndisturbedTrainingHoweverNodesComeAndGo(@TempDir Path folder) throws Exception {
        int runs = Integer.getInteger("psf.chaos.runs", 1);
        long seed = Long.getLong("psf.chaos.seed", System.nanoTime());
        String names = System.getProperty("psf.chaos.faults", "");
        List<Fault> kinds = names.isEmpty()
                ? List.of(Fault.values())
                : Arrays.stream(names.split(",")).map(Fault::valueOf).toList();
        String expected = run(folder.resolve("undisturbed"), new Random(seed), List.of(), 0);
        double longest = 0;
        for (int run = 0; run < runs; run++) {
            Random random = new Random((seed + run) * 0x9E3779B97F4A7C15L); // those of near seeds begin alike
            long began = System.nanoTime();
            System.out.printf("chaos: run %d of -Dpsf.chaos.seed=%d%n", run, seed);
            assertThat(run(folder.resolve("run" + run), random, kinds, 2 + random.nextInt(4)))
                    .as("run %d of -Dpsf.chaos.seed=%d", run, seed)
                    .isEqualTo(expected);
            longest = Math.max(longest, (System.nanoTime() - began) / 1e9);
        }
        System.out.printf("chaos: %d runs, faults %s, longest run %.1f s%n", runs, counts, longest);
    }

    /** Trains with so many faults. Returns the model. */
    private String run(Path checkpoints, Random random, List<Fault> kinds, int faults) throws Exception {
        isOver = false;
        Map<String, String> settings = Map.of(
                "PSF_LIFETIME",
                "service",
                "PSF_JOURNAL",
                checkpoints.resolve("journal").toString());
        TrainingProcesses job = new TrainingProcesses(checkpoints, settings, STEPS, LONGEST);
        try (job) {
            job.start();
            AtomicLong clients = new AtomicLong();
            Thread visits = new Thread(() -> visit(job.port(), clients), "chaos-clients");
            visits.start();
            job.superviseUntil(() -> job.printed("worker 0", "STEP") > 0); // a loaded machine loses nodes at the start
            int struck = 0;
            while (struck < faults && job.printed("worker", "TRAINED") == 0) {
                long steps = job.printed("worker", "STEP");
                if (random.nextBoolean()) { // once the training goes on, or before
                    job.superviseUntil(
                            () -> job.printed("worker", "STEP") > steps || job.printed("worker", "TRAINED") > 0);
                }
                LockSupport.parkNanos(Duration.ofMillis(random.nextInt(1500)).toNanos());
                Fault fault = kinds.get(random.nextInt(kinds.size()));
                String node = fault.strike(job, random);
                System.out.printf("chaos: %s %s at %.1f s%n", fault, node, job.seconds());
                counts.merge(fault, 1, Integer::sum);
                struck++;
                job.supervise();
            }
            job.superviseUntil(() -> job.hasEnded() || job.printed("scheduler", "a job has ended") > 0);
            boolean allHaveEnded =
                    job.endWorkers(); // one that was struck after the last checkpoint may have come too late
            isOver = true;
            visits.join();
            try (Client client = Client.connect(WorkerConfig.of("127.0.0.1", job.port()))) {
                client.end();
            }
            job.awaitEnd();
            assertThat(job.node("scheduler").exitValue()).as(job::toString).isEqualTo(allHaveEnded ? 0 : 1);
            List<String> models = job.models();
            assertThat(models.stream().distinct()).as(job::toString).hasSize(1);
            System.out.printf(
                    "chaos: %d faults, %d clients, %d servers back, %.1f s%n",
                    struck, clients.get(), job.printed("server", "has its slices after"), job.seconds());
            return models.get(0);
        } finally {
            isOver = true;
            if (LOGS != null) {
                Files.writeString(Path.of(LOGS).resolve(checkpoints.getFileName() + ".log"), job.toString());
            }
        }
    }

    /** Clients come and go until the run is over. A client may fail with its calls. */
    private void visit(int port, AtomicLong count) {
        while (!isOver) {
            try (Client client = Client.connect(WorkerConfig.of("127.0.0.1", port)
                    .withJoinTimeout(Duration.ofSeconds(10))
                    .withDeadline(Duration.ofSeconds(20)))) {
                var unused = Tensors.pull(client, TensorId.of("rounds"));
                count.incrementAndGet();
            } catch (PsException e) { // before the tensor is there, or the cluster has ended
                LOG.debug("a client has failed: {}", e.getMessage());
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }
}
