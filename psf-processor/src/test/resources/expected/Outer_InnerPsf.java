package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.time.Duration;
import javax.annotation.processing.Generated;

/**
 * What {@link Outer.Inner} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
final class Outer_InnerPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.outer.inner";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = -1254182232;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Outer.Inner.Request, Outer.Inner.Response> FUNCTION = new Codec();

    private Outer_InnerPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Outer.Inner.Request, Outer.Inner.Response> bind(Outer.Inner handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Outer.Inner}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Nested, with keys out and ranges back.
         *
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param tensor the tensor on whose shards the function runs
         */
        public Pending<Outer.Inner.Response> call(LongArray keys, TensorId tensor) {
            return this.caller.call(FUNCTION, new Outer.Inner.Request(keys, tensor), null, this.options);
        }

        /**
         * Nested, with keys out and ranges back.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param keys [n] int64, global keys in any order; borrowed until await returns
         * @param tensor the tensor on whose shards the function runs
         * @param into {@code values}: [rows, width] float32, row-aligned with the tensor; borrowed until await returns
         */
        public Pending<Outer.Inner.Response> call(LongArray keys, TensorId tensor,
                Outer.Inner.Response into) {
            return this.caller.call(FUNCTION, new Outer.Inner.Request(keys, tensor), into, this.options);
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

    private static final class Codec extends Function<Outer.Inner.Request, Outer.Inner.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.outer.inner at SHARD (keys:i64[] by key, tensor:tensor) -> (values:f32[] by range)"));
        }

        @Override
        public TensorId target(Outer.Inner.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Outer.Inner.Request request, Routing routing) {
            routing.keys(0, "keys", request.keys(), Reduction.NONE, false);
            routing.everySlice();
        }

        @Override
        public void write(Outer.Inner.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
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
