package io.psf.runtime.internal.cluster;

import io.psf.api.DeclaredTensor;
import io.psf.api.Names;
import io.psf.api.PsException;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.spi.DeclarationCheck;
import io.psf.api.spi.ServiceClassPath;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Declares tensors and places their slices. Used on the scheduler's lane. */
final class Catalog {
    /** The maximum size of a slice, so that any array of a shard fits in one buffer. */
    private static final long MOST_BYTES_OF_A_SLICE = 1L << 30;

    private static final int MOST_SLICES = 1 << 16;

    /** Replaces a number of slices: pieces that fit in a core's cache. */
    static final int PIECES = -1;

    private static final int BYTES_OF_A_PIECE = 1 << 18;

    /** Limits the pieces of a server, since each piece is a message of its own. */
    private static final int MOST_PIECES_OF_A_SERVER = 256;

    /** The most tensors of a cluster: every node has all declarations. */
    static final int MOST_TENSORS = 1 << 16;

    /** The most slices of all tensors together: a slice takes about 50 bytes at every node. */
    static final long MOST_SLICES_OF_ALL = 1 << 21;

    /** The most characters of a declaration. */
    static final int LONGEST = 1 << 13;

    /** The most characters of all declarations and names together. */
    static final long MOST_CHARACTERS_OF_ALL = 1 << 25;

    private final ClusterStates states;
    private final List<DeclarationCheck> checks = new ArrayList<>();
    /** The number of slices of the tensors below. */
    private long slices;
    /** The number of characters of the tensors below. */
    private long characters;
    /** The tensors whose slices are counted. */
    private IntMap<DeclaredTensor> counted = IntMap.empty();

    Catalog(ClusterStates states) {
        this.states = states;
        ServiceLoader.load(DeclarationCheck.class, ServiceClassPath.of(Catalog.class))
                .forEach(checks::add);
    }

    /**
     * Places tensors, except tensors that have equal declarations already. All of them or none.
     *
     * @throws PsException with {@code ALREADY_EXISTS} if another declaration of a name exists
     */
    void declare(List<TensorDeclaration> tensors) {
        IntMap<DeclaredTensor> now = states.now().tensors();
        count(now);
        long all = slices;
        long allCharacters = characters;
        List<Integer> servers = servers(states.now());
        List<ClusterChange.Placed> added = new ArrayList<>();
        for (TensorDeclaration tensor : tensors) {
            DeclaredTensor there = now.get(tensor.info().id().number());
            if (there == null) {
                allCharacters += characters(tensor);
                requireRoom(tensor, now.size(), allCharacters);
                TensorLayout layout = place(tensor, now, servers).declaredIn(states.next());
                all += layout.slices();
                requireSlices(tensor, layout, all);
                checks.forEach(check -> check.require(tensor, layout.slices()));
                now = now.with(tensor.info().id().number(), new DeclaredTensor(tensor, layout));
                added.add(ClusterChange.Placed.of(tensor, layout));
            } else {
                requireSame(tensor, there);
            }
        }
        if (!added.isEmpty()) {
            states.place(added);
            madeAnew(added);
            slices = all; // not counted again for each tensor
            characters = allCharacters;
            counted = states.now().tensors();
        }
    }

    private void madeAnew(List<ClusterChange.Placed> added) {
        ClusterChange.Recovery before = states.now().recovery();
        ClusterChange.Recovery now = before.withoutDropped(
                added.stream().map(each -> each.declaration().info().id()).toList());
        if (!now.equals(before)) {
            states.change(ClusterChange.Nodes.recovery(now));
        }
    }

    /** Returns the ranks of the servers that slices are placed on: the servers that are present or awaited. */
    private static List<Integer> servers(ClusterState now) {
        return now.servers().stream()
                .filter(rank -> now.server(rank) != null || now.awaits(rank))
                .toList();
    }

