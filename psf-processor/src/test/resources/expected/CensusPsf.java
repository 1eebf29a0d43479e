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
 * The codec, the partition, the merge and the stub of {@link Census}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class CensusPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.census";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 328742772;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Census.Request, Census.Response> FUNCTION = new Codec();

    private CensusPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Census.Request, Census.Response> bind(Census handler) {
        return Binding.node(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Census}. Stateless and thread-safe. Serializable if its caller is.
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
         * Counts the shards of some tensors.
         *
         * <p>Runs on every server. Each server gets the copied and whole arguments.
         *
         * @param first copied
         * @param second copied
         * @return the answers of the servers, merged: {@code shards} summed
         */
        public Pending<Census.Response> call(TensorId first, TensorId second) {
            return this.caller.call(FUNCTION, new Census.Request(first, second),
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

    private static final class Codec extends Function<Census.Request, Census.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SERVER, true,
                    "acme.census at SERVER (first:tensor, second:tensor) -> (shards:i32 sum)"));
        }

        @Override
        public void write(Census.Request request, Routing routing, int part, TupleWriter out) {
            out.tensor(request.first());
            out.tensor(request.second());
        }

        @Override
        public Census.Request read(TupleReader in) {
            return new Census.Request(in.tensor(), in.tensor());
        }

        @Override
        public void writeAnswer(Census.Response answer, TupleWriter out) {
            out.i32(answer.shards());
        }

        @Override
        public Merge<Census.Response> merge(Census.Request request, Routing routing,
                Census.Response into) {
            return new Answers(routing);
        }
    }

    private static final class Answers implements Merge<Census.Response> {
        private final long[] shards;

        Answers(Routing routing) {
            this.shards = new long[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            shards[part] = in.i32();
        }

        @Override
        public Census.Response result() {
            return new Census.Response((int) Folds.fold(Reduction.SUM, shards, Integer.MIN_VALUE, Integer.MAX_VALUE));
        }
    }
}
