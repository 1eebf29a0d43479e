package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.psf.api.Member;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What has happened to a cluster. */
@Timeout(60)
class TimelineTest {
    private final ClusterStates states = new ClusterStates(ClusterState.NONE, change -> {}, () -> {});

    private static ClusterChange.Node server(int rank, long since) {
        return new ClusterChange.Node(new Member(Role.SERVER, rank, "10.0.0.7", 4000 + rank), since);
    }

    private static ClusterChange.Node worker(int rank) {
        return new ClusterChange.Node(new Member(Role.WORKER, rank, "", 0), 1);
    }

    private static ClusterChange.Nodes joined(List<ClusterChange.Node> nodes, ClusterChange.Recovery recovery) {
        return new ClusterChange.Nodes(
                nodes,
                List.of(),
                List.of(),
                nodes.stream()
                        .map(each -> ClusterChange.Place.of(each.member()))
                        .toList(),
                List.of(),
                recovery);
    }

    private List<String> events() {
        return states.events().stream()
                .map(each -> each.kind() + ": " + each.text())
                .toList();
    }

    @Test
    void nodesJoinAreLostReturnAndLeave() {
        states.change(joined(List.of(server(0, 1), worker(0)), ClusterChange.Recovery.NONE));
        ClusterChange.Place place = new ClusterChange.Place(Role.SERVER, 0);
        states.change(ClusterChange.Nodes.gone(
                List.of(place), List.of(new ClusterChange.Loss(server(0, 1).member(), "it was silent", true))));
        states.change(joined(List.of(server(0, 3)), ClusterChange.Recovery.NONE.rolledBack(3)));
        states.change(ClusterChange.Nodes.gone(List.of(new ClusterChange.Place(Role.WORKER, 0)), List.of()));

        assertThat(events())
                .containsExactly(
                        "joined: server 0 at 10.0.0.7:4000",
                        "joined: worker 0",
                        "lost: server 0: it was silent",
                        "returned: server 0 at 10.0.0.7:4000",
                        "rolled back: all workers load the newest checkpoint",
                        "left: worker 0");
    }

    private static TensorDeclaration declaration(int number) {
        return TensorDeclaration.memory(new TensorInfo(TensorId.of("w" + number), 10, 1), 1, "", "acme.memory");
    }

    @Test
    void tensorsAreDeclaredMovedAndDropped() {
        states.change(new ClusterChange.Nodes(
                List.of(server(0, 1), server(1, 1)),
                List.of(),
                List.of(),
                List.of(),
                ClusterState.even(2),
                ClusterChange.Recovery.NONE));
        Catalog catalog = new Catalog(states);
        catalog.declare(
                IntStream.range(0, 5).mapToObj(TimelineTest::declaration).toList());
        int server = states.now().declared().get(0).layout().server(0);
        TensorId id = states.now().declared().get(0).id();
        catalog.move(catalog.moved(id, List.of(1 - server), List.of()));
        states.forget(id);

        assertThat(events().subList(2, 5))
                .containsExactly("declared: w0, w1, w2 and 2 more", "moved: " + id, "dropped: " + id);
    }

    @Test
    void theLatestEventsAreKept() {
        IntStream.range(0, Timeline.MOST + 10).forEach(i -> states.forget(TensorId.of("w" + i)));
        assertThat(events()).hasSize(Timeline.MOST).startsWith("dropped: w10").endsWith("dropped: w265");
    }
}
