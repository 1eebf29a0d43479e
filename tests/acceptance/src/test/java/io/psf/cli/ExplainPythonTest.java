package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.acceptance.Python;
import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import io.psf.runtime.PsCluster;
import io.psf.runtime.WorkerConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code psf explain} says of jobs whose workers are in Python, and slow for a known reason. */
@Timeout(120)
final class ExplainPythonTest {
    /** The least time that a job is watched. */
    private static final long WATCHED = TimeUnit.MILLISECONDS.toNanos(900);

    private static void pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
    }

    /** Explains a job of two workers in Python, {@code tests/explained.py}. */
    private static JobSample watch(String kind, Duration handler) throws IOException {
        String python = Python.with("numpy");
        List<Process> workers = new ArrayList<>();
        try (PsCluster cluster = PsCluster.builder()
                .workers(1)
                .moreWorkers()
                .asService()
                .tcp()
                .interceptors((call, next) -> {
                    if (call.tensor() != null) {
                        pause(handler);
                    }
                    return next.get();
                })
                .start()) {
            cluster.worker().close();
            int port = cluster.scheduler().port();
            try {
                for (int i = 0; i < 2; i++) {
                    workers.add(Python.start(
                            python,
                            Map.of("PSF_SCHEDULER", "127.0.0.1:" + port),
                            List.of("-m", "tests.explained", kind)));
                }
                return watch(WorkerConfig.of("127.0.0.1", port), workers);
            } finally {
                workers.forEach(Process::destroyForcibly);
            }
        }
    }

    private static JobSample watch(WorkerConfig cluster, List<Process> workers) throws IOException {
        while (true) {
            JobSample before = ExplainCommand.visit(cluster);
            pause(Duration.ofMillis(100));
            for (Process each : workers) {
                assertThat(each.isAlive())
                        .as(() -> "a worker has ended: "
                                + each.inputReader().lines().toList())
                        .isTrue();
            }
            if (before.workers().size() == 2) {
                JobSample sample = before;
                while (sample.workers().values().stream().anyMatch(each -> each.nanos() < WATCHED)) {
                    pause(Duration.ofMillis(100));
                    sample = ExplainCommand.visit(cluster).since(before);
                }
                return sample;
            }
        }
    }

    private static Finding first(JobSample sample) {
        return Explanation.of(sample).get(0);
    }

    @Test
    @Tag("long")
    void theirOwnWorkIsToldFromWaitingForInput() throws IOException {
        JobSample working = watch("work", Duration.ZERO);
        assertThat(first(working).cause()).as(first(working).says()).isEqualTo(Cause.NONE);
        NodeReport.Calls pulls = new WorkerTimes(working.workers()).sum("psf.dense.pull");
        assertThat(pulls.calls()).isPositive();
        assertThat(pulls.received() / pulls.calls()).as("bytes of an answer").isBetween(32L, 200L);
        assertThat(pulls.awaitedNanos()).isPositive().isLessThanOrEqualTo(2 * pulls.nanos());
        JobSample idle = watch("input", Duration.ZERO);
        assertThat(first(idle).cause()).as(first(idle).says()).isEqualTo(Cause.OUTSIDE);
    }

    @Test
    @Tag("long")
    void aServerWithSlowHandlers() throws IOException {
        JobSample sample = watch("pull", Duration.ofMillis(5));
        assertThat(first(sample).cause()).as(first(sample).says()).isEqualTo(Cause.ONE_LANE);
        assertThat(first(sample).says()).contains("psf.dense.pull").contains("of tensor \"w\"");
    }

    @Test
    void aWorkerThatTheBarrierWaitsFor() throws IOException {
        JobSample sample = watch("barrier", Duration.ZERO);
        Finding first = first(sample);
        int slow = Objects.requireNonNull(sample.workers().lastKey());
        assertThat(first.cause()).as(first.says()).isEqualTo(Cause.STRAGGLER);
        assertThat(first.says()).contains("wait for worker " + slow).contains("psf.barrier");
    }
}
