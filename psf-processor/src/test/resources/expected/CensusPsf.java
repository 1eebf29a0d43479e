package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Caller;
import io.psf.api.spi.Folds;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.time.Duration;
import javax.annotation.processing.Generated;

/**
 * What {@link Census} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class CensusPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.census";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 328742772;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Census.Request, Census.Response> FUNCTION = new Codec();

    private CensusPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Census.Request, Census.Response> bind(Census handler) {
        return Binding.node(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Census}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Counts the shards of some tensors.
         *
         */
        public Pending<Census.Response> call(TensorId first, TensorId second) {
            return this.caller.call(FUNCTION, new Census.Request(first, second), null, this.options);
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
