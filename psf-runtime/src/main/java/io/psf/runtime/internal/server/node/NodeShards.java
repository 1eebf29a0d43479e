package io.psf.runtime.internal.server.node;

import io.psf.api.Metrics;
import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.PsException;
import io.psf.api.TensorId;
import io.psf.api.TensorLayout;
import io.psf.api.spi.MemoryUse;
import io.psf.runtime.internal.server.invocation.CallEnvironment;
import io.psf.runtime.internal.server.lane.Lane;
import io.psf.runtime.internal.server.shard.Placements;
import io.psf.runtime.spi.shard.Slice;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards of a node, and the lanes on which they run. Shards are created and dropped on the node's lane; any thread
 * may find them.
 */
public final class NodeShards {
    private static final Logger LOG = LoggerFactory.getLogger(NodeShards.class);

    private final Placements placements;
    private final PromisedMemory promised;
    private final List<Lane> lanes;
    private final NodeFacts facts;
    private final CallEnvironment environment;
    private final Map<Integer, Map<Integer, LaneShard>> shards = new ConcurrentHashMap<>();
    private final HeldLayouts layouts = new HeldLayouts();

    NodeShards(Placements placements, List<Lane> lanes, NodeFacts facts, CallEnvironment environment) {
        this.placements = placements;
        this.lanes = lanes;
        this.facts = facts;
        this.environment = environment;
        this.promised = new PromisedMemory(placements);
    }

    /** Returns what the node knows of itself. */
    NodeFacts facts() {
        return facts;
    }

    /** Returns what the calls on all shards share. */
    CallEnvironment environment() {
        return environment;
    }

    /** Returns the memory of a tensor whose shards are being created. */
    PromisedMemory promised() {
        return promised;
    }

    /** Returns the memory that the tensors have on the host. */
    MemoryUse memory() {
        return placements.memory();
    }

    /** Returns the number of lanes. */
    int lanes() {
        return lanes.size();
    }

    /** Returns the number of pieces of work that wait or run on the lanes. May be stale. */
    int depth() {
        return lanes.stream().mapToInt(Lane::depth).sum();
    }

    /** True if a lane has work. */
    boolean hasBusyLane() {
        for (int i = 0; i < lanes.size(); i++) { // called on every spin iteration: no garbage
            if (!lanes.get(i).isIdle()) {
                return true;
            }
        }
        return false;
    }

    /** True if the current thread runs a lane. */
    boolean isOnLane() {
        return lanes.stream().anyMatch(Lane::isHere);
    }

    /** Returns the shard of a slice; null if it is not here. */
    public @Nullable LaneShard get(int tensor, int slice) {
        Map<Integer, LaneShard> slices = shards.get(tensor);
        return slices == null ? null : slices.get(slice);
    }

    /** Returns a tensor's layout; null if no slice of it is here. */
    @Nullable
    TensorLayout layout(TensorId tensor) {
        return layouts.get(tensor);
    }

    /** True if a slice of the tensor is here. */
    public boolean has(int tensor) {
        return shards.containsKey(tensor);
    }

    /** Returns a snapshot of all shards. */
    List<LaneShard> all() {
        List<LaneShard> all = new ArrayList<>();
        shards.values().forEach(slices -> all.addAll(slices.values()));
        return all;
    }

    /** Measures the shards of a lane, on the lane. */
    void measure(Lane lane, Metrics to) {
        for (LaneShard shard : all()) {
            if (shard.lane() == lane && shard.owner() == null && !shard.isDropped()) {
                shard.measure(to);
            }
        }
    }

    /** Returns a snapshot of the shards of a tensor, in slice order. */
    List<LaneShard> of(TensorId tensor) {
        return shards.getOrDefault(tensor.number(), Map.of()).values().stream()
                .filter(shard -> shard.spec().id().equals(tensor))
                .sorted(Comparator.comparingInt(LaneShard::slice))
                .toList();
    }

