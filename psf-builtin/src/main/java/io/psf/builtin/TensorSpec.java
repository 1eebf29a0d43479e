package io.psf.builtin;

import io.psf.api.Node;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorDeclaration.Rule;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
import io.psf.api.array.FloatTypes;
import io.psf.builtin.optimizer.GlobalNorm;
import io.psf.builtin.optimizer.Options;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a tensor. Start with {@link #dense}, {@link #table} or {@link #growing}, then change the defaults.
 * Immutable: each setter returns a new spec.
 */
public final class TensorSpec implements Serializable {
    private static final long serialVersionUID = 1;

    /**
     * A value for {@link #slices}: as many slices as make each about 256 KB, at least one per server and at most 256. A
     * slice of this size is still in the cache when it is processed, and one slice is transferred while another is
     * processed.
     */
    public static final int PIECES = -1;

    private final TensorInfo tensor;
    private final Initializer initializer;
    private final OptimizerSpec optimizer;
    private final Updates updates;
    private final int slices;
    private final @Nullable TensorId beside;
    private final String placement;
    private final Quorum quorum;
    private final TablePolicy policy;

    private TensorSpec(
            TensorInfo tensor,
            Initializer initializer,
            OptimizerSpec optimizer,
            Updates updates,
            int slices,
            @Nullable TensorId beside,
            String placement,
            Quorum quorum,
            TablePolicy policy) {
        if (quorum == null || quorum.pushes() > 0 && updates == Updates.EACH) {
            throw new IllegalArgumentException("quorum of tensor \"" + tensor.id() + "\": " + quorum + ", updates "
                    + updates + " (expected: updates SUM or MEAN, which have rounds)");
        }
        if (initializer == null || optimizer == null || updates == null) {
            throw new IllegalArgumentException("tensor \"" + tensor.id() + "\": initializer " + initializer
                    + ", optimizer " + optimizer + ", updates " + updates + " (expected: not null)");
        }
        requireLength(tensor, initializer.values());
        if (policy == null || !tensor.grows() && !policy.equals(TablePolicy.keepAll())) {
            throw new IllegalArgumentException("policy of tensor \"" + tensor.id() + "\": " + policy
                    + " (expected: none, since the tensor does not grow)");
        }
        List<String> names = placement == null
                ? List.of("")
                : Arrays.stream(placement.split(",", -1)).map(String::strip).toList();
        if (names.contains("")) {
            throw new IllegalArgumentException("placement of tensor \"" + tensor.id() + "\": \"" + placement
                    + "\" (expected: a name, such as \"" + Node.HOST + "\", or several separated by commas)");
        }
        if (slices < PIECES || slices > tensor.rows()) {
            throw new IllegalArgumentException("slices of tensor \"" + tensor.id() + "\": " + slices
                    + " (expected: 1 to " + (tensor.grows() ? "65536" : tensor.rows() + " rows")
                    + ", 0 for one per server, or " + PIECES + " for pieces of about 256 KB)");
        }
        this.tensor = tensor;
        this.initializer = initializer;
        this.optimizer = optimizer;
        this.updates = updates;
        this.slices = slices;
        this.beside = beside;
        this.placement = String.join(",", names);
        this.quorum = quorum;
        this.policy = policy;
    }

    private static void requireLength(TensorInfo tensor, @Nullable FloatArray values) {
        if (values != null && (tensor.grows() || values.length() != tensor.rows() * (double) tensor.width())) {
            throw new IllegalArgumentException("initial values of tensor \"" + tensor.id() + "\": " + values.length()
                    + " (expected: " + (tensor.grows() ? "a tensor that does not grow" : "rows x width of ")
                    + (tensor.grows() ? "" : tensor.shape()) + ")");
        }
    }

    /**
     * Declares a vector: [rows, 1] float32, meant to be pushed and pulled as a whole. Its slices are {@link #PIECES}.
     *
     * @throws IllegalArgumentException if the name is invalid or rows &lt; 1
     */
    public static TensorSpec dense(String name, long rows) {
        return dense(name, rows, 1);
    }

    /**
     * Declares a matrix: [rows, width] float32, meant to be pushed and pulled as a whole. Its slices are
     * {@link #PIECES}.
     *
     * @throws IllegalArgumentException if the name is invalid, rows &lt; 1 or width &lt; 1
     */
    public static TensorSpec dense(String name, long rows, int width) {
        return new TensorSpec(
                new TensorInfo(TensorId.of(name), rows, width),
                Initializers.constant(0),
                Optimizers.add(),
                Updates.EACH,
                PIECES,
                null,
                Node.HOST,
                Quorum.ALL,
                TablePolicy.keepAll());
    }

    /**
     * Declares an embedding table: [rows, width] float32, meant to be pushed and pulled by key, with one slice per
     * server. All operations on a {@link #dense} tensor work on it, too.
     *
     * @throws IllegalArgumentException if the name is invalid, rows &lt; 1 or width &lt; 1
     */
    public static TensorSpec table(String name, long rows, int width) {
        return dense(name, rows, width).slices(0);
    }

    /**
     * Declares a growing embedding table: the keys are not known in advance. Any int64 is a key, such as a feature's
     * hash. The first push of a key creates its row, with the initializer's values. A pull of a key without a row
     * returns the initializer's values and creates no row. {@link Tensors#removeRows} removes rows. Keys are
     * distributed over the slices by hash; the default is one slice per server. The table is accessed by key only.
     *
     * <p>A row takes 4 bytes for each of its floats and of the floats of its optimizer state, and 19 to 30 bytes for
     * its key; more just after the index has doubled. A slice has at most 100,663,296 rows, and at most 2 GB of values
     * and of each array of the optimizer's state. The memory of removed rows is reused for new rows, and is freed with
     * the table.
     *
     * @throws IllegalArgumentException if the name is invalid or width &lt; 1
     */
    public static TensorSpec growing(String name, int width) {
        return table(name, TensorInfo.GROWING, width);
    }

    /**
     * Returns copies whose gradients are clipped by their global norm, as the gradient of a whole model: if the
     * Euclidean norm over all of them, of the sums or means of one round of each tensor, is above the limit, all are
     * scaled by the same factor. The n-th round of a tensor closes with the n-th round of each other one. So a worker
     * pushes to all of them, before it awaits one of these pushes; a push of no rows is one. If the norm is not finite,
     * the pushes of all of them fail with {@code BAD_REQUEST}, and no values change. {@code skipNonFinite} leaves out
     * pushes of each tensor by itself.
     *
     * @param limit above 0
     * @param specs of different names; the first one's servers add up the norm
     * @return the copies, in their order, for one {@link Tensors#init(io.psf.api.TensorCaller, List)}, or several
     * @throws IllegalArgumentException if a tensor has updates {@link Updates#EACH}, where a worker can scale its
     *     gradients before it pushes them, or a {@link #quorum}, whose rounds differ from slice to slice, or a {@code
     *     clipNorm} of its own, or an optimizer that replaces values
     */
    public static List<TensorSpec> clipGlobalNorm(double limit, List<TensorSpec> specs) {
        Set<TensorId> names = new HashSet<>();
        List<TensorSpec> clipped = new ArrayList<>();
        for (TensorSpec spec : specs) {
            if (spec.updates == Updates.EACH
                    || !spec.quorum.equals(Quorum.ALL)
                    || Options.of(spec.optimizer.options()).clipNorm() > 0
                    || !names.add(spec.tensor.id())) {
                throw new IllegalArgumentException("tensor \"" + spec.tensor.id() + "\" with a global norm: updates "
                        + spec.updates + ", quorum " + spec.quorum + ", optimizer " + spec.optimizer + ", number "
                        + (clipped.size() + 1) + " of " + names
                        + " (expected: SUM or MEAN, all workers, no clipNorm, each name once)");
            }
            GlobalNorm norm = new GlobalNorm(
                    clipped.size() + 1, specs.size(), specs.get(0).tensor.id().name());
            clipped.add(spec.optimizer(spec.optimizer.clipGlobalNorm(limit, norm)));
        }
        return clipped;
    }

    /** Returns name, rows, width and number formats. */
    public TensorInfo tensor() {
        return tensor;
    }

    /** Returns the initial values; 0 by default. */
    public Initializer initializer() {
        return initializer;
    }

    /** Returns the rule by which a push changes the values; by default a push is added. */
    public OptimizerSpec optimizer() {
        return optimizer;
    }

    /** Returns how the pushes of the workers combine; by default each is applied on arrival. */
    public Updates updates() {
        return updates;
    }

    /** Returns the number of slices that the rows are partitioned into; 0 for one per server, or {@link #PIECES}. */
    public int slices() {
        return slices;
    }

    /** Returns the tensor that this one is colocated with, slice by slice; null for none. */
    public @Nullable TensorId beside() {
        return beside;
    }

    /** Returns the memory of the shards: a name, or alternatives separated by commas; the servers' own by default. */
    public String placement() {
        return placement;
    }

    /** Returns the number of pushes at which a round closes; by default the pushes of all workers. */
    public Quorum quorum() {
        return quorum;
    }

    /** Returns which keys of a growing table get a row, and which rows are removed; by default each, and none. */
    public TablePolicy policy() {
        return policy;
    }

    /**
     * Returns a copy with another initializer.
     *
     * @throws IllegalArgumentException if it has values of its own, more or fewer than the tensor
     */
    public TensorSpec initializer(Initializer initializer) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /** Returns a copy with another optimizer. */
    public TensorSpec optimizer(OptimizerSpec optimizer) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /**
     * Returns a copy with another mode of combining the workers' pushes.
     *
     * @throws IllegalArgumentException if it is {@link Updates#EACH}, and the tensor has a {@link #quorum}
     */
    public TensorSpec updates(Updates updates) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /**
     * Returns a copy whose rounds close without the slowest workers: at the given number of pushes, or once all present
     * workers have pushed. A push is late if a round has closed since the worker's previous push was answered.
     *
     * @param pushes the number of pushes of different workers, at least 1
     * @param late what happens to a late push
     * @throws IllegalArgumentException if the updates are {@link Updates#EACH}: call {@link #updates} first
     */
    public TensorSpec quorum(int pushes, Late late) {
        if (pushes < 1) {
            throw new IllegalArgumentException(
                    "quorum of tensor \"" + tensor.id() + "\": " + pushes + " (expected: at least 1 push)");
        }
        Quorum some = new Quorum(pushes, late);
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, some, policy);
    }

    /**
     * Returns a copy whose rows are made and removed by a policy.
     *
     * @throws IllegalArgumentException if the tensor does not grow
     */
    public TensorSpec policy(TablePolicy policy) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /**
     * Returns a copy with another number of slices; 0 for one per server, or {@link #PIECES}. Tensors with equal
     * numbers of rows and of slices, and at least one slice per server, are colocated. Other tensors are colocated if
     * one is declared {@link #beside} the other.
     *
     * @throws IllegalArgumentException if the number is below {@link #PIECES} or above the number of rows
     */
    public TensorSpec slices(int slices) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /**
     * Returns a copy that is colocated with another tensor of any number of rows, fixed or growing: it has as many
     * slices, and slice i is on the same server and lane. One call may then have keys of both
     * ({@code @ByKey(of = ..)}), and a chain may have calls on both. Tensors with equal numbers of rows and of slices
     * on the same servers are colocated without it. A lane that tensors share runs the work on slice i of all of them
     * sequentially; with more slices than servers, such tensors use several lanes of a server.
     *
     * @param other a tensor that has been initialized; {@link #slices} must keep its default or equal the other
     *     tensor's number of slices
     */
    public TensorSpec beside(TensorId other) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, other, placement, quorum, policy);
    }

    /**
     * Returns a copy whose shards are in another memory of the servers. Their own is {@link Node#HOST}.
     *
     * @param placement a name for which each server has a factory of shards, such as {@code device:0}; or several,
     *     separated by commas. Each slice is at the first of them that its server has and whose memory suffices. If a
     *     server has none of them, {@link Tensors#init} fails with {@code BAD_REQUEST}, naming the placements that the
     *     server has; with {@code RESOURCE_EXHAUSTED} if no memory suffices
     * @throws IllegalArgumentException if a name is blank
     */
    public TensorSpec placement(String placement) {
        return new TensorSpec(tensor, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    /**
     * Returns a copy whose shards are in the memory of the servers' accelerators. Each server is started with the
     * number of its device, {@code --device 0} or {@code PSF_DEVICE=0}, and has a factory of such shards on its class
     * path. Otherwise {@link Tensors#init} fails with {@code BAD_REQUEST}, naming the placements that the server has.
     * It fails with {@code RESOURCE_EXHAUSTED} if a device's memory does not suffice. A device processes large slices
     * fastest: a tensor of {@link #PIECES} gets one slice per server.
     */
    public TensorSpec device() {
        return inLargeSlices().placement(Node.DEVICE);
    }

    /**
     * Returns a copy whose shards are in the memory of the servers' accelerators, as with {@link #device}. On a server
     * without a device, or where its memory does not suffice for a slice, the slice is in host memory. The server logs
     * each slice whose memory does not suffice.
     */
    public TensorSpec deviceOrHost() {
        return inLargeSlices().placement(Node.DEVICE + "," + Node.HOST);
    }

    /**
     * Returns a copy whose values have another type in the servers' memory: half as much for a type of 16 bits.
     * Arithmetic is in float32, and so are the slots of optimizers. A stored value is rounded to the nearest.
     *
     * @param type {@code FLOAT32}, {@code FLOAT16} or {@code BFLOAT16}
     */
    public TensorSpec storage(FloatType type) {
        return types(new FloatTypes(type, false, tensor.types().wire()));
    }

    /**
     * Returns a copy whose stored values are rounded to one of their two neighbours at random, so that they are exact
     * on average: many small updates then add up, none of which is as large as half of the distance of two neighbours.
     *
     * @throws IllegalArgumentException if the values are stored as {@code FLOAT32}: call {@link #storage} first
     */
    public TensorSpec stochasticRounding() {
        return types(
                new FloatTypes(tensor.types().storage(), true, tensor.types().wire()));
    }

    /**
     * Returns a copy whose updates and values travel in another type. It applies to the arrays that a function declares
     * with {@link io.psf.api.layout.Wire}: the updates and the values of pushes and pulls.
     */
    public TensorSpec wire(FloatType type) {
        FloatTypes types = tensor.types();
        return types(new FloatTypes(types.storage(), types.isStochastic(), type));
    }

    /**
     * Returns a copy with another name, for several tensors of one declaration.
     *
     * @throws IllegalArgumentException if the name is invalid
     */
    public TensorSpec named(String name) {
        return with(new TensorInfo(TensorId.of(name), tensor.rows(), tensor.width()).withTypes(tensor.types()));
    }

    private TensorSpec types(FloatTypes types) {
        return with(tensor.withTypes(types));
    }

    private TensorSpec with(TensorInfo other) {
        return new TensorSpec(other, initializer, optimizer, updates, slices, beside, placement, quorum, policy);
    }

    private TensorSpec inLargeSlices() {
        return slices == PIECES ? slices(0) : this;
    }

    /** Returns what the cluster is told of the tensor. Two specs are equal if and only if these are. */
    TensorDeclaration declared() {
        return new TensorDeclaration(
                tensor,
                slices,
                besideName(),
                placement,
                new Rule(initializer.name(), initializer.arguments(), Map.of()),
                new Rule(optimizer.name(), optimizer.arguments(), optimizer.options()),
                new Rounds(
                        updates != Updates.EACH, updates == Updates.MEAN, quorum.pushes(), quorum.late() == Late.DROP),
                policy.texts(),
                "");
    }

    /** Returns the name of the tensor that this one is colocated with; empty for none. */
    String besideName() {
        return beside == null ? "" : beside.name();
    }

    /**
     * Returns the declaration without the name, on one line. Two specs are the same declaration if and only if their
     * texts are equal.
     */
    public String declaration() {
        return declared().text();
    }

    /** True if the name and the {@link #declaration} are equal. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TensorSpec spec
                && tensor.equals(spec.tensor)
                && declaration().equals(spec.declaration());
    }

    @Override
    public int hashCode() {
        return tensor.hashCode();
    }

    /** Returns the name and the {@link #declaration}. */
    @Override
    public String toString() {
        return tensor.id() + " " + declaration();
    }
}
