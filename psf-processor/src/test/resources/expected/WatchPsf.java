package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
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
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Watch}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class WatchPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.watch";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1613158962;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Watch.Request, Watch.Response> FUNCTION = new Codec();

    private WatchPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Watch.Request, Watch.Response> bind(Watch handler) {
        return Binding.shardLater(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Watch}. Stateless and thread-safe. Serializable if its caller is.
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
         * Answers when a tensor has changed, and holds no other call back meanwhile.
         *
         * <p>Runs on every slice of {@code tensor}, in no order with the worker's other calls. Each
         * slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param seen copied
         * @return the answers of the slices, merged: {@code changes} the maximum
         */
        public Pending<Watch.Response> call(TensorId tensor, long seen) {
            return this.caller.call(FUNCTION, new Watch.Request(tensor, seen), null, this.options);
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
         * <p>Calls of this function have no order.
         *
         * @param priority from -128 to 127; 0 by default
         */
        public Stub withPriority(int priority) {
            return new Stub(caller, options.withPriority(priority));
        }
    }

    private static final class Codec extends Function<Watch.Request, Watch.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.watch at SHARD (tensor:tensor, seen:i64) -> (changes:i64 max)").unordered());
        }

        @Override
        public TensorId target(Watch.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Watch.Request request, Routing routing, int part, TupleWriter out) {
            out.i64(request.seen());
        }

        @Override
        public Watch.Request read(TupleReader in) {
            return new Watch.Request(in.target(), in.i64());
        }

        @Override
        public void writeAnswer(Watch.Response answer, TupleWriter out) {
            out.i64(answer.changes());
        }

        @Override
        public Merge<Watch.Response> merge(Watch.Request request, Routing routing,
                Watch.Response into) {
            return new Answers(routing);
        }
    }

    private static final class Answers implements Merge<Watch.Response> {
        private final long[] changes;

        Answers(Routing routing) {
            this.changes = new long[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            changes[part] = in.i64();
        }

        @Override
        public Watch.Response result() {
            return new Watch.Response(Folds.fold(Reduction.MAX, changes, Long.MIN_VALUE, Long.MAX_VALUE));
        }
    }
}