    /** Runs an action on each shard, on its lane. */
    void forEach(Consumer<LaneShard> action) {
        for (Map<Integer, LaneShard> slices : shards.values()) {
            for (LaneShard shard : slices.values()) {
                shard.lane().execute(() -> action.accept(shard));
            }
        }
    }

    /**
     * Creates a shard.
     *
     * @return true if the shard is new
     */
    boolean create(TensorLayout given, int slice, String placement, Optimizer optimizer, Node.Fill fill) {
        int tensor = given.info().id().number();
        Map<Integer, LaneShard> slices = shards.computeIfAbsent(tensor, number -> new ConcurrentHashMap<>());
        try {
            TensorLayout layout = slices.isEmpty() ? layouts.put(given) : layouts.require(given);
            if (slices.containsKey(slice)) {
                return false;
            }
            Slice made = new Slice(layout.info(), slice, layout.range(slice), placement, optimizer, fill);
            if (slices.isEmpty()) {
                promised.begin(layout, made, facts.rank());
            }
            promised.use(made);
            slices.put(slice, make(layout, made));
            return true;
        } finally {
            if (slices.isEmpty()) { // no memory, say: then the tensor is not here
                shards.remove(tensor);
                layouts.remove(given.info().id());
            }
        }
    }

    /** Makes the shard at the first placement whose memory suffices. */
    private LaneShard make(TensorLayout layout, Slice slice) {
        List<Slice> alternatives = placements.alternatives(slice);
        String reason = "";
        for (int i = 0; ; i++) {
            Slice at = alternatives.get(i);
            try {
                return logged(makeAt(layout, at), at, reason);
            } catch (PsException e) {
                if (e.code() != PsException.Code.RESOURCE_EXHAUSTED || i + 1 == alternatives.size()) {
                    throw e;
                }
                reason = "\"" + at.placement() + "\": " + e.getMessage();
            }
        }
    }

    /** Logs the place of a shard if a placement before it did not suffice. */
    private static LaneShard logged(LaneShard made, Slice at, String reason) {
        if (!reason.isEmpty()) {
            LOG.info(
                    "slice {} of tensor \"{}\" is at \"{}\", since at {}",
                    at.slice(),
                    at.tensor().id(),
                    at.placement(),
                    reason);
        }
        return made;
    }

    private LaneShard makeAt(TensorLayout layout, Slice slice) {
        Lane home = lanes.get(lane(layout, slice.slice()));
        Supplier<LaneShard> make = () -> {
            LaneShard shard = new LaneShard(layout, slice, home, this, lane -> placements.make(slice, lane));
            shard.fill(slice.fill());
            return shard;
        };
        if (placements.pinsLane(slice)) {
            home.pin();
            return home.runAndWait(make);
        }
        return make.get();
    }

    /**
     * Returns the lane of a slice. Slices of the same index of tensors beside each other share a lane, which {@code
     * Shard.other} requires. Other tensors start at other lanes, so that tensors with one slice per server do not all
     * use the same lane.
     */
    private int lane(TensorLayout layout, int slice) {
        return ((int) Long.remainderUnsigned(TensorLayout.hash(layout.lanes()), lanes.size()) + slice) % lanes.size();
    }

    /**
     * Drops the shards of a tensor. Returns their number.
     *
     * @param givenUp run for each shard, on its lane, when its memory has been given up
     */
    int drop(TensorId tensor, Runnable givenUp) {
        Map<Integer, LaneShard> slices = shards.remove(tensor.number());
        layouts.remove(tensor);
        if (slices == null) {
            return 0;
        }
        Collection<LaneShard> dropped = slices.values();
        dropped.forEach(shard -> shard.drop(givenUp));
        return dropped.size();
    }

    /** Runs the queued work, ends the lanes, and gives the memory of the shards up. */
    void close() {
        lanes.forEach(lane -> lane.close(() -> giveUpMemory(lane)));
        shards.clear();
    }

    private void giveUpMemory(Lane lane) {
        for (LaneShard shard : all()) {
            if (shard.lane() == lane) {
                shard.giveUp();
            }
        }
    }
}
