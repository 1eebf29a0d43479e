package io.psf.runtime.internal.cluster;

import io.psf.api.Role;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * What has happened to the nodes and tensors of a cluster lately, for people who watch it. Used on the scheduler's lane.
 */
final class Timeline {
    /** The most events that are kept: the latest ones. */
    static final int MOST = 256;

    /** The most names in one event. */
    private static final int NAMED = 3;

    private final ArrayDeque<Visit.Event> events = new ArrayDeque<>();
    private final LongSupplier millis;

    /**
     * Creates an empty timeline.
     *
     * @param millis the time, in milliseconds since 1970
     */
    Timeline(LongSupplier millis) {
        this.millis = millis;
    }

    /** Returns the events, the latest last. */
    List<Visit.Event> events() {
        return List.copyOf(events);
    }

    /** Adds what a change does to a state. */
    void changed(ClusterState before, ClusterChange change) {
        ClusterChange.Nodes nodes = change.nodes();
        if (nodes != null) {
            changed(before, change.epoch(), nodes);
        }
        List<String> declared = new ArrayList<>();
        List<String> moved = new ArrayList<>();
        for (ClusterChange.Placed placed : change.placed()) {
            (placed.declared() == placed.version() ? declared : moved)
                    .add(placed.declaration().info().id().name());
        }
        add("declared", declared);
        add("moved", moved);
        add("dropped", change.forgotten().stream().map(each -> each.name()).toList());
    }

    private void changed(ClusterState before, long epoch, ClusterChange.Nodes nodes) {
        Set<ClusterChange.Place> lost = before.lost().stream()
                .map(each -> ClusterChange.Place.of(each.member()))
                .collect(Collectors.toSet());
        Set<ClusterChange.Place> lostNow = new HashSet<>();
        for (ClusterChange.Loss loss : nodes.lost()) {
            if (lostNow.add(ClusterChange.Place.of(loss.member()))
                    && before.node(loss.member().role(), loss.member().rank()) != null) {
                add("lost", name(ClusterChange.Place.of(loss.member())) + ": " + loss.reason());
            }
        }
        nodes.gone().stream().filter(each -> !lostNow.contains(each)).forEach(each -> add("left", name(each)));
        for (ClusterChange.Node node : nodes.joined()) {
            ClusterChange.Place place = ClusterChange.Place.of(node.member());
            String where =
                    node.member().role() == Role.SERVER ? " at " + node.member().address() : "";
            add(lost.contains(place) ? "returned" : "joined", name(place) + where);
        }
        ClusterChange.Recovery recovery = nodes.recovery();
        if (recovery != null && recovery.rollback() == epoch) {
            add("rolled back", "all workers load the newest checkpoint");
        }
    }

    private static String name(ClusterChange.Place place) {
        return place.role().label() + " " + place.rank();
    }

    private void add(String kind, List<String> tensors) {
        if (!tensors.isEmpty()) {
            String first = tensors.stream().limit(NAMED).collect(Collectors.joining(", "));
            add(kind, first + (tensors.size() > NAMED ? " and " + (tensors.size() - NAMED) + " more" : ""));
        }
    }

    private void add(String kind, String text) {
        if (events.size() == MOST) {
            events.remove();
        }
        events.add(new Visit.Event(millis.getAsLong(), kind, text));
    }
}
