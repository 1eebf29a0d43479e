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
 * The codec, the partition, the merge and the stub of {@link Outer.Inner}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
final class Outer_InnerPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.outer.inner";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -1254182232;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Outer.Inner.Request, Outer.Inner.Response> FUNCTION = new Codec();

    private static final int KEYS_KEYS = 0;

    private Outer_InnerPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Outer.Inner.Request, Outer.Inner.Response> bind(Outer.Inner handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Outer.Inner}. Stateless and thread-safe. Serializable if its caller is.
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
         * Nested, with keys out and ranges back.
         *
         * <p>Runs on every slice of {@code tensor}.
         *
         * <p>Borrowed until await returns: {@code keys}.
         *
         * @param keys [n] int64, global keys in any order, each goes to the slice that owns it
         * @param tensor the tensor on whose shards the function runs
         * @return the answers of the slices, merged: {@code values} [rows, width] float32,
         *     row-aligned with the tensor
         */
        public Pending<Outer.Inner.Response> call(LongArray keys, TensorId tensor) {
            return this.caller.call(FUNCTION, new Outer.Inner.Request(keys, tensor),
                    null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code values} is filled; borrowed until await returns; its other
         *     components are not read
         */
        public Pending<Outer.Inner.Response> call(LongArray keys, TensorId tensor,
                Outer.Inner.Response into) {
            return this.caller.call(FUNCTION, new Outer.Inner.Request(keys, tensor),
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

    private static final class Codec extends Function<Outer.Inner.Request, Outer.Inner.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.outer.inner at SHARD (keys:i64[] by key, tensor:tensor) -> (values:f32[] "
                            + "by range)"));
        }

        @Override
        public TensorId target(Outer.Inner.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Outer.Inner.Request request, Routing routing) {
            routing.keys(KEYS_KEYS, "keys", request.keys(), Reduction.NONE, false);
            routing.everySlice();
        }

        @Override
        public void write(Outer.Inner.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(KEYS_KEYS, part, out);
        }

        @Override
        public Outer.Inner.Request read(TupleReader in) {
            return new Outer.Inner.Request(in.longArray(), in.target());
        }

        @Override
        public void writeAnswer(Outer.Inner.Response answer, TupleWriter out) {
            out.array(answer.values());
        }

        @Override
        public Merge<Outer.Inner.Response> merge(Outer.Inner.Request request, Routing routing,
                Outer.Inner.Response into) {
            return new Answers(routing, into);
        }
    }

    private static final class Answers implements Merge<Outer.Inner.Response> {
        private final Routing routing;

        private final FloatArray values;

        Answers(Routing routing, Outer.Inner.Response into) {
            this.routing = routing;
            this.values = into == null
                    ? FloatArray.allocate(routing.rangeLength(0))
                    : routing.target("values", into.values(), routing.rangeLength(0));
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeRange("values", part, in.floatArray(), values, 0);
        }

        @Override
        public Outer.Inner.Response result() {
            return new Outer.Inner.Response(values);
        }
    }
}
