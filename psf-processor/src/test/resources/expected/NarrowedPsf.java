package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
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
import java.util.List;
import javax.annotation.processing.Generated;
import org.jspecify.annotations.Nullable;

/**
 * The codec, the partition, the merge and the stub of {@link Narrowed}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class NarrowedPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.narrowed";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 2015366549;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Narrowed.Request, Narrowed.Response> FUNCTION = new Codec();

    private static final int KEYS_KEYS = 0;

    private static final int COUNTS_ARRAY = 2;

    private static final int VALUES_ARRAY = 3;

    private NarrowedPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Narrowed.Request, Narrowed.Response> bind(Narrowed handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Narrowed}. Stateless and thread-safe. Serializable if its caller is.
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
         * First it ran on every slice, and then by keys too.
         *
         * <p>Runs on the slices of {@code tensor} that own keys of {@code keys}. Each slice gets the
         * copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code keys}, {@code counts}, {@code values}.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order, each goes to the slice that owns it
         * @param counts [n, 1] int32, row i goes to the slice of {@code keys[i]}
         * @param values [sum of counts] float32, row i has {@code counts[i]} elements and goes to
         *     the slice of its key
         * @param before copied; may be null
         * @return the answers of the slices, merged: {@code sums} [n] float32, element by element
         *     summed; {@code rows} [n, width] float32, row i belongs to {@code keys[i]}
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, @Nullable String before) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values,
                    before), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code rows} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, @Nullable String before, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values,
                    before), into, this.options);
        }

        /**
         * Calls the function as in version 3.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values,
                    null), null, this.options);
        }

        /**
         * Calls the function as in version 3, and fills arrays of {@code into}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code rows} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values,
                    null), into, this.options);
        }

        /**
         * Calls the function as in version 2.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys,
                    IntArray.allocate(0), FloatArray.allocate(0), null), null, this.options);
        }

        /**
         * Calls the function as in version 2, and fills arrays of {@code into}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code rows} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys,
                Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys,
                    IntArray.allocate(0), FloatArray.allocate(0), null), into, this.options);
        }

        /**
         * Calls the function as in version 1.
         *
         * <p>Runs on every slice of {@code tensor}.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Narrowed.Response> call(TensorId tensor) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, LongArray.allocate(0),
                    IntArray.allocate(0), FloatArray.allocate(0), null), null, this.options);
        }

        /**
         * Calls the function as in version 1, and fills arrays of {@code into}.
         *
         * <p>Runs on every slice of {@code tensor}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code rows} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Narrowed.Response> call(TensorId tensor, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, LongArray.allocate(0),
                    IntArray.allocate(0), FloatArray.allocate(0), null), into, this.options);
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

    private static final class Codec extends Function<Narrowed.Request, Narrowed.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.narrowed at SHARD (tensor:tensor) -> (sums:f32[] sum)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key) -> (sums:f32[] sum, "
                            + "rows:f32[] along keys)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key, counts:i32[] along "
                            + "keys x 1, values:f32[] ragged counts) -> (sums:f32[] sum, rows:f32[] along keys)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key, counts:i32[] along "
                            + "keys x 1, values:f32[] ragged counts, before:string?) -> (sums:f32[] sum, "
                            + "rows:f32[] along keys)"));
        }

        @Override
        public TensorId target(Narrowed.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Narrowed.Request request, Routing routing) {
            routing.keys(KEYS_KEYS, "keys", request.keys(), Reduction.NONE, false);
            if (request.counts().length() == 0) {
                routing.absent(COUNTS_ARRAY, request.counts());
            } else {
                routing.along(COUNTS_ARRAY, "counts", KEYS_KEYS, request.counts(), 1);
            }
            routing.ragged(VALUES_ARRAY, "values", COUNTS_ARRAY, request.values());
            if (request.keys().length() == 0) {
                routing.everySlice();
            }
        }

        @Override
        public void write(Narrowed.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(KEYS_KEYS, part, out);
            routing.write(COUNTS_ARRAY, part, out);
            routing.write(VALUES_ARRAY, part, out);
            out.bool(request.before() != null);
            if (request.before() != null) {
                out.string(request.before());
            }
        }

        @Override
        public Narrowed.Request read(TupleReader in) {
            return new Narrowed.Request(
                    in.target(),
                    in.has(2) ? in.longArray() : LongArray.allocate(0),
                    in.has(3) ? in.intArray() : IntArray.allocate(0),
                    in.has(3) ? in.floatArray() : FloatArray.allocate(0),
                    in.has(4) ? (in.bool() ? in.string() : null) : null);
        }

        @Override
        public void writeAnswer(Narrowed.Response answer, TupleWriter out) {
            out.array(answer.sums());
            out.array(answer.rows());
        }

        @Override
        public Merge<Narrowed.Response> merge(Narrowed.Request request, Routing routing,
                Narrowed.Response into) {
            return new Answers(routing, into);
        }
    }

    private static final class Answers implements Merge<Narrowed.Response> {
        private final Routing routing;

        private final FloatArray[] sums;

        private final FloatArray rows;

        Answers(Routing routing, Narrowed.Response into) {
            this.routing = routing;
            this.sums = new FloatArray[routing.parts()];
            this.rows = into == null
                    ? FloatArray.allocate(routing.alongLength(KEYS_KEYS, 0))
                    : routing.target("rows", into.rows(), routing.alongLength(KEYS_KEYS, 0));
        }

        @Override
        public void add(int part, TupleReader in) {
            sums[part] = in.floatArray().copy();
            if (in.has(2)) {
                routing.mergeAlong("rows", part, KEYS_KEYS, in.floatArray(), rows, 0);
            } else {
                routing.clearAlong(part, KEYS_KEYS, rows, 0);
            }
        }

        @Override
        public Narrowed.Response result() {
            return new Narrowed.Response(Folds.fold(Reduction.SUM, "sums", List.of(sums),
                    FloatArray.allocate(0)), rows);
        }
    }
}
