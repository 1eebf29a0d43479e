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
 * The codec, the partition, the merge and the stub of {@link Push}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
final class PushPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.push";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1691736519;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Push.Request, Push.Response> FUNCTION = new Codec();

    private static final int ROWS_KEYS = 0;

    private static final int UPDATE_ARRAY = 2;

    private static final int WEIGHT_ARRAY = 3;

    private PushPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Push.Request, Push.Response> bind(Push handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Push}. Stateless and thread-safe. Serializable if its caller is.
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
         * Adds rows, folded on the worker, and tells every slice that a round is over.
         *
         * <p>Runs on every slice of {@code table}.
         *
         * <p>Borrowed until await returns: {@code rows}, {@code update}, {@code weight}.
         *
         * @param table the tensor on whose shards the function runs
         * @param rows [n] int64, global keys in any order, each goes to the slice that owns it,
         *     duplicates folded with SUM; slices without keys are called too
         * @param update [n, width] float32, row i goes to the slice of {@code rows[i]}
         * @param weight [n, 1] float32, row i goes to the slice of {@code rows[i]}
         * @return an empty response, complete when all slices have answered
         */
        public Pending<Push.Response> call(TensorId table, LongArray rows, FloatArray update,
                FloatArray weight) {
            return this.caller.call(FUNCTION, new Push.Request(table, rows, update, weight),
                    null, this.options);
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

    private static final class Codec extends Function<Push.Request, Push.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.push at SHARD (table:tensor, rows:i64[] by key sum every slice, "
                            + "update:f32[] along rows, weight:f32[] along rows x 1) -> ()"));
        }

        @Override
        public TensorId target(Push.Request request) {
            return request.table();
        }

        @Override
        public void route(Push.Request request, Routing routing) {
            routing.keys(ROWS_KEYS, "rows", request.rows(), Reduction.SUM, true);
            routing.along(UPDATE_ARRAY, "update", ROWS_KEYS, request.update(), 0);
            routing.along(WEIGHT_ARRAY, "weight", ROWS_KEYS, request.weight(), 1);
        }

        @Override
        public void write(Push.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(ROWS_KEYS, part, out);
            routing.write(UPDATE_ARRAY, part, out);
            routing.write(WEIGHT_ARRAY, part, out);
        }

        @Override
        public Push.Request read(TupleReader in) {
            return new Push.Request(
                    in.target(),
                    in.longArray(),
                    in.floatArray(),
                    in.floatArray());
        }

        @Override
        public void writeAnswer(Push.Response answer, TupleWriter out) {
        }

        @Override
        public Merge<Push.Response> merge(Push.Request request, Routing routing,
                Push.Response into) {
            return new Answers();
        }
    }

    private static final class Answers implements Merge<Push.Response> {
        @Override
        public void add(int part, TupleReader in) {
        }

        @Override
        public Push.Response result() {
            return new Push.Response();
        }
    }
}
