package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.runtime.internal.server.session.Admission;
import io.psf.runtime.internal.server.session.Connection;
import io.psf.runtime.spi.transport.FramePool;
import io.psf.runtime.spi.transport.RecordedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bounds of what members can make the cluster's state, and what is kept of earlier ones, grow to. */
final class BoundsOfStatesTest {
    private final ClusterStates states = new ClusterStates(ClusterState.NONE, change -> {}, () -> {});
    private final Catalog catalog = new Catalog(states);

    @BeforeEach
    void form() {
        states.change(new ClusterChange.Nodes(
                List.of(new ClusterChange.Node(new Member(Role.SERVER, 0, "host", 1), 1)),
                List.of(),
                List.of(),
                List.of(),
                ClusterState.even(1),
                ClusterChange.Recovery.NONE));
    }

    private static TensorDeclaration declaration(int i, int slices) {
        return new TensorDeclaration(
                new TensorInfo(TensorId.of("t" + i), slices, 1),
                slices,
                "",
                Node.HOST,
                Rule.NONE,
                Rule.NONE,
                Rounds.NONE,
                Map.of(),
                "");
    }

    private void declare(int from, int count, int slices) {
        catalog.declare(IntStream.range(from, from + count)
                .mapToObj(i -> declaration(i, slices))
                .toList());
    }

    @Test
    void tensorsAreRefusedAtTheirBound() {
        declare(0, Catalog.MOST_TENSORS, 1);
        assertThatThrownBy(() -> declare(Catalog.MOST_TENSORS, 1, 1))
                .hasMessageContaining("RESOURCE_EXHAUSTED: tensors of the cluster, with \"t65536\": 65537 (expected: at"
                        + " most 65536; psf.clear frees one)");
        assertThat(states.now().tensors().size()).isEqualTo(Catalog.MOST_TENSORS);
        declare(5, 1, 1); // declared already
        catalog.forget(TensorId.of("t0"), false);
        declare(Catalog.MOST_TENSORS, 1, 1);
    }

    @Test
    void slicesAreRefusedAtTheirBound() {
        int tensors = (int) (Catalog.MOST_SLICES_OF_ALL >> 16);
        for (int i = 0; i < tensors; i++) {
            declare(i, 1, 1 << 16);
        }
        assertThatThrownBy(() -> declare(tensors, 1, 1))
                .hasMessageContaining(
                        "RESOURCE_EXHAUSTED: slices of all tensors, with the 1 of \"t32\": 2097153 (expected:"
                                + " at most 2097152; create tensors with fewer slices)");
        catalog.forget(TensorId.of("t0"), false);
        declare(tensors, 1, 1);
    }

    /** Each declaration is within its own bound. */
    @Test
    void textsOfDeclarationsAreRefusedAtTheirBoundTogether() {
        Rule rule = new Rule("psf.constant", Map.of("value", "x".repeat(8000)), Map.of());
        int fit = (1 << 25) / 8100;
        for (int i = 0; i < fit; i++) {
            declare("t" + i, rule);
        }
        assertThatThrownBy(() -> {
                    for (int i = fit; i < 2 * fit; i++) {
                        declare("t" + i, rule);
                    }
                })
                .hasMessageContaining(
                        "RESOURCE_EXHAUSTED: characters of all declarations, with the declaration of tensor \"t")
                .hasMessageContaining("(expected: at most 33554432, since every node has them; psf.clear frees some)");
        catalog.forget(TensorId.of("t0"), false);
        declare("again", rule);
    }

    private void declare(String name, Rule initializer) {
        TensorInfo info = new TensorInfo(TensorId.of(name), 1, 1);
        catalog.declare(List.of(
                new TensorDeclaration(info, 1, "", Node.HOST, initializer, Rule.NONE, Rounds.NONE, Map.of(), "")));
    }

    /** A tensor of many slices that is declared and cleared again and again. */
    @Test
    void whatIsKeptOfEarlierStatesIsBoundedByItsSize() {
        List<ClusterChange> kept = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            declare(0, 1, 1 << 16);
            catalog.forget(TensorId.of("t0"), false);
            kept.add(states.whole());
        }
        assertThat(states.kept()).isLessThan(10);
        long epoch = states.now().epoch();
        assertThat(states.since(epoch - 1)).hasSize(1);
        assertThat(states.since(epoch - 40)).containsExactly(states.whole()); // a node that is far behind
        assertThat(kept).hasSize(30);
    }

    @Test
    void requestsThatWaitForALaterStateAreRefusedAtTheirBound() {
        ClusterView view = new ClusterView(states.whole(), null);
        long next = states.next();
        List<CompletableFuture<ClusterState>> waiting = new ArrayList<>();
        for (int i = 0; i < ClusterView.MOST_WAITING; i++) {
            waiting.add(view.reached(next));
        }
        assertThatThrownBy(view.reached(next)::join)
                .hasMessageContaining(
                        "RESOURCE_EXHAUSTED: requests that wait for a later state of the cluster: 65537, this"
                                + " one for epoch 2 (expected: at most 65536; this node has epoch 1)");
        declare(0, 1, 1);
        view.apply(states.since(1));
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        assertThat(view.reached(next).join().epoch()).isEqualTo(next);
    }

    @ParameterizedTest
    @CsvSource({
        "CLIENT, 10000, RESOURCE_EXHAUSTED: clients: 10001 (expected: at most 10000 at a time)",
        "WORKER, 65536, RESOURCE_EXHAUSTED: workers: 65537 (expected: at most 65536 at a time)"
    })
    void joinsAreRefusedAtTheirBound(Role role, int most, String refusal) {
        FramePool pool = new FramePool(1 << 20);
        ClusterPlan.Limits limits = new ClusterPlan.Limits(
                Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ZERO, () -> 0);
        ClusterPlan plan = new ClusterPlan(1, 1, true, true, limits, Trust.of(null, null));
        MemberTable table = new MemberTable();
        try (Admission admission = new Admission("test", pool, () -> true, () -> false, () -> {})) {
            Connection connection = new Connection(new RecordedChannel(), pool, 1 << 20, admission);
            for (int i = 0; i < most; i++) {
                Join.Request request = Join.Request.of(role, -1, "", 0);
                JoinChecks.requireFree(request, plan, false, table);
                table.add(new MemberEntry(connection, request, 0));
            }
            assertThatThrownBy(() -> JoinChecks.requireFree(Join.Request.of(role, -1, "", 0), plan, false, table))
                    .hasMessageContaining(refusal);
            assertThat(table.count(role)).isEqualTo(most);
        }
    }

    @Test
    void aJournalHasTheLatestCalls() {
        JournalState state = new JournalState();
        for (int i = 0; i < 3000; i++) {
            declare(i, 1, 1);
            long epoch = states.now().epoch();
            ClusterChange change =
                    i == 0 ? states.whole() : states.since(epoch - 1).get(0);
            state.add(new JournalEntry.Request(
                    null,
                    new JournalEntry.Step(change, List.of(), List.of(new JournalEntry.Call(0, i))),
                    JournalEntry.BarrierStep.NONE,
                    0,
                    JournalEntry.Mark.NONE));
        }
        assertThat(IntStream.range(0, 3000).filter(i -> state.hasRun(new JournalEntry.Call(0, i))))
                .hasSize(1024)
                .startsWith(3000 - 1024);
    }
}
