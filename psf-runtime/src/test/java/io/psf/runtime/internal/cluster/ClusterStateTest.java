package io.psf.runtime.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.psf.api.DeclaredTensor;
import io.psf.api.Member;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Role;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.TupleWriter;
import io.psf.runtime.spi.transport.Frames;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The laws of the cluster's state and of its differences, over random histories. */
final class ClusterStateTest {
    private static final int SERVERS = 3;

    private static final Comparator<ClusterChange.Place> PLACES =
            Comparator.comparing(ClusterChange.Place::role).thenComparing(ClusterChange.Place::rank);

    private final Map<Long, ClusterState> history = new HashMap<>();
    private final ClusterStates states = new ClusterStates(ClusterState.NONE, change -> {}, () -> {});
    private final Catalog catalog = new Catalog(states);

    private static TensorDeclaration declaration(String name, long rows) {
        return new TensorDeclaration(
                new TensorInfo(TensorId.of(name), rows, 2),
                0,
                "",
                Node.HOST,
                new Rule("psf.constant", Map.of("value", "0"), Map.of()),
                new Rule("psf.sgd", Map.of("lr", "0.1"), Map.of()),
                Rounds.NONE,
                Map.of(),
                "");
    }

    private static ClusterChange.Node node(Role role, int rank, long since) {
        return new ClusterChange.Node(new Member(role, rank, role == Role.SERVER ? "host" : "", rank), since);
    }

    private void form() {
        List<ClusterChange.Node> joined = new ArrayList<>(List.of(node(Role.WORKER, 1, 1), node(Role.WORKER, 0, 1)));
        for (int rank = 0; rank < SERVERS; rank++) {
            joined.add(node(Role.SERVER, rank, 1));
        }
        states.change(new ClusterChange.Nodes(
                joined, List.of(), List.of(), List.of(), ClusterState.even(SERVERS), ClusterChange.Recovery.NONE));
        history.put(states.now().epoch(), states.now());
    }

    /** Lets random nodes join, leave, be lost, and take the places of others and of lost ones, in one difference. */
    private void changeNodes(Random random) {
        Map<ClusterChange.Place, ClusterChange.Node> present = new TreeMap<>(PLACES);
        states.now().nodes().forEach(node -> present.put(ClusterChange.Place.of(node.member()), node));
        Map<ClusterChange.Place, ClusterChange.Loss> losses = new LinkedHashMap<>();
        states.now().lost().forEach(loss -> losses.put(ClusterChange.Place.of(loss.member()), loss));
        Map<ClusterChange.Place, ClusterChange.Node> joined = new LinkedHashMap<>();
        Map<ClusterChange.Place, ClusterChange.Loss> lost = new LinkedHashMap<>();
        List<ClusterChange.Place> gone = new ArrayList<>();
        List<ClusterChange.Place> settled = new ArrayList<>();
        for (int i = random.nextInt(6); i > 0; i--) {
            ClusterChange.Node node = node(random.nextBoolean() ? Role.SERVER : Role.WORKER, random.nextInt(9), i);
            ClusterChange.Place place = ClusterChange.Place.of(node.member());
            if (gone.contains(place) || joined.containsKey(place)) {
                continue;
            }
            if (random.nextBoolean()) {
                joined.put(place, node);
                present.put(place, node);
                if (losses.remove(place) != null) {
                    settled.add(place);
                }
            } else if (present.remove(place) != null) {
                gone.add(place);
                ClusterChange.Loss loss = new ClusterChange.Loss(node.member(), "gone " + i, random.nextBoolean());
                lost.put(place, loss);
                losses.put(place, loss);
            }
        }
        boolean owns = random.nextInt(4) == 0;
        List<Integer> owners = owns ? ClusterState.even(1 + random.nextInt(SERVERS)) : List.of();
        ClusterChange.Recovery recovery = random.nextBoolean()
                ? null
                : states.now().recovery().with(new ClusterChange.Model("m" + random.nextInt(3), random.nextBoolean()));
        ClusterState before = states.now();
        states.change(new ClusterChange.Nodes(
                List.copyOf(joined.values()), gone, List.copyOf(lost.values()), settled, owners, recovery));
        ClusterState now = states.now();
        assertThat(now.nodes()).containsExactlyElementsOf(present.values());
        assertThat(now.lost()).containsExactlyElementsOf(losses.values());
        assertThat(now.owners()).isEqualTo(owns ? owners : before.owners());
        assertThat(now.recovery()).isEqualTo(recovery == null ? before.recovery() : recovery);
        assertThat(now.count(Role.SERVER) + now.count(Role.WORKER)).isEqualTo(present.size());
        present.values()
                .forEach(node -> assertThat(
                                now.node(node.member().role(), node.member().rank()))
                        .isEqualTo(node));
    }

