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
import java.util.OptionalLong;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Counter}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class CounterPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.counter";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -167911963;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Counter.Request, Counter.Response> FUNCTION = new Codec();

    private CounterPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Counter.Request, Counter.Response> bind(Counter handler) {
        return Binding.node(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Counter}. Stateless and thread-safe. Serializable if its caller is.
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
         * Counts what is added to a key, on the one server that owns it.
         *
         * <p>Runs on the server that owns {@code key}.
         *
         * @param group copied
         * @param key the key whose owner among the servers runs the function
         * @param more copied
         * @return the answer of the server: {@code count}; {@code group}; {@code history} [n]
         *     float32
         */
        public Pending<Counter.Response> call(String group, long key, int more) {
            return this.caller.call(FUNCTION, new Counter.Request(group, key, more),
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

    private static final class Codec extends Function<Counter.Request, Counter.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SERVER, false,
                    "acme.counter at SERVER (group:string, key:i64 by key, more:i32) -> (count:i64, "
                            + "group:string, history:f32[])"));
        }

        @Override
        public OptionalLong ownerKey(Counter.Request request) {
            return OptionalLong.of(request.key());
        }

        @Override
        public void write(Counter.Request request, Routing routing, int part, TupleWriter out) {
            out.string(request.group());
            out.i64(request.key());
            out.i32(request.more());
        }

        @Override
        public Counter.Request read(TupleReader in) {
            return new Counter.Request(in.string(), in.i64(), in.i32());
        }

        @Override
        public void writeAnswer(Counter.Response answer, TupleWriter out) {
            out.i64(answer.count());
            out.string(answer.group());
            out.array(answer.history());
        }

        static Counter.Response readAnswer(TupleReader in) {
            return new Counter.Response(in.i64(), in.string(), in.floatArray());
        }

        @Override
        public Merge<Counter.Response> merge(Counter.Request request, Routing routing,
                Counter.Response into) {
            return new Answers();
        }
    }

    private static final class Answers implements Merge<Counter.Response> {
        private TupleReader kept;

        private Counter.Response answer;

        @Override
        public void add(int part, TupleReader in) {
            kept = in.keep();
        }

        @Override
        public void decode(int part) {
            answer = Codec.readAnswer(kept);
        }

        @Override
        public Counter.Response result() {
            return answer;
        }
    }
}
