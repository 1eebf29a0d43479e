package io.psf.runtime.internal.server.shard;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.spi.MemoryUse;
import io.psf.runtime.spi.shard.MadeShard;
import io.psf.runtime.spi.shard.ShardFactory;
import io.psf.runtime.spi.shard.ShardLane;
import io.psf.runtime.spi.shard.Slice;
import io.psf.runtime.spi.store.Store;
import io.psf.runtime.spi.transport.HostMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The placements that a server has, each with the factory that makes its shards. Immutable. */
public final class Placements {
    /** The prefix of the placement of a device, which its number follows. */
    private static final String DEVICE = "device:";

    private final Store store;
    private final List<Integer> devices;
    private final Map<String, ShardFactory> factories = new TreeMap<>();
    private final List<String> unavailable = new ArrayList<>();
    private @Nullable HostMemory hostMemory;

    private Placements(Store store, List<Integer> devices) {
        this.store = store;
        this.devices = devices;
        add(new HostFactory());
    }

    /** Returns the placement in the server's own memory alone. */
    public static Placements host(Store store) {
        return new Placements(store, List.of());
    }

    /**
     * Returns the placements of factories, and that in the server's own memory.
     *
     * @throws PsException with {@code CONFIGURATION} if two factories have the same placement
     */
    static Placements of(Store store, List<Integer> devices, ShardFactory... factories) {
        Placements placements = new Placements(store, devices);
        List.of(factories).forEach(placements::add);
        return placements;
    }

    /**
     * Returns the placements of the factories on a class path.
     *
     * @param store the server's memory
     * @param devices the numbers of the accelerators that the server may use; empty for none
     * @throws PsException with {@code CONFIGURATION} if a factory cannot be created, or two have the same placement
     */
    public static Placements found(ClassLoader classPath, Store store, List<Integer> devices) {
        Placements placements = new Placements(store, devices);
        Iterator<ShardFactory> found =
                ServiceLoader.load(ShardFactory.class, classPath).iterator();
        try {
            while (found.hasNext()) {
                placements.add(found.next());
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new PsException(
                    PsException.Code.CONFIGURATION,
                    "factory of shards: " + e.getMessage() + " (expected: factories that can be created on this node)",
                    e);
        }
        return placements;
    }

    private void add(ShardFactory factory) {
        for (String placement : factory.placements(devices)) {
            ShardFactory there = factories.putIfAbsent(placement, factory);
            if (there != null) {
                throw new PsException(
                        PsException.Code.CONFIGURATION,
                        "factories of shards at \"" + placement + "\": "
                                + there.getClass().getName() + " and "
                                + factory.getClass().getName() + " (expected: one)");
            }
        }
        unavailable.addAll(factory.unavailable());
        if (hostMemory == null) {
            hostMemory = factory.hostMemory();
        }
    }

    /** Returns the reason why shards have lost their memory; empty as long as they have it. */
    public Optional<String> lost() {
        return factories.values().stream()
                .map(ShardFactory::lost)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** Returns the memory for large requests and answers of the first factory that has one; null for none. */
    public @Nullable HostMemory hostMemory() {
        return hostMemory;
    }

    /**
     * Returns the sentences about the devices that the server was given and cannot use, for the log: the factories'
     * sentences, else one sentence about the devices that no factory has.
     */
    public List<String> unavailable() {
        List<String> missing = devices.stream()
                .filter(device -> !factories.containsKey(DEVICE + device))
                .map(String::valueOf)
                .toList();
        if (!unavailable.isEmpty() || missing.isEmpty()) {
            return List.copyOf(unavailable);
        }
        boolean one = missing.size() == 1;
        return List.of((one ? "device " : "devices ") + String.join(", ", missing)
                + ": not used, since no factory of shards on the class path has " + (one ? "it" : "them")
                + " (expected: the jar of handlers-gpu)");
    }

    /**
     * Returns a slice at each placement that its tensor names and this server has, in the tensor's order.
     *
     * @param slice the slice; its placement is one name, or several separated by commas
     * @return at least one, each with one placement
     * @throws PsException with {@code BAD_REQUEST} if this server has none of the placements
     */
    public List<Slice> alternatives(Slice slice) {
        List<Slice> there = Arrays.stream(slice.placement().split(","))
                .map(String::strip)
                .filter(factories::containsKey)
                .map(slice::at)
                .toList();
        if (there.isEmpty()) {
            throw notHere(slice);
        }
        return there;
    }

    /**
     * True if a slice is in the server's own memory, if that suffices, without regard to the tensor's later placements.
     */
    public boolean isFirstOnHost(Slice slice) {
        return alternatives(slice).get(0).placement().equals(Node.HOST);
    }

    /**
     * Promises memory of the server ({@link Store#promise}).
     *
     * @throws PsException with {@code RESOURCE_EXHAUSTED} or {@code STORAGE} if there is not as much
     */
    public void promise(String what, long bytes) {
        store.promise(what, bytes);
    }

    /** Returns the memory that tensors have on the host. */
    public MemoryUse memory() {
        return store.use();
    }

    /** Gives back bytes of a promise. */
    public void endPromise(long bytes) {
        store.endPromise(bytes);
    }

    /**
     * True if the shard is used on its lane's own thread alone.
     *
     * @param slice one of the {@link #alternatives}
     * @throws PsException with {@code BAD_REQUEST} if this server does not have the placement
     */
    public boolean pinsLane(Slice slice) {
        return factory(slice).pinsLane();
    }

    /**
     * Makes a shard.
     *
     * @param slice one of the {@link #alternatives}
     * @throws PsException with {@code BAD_REQUEST} if this server does not have the placement; with {@code
     *     RESOURCE_EXHAUSTED} if the memory there does not suffice
     */
    public MadeShard make(Slice slice, ShardLane lane) {
        return factory(slice).make(slice, store, lane);
    }

    private ShardFactory factory(Slice slice) {
        ShardFactory factory = factories.get(slice.placement());
        if (factory == null) {
            throw notHere(slice);
        }
        return factory;
    }

    private PsException notHere(Slice slice) {
        return new PsException(
                PsException.Code.BAD_REQUEST,
                "placement of tensor \"" + slice.tensor().id() + "\": \"" + slice.placement()
                        + "\" (expected: one that this server has: " + this + ")");
    }

    /** True if there is no placement but the server's own memory. */
    public boolean isHostAlone() {
        return factories.size() == 1;
    }

    /** Returns the names of the placements. */
    @Override
    public String toString() {
        return String.join(", ", factories.keySet());
    }
}
