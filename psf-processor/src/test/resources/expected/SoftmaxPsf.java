package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Concatenation;
import io.psf.api.spi.Folds;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionCaller;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.io.Serializable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Softmax}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class SoftmaxPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.softmax";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1447402279;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Softmax.Request, Softmax.Response> FUNCTION = new Codec();

    private static final int CANDIDATES_KEYS = 0;

    private SoftmaxPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Softmax.Request, Softmax.Response> bind(Softmax handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Softmax}. Stateless and thread-safe. Serializable if its caller is.
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
         * The shares of candidates that may lie on several slices.
         *
         * <p>Runs on the slices of {@code weights} that own keys of {@code candidates}. Each slice
         * gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code candidates}.
         *
         * @param weights the tensor on whose shards the function runs
         * @param candidates [n] int64, global keys in any order, each goes to the slice that owns it
         * @param temperature copied
         * @return the result of the function's {@code finish} on the answers of the slices, merged:
         *     {@code total} summed; {@code slices} concatenated; {@code shares} [n, 1] float32, row
         *     i belongs to {@code candidates[i]}; {@code largest} the maximum
         */
        public Pending<Softmax.Response> call(TensorId weights, LongArray candidates,
                float temperature) {
            return this.caller.call(FUNCTION, new Softmax.Request(weights, candidates, temperature),
                    null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code shares} is filled; borrowed until await returns; its other
         *     components are not read
         */
        public Pending<Softmax.Response> call(TensorId weights, LongArray candidates,
                float temperature, Softmax.Response into) {
            return this.caller.call(FUNCTION, new Softmax.Request(weights, candidates, temperature),
                    into, this.options);
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

    private static final class Codec extends Function<Softmax.Request, Softmax.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.softmax at SHARD (weights:tensor, candidates:i64[] by key, "
                            + "temperature:f32) -> (total:f64 sum, slices:list of {begin:i64, candidates:i32}, "
                            + "shares:f32[] along candidates x 1)",
                    "acme.softmax at SHARD (weights:tensor, candidates:i64[] by key, "
                            + "temperature:f32) -> (total:f64 sum, slices:list of {begin:i64, candidates:i32}, "
                            + "shares:f32[] along candidates x 1, largest:f32 max)"));
        }

        @Override
        public TensorId target(Softmax.Request request) {
            return request.weights();
        }

        @Override
        public void route(Softmax.Request request, Routing routing) {
            routing.keys(CANDIDATES_KEYS, "candidates", request.candidates(),
                    Reduction.NONE, false);
        }

        @Override
        public void write(Softmax.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(CANDIDATES_KEYS, part, out);
            out.f32(request.temperature());
        }

        @Override
        public Softmax.Request read(TupleReader in) {
            return new Softmax.Request(in.target(), in.longArray(), in.f32());
        }

        @Override
        public void writeAnswer(Softmax.Response answer, TupleWriter out) {
            out.f64(answer.total());
            writeListOfSlice(answer.slices(), out);
            out.array(answer.shares());
            out.f32(answer.largest());
        }

        @Override
        public Merge<Softmax.Response> merge(Softmax.Request request, Routing routing,
                Softmax.Response into) {
            return new Answers(request, routing, into);
        }

        private static void writeSlice(Softmax.Slice value, TupleWriter out) {
            out.i64(value.begin());
            out.i32(value.candidates());
        }

        private static void writeListOfSlice(List<Softmax.Slice> values, TupleWriter out) {
            out.count(values.size());
            for (Softmax.Slice value : values) {
                writeSlice(value, out);
            }
        }
    }

    private static final class Answers implements Merge<Softmax.Response> {
        private final Softmax.Request request;

        private final Routing routing;

        private final TupleReader[] kept;

        private final double[] total;

        private final List<List<Softmax.Slice>> slices;

        private final FloatArray shares;

        private final double[] largest;

        Answers(Softmax.Request request, Routing routing, Softmax.Response into) {
            this.request = request;
            this.routing = routing;
            this.kept = new TupleReader[routing.parts()];
            this.total = new double[routing.parts()];
            this.slices = Concatenation.lists(routing.parts());
            this.shares = into == null
                    ? FloatArray.allocate(routing.alongLength(CANDIDATES_KEYS, 1))
                    : routing.target("shares", into.shares(), routing.alongLength(CANDIDATES_KEYS, 1));
            this.largest = new double[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeAlong("shares", part, CANDIDATES_KEYS, in.floatArray(), shares, 1);
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            TupleReader in = kept[part];
            total[part] = in.f64();
            slices.set(part, readListOfSlice(in));
            if (in.has(2)) {
                largest[part] = in.f32();
            }
        }

        @Override
        public Softmax.Response result() {
            return Softmax.finish(request, new Softmax.Response(
                    Folds.fold(Reduction.SUM, total),
                    Concatenation.of(slices),
                    shares,
                    (float) Folds.fold(Reduction.MAX, largest)));
        }

        private static Softmax.Slice readSlice(TupleReader in) {
            return new Softmax.Slice(in.i64(), in.i32());
        }

        private static List<Softmax.Slice> readListOfSlice(TupleReader in) {
            int n = in.count(12);
            ArrayList<Softmax.Slice> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readSlice(in));
            }
            return List.copyOf(values);
        }
    }
}
