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
import java.util.ArrayList;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Ranked}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class RankedPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.ranked";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -153956464;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Ranked.Request, Ranked.Response> FUNCTION = new Codec();

    private RankedPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Ranked.Request, Ranked.Response> bind(Ranked handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Ranked}. Stateless and thread-safe. Serializable if its caller is.
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
         * The k largest values of a tensor, merged by what was asked for.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param k copied
         * @return the result of the function's {@code merge} on the answers of the slices:
         *     {@code hits}
         */
        public Pending<Ranked.Response> call(TensorId tensor, int k) {
            return this.caller.call(FUNCTION, new Ranked.Request(tensor, k), null, this.options);
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

    private static final class Codec extends Function<Ranked.Request, Ranked.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.ranked at SHARD (tensor:tensor, k:i32) -> (hits:list of {key:i64, "
                            + "value:f32}) merged"));
        }

        @Override
        public TensorId target(Ranked.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Ranked.Request request, Routing routing, int part, TupleWriter out) {
            out.i32(request.k());
        }

        @Override
        public Ranked.Request read(TupleReader in) {
            return new Ranked.Request(in.target(), in.i32());
        }

        @Override
        public void writeAnswer(Ranked.Response answer, TupleWriter out) {
            writeListOfHit(answer.hits(), out);
        }

        static Ranked.Response readAnswer(TupleReader in) {
            return new Ranked.Response(readListOfHit(in));
        }

        @Override
        public Merge<Ranked.Response> merge(Ranked.Request request, Routing routing,
                Ranked.Response into) {
            return new Answers(request, routing);
        }

        private static void writeHit(Ranked.Hit value, TupleWriter out) {
            out.i64(value.key());
            out.f32(value.value());
        }

        private static void writeListOfHit(List<Ranked.Hit> values, TupleWriter out) {
            out.count(values.size());
            for (Ranked.Hit value : values) {
                writeHit(value, out);
            }
        }

        private static Ranked.Hit readHit(TupleReader in) {
            return new Ranked.Hit(in.i64(), in.f32());
        }

        private static List<Ranked.Hit> readListOfHit(TupleReader in) {
            int n = in.count(12);
            ArrayList<Ranked.Hit> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readHit(in));
            }
            return List.copyOf(values);
        }
    }

    private static final class Answers implements Merge<Ranked.Response> {
        private final Ranked.Request request;

        private final TupleReader[] kept;

        private final Ranked.Response[] answers;

        Answers(Ranked.Request request, Routing routing) {
            this.request = request;
            this.kept = new TupleReader[routing.parts()];
            this.answers = new Ranked.Response[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            answers[part] = Codec.readAnswer(kept[part]);
        }

        @Override
        public Ranked.Response result() {
            return Ranked.merge(request, List.of(answers));
        }
    }
}
