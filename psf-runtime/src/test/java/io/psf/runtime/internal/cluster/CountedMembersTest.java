package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which members others wait for, while a worker is present, lost, awaited and back. */
final class CountedMembersTest {
    private static final Member SERVER = new Member(Role.SERVER, 0, "host", 1);
    private static final Member ONE = new Member(Role.WORKER, 0, "", 0);
    private static final Member TWO = new Member(Role.WORKER, 1, "", 0);

    private static final ClusterState COMPLETE = state(3, 0, List.of(), node(SERVER, 1), node(ONE, 1), node(TWO, 1));
    private static final ClusterState AWAITED = state(4, 0, List.of(loss(true)), node(SERVER, 1), node(ONE, 1));
    private static final ClusterState OVER = state(5, 0, List.of(loss(false)), node(SERVER, 1), node(ONE, 1));
    private static final ClusterState BACK = state(5, 5, List.of(), node(SERVER, 1), node(ONE, 1), node(TWO, 5));
    private static final ClusterState REPLACED = state(6, 0, List.of(), node(SERVER, 1), node(ONE, 1), node(TWO, 6));

    private static ClusterChange.Node node(Member member, long since) {
        return new ClusterChange.Node(member, since);
    }

    private static ClusterChange.Loss loss(boolean awaited) {
        return new ClusterChange.Loss(TWO, "silent", awaited);
    }

    private static ClusterState state(
            long epoch, long rollback, List<ClusterChange.Loss> lost, ClusterChange.Node... present) {
        ClusterChange.Model model = new ClusterChange.Model("m", true);
        return new ClusterState(
                epoch,
                List.of(present),
                lost,
                ClusterState.even(1),
                new ClusterChange.Recovery(List.of(model), rollback, List.of()),
                IntMap.empty());
    }

    @Test
    void anAwaitedWorkerIsCounted() {
        assertThat(AWAITED.members()).containsExactly(SERVER, ONE);
        assertThat(AWAITED.counted()).containsExactly(SERVER, ONE, TWO);
        assertThat(OVER.counted()).containsExactly(SERVER, ONE);
    }

    @Test
    void aJobHasWorkersWhileOneIsAwaited() {
        assertThat(state(4, 0, List.of(loss(true)), node(SERVER, 1)).hasWorkers())
                .isTrue();
        assertThat(state(4, 0, List.of(loss(false)), node(SERVER, 1)).hasWorkers())
                .isFalse();
    }

    /** Also for a server that learns of the loss and the return at once. */
    @Test
    void aWorkerThatIsAwaitedAndComesBackIsCountedAllTheTime() {
        assertThat(AWAITED.kept(COMPLETE)).containsExactly(SERVER, ONE, TWO);
        assertThat(BACK.kept(AWAITED)).containsExactly(SERVER, ONE, TWO);
        assertThat(BACK.kept(COMPLETE)).containsExactly(SERVER, ONE, TWO);
    }

    @Test
    void aRankThatAnotherWorkerHasWithoutARollbackWasFree() {
        assertThat(OVER.kept(AWAITED)).containsExactly(SERVER, ONE);
        assertThat(REPLACED.kept(COMPLETE)).containsExactly(SERVER, ONE);
        assertThat(REPLACED.kept(AWAITED)).containsExactly(SERVER, ONE);
    }
}
