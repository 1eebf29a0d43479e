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
 * The codec, the partition, the merge and the stub of {@link OnDevice}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class OnDevicePsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.on_device";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1908159273;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<OnDevice.Request, OnDevice.Response> FUNCTION = new Codec();

    private OnDevicePsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<OnDevice.Request, OnDevice.Response> bind(OnDevice handler) {
        return Binding.shard(FUNCTION, OnDevice.DeviceShard.class, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link OnDevice}. Stateless and thread-safe. Serializable if its caller is.
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
         * Runs on shards of one kind.
         *
         * <p>Runs on every slice of {@code y}.
         *
         * @param y the tensor on whose shards the function runs
         * @return an empty response, complete when all slices have answered
         */
        public Pending<OnDevice.Response> call(TensorId y) {
            return this.caller.call(FUNCTION, new OnDevice.Request(y), null, this.options);
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

    private static final class Codec extends Function<OnDevice.Request, OnDevice.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.on_device at SHARD (y:tensor) -> ()"));
        }

        @Override
        public TensorId target(OnDevice.Request request) {
            return request.y();
        }

        @Override
        public void write(OnDevice.Request request, Routing routing, int part, TupleWriter out) {
        }

        @Override
        public OnDevice.Request read(TupleReader in) {
            return new OnDevice.Request(in.target());
        }

        @Override
        public void writeAnswer(OnDevice.Response answer, TupleWriter out) {
        }

        @Override
        public Merge<OnDevice.Response> merge(OnDevice.Request request, Routing routing,
                OnDevice.Response into) {
            return new Answers();
        }
    }

    private static final class Answers implements Merge<OnDevice.Response> {
        @Override
        public void add(int part, TupleReader in) {
        }

        @Override
        public OnDevice.Response result() {
            return new OnDevice.Response();
        }
    }
}
