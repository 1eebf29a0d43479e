package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.time.Duration;
import javax.annotation.processing.Generated;

/**
 * What {@link Neighbors} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class NeighborsPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.neighbors";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 1383127546;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Neighbors.Request, Neighbors.Response> FUNCTION = new Codec();

    private NeighborsPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Neighbors.Request, Neighbors.Response> bind(Neighbors handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Neighbors}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Adds edges to a graph, and tells the neighbours of nodes.
         *
         * @param graph the tensor on whose shards the function runs
         * @param nodes [n] int64, global keys in any order, duplicates folded with LAST; borrowed until await returns
         * @param from [n] int64, global keys in any order; borrowed until await returns
         * @param to [sum of counts] int64, row i has {@code degrees[i]} elements; borrowed until await returns
         * @param degrees [n, 1] int32, row i belongs to {@code from[i]}; borrowed until await returns
         */
        public Pending<Neighbors.Response> call(TensorId graph, LongArray nodes, LongArray from,
                LongArray to, IntArray degrees) {
            return this.caller.call(FUNCTION, new Neighbors.Request(graph, nodes, from, to, degrees), null, this.options);
        }

        /**
         * Adds edges to a graph, and tells the neighbours of nodes.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param graph the tensor on whose shards the function runs
         * @param nodes [n] int64, global keys in any order, duplicates folded with LAST; borrowed until await returns
         * @param from [n] int64, global keys in any order; borrowed until await returns
         * @param to [sum of counts] int64, row i has {@code degrees[i]} elements; borrowed until await returns
         * @param degrees [n, 1] int32, row i belongs to {@code from[i]}; borrowed until await returns
         * @param into {@code counts}: [n, 1] int32, row i belongs to {@code nodes[i]}; borrowed until await returns
         */
        public Pending<Neighbors.Response> call(TensorId graph, LongArray nodes, LongArray from,
                LongArray to, IntArray degrees, Neighbors.Response into) {
            return this.caller.call(FUNCTION, new Neighbors.Request(graph, nodes, from, to, degrees), into, this.options);
        }

        /**
         * The same stub whose calls fail with {@code TIMED_OUT} if not answered in time.
         */
        public Stub withDeadline(Duration deadline) {
            return new Stub(caller, options.withDeadline(deadline));
        }

        /**
         * The same stub whose calls are run before those of a lower priority, of which 0 is the usual one.
         *
         * <p>What one worker sends to one shard keeps its order all the same.
         *
         * @param priority from -128 to 127
         */
        public Stub withPriority(int priority) {
            return new Stub(caller, options.withPriority(priority));
        }
    }

    private static final class Codec extends Function<Neighbors.Request, Neighbors.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.neighbors at SHARD (graph:tensor, nodes:i64[] by key last, from:i64[] by key, to:i64[] ragged degrees, degrees:i32[] along from x 1) -> (neighbors:i64[] ragged counts, counts:i32[] along nodes x 1, isolated:i64[] by key, ages:i32[] along isolated x 1, history:f64[] ragged ages)",
                    "acme.neighbors at SHARD (graph:tensor, nodes:i64[] by key last, from:i64[] by key, to:i64[] ragged degrees, degrees:i32[] along from x 1) -> (neighbors:i64[] ragged counts, counts:i32[] along nodes x 1, isolated:i64[] by key, ages:i32[] along isolated x 1, history:f64[] ragged ages, weights:f64[] ragged counts)"));
        }

        @Override
        public TensorId target(Neighbors.Request request) {
            return request.graph();
        }

        @Override
        public void route(Neighbors.Request request, Routing routing) {
            routing.keys(0, "nodes", request.nodes(), Reduction.LAST, false);
            routing.keys(1, "from", request.from(), Reduction.NONE, false);
            routing.along(4, "degrees", 1, request.degrees(), 1);
            routing.ragged(3, "to", 4, request.to());
        }

        @Override
        public void write(Neighbors.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
            routing.writeKeys(1, part, out);
            routing.write(3, part, out);
            routing.write(4, part, out);
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
                    ? IntArray.allocate(routing.alongLength(0, 1))
                    : routing.target("counts", into.counts(), routing.alongLength(0, 1));
            this.isolated = new LongArray[routing.parts()];
            this.ages = new IntArray[routing.parts()];
            this.history = new DoubleArray[routing.parts()];
            this.weights = new DoubleArray[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            neighbors[part] = in.longArray().copy();
            routing.mergeAlong("counts", part, 0, in.intArray(), counts, 1);
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
                    routing.mergeRagged("neighbors", 0, counts, neighbors, LongArray::allocate),
                    counts,
                    Concatenation.of(isolated, LongArray::allocate),
                    Concatenation.along("ages", ages, isolated, routing.width(1), IntArray::allocate),
                    Concatenation.ragged("history", history, ages, DoubleArray::allocate),
                    routing.mergeRagged("weights", 0, counts, weights, DoubleArray::allocate));
        }
    }
}
