package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
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
 * The codec, the partition, the merge and the stub of {@link Axpy}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class AxpyPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.axpy";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 678953045;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Axpy.Request, Axpy.Response> FUNCTION = new Codec();

    private static final int X_ARRAY = 2;

    private AxpyPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Axpy.Request, Axpy.Response> bind(Axpy handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Axpy}. Stateless and thread-safe. Serializable if its caller is.
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
         * y <- y + alpha x, next to the shard; answers the squared norm of the new y.
         *
         * <p>Runs on every slice of {@code y}. Each slice gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code x}.
         *
         * @param y the tensor on whose shards the function runs
         * @param alpha copied
         * @param x [rows, width] float32, row-aligned with the tensor, cut at slice bounds
         * @return the answers of the slices, merged: {@code squaredNorm} summed
         */
        public Pending<Axpy.Response> call(TensorId y, float alpha, FloatArray x) {
            return this.caller.call(FUNCTION, new Axpy.Request(y, alpha, x), null, this.options);
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

    private static final class Codec extends Function<Axpy.Request, Axpy.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.axpy at SHARD (y:tensor, alpha:f32, x:f32[] by range) -> (squaredNorm:f64 "
                            + "sum)"));
        }

        @Override
        public TensorId target(Axpy.Request request) {
            return request.y();
        }

        @Override
        public void route(Axpy.Request request, Routing routing) {
            routing.range(X_ARRAY, "x", request.x(), 0);
        }

        @Override
        public void write(Axpy.Request request, Routing routing, int part, TupleWriter out) {
            out.f32(request.alpha());
            routing.write(X_ARRAY, part, out);
        }

        @Override
        public Axpy.Request read(TupleReader in) {
            return new Axpy.Request(in.target(), in.f32(), in.floatArray());
        }

        @Override
        public void writeAnswer(Axpy.Response answer, TupleWriter out) {
            out.f64(answer.squaredNorm());
        }

        @Override
        public Merge<Axpy.Response> merge(Axpy.Request request, Routing routing,
                Axpy.Response into) {
            return new Answers(routing);
        }
    }

    private static final class Answers implements Merge<Axpy.Response> {
        private final double[] squaredNorm;

        Answers(Routing routing) {
            this.squaredNorm = new double[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            squaredNorm[part] = in.f64();
        }

        @Override
        public Axpy.Response result() {
            return new Axpy.Response(Folds.fold(Reduction.SUM, squaredNorm));
        }
    }
}
