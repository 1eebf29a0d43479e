package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
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
 * The codec, the partition, the merge and the stub of {@link Clock}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class ClockPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.clock";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 518514519;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Clock.Request, Clock.Response> FUNCTION = new Codec();

    private ClockPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Clock.Request, Clock.Response> bind(Clock handler) {
        return Binding.nodeLater(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Clock}. Stateless and thread-safe. Serializable if its caller is.
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
         * Tells a clock, and learns those of the others.
         *
         * <p>Runs on the scheduler.
         *
         * @param group copied
         * @param clock copied
         * @return the answer of the scheduler: {@code clocks} [n] int64; {@code ahead}; {@code name}
         */
        public Pending<Clock.Response> call(String group, long clock) {
            return this.caller.call(FUNCTION, new Clock.Request(group, clock), null, this.options);
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

    private static final class Codec extends Function<Clock.Request, Clock.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SCHEDULER, false,
                    "acme.clock at SCHEDULER (group:string, clock:i64) -> (clocks:i64[], ahead:bool, "
                            + "name:string)"));
        }

        @Override
        public void write(Clock.Request request, Routing routing, int part, TupleWriter out) {
            out.string(request.group());
            out.i64(request.clock());
        }

        @Override
        public Clock.Request read(TupleReader in) {
            return new Clock.Request(in.string(), in.i64());
        }

        @Override
        public void writeAnswer(Clock.Response answer, TupleWriter out) {
            out.array(answer.clocks());
            out.bool(answer.ahead());
            out.string(answer.name());
        }

        static Clock.Response readAnswer(TupleReader in) {
            return new Clock.Response(in.longArray(), in.bool(), in.string());
        }

        @Override
        public Merge<Clock.Response> merge(Clock.Request request, Routing routing,
                Clock.Response into) {
            return new Answers();
        }
    }

    private static final class Answers implements Merge<Clock.Response> {
        private TupleReader kept;

        private Clock.Response answer;

        @Override
        public void add(int part, TupleReader in) {
            kept = in.keep();
        }

        @Override
        public void decode(int part) {
            answer = Codec.readAnswer(kept);
        }

        @Override
        public Clock.Response result() {
            return answer;
        }
    }
}
