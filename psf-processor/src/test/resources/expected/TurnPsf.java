package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
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
 * The codec, the partition, the merge and the stub of {@link Turn}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class TurnPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.turn";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -1746688040;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Turn.Request, Turn.Response> FUNCTION = new Codec();

    private TurnPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Turn.Request, Turn.Response> bind(Turn handler) {
        return Binding.shardLater(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Turn}. Stateless and thread-safe. Serializable if its caller is.
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
         * Answers when it is the caller's turn.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param clock copied
         * @return an empty response, complete when all slices have answered
         */
        public Pending<Turn.Response> call(TensorId tensor, long clock) {
            return this.caller.call(FUNCTION, new Turn.Request(tensor, clock), null, this.options);
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
