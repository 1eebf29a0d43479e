package io.psf.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.Waiting;
import io.psf.api.spi.NodeReport;
import io.psf.cli.Finding.Cause;
import io.psf.runtime.ClusterSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sentences that numbers become. */
@Timeout(60)
class ExplanationTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final NodeReport.Work RUNS = new NodeReport.Work(20, 0);

    /** What the nodes of a job did in a second. */
    private static final class Numbers {
        private final SortedMap<Integer, NodeReport> workers = new TreeMap<>();
        private final SortedMap<Integer, NodeReport> servers = new TreeMap<>();
        private final SortedMap<Integer, List<JobSample.Load>> loads = new TreeMap<>(Map.of(0, List.of()));
        private final List<Waiting> waiting = new ArrayList<>();
        private final List<ClusterSummary.LostNode> lost = new ArrayList<>();

        Numbers worker(double collected, NodeReport.Work work, NodeReport.Calls... calls) {
            workers.put(workers.size(), node(collected, work, calls));
            return this;
        }

        private static NodeReport node(double collected, NodeReport.Work work, NodeReport.Calls... calls) {
            return new NodeReport(
                    SECOND, SECOND, (long) (collected * SECOND), 500L << 20, 512L << 20, work, List.of(calls));
        }

        Numbers server(JobSample.Load... functions) {
            loads.put(0, List.of(functions));
            return this;
        }

        JobSample sample() {
            List<Member> members =
                    List.of(new Member(Role.SERVER, 0, "127.0.0.1", 1), new Member(Role.WORKER, 0, "", 0));
            return new JobSample(
                    new ClusterSummary(
                            new ClusterSummary.Plan("", false, 1, 1), Duration.ofMinutes(1), members, lost, List.of()),
                    List.of(),
                    Duration.ofSeconds(1),
                    loads,
                    workers,
                    servers,
                    Map.of(),
                    Map.of(),
                    waiting);
        }

        List<Finding> findings() {
            return Explanation.of(sample());
        }
    }

    /** Calls one after another that wait for a share of the second in all. */
    private static NodeReport.Calls calls(String function, int count, double share, long bytes) {
        long nanos = (long) (share * SECOND);
        return new NodeReport.Calls(function, count, nanos, bytes * count, 0, nanos);
    }

    private static JobSample.Load load(String function, int requests, double waited, double ran, double answered) {
        return new JobSample.Load(
                function, requests, (long) (waited * SECOND), (long) (ran * SECOND), (long) (answered * SECOND), 0, 0);
    }

    @Test
    void aHeapThatIsTooSmallIsNamed() {
        Finding first =
                new Numbers().worker(0, RUNS).worker(0.4, RUNS).findings().get(0);
        assertThat(first)
                .isEqualTo(new Finding(
                        Cause.HEAP,
                        0.4,
                        "The heap of worker 1 is collected for 40 % of the time: 500 MiB of 512 MiB are used.",
                        "a larger -Xmx of the worker, or fewer objects in a step"));
    }

    @Test
    void aHeapOfAServerIsNamedAlthoughThoseOfWorkersAreFull() {
        Numbers numbers = new Numbers().worker(0, RUNS);
        numbers.servers.put(3, Numbers.node(0.3, RUNS));
        Finding first = numbers.findings().get(0);
        assertThat(first.cause()).isEqualTo(Cause.HEAP);
        assertThat(first.says()).startsWith("The heap of server 3 is collected for 30 % of the time");
        assertThat(first.change()).isEqualTo("a larger -Xmx of the server (PSF_JAVA_OPTS)");
    }

    @Test
    void aHeapThatIsHalfEmptyIsLargeEnough() {
        NodeReport roomy = new NodeReport(SECOND, 0, SECOND / 2, 100, 1000, RUNS, List.of());
        Numbers numbers = new Numbers();
        numbers.workers.put(0, roomy);
        assertThat(numbers.findings()).extracting(Finding::cause).containsExactly(Cause.NONE);
    }

    @Test
    void workersThatWaitForEachOtherInTurnHaveNoStraggler() {
        Finding first = new Numbers()
                .worker(0, RUNS, calls("psf.barrier", 10, 0.4, 8))
                .worker(0, RUNS, calls("psf.barrier", 10, 0.36, 8))
                .findings()
                .get(0);
        assertThat(first.cause()).isEqualTo(Cause.EACH_OTHER);
        assertThat(first.says())
                .isEqualTo("The workers wait for each other in turn: 38 % of their time in psf.barrier, which opens"
                        + " when all workers have come.");
    }

    @Test
    void workersThatMeetEvenlyWhileServersWriteWaitForCheckpoints() {
        JobSample.Load written = load("psf.model.written", 4, 0, 0.01, 0.2);
        Numbers even = new Numbers()
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.8, 8))
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.7, 8))
                .server(written);
        assertThat(even.findings().get(0).says())
                .isEqualTo(
                        "The workers wait 75 % of their time for checkpoints: psf.model.written ran 4 times on a server,"
                                + " for 50.0 ms each.");
        Numbers uneven = new Numbers()
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.8, 8))
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.1, 8))
                .server(written);
        assertThat(uneven.findings().get(0).cause()).isEqualTo(Cause.STRAGGLER);
        Numbers idle = new Numbers()
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.8, 8))
                .worker(0, RUNS, calls("psf.training.meet", 4, 0.8, 8));
        assertThat(idle.findings().get(0).cause()).isEqualTo(Cause.EACH_OTHER);
    }

    @Test
    void oneWorkerHasNobodyToWaitFor() {
        assertThat(new Numbers()
                        .worker(0, RUNS, calls("psf.barrier", 10, 0.9, 8))
                        .findings()
                        .get(0)
                        .cause())
                .isEqualTo(Cause.EACH_OTHER);
    }

    @Test
    void anAnswerThatAHandlerDefersIsAMeeting() {
        Numbers deferred = new Numbers()
                .worker(0, RUNS, calls("acme.sum", 10, 0.8, 8))
                .worker(0, RUNS, calls("acme.sum", 10, 0.1, 8))
                .server(load("acme.sum", 20, 0, 0.01, 0.85));
        assertThat(deferred.findings().get(0).says()).startsWith("The other workers wait for worker 1: ");
        Numbers alone = new Numbers()
                .worker(0, RUNS, calls("acme.sum", 10, 0.8, 8))
                .worker(0, RUNS)
                .server(load("acme.sum", 20, 0, 0.01, 0.85));
        assertThat(alone.findings().get(0).says()).contains("in its handler, which answers 42.0 ms later");
        Numbers inHandler = new Numbers()
                .worker(0, RUNS, calls("acme.sum", 10, 0.8, 8))
                .worker(0, RUNS, calls("acme.sum", 10, 0.1, 8))
                .server(load("acme.sum", 20, 0, 0.84, 0.85));
        assertThat(inHandler.findings().get(0).cause()).isEqualTo(Cause.ALL_SERVERS);
    }

    @Test
    void theLargestShareComesFirst() {
        List<Finding> findings = new Numbers()
                .worker(0, RUNS, calls("acme.small", 100, 0.2, 8), calls("acme.large", 10, 0.6, 1 << 20))
                .server(load("acme.small", 100, 0, 0.01, 0.01), load("acme.large", 10, 0, 0.01, 0.01))
                .findings();
        assertThat(findings).extracting(Finding::cause).containsExactly(Cause.NETWORK_BYTES, Cause.NETWORK_CALLS);
        assertThat(findings.get(0).says())
                .isEqualTo(
                        "The workers wait 60 % of their time for acme.large. A call takes 60.0 ms, of which 59.0 ms on"
                                + " the way there and back, 0.0 us in the queue of a lane and 1.0 ms in its handler. It waits for"
                                + " the network: 1.0 MiB a call, 10.0 MiB a second.");
    }

    @Test
    void aNodeThatIsLostForGoodIsSaidFirst() {
        Numbers numbers = new Numbers().worker(0, RUNS, calls("acme.f", 1, 0.9, 8));
        numbers.lost.add(new ClusterSummary.LostNode(
                new Member(Role.SERVER, 1, "127.0.0.1", 2), "no heartbeat for 10000 ms", false));
        assertThat(numbers.findings().get(0))
                .isEqualTo(new Finding(
                        Cause.ABSENT_NODE,
                        1,
                        "A node is absent: server 1 is lost (no heartbeat for 10000 ms). Nothing is expected in its place.",
                        "PSF_SERVER_RETURN on the scheduler lets another process take its place; now, end the job and"
                                + " start it again"));
    }

    @Test
    void workersThatReportNothingAreSaid() {
        Numbers numbers = new Numbers().server(load("acme.f", 10, 0, 0.9, 0.9));
        numbers.waiting.add(
                new Waiting("psf.dense.push", "w", 2, 2 * SECOND, List.of(0), List.of(1, 3), "workers without a push"));
        Finding first = numbers.findings().get(0);
        assertThat(first.cause()).isEqualTo(Cause.ALL_SERVERS);
        assertThat(first.says())
                .isEqualTo("No worker has told what it waits for (workers 0). The servers run"
                        + " handlers for 90 % of the time, server 0 for 90 %. At the last visit, psf.dense.push"
                        + " waited for workers [1, 3], for 2.0 s.");
    }

    @Test
    void smallWaitsAreNotCauses() {
        assertThat(new Numbers()
                        .worker(0.05, RUNS, calls("acme.f", 10, 0.14, 8), calls("psf.cluster.beat", 1, 1, 8))
                        .findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.NONE);
        assertThat(new Numbers().worker(0, new NodeReport.Work(4, 16)).findings())
                .extracting(Finding::cause)
                .containsExactly(Cause.OUTSIDE);
    }

    @Test
    void aNodeThatWasStartedAgainCountsFromItsStart() {
        NodeReport before = new NodeReport(5 * SECOND, 0, 0, 0, 0, RUNS, List.of(calls("acme.f", 9, 0.9, 8)));
        NodeReport now = new NodeReport(2 * SECOND, 0, 0, 0, 0, RUNS, List.of(calls("acme.f", 3, 0.3, 8)));
        assertThat(now.since(before)).isEqualTo(now);
        NodeReport later = new NodeReport(
                6 * SECOND, 7, 0, 1, 2, new NodeReport.Work(25, 5), List.of(calls("acme.f", 12, 1.2, 8)));
        assertThat(later.since(before).nanos()).isEqualTo(SECOND);
        assertThat(later.since(before).work()).isEqualTo(new NodeReport.Work(5, 5));
        assertThat(later.since(before).calls().get(0).calls()).isEqualTo(3);
    }
}