    /** Places the slices of a tensor, if it is declared, at other servers, with copies or without. */
    private void move(TensorId id, Random random) {
        DeclaredTensor tensor = states.now().tensor(id);
        if (tensor == null) {
            return;
        }
        TensorLayout before = tensor.layout();
        List<Integer> servers =
                before.servers().stream().map(server -> (server + 1) % SERVERS).toList();
        List<List<Integer>> copies = before.servers().stream()
                .map(server -> random.nextBoolean() ? List.of(server) : List.<Integer>of())
                .toList();
        TensorLayout moved = catalog.moved(id, servers, random.nextBoolean() ? copies : List.of());
        catalog.move(moved);
        TensorLayout now = ClusterView.require(states.now(), id).layout();
        assertThat(now).isEqualTo(moved);
        assertThat(now.hasSlicesOf(before)).as("moved").isTrue();
        assertThat(now.version()).isGreaterThan(now.declared());
    }

    private void change(Random random) {
        int tensor = random.nextInt(40);
        switch (random.nextInt(5)) {
            case 4 -> move(TensorId.of("t" + tensor), random);
            case 0 -> catalog.forget(TensorId.of("t" + tensor), false);
            case 1 -> changeNodes(random);
            default -> {
                List<TensorDeclaration> some = IntStream.range(tensor, tensor + 1 + random.nextInt(3))
                        .mapToObj(i -> declaration("t" + i, 10 + i))
                        .toList();
                catalog.declare(some);
            }
        }
        history.put(states.now().epoch(), states.now());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void differencesInOrderEqualTheWhole(long seed) {
        Random random = new Random(seed);
        form();
        for (int i = 0; i < 300; i++) {
            change(random);
            ClusterState now = states.now();
            ClusterState then = Objects.requireNonNull(history.get(1 + (long) random.nextInt((int) now.epoch())));
            ClusterState followed = then;
            for (ClusterChange change : states.since(then.epoch())) {
                followed = followed.with(change);
            }
            assertThat(followed).isEqualTo(now);
            assertThat(ClusterState.NONE.with(now.whole())).isEqualTo(now).hasToString(now.toString());
        }
    }

    /** What arrives twice, late or behind a gap leaves the state of an epoch as the scheduler made it. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void lostDoubledAndLateDifferencesChangeNothing(long seed) {
        Random random = new Random(seed);
        form();
        ClusterView view = new ClusterView(states.now().whole(), null);
        List<List<ClusterChange>> sent = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            change(random);
            sent.add(states.since(1 + (long) random.nextInt((int) states.now().epoch())));
            if (random.nextInt(3) > 0) {
                long before = view.state().epoch();
                view.apply(sent.get(random.nextInt(sent.size())));
                assertThat(view.state().epoch()).isGreaterThanOrEqualTo(before);
                assertThat(view.state()).isEqualTo(history.get(view.state().epoch()));
            }
            List<ClusterChange> shuffled =
                    new ArrayList<>(states.since(view.state().epoch()));
            Collections.shuffle(shuffled, random);
            view.apply(shuffled);
            assertThat(view.state()).isEqualTo(history.get(view.state().epoch()));
        }
        view.apply(states.since(view.state().epoch()));
        assertThat(view.state()).isEqualTo(states.now());
    }

    /** The next server of a rank would find no slices there: it was lost for good, or has left. */
    @Test
    void slicesArePlacedOnServersThatArePresentOrAwaited() {
        form();
        states.change(ClusterChange.Nodes.gone(
                List.of(new ClusterChange.Place(Role.SERVER, 0)),
                List.of(new ClusterChange.Loss(node(Role.SERVER, 0, 1).member(), "silent", false))));
        assertThat(placed("w", 6)).containsExactly(1, 2);
        assertThat(placed("one", 1)).isSubsetOf(1, 2);

        states.change(ClusterChange.Nodes.gone(
                List.of(new ClusterChange.Place(Role.SERVER, 1)),
                List.of(new ClusterChange.Loss(node(Role.SERVER, 1, 1).member(), "silent", true))));
        assertThat(placed("x", 6)).containsExactly(1, 2);

        states.change(ClusterChange.Nodes.gone(List.of(new ClusterChange.Place(Role.SERVER, 2)), List.of()));
        assertThat(placed("y", 6)).containsExactly(1);

        states.change(ClusterChange.Nodes.gone(
                List.of(),
                List.of(new ClusterChange.Loss(node(Role.SERVER, 1, 1).member(), "not back", false))));
        assertThatThrownBy(() -> placed("z", 6))
                .hasMessage("UNAVAILABLE: servers for the slices of tensor \"z\": 0 (expected: at least 1 that is"
                        + " present or awaited)");
        assertThat(states.now().tensor(TensorId.of("z"))).isNull();
    }

    private List<Integer> placed(String name, long rows) {
        catalog.declare(List.of(declaration(name, rows)));
        return ClusterView.require(states.now(), TensorId.of(name)).layout().servers();
    }

    /** A worker in another language may fill in what has no effect with another value. */
    @Test
    void declarationsOfTheSameTextAreTheSame() {
        form();
        TensorDeclaration w = declaration("w", 5);
        catalog.declare(List.of(w));
        Rounds dropsNothing = new Rounds(false, false, 0, !w.rounds().dropsLate());
        catalog.declare(List.of(new TensorDeclaration(
                w.info(), 0, "", Node.HOST, w.initializer(), w.optimizer(), dropsNothing, Map.of(), "")));
        assertThat(ClusterView.require(states.now(), w.info().id()).declaration())
                .isEqualTo(w);
        assertThatThrownBy(() -> catalog.declare(List.of(declaration("w", 6))))
                .hasMessageContaining("[6, 2]")
                .hasMessageContaining("expected: [5, 2]");
    }

    @Test
    void aNodeThatIsTooFarBehindReceivesTheWhole() {
        form();
        for (int i = 0; i < ClusterStates.KEPT + 1; i++) {
            catalog.declare(List.of(declaration("t" + i, 10)));
        }
        long now = states.now().epoch();
        assertThat(states.since(now)).isEmpty();
        assertThat(states.since(now - ClusterStates.KEPT)).hasSize(ClusterStates.KEPT);
        assertThat(states.since(now - ClusterStates.KEPT - 1))
                .containsExactly(states.now().whole());
        assertThat(states.since(now + 1)).containsExactly(states.now().whole());
    }

    private static long bytes(List<ClusterChange> changes) {
        TupleWriter out = new TupleWriter();
        BeatPsf.FUNCTION.writeAnswer(new Beat.Response(changes, false, null, false), out);
        return Frames.length(out);
    }

    @Test
    void aDifferenceIsAsSmallAsWhatChanged() {
        form();
        catalog.declare(IntStream.range(0, 10_000)
                .mapToObj(i -> declaration("t" + i, 100))
                .toList());
        assertThat(states.now()).hasToString("epoch 2: 3 servers, 2 workers, 10000 tensors");
        catalog.declare(List.of(declaration("another", 100)));
        long whole = bytes(states.since(0));
        long one = bytes(states.since(2));
        System.out.printf("the state of 10,001 tensors: %,d bytes; the difference of one: %d bytes%n", whole, one);
        assertThat(one).isLessThan(400);
        assertThat(whole).isGreaterThan(1000 * one);
    }

    @Test
    void theDifferenceOfANodeDoesNotGrowWithTheCluster() {
        form();
        List<ClusterChange.Node> many = IntStream.range(2, 10_002)
                .mapToObj(i -> node(Role.WORKER, i, 2))
                .toList();
        states.change(new ClusterChange.Nodes(many, List.of(), List.of(), List.of(), List.of(), null));
        ClusterChange.Place gone = new ClusterChange.Place(Role.WORKER, 7);
        states.change(ClusterChange.Nodes.gone(List.of(gone), List.of()));
        states.change(new ClusterChange.Nodes(
                List.of(node(Role.WORKER, 7, 4)), List.of(), List.of(), List.of(), List.of(), null));
        assertThat(states.now()).hasToString("epoch 4: 3 servers, 10002 workers, 0 tensors");
        assertThat(bytes(states.since(0))).isGreaterThan(200_000);
        assertThat(bytes(states.since(2))).isLessThan(400);
    }

    @Test
    void allOfTheTensorsAreDeclaredOrNone() {
        form();
        catalog.declare(List.of(declaration("w", 10)));
        ClusterState before = states.now();
        assertThatThrownBy(() -> catalog.declare(List.of(declaration("v", 10), declaration("w", 11))))
                .isInstanceOf(PsException.class)
                .hasMessage("ALREADY_EXISTS: declaration of tensor \"w\": [11, 2] slices=0"
                        + " initializer=psf.constant(value=0) optimizer=psf.sgd(lr=0.1) updates=EACH"
                        + " (expected: [10, 2] slices=0 initializer=psf.constant(value=0)"
                        + " optimizer=psf.sgd(lr=0.1) updates=EACH, as it was declared before;"
                        + " psf.clear frees the name)");
        assertThat(states.now()).isSameAs(before);
        catalog.declare(List.of(declaration("w", 10)));
        assertThat(states.now()).as("an equal declaration").isSameAs(before);
    }

    @Test
    void aTensorThatIsDeclaredAgainHasAnotherStamp() {
        form();
        catalog.declare(List.of(declaration("w", 10)));
        TensorLayout first = ClusterView.require(states.now(), TensorId.of("w")).layout();
        catalog.forget(TensorId.of("w"), false);
        catalog.declare(List.of(declaration("w", 10)));
        TensorLayout second =
                ClusterView.require(states.now(), TensorId.of("w")).layout();
        assertThat(second.declaredIn(first.version())).isEqualTo(first);
        assertThat(second.hasSlicesOf(first)).as("the same tensor").isFalse();
        assertThat(second.version()).isEqualTo(first.version() + 2);
        assertThat(second.stamp(0)).isNotEqualTo(first.stamp(0));
        TensorLayout elsewhere = first.movedIn(first.version(), List.of(2, 1, 0), List.of());
        assertThat(elsewhere.stamp(0)).isNotEqualTo(first.stamp(0));
        assertThat(elsewhere.stamp(1)).isEqualTo(first.stamp(1));
    }

    @Test
    void aNodeWaitsForTheStateThatACallNames() {
        form();
        ClusterView view = new ClusterView(states.now().whole(), null);
        catalog.declare(List.of(declaration("w", 10)));
        List<TensorId> w = List.of(TensorId.of("w"));
        CompletableFuture<List<DeclaredTensor>> found = view.find(w, 2);
        assertThat(found).isNotDone();
        view.apply(states.since(1));
        assertThat(found.join()).extracting(DeclaredTensor::declaration).containsExactly(declaration("w", 10));
        assertThat(view.find(w, 1).join()).isEqualTo(found.join());
        catalog.forget(w.get(0), false);
        view.apply(states.since(2));
        assertThat(view.find(w, 2)).isCompletedExceptionally();
    }

    @Test
    void everyPartitionHasAnOwner() {
        form();
        Integer[] owned = {0, 0, 0};
        for (long key = 0; key < 30_000; key++) {
            owned[states.now().owner(key)]++;
        }
        assertThat(owned).hasSize(SERVERS).allSatisfy(n -> assertThat(n).isBetween(9_500, 10_500));
    }
}
