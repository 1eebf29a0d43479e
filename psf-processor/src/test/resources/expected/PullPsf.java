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
 * The codec, the partition, the merge and the stub of {@link Pull}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class PullPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.pull";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1588554876;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Pull.Request, Pull.Response> FUNCTION = new Codec();

    private static final int ROWS_KEYS = 0;

    private PullPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Pull.Request, Pull.Response> bind(Pull handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Pull}. Stateless and thread-safe. Serializable if its caller is.
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
         * Fetches rows.
         *
         * <p>In any order, {@code duplicates} included.
         *
         * <p>Runs on the slices of {@code table} that own keys of {@code rows}.
         *
         * @param table the tensor on whose shards the function runs
         * @param rows [n] int64 row ids; borrowed until await returns; global keys in any order,
         *     each goes to the slice that owns it
         * @return the answers of the slices, merged: {@code values} [n, width] float32, row i
         *     belongs to {@code rows[i]}
         */
        public Pending<Pull.Response> call(TensorId table, LongArray rows) {
            return this.caller.call(FUNCTION, new Pull.Request(table, rows), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code values} is filled; borrowed until await returns; its other
         *     components are not read
         */
        public Pending<Pull.Response> call(TensorId table, LongArray rows, Pull.Response into) {
            return this.caller.call(FUNCTION, new Pull.Request(table, rows), into, this.options);
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

    private static final class Codec extends Function<Pull.Request, Pull.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.pull at SHARD (table:tensor, rows:i64[] by key) -> (values:f32[] along "
                            + "rows)"));
        }

        @Override
        public TensorId target(Pull.Request request) {
            return request.table();
        }

        @Override
        public void route(Pull.Request request, Routing routing) {
            routing.keys(ROWS_KEYS, "rows", request.rows(), Reduction.NONE, false);
        }

        @Override
        public void write(Pull.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(ROWS_KEYS, part, out);
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
                    ? FloatArray.allocate(routing.alongLength(ROWS_KEYS, 0))
                    : routing.target("values", into.values(), routing.alongLength(ROWS_KEYS, 0));
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeAlong("values", part, ROWS_KEYS, in.floatArray(), values, 0);
        }

        @Override
        public Pull.Response result() {
            return new Pull.Response(values);
        }
    }
}
