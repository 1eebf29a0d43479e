package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.DoubleArray;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Grown}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class GrownPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.grown";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1383350754;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Grown.Request, Grown.Response> FUNCTION = new Codec();

    private static final int X_ARRAY = 2;

    private static final Grown.Mode[] MODE_VALUES = Grown.Mode.values();

    private GrownPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Grown.Request, Grown.Response> bind(Grown handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Grown}. Stateless and thread-safe. Serializable if its caller is.
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
         * Calls the function.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code x}.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param rounds copied
         * @param x [rows, width] float32, row-aligned with the tensor, cut at slice bounds
         * @param note copied
         * @param mode copied
         * @param ids [n] int64, copied
         * @param point copied
         * @param points copied
         * @return the answers of the slices, merged: {@code norm} summed; {@code sums} [n] float64,
         *     element by element summed; {@code values} [rows, width] float32, row-aligned with the
         *     tensor; {@code count} summed
         */
        public Pending<Grown.Response> call(TensorId tensor, int rounds, FloatArray x, String note,
                Grown.Mode mode, long[] ids, Grown.Point point, List<Grown.Point> points) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, rounds, x, note, mode, ids,
                    point, points), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code values} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Grown.Response> call(TensorId tensor, int rounds, FloatArray x, String note,
                Grown.Mode mode, long[] ids, Grown.Point point, List<Grown.Point> points,
                Grown.Response into) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, rounds, x, note, mode, ids,
                    point, points), into, this.options);
        }

        /**
         * Calls the function as in version 2.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Grown.Response> call(TensorId tensor, int rounds, FloatArray x) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, rounds, x, "",
                    Grown.Mode.FAST, new long[0], new Grown.Point(0f, Grown.Mode.FAST), List.of()),
                    null, this.options);
        }

        /**
         * Calls the function as in version 2, and fills arrays of {@code into}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code values} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Grown.Response> call(TensorId tensor, int rounds, FloatArray x,
                Grown.Response into) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, rounds, x, "",
                    Grown.Mode.FAST, new long[0], new Grown.Point(0f, Grown.Mode.FAST), List.of()),
                    into, this.options);
        }

        /**
         * Calls the function as in version 1.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Grown.Response> call(TensorId tensor) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, 0, FloatArray.allocate(0),
                    "", Grown.Mode.FAST, new long[0], new Grown.Point(0f, Grown.Mode.FAST),
                    List.of()), null, this.options);
        }

        /**
         * Calls the function as in version 1, and fills arrays of {@code into}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code values} is filled; borrowed until await returns; not {@code sums};
         *     its other components are not read
         */
        public Pending<Grown.Response> call(TensorId tensor, Grown.Response into) {
            return this.caller.call(FUNCTION, new Grown.Request(tensor, 0, FloatArray.allocate(0),
                    "", Grown.Mode.FAST, new long[0], new Grown.Point(0f, Grown.Mode.FAST),
                    List.of()), into, this.options);
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

    private static final class Codec extends Function<Grown.Request, Grown.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.grown at SHARD (tensor:tensor) -> (norm:f32 sum)",
                    "acme.grown at SHARD (tensor:tensor, rounds:i32, x:f32[] by range) -> (norm:f32 "
                            + "sum)",
                    "acme.grown at SHARD (tensor:tensor, rounds:i32, x:f32[] by range, note:string, "
                            + "mode:enum(FAST|EXACT), ids:copied i64[], point:{x:f32, mode:enum(FAST|EXACT)}, "
                            + "points:list of {x:f32, mode:enum(FAST|EXACT)}) -> (norm:f32 sum, sums:f64[] sum)",
                    "acme.grown at SHARD (tensor:tensor, rounds:i32, x:f32[] by range, note:string, "
                            + "mode:enum(FAST|EXACT), ids:copied i64[], point:{x:f32, mode:enum(FAST|EXACT)}, "
                            + "points:list of {x:f32, mode:enum(FAST|EXACT)}) -> (norm:f32 sum, sums:f64[] "
                            + "sum, values:f32[] by range, count:i64 sum)"));
        }

        @Override
        public TensorId target(Grown.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Grown.Request request, Routing routing) {
            if (request.x().length() == 0) {
                routing.absent(X_ARRAY, request.x());
            } else {
                routing.range(X_ARRAY, "x", request.x(), 0);
            }
        }

        @Override
        public void write(Grown.Request request, Routing routing, int part, TupleWriter out) {
            out.i32(request.rounds());
            routing.write(X_ARRAY, part, out);
            out.string(request.note());
            out.enumeration(request.mode());
            out.longs(request.ids());
            writePoint(request.point(), out);
            writeListOfPoint(request.points(), out);
        }

        @Override
        public Grown.Request read(TupleReader in) {
            return new Grown.Request(
                    in.target(),
                    in.has(2) ? in.i32() : 0,
                    in.has(2) ? in.floatArray() : FloatArray.allocate(0),
                    in.has(3) ? in.string() : "",
                    in.has(3) ? in.enumeration(MODE_VALUES) : Grown.Mode.FAST,
                    in.has(3) ? in.longs() : new long[0],
                    in.has(3) ? readPoint(in) : new Grown.Point(0f, Grown.Mode.FAST),
                    in.has(3) ? readListOfPoint(in) : List.of());
        }

        @Override
        public void writeAnswer(Grown.Response answer, TupleWriter out) {
            out.f32(answer.norm());
            out.array(answer.sums());
            out.array(answer.values());
            out.i64(answer.count());
        }

        @Override
        public Merge<Grown.Response> merge(Grown.Request request, Routing routing,
                Grown.Response into) {
            return new Answers(routing, into);
        }

        private static void writePoint(Grown.Point value, TupleWriter out) {
            out.f32(value.x());
            out.enumeration(value.mode());
        }

        private static void writeListOfPoint(List<Grown.Point> values, TupleWriter out) {
            out.count(values.size());
            for (Grown.Point value : values) {
                writePoint(value, out);
            }
        }

        private static Grown.Point readPoint(TupleReader in) {
            return new Grown.Point(in.f32(), in.enumeration(MODE_VALUES));
        }

        private static List<Grown.Point> readListOfPoint(TupleReader in) {
            int n = in.count(8);
            ArrayList<Grown.Point> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readPoint(in));
            }
            return List.copyOf(values);
        }
    }

    private static final class Answers implements Merge<Grown.Response> {
        private final Routing routing;

        private final double[] norm;

        private final DoubleArray[] sums;

        private final FloatArray values;

        private final long[] count;

        Answers(Routing routing, Grown.Response into) {
            this.routing = routing;
            this.norm = new double[routing.parts()];
            this.sums = new DoubleArray[routing.parts()];
            this.values = into == null
                    ? FloatArray.allocate(routing.rangeLength(0))
                    : routing.target("values", into.values(), routing.rangeLength(0));
            this.count = new long[routing.parts()];
        }

        @Override
        public void add(int part, TupleReader in) {
            norm[part] = in.f32();
            if (in.has(3)) {
                sums[part] = in.doubleArray().copy();
            }
            if (in.has(4)) {
                routing.mergeRange("values", part, in.floatArray(), values, 0);
            } else {
                routing.clearRange(part, values, 0);
            }
            if (in.has(4)) {
                count[part] = in.i64();
            }
        }

        @Override
        public Grown.Response result() {
            return new Grown.Response(
                    (float) Folds.fold(Reduction.SUM, norm),
                    Folds.fold(Reduction.SUM, "sums",
                            Arrays.stream(sums).filter(Objects::nonNull).toList(),
                            DoubleArray.allocate(0)),
                    values,
                    Folds.fold(Reduction.SUM, count, Long.MIN_VALUE, Long.MAX_VALUE));
        }
    }
}
