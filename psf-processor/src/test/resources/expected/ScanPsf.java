package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
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
 * What {@link Scan} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class ScanPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.scan";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 429400146;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Scan.Request, Scan.Response> FUNCTION = new Codec();

    private ScanPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Scan.Request, Scan.Response> bind(Scan handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Scan}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Finds the rows that are longer than a limit; the servers say which.
         *
         * @param tensor the tensor on whose shards the function runs
         */
        public Pending<Scan.Response> call(TensorId tensor, float limit) {
            return this.caller.call(FUNCTION, new Scan.Request(tensor, limit), null, this.options);
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

    private static final class Codec extends Function<Scan.Request, Scan.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.scan at SHARD (tensor:tensor, limit:f32) -> (rows:f32[] along found, found:i64[] by key)",
                    "acme.scan at SHARD (tensor:tensor, limit:f32) -> (rows:f32[] along found, found:i64[] by key, ages:i32[] along found x 1)"));
        }

        @Override
        public TensorId target(Scan.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Scan.Request request, Routing routing, int part, TupleWriter out) {
            out.f32(request.limit());
        }

        @Override
        public Scan.Request read(TupleReader in) {
            return new Scan.Request(in.target(), in.f32());
        }

        @Override
        public void writeAnswer(Scan.Response answer, TupleWriter out) {
            out.array(answer.rows());
            out.array(answer.found());
            out.array(answer.ages());
        }

        @Override
        public Merge<Scan.Response> merge(Scan.Request request, Routing routing,
                Scan.Response into) {
            return new Answers(routing);
        }
    }

    private static final class Answers implements Merge<Scan.Response> {
        private final Routing routing;

        private final FloatArray[] rows;

        private final LongArray[] found;

        private final IntArray[] ages;

        Answers(Routing routing) {
            this.routing = routing;
            this.rows = new FloatArray[routing.parts()];
            this.found = new LongArray[routing.parts()];
            this.ages = new IntArray[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            rows[part] = in.floatArray().copy();
            found[part] = in.longArray().copy();
            if (in.has(2)) {
                ages[part] = in.intArray().copy();
            }
        }

        @Override
        public Scan.Response result() {
            return new Scan.Response(Concatenation.along("rows", rows, found, routing.width(0), FloatArray::allocate), Concatenation.of(found, LongArray::allocate), Concatenation.along("ages", ages, found, routing.width(1), IntArray::allocate));
        }
    }
}
