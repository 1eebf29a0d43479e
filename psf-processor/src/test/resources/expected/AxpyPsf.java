package good;

import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
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
 * What {@link Axpy} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class AxpyPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.axpy";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = 678953045;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Axpy.Request, Axpy.Response> FUNCTION = new Codec();

    private AxpyPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Axpy.Request, Axpy.Response> bind(Axpy handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Axpy}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * y <- y + alpha x, next to the shard; answers the squared norm of the new y.
         *
         * @param y the tensor on whose shards the function runs
         * @param x [rows, width] float32, row-aligned with the tensor; borrowed until await returns
         */
        public Pending<Axpy.Response> call(TensorId y, float alpha, FloatArray x) {
            return this.caller.call(FUNCTION, new Axpy.Request(y, alpha, x), null, this.options);
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

    private static final class Codec extends Function<Axpy.Request, Axpy.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.axpy at SHARD (y:tensor, alpha:f32, x:f32[] by range) -> (squaredNorm:f64 sum)"));
        }

        @Override
        public TensorId target(Axpy.Request request) {
            return request.y();
        }

        @Override
        public void route(Axpy.Request request, Routing routing) {
            routing.range(2, "x", request.x(), 0);
        }

        @Override
        public void write(Axpy.Request request, Routing routing, int part, TupleWriter out) {
            out.f32(request.alpha());
            routing.write(2, part, out);
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
