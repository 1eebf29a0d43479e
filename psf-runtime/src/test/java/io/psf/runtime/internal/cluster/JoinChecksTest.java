package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Role;
import io.psf.runtime.internal.cluster.VirtualScheduler.Joined;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Joins that a scheduler refuses. */
class JoinChecksTest {
    private final VirtualScheduler scheduler = new VirtualScheduler(2, 1, false, Duration.ZERO);

    @Test
    void aNodeThatJoinsAfterTheTimeIsToldWhichNodesWereMissing() {
        Joined first = scheduler.join(Role.SERVER);
        scheduler.pass(scheduler.plan().joinTimeout().plusSeconds(1));
        assertThat(first.answer()).isCompletedExceptionally();
        String missing = "nodes that have joined after "
                + scheduler.plan().joinTimeout().toMillis() + " ms: 1 of 2 servers and 0 of 1 workers (expected: all)";
        assertThat(scheduler.failure()).hasMessage("TIMED_OUT: " + missing);
        assertThatThrownBy(() -> scheduler.join(Role.WORKER))
                .hasMessage("BAD_REQUEST: join: the cluster of 2 servers and 1 worker has ended: " + missing);
    }

    @Test
    void aNodeThatJoinsAfterTheEndIsToldSo() {
        scheduler.join(Role.SERVER);
        scheduler.join(Role.SERVER);
        Joined worker = scheduler.join(Role.WORKER);
        scheduler.leave(worker);
        assertThatThrownBy(() -> scheduler.join(Role.SERVER))
                .hasMessage("BAD_REQUEST: join: the cluster of 2 servers and 1 worker has ended (expected: before)");
    }
}
