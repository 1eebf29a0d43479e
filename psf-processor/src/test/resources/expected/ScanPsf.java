package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Concatenation;
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
 * The codec, the partition, the merge and the stub of {@link Scan}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class ScanPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.scan";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 429400146;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Scan.Request, Scan.Response> FUNCTION = new Codec();

    private ScanPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Scan.Request, Scan.Response> bind(Scan handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Scan}. Stateless and thread-safe. Serializable if its caller is.
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
         * Finds the rows that are longer than a limit; the servers say which.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param limit copied
         * @return the answers of the slices, merged: {@code rows} [n, width] float32, row i belongs
         *     to {@code found[i]}; {@code found} [n] int64, keys that the slices produce, in slice
         *     order; {@code ages} [n, 1] int32, row i belongs to {@code found[i]}
         */
        public Pending<Scan.Response> call(TensorId tensor, float limit) {
            return this.caller.call(FUNCTION, new Scan.Request(tensor, limit), null, this.options);
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

    private static final class Codec extends Function<Scan.Request, Scan.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.scan at SHARD (tensor:tensor, limit:f32) -> (rows:f32[] along found, "
                            + "found:i64[] by key)",
                    "acme.scan at SHARD (tensor:tensor, limit:f32) -> (rows:f32[] along found, "
                            + "found:i64[] by key, ages:i32[] along found x 1)"));
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
            return new Scan.Response(Concatenation.along("rows", rows, found, routing.width(0),
                    FloatArray::allocate), Concatenation.of(found, LongArray::allocate),
                    Concatenation.along("ages", ages, found, routing.width(1), IntArray::allocate));
        }
    }
}
