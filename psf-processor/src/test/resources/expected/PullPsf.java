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
 * What {@link Pull} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class PullPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.pull";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 1588554876;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Pull.Request, Pull.Response> FUNCTION = new Codec();

    private PullPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Pull.Request, Pull.Response> bind(Pull handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Pull}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Fetches rows.
         *
         * <p>In any order, {@code duplicates} included.
         *
         * @param table the tensor on whose shards the function runs
         * @param rows [n] int64 row ids; borrowed until await returns
         */
        public Pending<Pull.Response> call(TensorId table, LongArray rows) {
            return this.caller.call(FUNCTION, new Pull.Request(table, rows), null, this.options);
        }

        /**
         * Fetches rows.
         *
         * <p>In any order, {@code duplicates} included.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param table the tensor on whose shards the function runs
         * @param rows [n] int64 row ids; borrowed until await returns
         * @param into {@code values}: [n, width] float32, row i belongs to {@code rows[i]}; borrowed until await returns
         */
        public Pending<Pull.Response> call(TensorId table, LongArray rows, Pull.Response into) {
            return this.caller.call(FUNCTION, new Pull.Request(table, rows), into, this.options);
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

    private static final class Codec extends Function<Pull.Request, Pull.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.pull at SHARD (table:tensor, rows:i64[] by key) -> (values:f32[] along rows)"));
        }

        @Override
        public TensorId target(Pull.Request request) {
            return request.table();
        }

        @Override
        public void route(Pull.Request request, Routing routing) {
            routing.keys(0, "rows", request.rows(), Reduction.NONE, false);
        }

        @Override
        public void write(Pull.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
        }

        @Override
        public Pull.Request read(TupleReader in) {
            return new Pull.Request(in.target(), in.longArray());
        }

        @Override
        public void writeAnswer(Pull.Response answer, TupleWriter out) {
            out.array(answer.values());
        }

        @Override
        public Merge<Pull.Response> merge(Pull.Request request, Routing routing,
                Pull.Response into) {
            return new Answers(routing, into);
        }
    }

    private static final class Answers implements Merge<Pull.Response> {
        private final Routing routing;

        private final FloatArray values;

        Answers(Routing routing, Pull.Response into) {
            this.routing = routing;
            this.values = into == null
                    ? FloatArray.allocate(routing.alongLength(0, 0))
                    : routing.target("values", into.values(), routing.alongLength(0, 0));
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeAlong("values", part, 0, in.floatArray(), values, 0);
        }

        @Override
        public Pull.Response result() {
            return new Pull.Response(values);
        }
    }
}
