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
 * What {@link Push} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
final class PushPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.push";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 1691736519;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Push.Request, Push.Response> FUNCTION = new Codec();

    private PushPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Push.Request, Push.Response> bind(Push handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Push}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Adds rows, folded on the worker, and tells every slice that a round is over.
         *
         * @param table the tensor on whose shards the function runs
         * @param rows [n] int64, global keys in any order, duplicates folded with SUM; borrowed until await returns
         * @param update [n, width] float32, row i belongs to {@code rows[i]}; borrowed until await returns
         * @param weight [n, 1] float32, row i belongs to {@code rows[i]}; borrowed until await returns
         */
        public Pending<Push.Response> call(TensorId table, LongArray rows, FloatArray update,
                FloatArray weight) {
            return this.caller.call(FUNCTION, new Push.Request(table, rows, update, weight), null, this.options);
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

    private static final class Codec extends Function<Push.Request, Push.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.push at SHARD (table:tensor, rows:i64[] by key sum every slice, update:f32[] along rows, weight:f32[] along rows x 1) -> ()"));
        }

        @Override
        public TensorId target(Push.Request request) {
            return request.table();
        }

        @Override
        public void route(Push.Request request, Routing routing) {
            routing.keys(0, "rows", request.rows(), Reduction.SUM, true);
            routing.along(2, "update", 0, request.update(), 0);
            routing.along(3, "weight", 0, request.weight(), 1);
        }

        @Override
        public void write(Push.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(0, part, out);
            routing.write(2, part, out);
            routing.write(3, part, out);
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
