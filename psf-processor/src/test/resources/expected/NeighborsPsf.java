package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.io.Serializable;
import java.time.Duration;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Neighbors}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class NeighborsPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.neighbors";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1383127546;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Neighbors.Request, Neighbors.Response> FUNCTION = new Codec();

    private static final int NODES_KEYS = 0;

    private static final int FROM_KEYS = 1;

    private static final int DEGREES_ARRAY = 4;

    private static final int TO_ARRAY = 3;

    private NeighborsPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Neighbors.Request, Neighbors.Response> bind(Neighbors handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Neighbors}. Stateless and thread-safe. Serializable if its caller is.
     */
    public static final class Stub implements Serializable {
        private static final long serialVersionUID = 1;

        @SuppressWarnings("serial")
        private final FunctionCaller caller;

        private final CallOptions options;

        private Stub(FunctionCaller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Adds edges to a graph, and tells the neighbours of nodes.
         *
         * <p>Runs on the slices of {@code graph} that own keys of {@code nodes} or {@code from}.
         *
         * <p>Borrowed until await returns: {@code nodes}, {@code from}, {@code to}, {@code degrees}.
         *
         * @param graph the tensor on whose shards the function runs
         * @param nodes [n] int64, global keys in any order, each goes to the slice that owns it,
         *     duplicates folded with LAST
         * @param from [n] int64, global keys in any order, each goes to the slice that owns it
         * @param to [sum of degrees] int64, row i has {@code degrees[i]} elements and goes to the
         *     slice of its key
         * @param degrees [n, 1] int32, row i goes to the slice of {@code from[i]}
         * @return the answers of the slices, merged: {@code neighbors} [sum of counts] int64, row i
         *     has {@code counts[i]} elements; {@code counts} [n, 1] int32, row i belongs to
         *     {@code nodes[i]}; {@code isolated} [n] int64, keys that the slices produce, in slice
         *     order; {@code ages} [n, 1] int32, row i belongs to {@code isolated[i]};
         *     {@code history} [sum of ages] float64, row i has {@code ages[i]} elements;
         *     {@code weights} [sum of counts] float64, row i has {@code counts[i]} elements
         */
        public Pending<Neighbors.Response> call(TensorId graph, LongArray nodes, LongArray from,
                LongArray to, IntArray degrees) {
            return this.caller.call(FUNCTION, new Neighbors.Request(graph, nodes, from, to,
                    degrees), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code counts} is filled; borrowed until await returns; not
         *     {@code neighbors}, {@code isolated}, {@code ages}, {@code history}, {@code weights};
         *     its other components are not read
         */
        public Pending<Neighbors.Response> call(TensorId graph, LongArray nodes, LongArray from,
                LongArray to, IntArray degrees, Neighbors.Response into) {
            return this.caller.call(FUNCTION, new Neighbors.Request(graph, nodes, from, to,
                    degrees), into, this.options);
        }

        /**
         * Returns a stub with a deadline. A call without an answer in time fails with {@code TIMED_OUT}.
         */
        public Stub withDeadline(Duration deadline) {
            return new Stub(caller, options.withDeadline(deadline));
        }

        /**
         * Returns a stub with a priority. A server runs calls of a higher priority first.
         *
         * <p>The priority does not change the order of a worker's calls on a shard.
         *
         * @param priority from -128 to 127; 0 by default
         */
        public Stub withPriority(int priority) {
            return new Stub(caller, options.withPriority(priority));
        }
    }

    private static final class Codec extends Function<Neighbors.Request, Neighbors.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.neighbors at SHARD (graph:tensor, nodes:i64[] by key last, from:i64[] by "
                            + "key, to:i64[] ragged degrees, degrees:i32[] along from x 1) -> (neighbors:i64[] "
                            + "ragged counts, counts:i32[] along nodes x 1, isolated:i64[] by key, ages:i32[] "
                            + "along isolated x 1, history:f64[] ragged ages)",
                    "acme.neighbors at SHARD (graph:tensor, nodes:i64[] by key last, from:i64[] by "
                            + "key, to:i64[] ragged degrees, degrees:i32[] along from x 1) -> (neighbors:i64[] "
                            + "ragged counts, counts:i32[] along nodes x 1, isolated:i64[] by key, ages:i32[] "
                            + "along isolated x 1, history:f64[] ragged ages, weights:f64[] ragged counts)"));
        }

        @Override
        public TensorId target(Neighbors.Request request) {
            return request.graph();
        }

        @Override
        public void route(Neighbors.Request request, Routing routing) {
            routing.keys(NODES_KEYS, "nodes", request.nodes(), Reduction.LAST, false);
            routing.keys(FROM_KEYS, "from", request.from(), Reduction.NONE, false);
            routing.along(DEGREES_ARRAY, "degrees", FROM_KEYS, request.degrees(), 1);
            routing.ragged(TO_ARRAY, "to", DEGREES_ARRAY, request.to());
        }

        @Override
        public void write(Neighbors.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(NODES_KEYS, part, out);
            routing.writeKeys(FROM_KEYS, part, out);
            routing.write(TO_ARRAY, part, out);
            routing.write(DEGREES_ARRAY, part, out);
        }

        @Override
        public Neighbors.Request read(TupleReader in) {
            return new Neighbors.Request(
                    in.target(),
                    in.longArray(),
                    in.longArray(),
                    in.longArray(),
                    in.intArray());
        }

        @Override
        public void writeAnswer(Neighbors.Response answer, TupleWriter out) {
            out.array(answer.neighbors());
            out.array(answer.counts());
            out.array(answer.isolated());
            out.array(answer.ages());
            out.array(answer.history());
            out.array(answer.weights());
        }

        @Override
        public Merge<Neighbors.Response> merge(Neighbors.Request request, Routing routing,
                Neighbors.Response into) {
            return new Answers(routing, into);
        }
    }

    private static final class Answers implements Merge<Neighbors.Response> {
        private final Routing routing;

        private final LongArray[] neighbors;

        private final IntArray counts;

        private final LongArray[] isolated;

        private final IntArray[] ages;

        private final DoubleArray[] history;

        private final DoubleArray[] weights;

        Answers(Routing routing, Neighbors.Response into) {
            this.routing = routing;
            this.neighbors = new LongArray[routing.parts()];
            this.counts = into == null
                    ? IntArray.allocate(routing.alongLength(NODES_KEYS, 1))
                    : routing.target("counts", into.counts(), routing.alongLength(NODES_KEYS, 1));
            this.isolated = new LongArray[routing.parts()];
            this.ages = new IntArray[routing.parts()];
            this.history = new DoubleArray[routing.parts()];
            this.weights = new DoubleArray[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            neighbors[part] = in.longArray().copy();
            routing.mergeAlong("counts", part, NODES_KEYS, in.intArray(), counts, 1);
            isolated[part] = in.longArray().copy();
            ages[part] = in.intArray().copy();
            history[part] = in.doubleArray().copy();
            if (in.has(2)) {
                weights[part] = in.doubleArray().copy();
            }
        }

        @Override
        public Neighbors.Response result() {
            return new Neighbors.Response(
                    routing.mergeRagged("neighbors", NODES_KEYS, counts, neighbors,
                            LongArray::allocate),
                    counts,
                    Concatenation.of(isolated, LongArray::allocate),
                    Concatenation.along("ages", ages, isolated, routing.width(1),
                            IntArray::allocate),
                    Concatenation.ragged("history", history, ages, DoubleArray::allocate),
                    routing.mergeRagged("weights", NODES_KEYS, counts, weights,
                            DoubleArray::allocate));
        }
    }
}
