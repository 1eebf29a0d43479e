package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
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
 * What {@link Turn} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class TurnPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.turn";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = -1746688040;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Turn.Request, Turn.Response> FUNCTION = new Codec();

    private TurnPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Turn.Request, Turn.Response> bind(Turn handler) {
        return Binding.shardLater(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Turn}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Answers when it is the caller's turn.
         *
         * @param tensor the tensor on whose shards the function runs
         */
        public Pending<Turn.Response> call(TensorId tensor, long clock) {
            return this.caller.call(FUNCTION, new Turn.Request(tensor, clock), null, this.options);
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

    private static final class Codec extends Function<Turn.Request, Turn.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.turn at SHARD (tensor:tensor, clock:i64) -> ()"));
        }

        @Override
        public TensorId target(Turn.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Turn.Request request, Routing routing, int part, TupleWriter out) {
            out.i64(request.clock());
        }

        @Override
        public Turn.Request read(TupleReader in) {
            return new Turn.Request(in.target(), in.i64());
        }

        @Override
        public void writeAnswer(Turn.Response answer, TupleWriter out) {
        }

        @Override
        public Merge<Turn.Response> merge(Turn.Request request, Routing routing,
                Turn.Response into) {
            return new Answers();
        }
    }

    private static final class Answers implements Merge<Turn.Response> {
        @Override
        public void add(int part, TupleReader in) {
        }

        @Override
        public Turn.Response result() {
            return new Turn.Response();
        }
    }
}
