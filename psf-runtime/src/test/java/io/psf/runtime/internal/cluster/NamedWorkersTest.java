package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Role;
import io.psf.runtime.internal.cluster.VirtualScheduler.Joined;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that are started again before they count as lost. */
@Timeout(60)
class NamedWorkersTest {
    private final VirtualScheduler scheduler = new VirtualScheduler(1, 2, true, Duration.ZERO);

    private Joined join(String name) {
        return join(name, -1);
    }

    private Joined join(String name, int rank) {
        return scheduler.join(Join.Request.of(Role.WORKER, rank, "", 0).with(new Join.Names("clicks", name)));
    }

    @Test
    void aWorkerThatIsStartedAgainHasItsRankAtOnce() {
        scheduler.join(Role.SERVER);
        join("a");
        Joined before = join("b");
        assertThat(before.admission().rank()).isEqualTo(1);
        Joined after = join("b");
        assertThat(after.admission().rank()).isEqualTo(1);
        assertThat(after.admission().since()).isEqualTo(2);
        assertThat(after.admission().late()).isTrue();
        assertThat(scheduler.state().count(Role.WORKER)).isEqualTo(2);
        assertThat(scheduler.state().lost()).isEmpty();
        assertThat(scheduler.told())
                .as("barriers do not wait for the one before")
                .endsWith(3, 2, 3);
        assertThatThrownBy(() -> scheduler.beat(before)).hasMessageContaining("counted as lost by the scheduler");
        scheduler.beat(after);
        assertThat(join("c").admission().rank()).isEqualTo(2);
    }

    @Test
    void aJobDoesNotEndWhenItsOnlyWorkerIsStartedAgain() {
        VirtualScheduler small = new VirtualScheduler(1, 1, false, Duration.ZERO);
        small.join(Role.SERVER);
        Join.Request named = Join.Request.of(Role.WORKER, -1, "", 0).with(new Join.Names("", "a"));
        small.join(named);
        Joined again = small.join(Join.Request.of(Role.WORKER, -1, "", 0).with(new Join.Names("", "a")));
        assertThat(again.admission().since()).isEqualTo(2);
        assertThat(small.hasEnded()).isFalse();
        small.leave(again);
        assertThat(small.state().count(Role.WORKER)).isZero();
    }

    @Test
    void aWorkerThatWaitsForTheClusterIsReplaced() {
        Joined before = join("a");
        Joined after = join("a");
        assertThat(before.answer()).isCompletedExceptionally();
        scheduler.join(Role.SERVER);
        assertThat(after.answer()).isNotDone();
        join("b");
        assertThat(after.admission().rank()).isZero();
    }

    @Test
    void theNextSchedulerKnowsTheNames() {
        scheduler.join(Role.SERVER);
        join("a");
        Joined b = join("b");
        scheduler.restart();
        scheduler.again(1);
        assertThat(join("b").admission().rank()).isEqualTo(b.admission().rank());
    }

    @Test
    void aNamedWorkerKeepsItsRank() {
        scheduler.join(Role.SERVER);
        join("a");
        join("b");
        assertThatThrownBy(() -> join("b", 0))
                .hasMessageContaining("rank of worker \"b\": 0 (expected: any, or 1, which it has had)");
        assertThat(join("b", 1).admission().rank()).isEqualTo(1);
    }

    @Test
    void aWorkerOfAnotherClusterIsRefused() {
        Join.Request other = Join.Request.of(Role.WORKER, -1, "", 0).with(new Join.Names("views", "a"));
        assertThatThrownBy(() -> scheduler.join(other))
                .hasMessageContaining("cluster of this worker: \"views\" (expected: \"clicks\"");
        Join.Request guest = Join.Request.of(Role.WORKER, -1, "", 0).with(new Join.Names("views", ""));
        assertThatThrownBy(() -> scheduler.visit(guest)).hasMessageContaining("\"views\" (expected: \"clicks\"");
        Join.Request wrong = Join.Request.of(Role.WORKER, -1, "", 0).with(new Join.Names("", "a\nb"));
        assertThatThrownBy(() -> scheduler.join(wrong))
                .hasMessageContaining("name in a join: 3 characters (expected: 1 to 100 letters");
    }

    @Test
    void workersWithoutNamesHaveRanksOfTheirOwn() {
        scheduler.join(Role.SERVER);
        scheduler.join(Role.WORKER);
        scheduler.join(Role.WORKER);
        assertThat(scheduler.join(Role.WORKER).admission().rank()).isEqualTo(2);
    }
}
