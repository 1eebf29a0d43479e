package io.psf.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.PsException;
import io.psf.benchmarks.scale.Cost;
import io.psf.benchmarks.scale.ScaleRun;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The simulated cluster of {@code ./psf bench --scale} makes the calls that a real one makes. */
final class ScaleTest {
    private static final int SERVERS = 5;
    private static final int WORKERS = 40;
    private static final int NODES = SERVERS + WORKERS;

    private static Cost cost(Map<String, Cost> costs, String step) {
        return Objects.requireNonNull(costs.get(step), step);
    }

    @Test
    void theFramesOfEachStepAreThoseOfItsCalls() {
        Map<String, Cost> costs = new ScaleRun(SERVERS, WORKERS, 10).measure();
        assertThat(cost(costs, "joins before the last").framesIn()).isEqualTo(NODES - 1);
        assertThat(cost(costs, "the last join: the cluster forms").framesOut()).isEqualTo(NODES);
        assertThat(cost(costs, "calls of a barrier before the last").framesOut())
                .isZero();
        assertThat(cost(costs, "the last call: the barrier opens").framesOut()).isEqualTo(WORKERS);
        assertThat(cost(costs, "a tensor is declared").framesOut()).isEqualTo(NODES + 1);
        assertThat(cost(costs, "a lost server is detected").framesOut()).isEqualTo(NODES - 1);
        assertThat(cost(costs, "a server comes in its place").framesOut()).isEqualTo(NODES);
        assertThat(cost(costs, "from its silence to that, by the virtual clock").nanos())
                .isBetween(10_000_000_000L, 10_200_000_000L);
        assertThat(costs.values()).allSatisfy(cost -> assertThat(cost.nanos()).isPositive());
    }

    /** A heartbeat is answered at the latest after a quarter of ten seconds. */
    @Test
    void aNodeInRestHasFewerThanOneHeartbeatASecond() {
        Cost second = cost(new ScaleRun(SERVERS, WORKERS, 2).measure(), "a second in rest");
        assertThat(second.framesOut()).isBetween(NODES / 4L, NODES / 2L);
        assertThat(second.bytesOut()).isLessThan(second.framesOut() * 64);
    }

    /**
     * Twice as many workers: what one of them changes has as many bytes for each node, and the whole state twice as
     * many.
     */
    @Test
    void theDifferenceOfOneWorkerDoesNotGrowWithTheCluster() {
        Map<String, Cost> some = new ScaleRun(SERVERS, WORKERS, 2).measure();
        Map<String, Cost> twice = new ScaleRun(SERVERS, 2 * WORKERS, 2).measure();
        Cost leave = cost(some, "a worker leaves");
        Cost leaveOfTwice = cost(twice, "a worker leaves");
        assertThat(leaveOfTwice.bytesOut() / leaveOfTwice.framesOut()).isEqualTo(leave.bytesOut() / leave.framesOut());
        assertThat(cost(twice, "a node receives the whole state").bytesOut())
                .isGreaterThan(cost(some, "a node receives the whole state").bytesOut());
    }

    @Test
    void aSizeIsTwoNumbers() {
        assertThat(BenchCommand.scale("10x200")).isEqualTo(new ScaleRun(10, 200, 1_000));
        for (String wrong : new String[] {"10", "0x5", "5x", "10x200x3", "9999999x1"}) {
            assertThatThrownBy(() -> BenchCommand.scale(wrong))
                    .isInstanceOf(PsException.class)
                    .hasMessageContaining("CONFIGURATION: --scale: " + wrong);
        }
    }
}
