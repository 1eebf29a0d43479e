package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
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
import java.util.ArrayList;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link PerSlice}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class PerSlicePsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.per-slice";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -706913719;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<PerSlice.Request, PerSlice.Response> FUNCTION = new Codec();

    private PerSlicePsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<PerSlice.Request, PerSlice.Response> bind(PerSlice handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link PerSlice}. Stateless and thread-safe. Serializable if its caller is.
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
         * What each slice has, one after the other.
         *
         * <p>Runs on every slice of {@code tensor}.
         *
         * @param tensor the tensor that is looked at; the tensor on whose shards the function runs
         * @return the answers of the slices, merged: {@code slices} one for each slice, in their
         *     order; concatenated; {@code warnings} any number for each slice; concatenated
         */
        public Pending<PerSlice.Response> call(TensorId tensor) {
            return this.caller.call(FUNCTION, new PerSlice.Request(tensor), null, this.options);
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

    private static final class Codec extends Function<PerSlice.Request, PerSlice.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, true,
                    "acme.per-slice at SHARD (tensor:tensor) -> (slices:list of {begin:i64, end:i64, "
                            + "norm:f64})",
                    "acme.per-slice at SHARD (tensor:tensor) -> (slices:list of {begin:i64, end:i64, "
                            + "norm:f64}, warnings:list of {text:string})"));
        }

        @Override
        public TensorId target(PerSlice.Request request) {
            return request.tensor();
        }

        @Override
        public void write(PerSlice.Request request, Routing routing, int part, TupleWriter out) {
        }

        @Override
        public PerSlice.Request read(TupleReader in) {
            return new PerSlice.Request(in.target());
        }

        @Override
        public void writeAnswer(PerSlice.Response answer, TupleWriter out) {
            writeListOfSlice(answer.slices(), out);
            writeListOfWarning(answer.warnings(), out);
        }

        @Override
        public Merge<PerSlice.Response> merge(PerSlice.Request request, Routing routing,
                PerSlice.Response into) {
            return new Answers(routing);
        }

        private static void writeSlice(PerSlice.Slice value, TupleWriter out) {
            out.i64(value.begin());
            out.i64(value.end());
            out.f64(value.norm());
        }

        private static void writeListOfSlice(List<PerSlice.Slice> values, TupleWriter out) {
            out.count(values.size());
            for (PerSlice.Slice value : values) {
                writeSlice(value, out);
            }
        }

        private static void writeWarning(PerSlice.Warning value, TupleWriter out) {
            out.string(value.text());
        }

        private static void writeListOfWarning(List<PerSlice.Warning> values, TupleWriter out) {
            out.count(values.size());
            for (PerSlice.Warning value : values) {
                writeWarning(value, out);
            }
        }
    }

    private static final class Answers implements Merge<PerSlice.Response> {
        private final TupleReader[] kept;

        private final List<List<PerSlice.Slice>> slices;

        private final List<List<PerSlice.Warning>> warnings;

        Answers(Routing routing) {
            this.kept = new TupleReader[routing.parts()];
            this.slices = Concatenation.lists(routing.parts());
            this.warnings = Concatenation.lists(routing.parts());
        }

        @Override
        public void add(int part, TupleReader in) {
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            TupleReader in = kept[part];
            slices.set(part, readListOfSlice(in));
            if (in.has(2)) {
                warnings.set(part, readListOfWarning(in));
            }
        }

        @Override
        public PerSlice.Response result() {
            return new PerSlice.Response(Concatenation.of(slices), Concatenation.of(warnings));
        }

        private static PerSlice.Slice readSlice(TupleReader in) {
            return new PerSlice.Slice(in.i64(), in.i64(), in.f64());
        }

        private static List<PerSlice.Slice> readListOfSlice(TupleReader in) {
            int n = in.count(24);
            ArrayList<PerSlice.Slice> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readSlice(in));
            }
            return List.copyOf(values);
        }

        private static PerSlice.Warning readWarning(TupleReader in) {
            return new PerSlice.Warning(in.string());
        }

        private static List<PerSlice.Warning> readListOfWarning(TupleReader in) {
            int n = in.count(4);
            ArrayList<PerSlice.Warning> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readWarning(in));
            }
            return List.copyOf(values);
        }
    }
}
