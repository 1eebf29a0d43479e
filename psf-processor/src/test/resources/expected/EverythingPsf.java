package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
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
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * The codec, the partition, the merge and the stub of {@link Everything}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class EverythingPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.everything";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -60481130;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Everything.Request, Everything.Response> FUNCTION = new Codec();

    private static final int FIRST_KEYS = 0;

    private static final int SECOND_KEYS = 1;

    private static final int ROWS_ARRAY = 19;

    private static final int PAIRS_ARRAY = 20;

    private static final int EARLY_ARRAY = 21;

    private static final int OF_FIRST_ARRAY = 23;

    private static final int OF_SECOND_ARRAY = 25;

    private static final Everything.Mode[] MODE_VALUES = Everything.Mode.values();

    private EverythingPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Everything.Request, Everything.Response> bind(Everything handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Everything}. Stateless and thread-safe. Serializable if its caller is.
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
         * <p>Borrowed until await returns: {@code everywhere}, {@code rows}, {@code pairs},
         * {@code early}, {@code first}, {@code ofFirst}, {@code second}, {@code ofSecond},
         * {@code into}.
         *
         * @param bool copied
         * @param i8 copied
         * @param i16 copied
         * @param i32 copied
         * @param tensor the tensor on whose shards the function runs
         * @param i64 copied
         * @param f32 copied
         * @param f64 copied
         * @param string copied
         * @param mode copied
         * @param other copied
         * @param floats [n] float32, copied
         * @param doubles [n] float64, copied
         * @param ints [n] int32, copied
         * @param longs [n] int64, copied
         * @param bytes [n] int8, copied
         * @param options copied
         * @param points copied
         * @param everywhere [n] float32, whole
         * @param rows [rows, width] float64, row-aligned with the tensor, cut at slice bounds
         * @param pairs [rows, 2] int32, row-aligned with the tensor, cut at slice bounds
         * @param early [n, width] int8, row i goes to the slice of {@code second[i]}
         * @param first [n] int64, global keys in any order, each goes to the slice that owns it
         * @param ofFirst [n, width] float32, row i goes to the slice of {@code first[i]}
         * @param second [n] int64, global keys in any order, each goes to the slice that owns it,
         *     duplicates folded with LAST
         * @param ofSecond [n, 3] int64, row i goes to the slice of {@code second[i]}
         * @param into [n] int8, whole
         * @return the answers of the slices, merged: {@code any} true if true in any; {@code all}
         *     true if true in all; {@code i8} the minimum; {@code i16} the maximum; {@code part}
         *     summed; {@code i64} summed; {@code f32} the maximum; {@code f64} the minimum;
         *     {@code sums} [n] float32, element by element summed; {@code rows} [rows, width]
         *     float64, row-aligned with the tensor; {@code ofFirst} [n, width] float32, row i
         *     belongs to {@code first[i]}; {@code routing} [n, 3] int64, row i belongs to
         *     {@code second[i]}
         */
        public Pending<Everything.Response> call(boolean bool, byte i8, short i16, int i32,
                TensorId tensor, long i64, float f32, double f64, String string,
                Everything.Mode mode, TensorId other, float[] floats, double[] doubles, int[] ints,
                long[] longs, byte[] bytes, Everything.Options options,
                List<Everything.Point> points, FloatArray everywhere, DoubleArray rows,
                IntArray pairs, ByteArray early, LongArray first, FloatArray ofFirst,
                LongArray second, LongArray ofSecond, ByteArray into) {
            return this.caller.call(FUNCTION, new Everything.Request(bool, i8, i16, i32, tensor,
                    i64, f32, f64, string, mode, other, floats, doubles, ints, longs, bytes,
                    options, points, everywhere, rows, pairs, early, first, ofFirst, second,
                    ofSecond, into), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into_}.
         *
         * @param into_ its {@code rows}, {@code ofFirst}, {@code routing} are filled; borrowed until
         *     await returns; not {@code sums}; its other components are not read
         */
        public Pending<Everything.Response> call(boolean bool, byte i8, short i16, int i32,
                TensorId tensor, long i64, float f32, double f64, String string,
                Everything.Mode mode, TensorId other, float[] floats, double[] doubles, int[] ints,
                long[] longs, byte[] bytes, Everything.Options options,
                List<Everything.Point> points, FloatArray everywhere, DoubleArray rows,
                IntArray pairs, ByteArray early, LongArray first, FloatArray ofFirst,
                LongArray second, LongArray ofSecond, ByteArray into, Everything.Response into_) {
            return this.caller.call(FUNCTION, new Everything.Request(bool, i8, i16, i32, tensor,
                    i64, f32, f64, string, mode, other, floats, doubles, ints, longs, bytes,
                    options, points, everywhere, rows, pairs, early, first, ofFirst, second,
                    ofSecond, into), into_, this.options);
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

    private static final class Codec extends Function<Everything.Request, Everything.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.everything at SHARD (bool:bool, i8:i8, i16:i16, i32:i32, tensor:tensor, "
                            + "i64:i64, f32:f32, f64:f64, string:string, mode:enum(FAST|EXACT), other:tensor, "
                            + "floats:copied f32[], doubles:copied f64[], ints:copied i32[], longs:copied "
                            + "i64[], bytes:copied i8[], options:{origin:{x:f32, y:f32}, key:copied i8[], "
                            + "also:tensor}, points:list of {x:f32, y:f32}, everywhere:f32[], rows:f64[] by "
                            + "range, pairs:i32[] by range x 2, early:i8[] along second, first:i64[] by key, "
                            + "ofFirst:f32[] along first, second:i64[] by key last, ofSecond:i64[] along "
                            + "second x 3, into:i8[]) -> (any:bool or, all:bool and, i8:i8 min, i16:i16 max, "
                            + "part:i32 sum, i64:i64 sum, f32:f32 max, f64:f64 min, sums:f32[] sum, rows:f64[] "
                            + "by range, ofFirst:f32[] along first, routing:i64[] along second x 3)"));
        }

        @Override
        public TensorId target(Everything.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Everything.Request request, Routing routing) {
            routing.keys(FIRST_KEYS, "first", request.first(), Reduction.NONE, false);
            routing.keys(SECOND_KEYS, "second", request.second(), Reduction.LAST, false);
            routing.range(ROWS_ARRAY, "rows", request.rows(), 0);
            routing.range(PAIRS_ARRAY, "pairs", request.pairs(), 2);
            routing.along(EARLY_ARRAY, "early", SECOND_KEYS, request.early(), 0);
            routing.along(OF_FIRST_ARRAY, "ofFirst", FIRST_KEYS, request.ofFirst(), 0);
            routing.along(OF_SECOND_ARRAY, "ofSecond", SECOND_KEYS, request.ofSecond(), 3);
            routing.everySlice();
        }

        @Override
        public void write(Everything.Request request, Routing routing, int part, TupleWriter out) {
            out.bool(request.bool());
            out.i8(request.i8());
            out.i16(request.i16());
            out.i32(request.i32());
            out.i64(request.i64());
            out.f32(request.f32());
            out.f64(request.f64());
            out.string(request.string());
            out.enumeration(request.mode());
            out.tensor(request.other());
            out.floats(request.floats());
            out.doubles(request.doubles());
            out.ints(request.ints());
            out.longs(request.longs());
            out.bytes(request.bytes());
            writeOptions(request.options(), out);
            writeListOfPoint(request.points(), out);
            out.array(request.everywhere());
            routing.write(ROWS_ARRAY, part, out);
            routing.write(PAIRS_ARRAY, part, out);
            routing.write(EARLY_ARRAY, part, out);
            routing.writeKeys(FIRST_KEYS, part, out);
            routing.write(OF_FIRST_ARRAY, part, out);
            routing.writeKeys(SECOND_KEYS, part, out);
            routing.write(OF_SECOND_ARRAY, part, out);
            out.array(request.into());
        }

        @Override
        public Everything.Request read(TupleReader in) {
            return new Everything.Request(
                    in.bool(),
                    in.i8(),
                    in.i16(),
                    in.i32(),
                    in.target(),
                    in.i64(),
                    in.f32(),
                    in.f64(),
                    in.string(),
                    in.enumeration(MODE_VALUES),
                    in.tensor(),
                    in.floats(),
                    in.doubles(),
                    in.ints(),
                    in.longs(),
                    in.bytes(),
                    readOptions(in),
                    readListOfPoint(in),
                    in.floatArray(),
                    in.doubleArray(),
                    in.intArray(),
                    in.byteArray(),
                    in.longArray(),
                    in.floatArray(),
                    in.longArray(),
                    in.longArray(),
                    in.byteArray());
        }

        @Override
        public void writeAnswer(Everything.Response answer, TupleWriter out) {
            out.bool(answer.any());
            out.bool(answer.all());
            out.i8(answer.i8());
            out.i16(answer.i16());
            out.i32(answer.part());
            out.i64(answer.i64());
            out.f32(answer.f32());
            out.f64(answer.f64());
            out.array(answer.sums());
            out.array(answer.rows());
            out.array(answer.ofFirst());
            out.array(answer.routing());
        }

        @Override
        public Merge<Everything.Response> merge(Everything.Request request, Routing routing,
                Everything.Response into) {
            return new Answers(routing, into);
        }

        private static void writePoint(Everything.Point value, TupleWriter out) {
            out.f32(value.x());
            out.f32(value.y());
        }

        private static void writeOptions(Everything.Options value, TupleWriter out) {
            writePoint(value.origin(), out);
            out.bytes(value.key());
            out.tensor(value.also());
        }

        private static void writeListOfPoint(List<Everything.Point> values, TupleWriter out) {
            out.count(values.size());
            for (Everything.Point value : values) {
                writePoint(value, out);
            }
        }

        private static Everything.Point readPoint(TupleReader in) {
            return new Everything.Point(in.f32(), in.f32());
        }

        private static Everything.Options readOptions(TupleReader in) {
            return new Everything.Options(readPoint(in), in.bytes(), in.tensor());
        }

        private static List<Everything.Point> readListOfPoint(TupleReader in) {
            int n = in.count(8);
            ArrayList<Everything.Point> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readPoint(in));
            }
            return List.copyOf(values);
        }
    }

    private static final class Answers implements Merge<Everything.Response> {
        private final Routing routing;

        private final boolean[] any;

        private final boolean[] all;

        private final long[] i8;

        private final long[] i16;

        private final long[] part_;

        private final long[] i64;

        private final double[] f32;

        private final double[] f64;

        private final FloatArray[] sums;

        private final DoubleArray rows;

        private final FloatArray ofFirst;

        private final LongArray routing_;

        Answers(Routing routing, Everything.Response into) {
            this.routing = routing;
            this.any = new boolean[routing.parts()];
            this.all = new boolean[routing.parts()];
            this.i8 = new long[routing.parts()];
            this.i16 = new long[routing.parts()];
            this.part_ = new long[routing.parts()];
            this.i64 = new long[routing.parts()];
            this.f32 = new double[routing.parts()];
            this.f64 = new double[routing.parts()];
            this.sums = new FloatArray[routing.parts()];
            this.rows = into == null
                    ? DoubleArray.allocate(routing.rangeLength(0))
                    : routing.target("rows", into.rows(), routing.rangeLength(0));
            this.ofFirst = into == null
                    ? FloatArray.allocate(routing.alongLength(FIRST_KEYS, 0))
                    : routing.target("ofFirst", into.ofFirst(), routing.alongLength(FIRST_KEYS, 0));
            this.routing_ = into == null
                    ? LongArray.allocate(routing.alongLength(SECOND_KEYS, 3))
                    : routing.target("routing", into.routing(), routing.alongLength(SECOND_KEYS, 3));
        }

        @Override
        public void add(int part, TupleReader in) {
            any[part] = in.bool();
            all[part] = in.bool();
            i8[part] = in.i8();
            i16[part] = in.i16();
            part_[part] = in.i32();
            i64[part] = in.i64();
            f32[part] = in.f32();
            f64[part] = in.f64();
            sums[part] = in.floatArray().copy();
            routing.mergeRange("rows", part, in.doubleArray(), rows, 0);
            routing.mergeAlong("ofFirst", part, FIRST_KEYS, in.floatArray(), ofFirst, 0);
            routing.mergeAlong("routing", part, SECOND_KEYS, in.longArray(), routing_, 3);
        }

        @Override
        public Everything.Response result() {
            return new Everything.Response(
                    Folds.fold(Reduction.OR, any),
                    Folds.fold(Reduction.AND, all),
                    (byte) Folds.fold(Reduction.MIN, i8, Byte.MIN_VALUE, Byte.MAX_VALUE),
                    (short) Folds.fold(Reduction.MAX, i16, Short.MIN_VALUE, Short.MAX_VALUE),
                    (int) Folds.fold(Reduction.SUM, part_, Integer.MIN_VALUE, Integer.MAX_VALUE),
                    Folds.fold(Reduction.SUM, i64, Long.MIN_VALUE, Long.MAX_VALUE),
                    (float) Folds.fold(Reduction.MAX, f32),
                    Folds.fold(Reduction.MIN, f64),
                    Folds.fold(Reduction.SUM, "sums", List.of(sums), FloatArray.allocate(0)),
                    rows,
                    ofFirst,
                    routing_);
        }
    }
}
