package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Folds;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.time.Duration;
import java.util.List;
import javax.annotation.processing.Generated;
import org.jspecify.annotations.Nullable;

/**
 * What {@link Narrowed} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class NarrowedPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.narrowed";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 2015366549;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Narrowed.Request, Narrowed.Response> FUNCTION = new Codec();

    private NarrowedPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Narrowed.Request, Narrowed.Response> bind(Narrowed handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Narrowed}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param counts [n, 1] int32, row i belongs to {@code keys[i]}; borrowed until await returns
         * @param values [sum of counts] float32, row i has {@code counts[i]} elements; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, @Nullable String before) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values, before), null, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param counts [n, 1] int32, row i belongs to {@code keys[i]}; borrowed until await returns
         * @param values [sum of counts] float32, row i has {@code counts[i]} elements; borrowed until await returns
         * @param into {@code rows}: [n, width] float32, row i belongs to {@code keys[i]}; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, @Nullable String before, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values, before), into, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 3: what came later is empty.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param counts [n, 1] int32, row i belongs to {@code keys[i]}; borrowed until await returns
         * @param values [sum of counts] float32, row i has {@code counts[i]} elements; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values, null), null, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 3: what came later is empty.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param counts [n, 1] int32, row i belongs to {@code keys[i]}; borrowed until await returns
         * @param values [sum of counts] float32, row i has {@code counts[i]} elements; borrowed until await returns
         * @param into {@code rows}: [n, width] float32, row i belongs to {@code keys[i]}; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys, IntArray counts,
                FloatArray values, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, counts, values, null), into, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 2: what came later is empty.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, IntArray.allocate(0), FloatArray.allocate(0), null), null, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 2: what came later is empty.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param into {@code rows}: [n, width] float32, row i belongs to {@code keys[i]}; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, LongArray keys,
                Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, keys, IntArray.allocate(0), FloatArray.allocate(0), null), into, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 1: what came later is empty.
         *
         * @param tensor the tensor on whose shards the function runs
         */
        public Pending<Narrowed.Response> call(TensorId tensor) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, LongArray.allocate(0), IntArray.allocate(0), FloatArray.allocate(0), null), null, this.options);
        }

        /**
         * First it ran on every slice, and then by keys too.
         *
         * <p>As in version 1: what came later is empty.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param into {@code rows}: [n, width] float32, row i belongs to {@code keys[i]}; borrowed until await returns
         */
        public Pending<Narrowed.Response> call(TensorId tensor, Narrowed.Response into) {
            return this.caller.call(FUNCTION, new Narrowed.Request(tensor, LongArray.allocate(0), IntArray.allocate(0), FloatArray.allocate(0), null), into, this.options);
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

    private static final class Codec extends Function<Narrowed.Request, Narrowed.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.narrowed at SHARD (tensor:tensor) -> (sums:f32[] sum)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key) -> (sums:f32[] sum, rows:f32[] along keys)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key, counts:i32[] along keys x 1, values:f32[] ragged counts) -> (sums:f32[] sum, rows:f32[] along keys)",
                    "acme.narrowed at SHARD (tensor:tensor, keys:i64[] by key, counts:i32[] along keys x 1, values:f32[] ragged counts, before:string?) -> (sums:f32[] sum, rows:f32[] along keys)"));
        }

        @Override
        public TensorId target(Narrowed.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Narrowed.Request request, Routing routing) {
            routing.keys(0, "keys", request.keys(), Reduction.NONE, false);
            if (request.counts().length() == 0) {
                routing.absent(2, request.counts());
            } else {
                routing.along(2, "counts", 0, request.counts(), 1);
            }
            routing.ragged(3, "values", 2, request.values());
            if (request.keys().length() == 0) {
                routing.everySlice();
            }
        }

        @Override
        public void write(Narrowed.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
            routing.write(2, part, out);
            routing.write(3, part, out);
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
                    ? FloatArray.allocate(routing.alongLength(0, 0))
                    : routing.target("rows", into.rows(), routing.alongLength(0, 0));
        }

        @Override
        public void add(int part, TupleReader in) {
            sums[part] = in.floatArray().copy();
            if (in.has(2)) {
                routing.mergeAlong("rows", part, 0, in.floatArray(), rows, 0);
            }
        }

        @Override
        public Narrowed.Response result() {
            return new Narrowed.Response(Folds.fold(Reduction.SUM, "sums", List.of(sums), FloatArray.allocate(0)), rows);
        }
    }
}
