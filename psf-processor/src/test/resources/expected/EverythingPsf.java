package good;

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
import io.psf.api.spi.Caller;
import io.psf.api.spi.Folds;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.processing.Generated;

/**
 * What {@link Everything} is made of: its codec, its partition and merge, and its stub.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class EverythingPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.everything";

    /**
     * The number that stands for the name on the wire.
     */
    public static final int ID = -60481130;

    /**
     * The function as a runtime calls and serves it.
     */
    public static final Function<Everything.Request, Everything.Response> FUNCTION = new Codec();

    private EverythingPsf() {
    }

    /**
     * Binds a handler, for a server to run.
     */
    public static Binding<Everything.Request, Everything.Response> bind(Everything handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * The function as a worker calls it; stateless and thread-safe.
     */
    public static Stub stub(Caller worker) {
        return new Stub(worker, CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Everything}; stateless and thread-safe.
     */
    public static final class Stub {
        private final Caller caller;

        private final CallOptions options;

        private Stub(Caller caller, CallOptions options) {
            this.caller = caller;
            this.options = options;
        }

        /**
         * Calls the function.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param everywhere [n] float32, goes whole to every slice; borrowed until await returns
         * @param rows [rows, width] float64, row-aligned with the tensor; borrowed until await returns
         * @param pairs [rows, 2] int32, row-aligned with the tensor; borrowed until await returns
         * @param early [n, width] int8, row i belongs to {@code second[i]}; borrowed until await returns
         * @param first [n] int64, global keys in any order; borrowed until await returns
         * @param ofFirst [n, width] float32, row i belongs to {@code first[i]}; borrowed until await returns
         * @param second [n] int64, global keys in any order, duplicates folded with LAST; borrowed until await returns
         * @param ofSecond [n, 3] int64, row i belongs to {@code second[i]}; borrowed until await returns
         * @param into [n] int8, goes whole to every slice; borrowed until await returns
         */
        public Pending<Everything.Response> call(boolean bool, byte i8, short i16, int i32,
                TensorId tensor, long i64, float f32, double f64, String string,
                Everything.Mode mode, TensorId other, float[] floats, double[] doubles, int[] ints,
                long[] longs, byte[] bytes, Everything.Options options,
                List<Everything.Point> points, FloatArray everywhere, DoubleArray rows,
                IntArray pairs, ByteArray early, LongArray first, FloatArray ofFirst,
                LongArray second, LongArray ofSecond, ByteArray into) {
            return this.caller.call(FUNCTION, new Everything.Request(bool, i8, i16, i32, tensor, i64, f32, f64, string, mode, other, floats, doubles, ints, longs, bytes, options, points, everywhere, rows, pairs, early, first, ofFirst, second, ofSecond, into), null, this.options);
        }

        /**
         * Calls the function.
         *
         * <p>Fills the laid-out arrays of the response given; its other components are not read.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param everywhere [n] float32, goes whole to every slice; borrowed until await returns
         * @param rows [rows, width] float64, row-aligned with the tensor; borrowed until await returns
         * @param pairs [rows, 2] int32, row-aligned with the tensor; borrowed until await returns
         * @param early [n, width] int8, row i belongs to {@code second[i]}; borrowed until await returns
         * @param first [n] int64, global keys in any order; borrowed until await returns
         * @param ofFirst [n, width] float32, row i belongs to {@code first[i]}; borrowed until await returns
         * @param second [n] int64, global keys in any order, duplicates folded with LAST; borrowed until await returns
         * @param ofSecond [n, 3] int64, row i belongs to {@code second[i]}; borrowed until await returns
         * @param into [n] int8, goes whole to every slice; borrowed until await returns
         * @param into_ {@code rows}: [rows, width] float64, row-aligned with the tensor; borrowed until await returns
         * @param into_ {@code ofFirst}: [n, width] float32, row i belongs to {@code first[i]}; borrowed until await returns
         * @param into_ {@code routing}: [n, 3] int64, row i belongs to {@code second[i]}; borrowed until await returns
         */
        public Pending<Everything.Response> call(boolean bool, byte i8, short i16, int i32,
                TensorId tensor, long i64, float f32, double f64, String string,
                Everything.Mode mode, TensorId other, float[] floats, double[] doubles, int[] ints,
                long[] longs, byte[] bytes, Everything.Options options,
                List<Everything.Point> points, FloatArray everywhere, DoubleArray rows,
                IntArray pairs, ByteArray early, LongArray first, FloatArray ofFirst,
                LongArray second, LongArray ofSecond, ByteArray into, Everything.Response into_) {
            return this.caller.call(FUNCTION, new Everything.Request(bool, i8, i16, i32, tensor, i64, f32, f64, string, mode, other, floats, doubles, ints, longs, bytes, options, points, everywhere, rows, pairs, early, first, ofFirst, second, ofSecond, into), into_, this.options);
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

    private static final class Codec extends Function<Everything.Request, Everything.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.everything at SHARD (bool:bool, i8:i8, i16:i16, i32:i32, tensor:tensor, i64:i64, f32:f32, f64:f64, string:string, mode:enum(FAST|EXACT), other:tensor, floats:copied f32[], doubles:copied f64[], ints:copied i32[], longs:copied i64[], bytes:copied i8[], options:{mode:enum(FAST|EXACT), origin:{x:f32, y:f32}, points:list of {x:f32, y:f32}, key:copied i8[], also:tensor}, points:list of {x:f32, y:f32}, everywhere:f32[], rows:f64[] by range, pairs:i32[] by range x 2, early:i8[] along second, first:i64[] by key, ofFirst:f32[] along first, second:i64[] by key last, ofSecond:i64[] along second x 3, into:i8[]) -> (any:bool or, all:bool and, i8:i8 min, i16:i16 max, part:i32 sum, i64:i64 sum, f32:f32 max, f64:f64 min, sums:f32[] sum, rows:f64[] by range, ofFirst:f32[] along first, routing:i64[] along second x 3)"));
        }

        @Override
        public TensorId target(Everything.Request request) {
            return request.tensor();
        }

        @Override
        public void route(Everything.Request request, Routing routing) {
            routing.keys(0, "first", request.first(), Reduction.NONE, false);
            routing.keys(1, "second", request.second(), Reduction.LAST, false);
            routing.range(19, "rows", request.rows(), 0);
            routing.range(20, "pairs", request.pairs(), 2);
            routing.along(21, "early", 1, request.early(), 0);
            routing.along(23, "ofFirst", 0, request.ofFirst(), 0);
            routing.along(25, "ofSecond", 1, request.ofSecond(), 3);
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
            routing.write(19, part, out);
            routing.write(20, part, out);
            routing.write(21, part, out);
            routing.writeKeys(0, part, out);
            routing.write(23, part, out);
            routing.writeKeys(1, part, out);
            routing.write(25, part, out);
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
                    in.enumeration(Everything.Mode.values()),
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

        private static void writeListOfPoint(List<Everything.Point> values, TupleWriter out) {
            out.count(values.size());
            for (Everything.Point value : values) {
                writePoint(value, out);
            }
        }

        private static void writeOptions(Everything.Options value, TupleWriter out) {
            out.enumeration(value.mode());
            writePoint(value.origin(), out);
            writeListOfPoint(value.points(), out);
            out.bytes(value.key());
            out.tensor(value.also());
        }

        private static Everything.Point readPoint(TupleReader in) {
            return new Everything.Point(in.f32(), in.f32());
        }

        private static List<Everything.Point> readListOfPoint(TupleReader in) {
            int n = in.count(8);
            ArrayList<Everything.Point> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readPoint(in));
            }
            return List.copyOf(values);
        }

        private static Everything.Options readOptions(TupleReader in) {
            return new Everything.Options(
                    in.enumeration(Everything.Mode.values()),
                    readPoint(in),
                    readListOfPoint(in),
                    in.bytes(),
                    in.tensor());
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
                    ? FloatArray.allocate(routing.alongLength(0, 0))
                    : routing.target("ofFirst", into.ofFirst(), routing.alongLength(0, 0));
            this.routing_ = into == null
                    ? LongArray.allocate(routing.alongLength(1, 3))
                    : routing.target("routing", into.routing(), routing.alongLength(1, 3));
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
            routing.mergeAlong("ofFirst", part, 0, in.floatArray(), ofFirst, 0);
            routing.mergeAlong("routing", part, 1, in.longArray(), routing_, 3);
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