    /** Counts the slices and characters of the tensors of a state. */
    @SuppressWarnings("ReferenceEquality") // an equal map that is another object is counted again
    private void count(IntMap<DeclaredTensor> now) {
        if (now != counted) {
            slices = 0;
            characters = 0;
            now.forEach(tensor -> {
                slices += tensor.layout().slices();
                characters += characters(tensor.declaration());
            });
            counted = now;
        }
    }

    private static long characters(TensorDeclaration tensor) {
        return (long) text(tensor).length() + tensor.info().id().name().length();
    }

    private static String text(TensorDeclaration tensor) {
        return tensor.text() + tensor.beside() + tensor.memoryOf();
    }

    private static void requireRoom(TensorDeclaration tensor, int present, long all) {
        String text = text(tensor);
        int length = text.length();
        if (!Names.printable(text).equals(text)) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "declaration of tensor \"" + tensor.info().id() + "\": " + text.substring(0, Math.min(length, 1000))
                            + " (expected: printable characters)");
        }
        if (length > LONGEST) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "declaration of tensor \"" + tensor.info().id() + "\": " + length
                            + " characters (expected: at most " + LONGEST + ", since every node has it)");
        }
        if (all > MOST_CHARACTERS_OF_ALL) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "characters of all declarations, with the declaration of tensor \""
                            + tensor.info().id() + "\": " + all
                            + " (expected: at most " + MOST_CHARACTERS_OF_ALL
                            + ", since every node has them; psf.clear"
                            + " frees some)");
        }
        if (present >= MOST_TENSORS) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "tensors of the cluster, with \"" + tensor.info().id() + "\": " + (present + 1)
                            + " (expected: at most " + MOST_TENSORS + "; psf.clear frees one)");
        }
    }

    private static void requireSlices(TensorDeclaration tensor, TensorLayout layout, long all) {
        if (all > MOST_SLICES_OF_ALL) {
            throw new PsException(
                    PsException.Code.RESOURCE_EXHAUSTED,
                    "slices of all tensors, with the " + layout.slices() + " of \""
                            + tensor.info().id() + "\": " + all + " (expected: at most " + MOST_SLICES_OF_ALL
                            + "; create tensors with fewer slices)");
        }
    }

    private static void requireSame(TensorDeclaration tensor, DeclaredTensor there) {
        TensorId id = tensor.info().id();
        if (!there.id().equals(id)) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "tensors \"" + there.id() + "\" and \"" + id
                            + "\": the same number on the wire, a hash of the name (expected: different numbers;"
                            + " rename one of them)");
        }
        TensorDeclaration before = there.declaration();
        if (!before.equals(tensor) && !before.text().equals(tensor.text())) {
            throw new PsException(
                    PsException.Code.ALREADY_EXISTS,
                    "declaration of tensor \"" + id + "\": " + tensor.text() + " (expected: "
                            + before.text()
                            + ", as it was declared before; psf.clear frees the name)");
        }
    }

    /**
     * Returns the layout of a tensor's slices at other servers, as the next state has it.
     *
     * @param servers [slices], the rank of each slice's first server
     * @param copies [slices], the ranks of each slice's other servers; [0] if no slice has others
     * @throws PsException with {@code UNKNOWN_TENSOR} if the tensor is not declared
     */
    TensorLayout moved(TensorId tensor, List<Integer> servers, List<List<Integer>> copies) {
        return ClusterView.require(states.now(), tensor).layout().movedIn(states.next(), servers, copies);
    }

    /** Places the slices of a declared tensor as a {@link #moved} layout has them. */
    void move(TensorLayout to) {
        DeclaredTensor tensor = ClusterView.require(states.now(), to.info().id());
        states.place(List.of(ClusterChange.Placed.of(tensor.declaration(), to)));
    }

    /**
     * Frees a tensor's name.
     *
     * @param lost true if slices of the tensor were lost, and no checkpoint has them: calls on it say so
     */
    void forget(TensorId tensor, boolean lost) {
        DeclaredTensor there = states.now().tensor(tensor);
        if (there != null) {
            count(states.now().tensors());
            states.forget(tensor);
            if (lost) {
                states.change(
                        ClusterChange.Nodes.recovery(states.now().recovery().withDropped(tensor)));
            }
            slices -= there.layout().slices();
            characters -= characters(there.declaration());
            counted = states.now().tensors();
        }
    }

    private static TensorLayout place(TensorDeclaration tensor, IntMap<DeclaredTensor> now, List<Integer> servers) {
        if (tensor.slices() < PIECES) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices: " + tensor.slices() + " (expected: at least 1; 0 for one per server; " + PIECES
                            + " for pieces of about 256 KB)");
        }
        if (tensor.beside().isEmpty()) {
            return place(tensor.info(), tensor.slices(), servers);
        }
        TensorId beside = TensorId.of(tensor.beside());
        DeclaredTensor other = now.get(beside.number());
        if (other == null || !other.id().equals(beside)) {
            throw new PsException(
                    PsException.Code.UNKNOWN_TENSOR,
                    "tensor: \"" + beside + "\" (expected: one that has been initialized)");
        }
        return place(tensor.info(), tensor.slices(), other.layout());
    }

    /**
     * Places slices of equal size, neighbours in order. If there are fewer slices than servers, the tensor's number
     * selects the first server.
     */
    private static TensorLayout place(TensorInfo info, int wanted, List<Integer> ranks) {
        int servers = ranks.size();
        if (servers == 0) {
            throw new PsException(
                    PsException.Code.UNAVAILABLE,
                    "servers for the slices of tensor \"" + info.id()
                            + "\": 0 (expected: at least 1 that is present or awaited)");
        }
        double bytes = info.grows() ? 0 : 4.0 * info.width() * info.rows(); // slots are float32
        double least = Math.ceil(bytes / MOST_BYTES_OF_A_SLICE);
        if (Math.max(least, wanted) > MOST_SLICES) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + info.id() + "\": " + info.shape() + " in " + (long) Math.max(least, wanted)
                            + " slices, each of at most 1 GB (expected: at most " + MOST_SLICES + " slices)");
        }
        long chosen = servers;
        if (wanted > 0) {
            chosen = wanted;
        } else if (wanted == PIECES) {
            double pieces = Math.min(Math.ceil(bytes / BYTES_OF_A_PIECE), (double) MOST_PIECES_OF_A_SERVER * servers);
            chosen = Math.max(servers, (long) pieces);
        }
        long slices = Math.min(info.rows(), Math.max(chosen, (long) least));
        int first = slices < servers ? Math.floorMod(info.id().number(), servers) : 0;
        int[] owners = new int[Math.toIntExact(slices)];
        for (int i = 0; i < owners.length; i++) {
            owners[i] = ranks.get(slices < servers ? (first + i) % servers : (int) ((long) i * servers / slices));
        }
        return TensorLayout.even(info, owners);
    }

    /** Places the slices on the servers and lanes of another tensor's slices, in the same number. */
    private static TensorLayout place(TensorInfo info, int wanted, TensorLayout other) {
        int slices = other.slices();
        if (wanted > 0 && wanted != slices || slices > info.rows()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "slices of tensor \"" + info.id() + "\" beside \""
                            + other.info().id() + "\": "
                            + (wanted > 0 ? wanted : info.rows() + " at most, one for each row") + " (expected: "
                            + slices
                            + ", as many as that tensor has)");
        }
        double bytes = info.grows() ? 0 : 4.0 * info.width() * info.rows();
        double least = Math.ceil(bytes / MOST_BYTES_OF_A_SLICE);
        if (least > slices) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "tensor \"" + info.id() + "\": " + info.shape() + " in " + slices + " slices, beside \""
                            + other.info().id()
                            + "\" (expected: slices of at most 1 GB; create that tensor with slices("
                            + (long) least + "))");
        }
        return TensorLayout.beside(info, other);
    }
}
