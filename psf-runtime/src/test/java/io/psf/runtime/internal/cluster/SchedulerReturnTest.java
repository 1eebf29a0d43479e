package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.PsException;
import io.psf.api.Role;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A scheduler that is started again, and the end of a cluster. */
@Timeout(60)
class SchedulerReturnTest {
    private static VirtualScheduler formed(int workers, Duration schedulerReturn) {
        VirtualScheduler scheduler = new VirtualScheduler(1, workers, false, schedulerReturn);
        scheduler.join(Role.SERVER);
        for (int i = 0; i < workers; i++) {
            scheduler.join(Role.WORKER);
        }
        assertThat(scheduler.state().epoch()).isEqualTo(1);
        return scheduler;
    }

    /** The nodes of the journal are silent from a time on, and the wait for them begins a little later. */
    @Test
    void aSchedulerThatReturnsAloneFormsANewCluster() {
        for (int millis = 0; millis < 1000; millis += 20) {
            VirtualScheduler scheduler = formed(1, Duration.ZERO);
            scheduler.slow(Duration.ofMillis(millis));
            scheduler.restart();
            scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(2));
            assertThat(scheduler.hasEnded())
                    .as("ended, with %d ms between two readings of the clock", millis)
                    .isFalse();
            scheduler.join(Role.SERVER);
            assertThat(scheduler.join(Role.WORKER).admission().since()).isEqualTo(3);
        }
    }

    /** All nodes have been told of the end by the scheduler before, which was killed before it deleted its journal. */
    @Test
    void aSchedulerThatReturnsAloneAfterTheEndEnds() {
        VirtualScheduler scheduler = formed(1, Duration.ZERO);
        scheduler.membership().end();
        scheduler.restart();
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(2));
        assertThat(scheduler.ends()).isEqualTo(1);
        assertThat(scheduler.failure()).isNull();
    }

    @Test
    void theNodesHaveTheTimeOfTheReturnToConnectAgain() {
        VirtualScheduler scheduler = formed(2, VirtualScheduler.LIMIT.multipliedBy(6));
        scheduler.restart();
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(5));
        VirtualScheduler.Joined late = scheduler.again(1);
        assertThat(late.answer().join().limits().schedulerMillis()).isEqualTo(60_000);
        scheduler.beat(late);
        assertThat(scheduler.state().lost()).isEmpty();
        scheduler.pass(VirtualScheduler.LIMIT.dividedBy(2));
        scheduler.beat(late);
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(3).dividedBy(4));
        assertThat(scheduler.state().lost())
                .as("the nodes that have not connected again")
                .hasSize(2);
        assertThat(scheduler.state().count(Role.WORKER)).isEqualTo(1);
    }

    @Test
    void aJobWhoseLostWorkerWasNotReplacedHasEndedWell() {
        VirtualScheduler scheduler = new VirtualScheduler(1, 2, false, Duration.ZERO);
        VirtualScheduler.Joined server = scheduler.join(Role.SERVER);
        VirtualScheduler.Joined worker = scheduler.join(Role.WORKER);
        scheduler.join(Role.WORKER);
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(3).dividedBy(4));
        scheduler.beat(server);
        scheduler.beat(worker);
        scheduler.pass(VirtualScheduler.LIMIT.dividedBy(2));
        assertThat(scheduler.state().lost()).hasSize(1);
        scheduler.leave(worker);
        scheduler.leave(server);
        assertThat(scheduler.hasEnded()).isTrue();
        assertThat(scheduler.failure()).isNull();
    }

    @Test
    void aJobWhoseLastWorkerIsLostHasFailed() {
        VirtualScheduler scheduler = new VirtualScheduler(1, 1, false, Duration.ZERO);
        VirtualScheduler.Joined server = scheduler.join(Role.SERVER);
        scheduler.join(Role.WORKER);
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(3).dividedBy(4));
        scheduler.beat(server);
        scheduler.pass(VirtualScheduler.LIMIT.dividedBy(2));
        scheduler.leave(server);
        assertThat(scheduler.failure())
                .isInstanceOf(PsException.class)
                .hasMessageContaining("lost worker 0: no heartbeat");
    }

    /** The system closes the connection of a process that was killed, and the process does not say that it leaves. */
    @ParameterizedTest
    @EnumSource(names = {"SERVER", "WORKER", "CLIENT"})
    void theEndDoesNotWaitForANodeThatWasKilled(Role killed) {
        VirtualScheduler scheduler = new VirtualScheduler(1, 1, false, Duration.ZERO);
        Map<Role, VirtualScheduler.Joined> nodes = new EnumMap<>(Role.class);
        for (Role role : List.of(Role.SERVER, Role.WORKER, Role.CLIENT)) {
            nodes.put(role, scheduler.join(role));
        }
        nodes.values().forEach(scheduler::beat);
        Objects.requireNonNull(nodes.get(killed)).connection().channel().close();
        scheduler.membership().end();
        nodes.forEach((role, node) -> {
            if (role != killed) {
                scheduler.leave(node);
            }
        });
        scheduler.pass(Duration.ofMillis(900));
        assertThat(scheduler.hasEnded()).as("it may connect again").isFalse();
        scheduler.pass(Duration.ofMillis(200));
        assertThat(scheduler.ends()).isEqualTo(1);
        assertThat(scheduler.failure()).isNull();
    }

    /** A process that is stopped, for example, has its connection still. */
    @Test
    void theEndWaitsForTheOthersForTheLimitOfTheHeartbeat() {
        VirtualScheduler scheduler = formed(1, Duration.ZERO);
        scheduler.membership().end();
        scheduler.pass(VirtualScheduler.LIMIT.multipliedBy(9).dividedBy(10));
        assertThat(scheduler.hasEnded()).isFalse();
        scheduler.pass(VirtualScheduler.LIMIT.dividedBy(5));
        assertThat(scheduler.ends()).isEqualTo(1);
    }
}
