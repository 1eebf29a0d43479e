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
 * The codec, the partition, the merge and the stub of {@link TopK}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class TopKPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.topk";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 125227699;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<TopK.Request, TopK.Response> FUNCTION = new Codec();

    private TopKPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<TopK.Request, TopK.Response> bind(TopK handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link TopK}. Stateless and thread-safe. Serializable if its caller is.
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
         * The k largest values of a tensor.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param k copied
         * @return the result of the function's {@code merge} on the answers of the slices:
         *     {@code k}; {@code hits}; {@code scratch} [n] float32
         */
        public Pending<TopK.Response> call(TensorId tensor, int k) {
            return this.caller.call(FUNCTION, new TopK.Request(tensor, k), null, this.options);
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

    private static final class Codec extends Function<TopK.Request, TopK.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.topk at SHARD (tensor:tensor, k:i32) -> (k:i32, hits:list of {key:i64, "
                            + "value:f32}, scratch:f32[]) merged"));
        }

        @Override
        public TensorId target(TopK.Request request) {
            return request.tensor();
        }

        @Override
        public void write(TopK.Request request, Routing routing, int part, TupleWriter out) {
            out.i32(request.k());
        }

        @Override
        public TopK.Request read(TupleReader in) {
            return new TopK.Request(in.target(), in.i32());
        }

        @Override
        public void writeAnswer(TopK.Response answer, TupleWriter out) {
            out.i32(answer.k());
            writeListOfHit(answer.hits(), out);
            out.array(answer.scratch());
        }

        static TopK.Response readAnswer(TupleReader in) {
            return new TopK.Response(in.i32(), readListOfHit(in), in.floatArray());
        }

        @Override
        public Merge<TopK.Response> merge(TopK.Request request, Routing routing,
                TopK.Response into) {
            return new Answers(routing);
        }

        private static void writeHit(TopK.Hit value, TupleWriter out) {
            out.i64(value.key());
            out.f32(value.value());
        }

        private static void writeListOfHit(List<TopK.Hit> values, TupleWriter out) {
            out.count(values.size());
            for (TopK.Hit value : values) {
                writeHit(value, out);
            }
        }

        private static TopK.Hit readHit(TupleReader in) {
            return new TopK.Hit(in.i64(), in.f32());
        }

        private static List<TopK.Hit> readListOfHit(TupleReader in) {
            int n = in.count(12);
            ArrayList<TopK.Hit> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readHit(in));
            }
            return List.copyOf(values);
        }
    }

    private static final class Answers implements Merge<TopK.Response> {
        private final TupleReader[] kept;

        private final TopK.Response[] answers;

        Answers(Routing routing) {
            this.kept = new TupleReader[routing.parts()];
            this.answers = new TopK.Response[routing.parts()];
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
        public TopK.Response result() {
            return TopK.merge(List.of(answers));
        }
    }
}
