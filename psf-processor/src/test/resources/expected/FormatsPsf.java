package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.FloatType;
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
import java.util.List;
import javax.annotation.processing.Generated;
import org.jspecify.annotations.Nullable;

/**
 * The codec, the partition, the merge and the stub of {@link Formats}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class FormatsPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.formats";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -1546411619;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Formats.Request, Formats.Response> FUNCTION = new Codec();

    private static final int ROWS_KEYS = 0;

    private static final int OTHERS_KEYS = 1;

    private static final int UPDATE_ARRAY = 3;

    private static final int ALL_ARRAY = 4;

    private FormatsPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Formats.Request, Formats.Response> bind(Formats handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Formats}. Stateless and thread-safe. Serializable if its caller is.
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
         * Sends arrays in other formats than float32.
         *
         * <p>Runs on every slice of {@code table}. Each slice gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code rows}, {@code update}, {@code all}, {@code whole},
         * {@code plain}, {@code others}.
         *
         * @param table the tensor on whose shards the function runs
         * @param other copied
         * @param rows [n] int64, global keys in any order, each goes to the slice that owns it,
         *     duplicates folded with SUM
         * @param update [n, width] float32 (sent as bfloat16), row i goes to the slice of
         *     {@code rows[i]}
         * @param all [rows, width] float32 (sent in the tensor's wire format), row-aligned with the
         *     tensor, cut at slice bounds
         * @param whole [n] float32 (sent as int8), whole; may be null
         * @param plain [n] float32, whole
         * @param others [n] int64, global keys of {@code other} in any order, each goes to the slice
         *     that owns it
         * @return the answers of the slices, merged: {@code values} [n, width] float32 (sent in the
         *     tensor's wire format), row i belongs to {@code rows[i]}; {@code all} [rows, width]
         *     float32 (sent as float16), row-aligned with the tensor; {@code sums} [n] float32 (sent
         *     as int8), element by element summed; {@code wide} [n, 16] float32 (sent in the
         *     tensor's wire format), row i belongs to {@code rows[i]}; {@code nine} [rows, 9]
         *     float32 (sent as int8), row-aligned with the tensor; {@code half} [n, 8] float32 (sent
         *     as bfloat16), row i belongs to {@code rows[i]}; {@code ofOther} [n, width] float32
         *     (sent as int8), row i belongs to {@code others[i]}
         */
        public Pending<Formats.Response> call(TensorId table, TensorId other, LongArray rows,
                FloatArray update, FloatArray all, @Nullable FloatArray whole, FloatArray plain,
                LongArray others) {
            return this.caller.call(FUNCTION, new Formats.Request(table, other, rows, update, all,
                    whole, plain, others), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code values}, {@code all}, {@code wide}, {@code nine}, {@code half},
         *     {@code ofOther} are filled; borrowed until await returns; not {@code sums}; its other
         *     components are not read
         */
        public Pending<Formats.Response> call(TensorId table, TensorId other, LongArray rows,
                FloatArray update, FloatArray all, @Nullable FloatArray whole, FloatArray plain,
                LongArray others, Formats.Response into) {
            return this.caller.call(FUNCTION, new Formats.Request(table, other, rows, update, all,
                    whole, plain, others), into, this.options);
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

    private static final class Codec extends Function<Formats.Request, Formats.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.formats at SHARD (table:tensor, other:tensor, rows:i64[] by key sum, "
                            + "update:f32[] as bfloat16 along rows, all:f32[] as tensor by range, whole:f32[] "
                            + "as int8?, plain:f32[], others:i64[] by key of other) -> (values:f32[] as tensor "
                            + "along rows, all:f32[] as float16 by range, sums:f32[] as int8 sum, wide:f32[] "
                            + "as tensor along rows x 16, nine:f32[] as int8 by range x 9, half:f32[] as "
                            + "bfloat16 along rows x 8, ofOther:f32[] as int8 along others)"));
        }

        @Override
        public TensorId target(Formats.Request request) {
            return request.table();
        }

        @Override
        public List<TensorId> others(Formats.Request request) {
            return List.of(request.other());
        }

        @Override
        public void route(Formats.Request request, Routing routing) {
            routing.keys(ROWS_KEYS, "rows", request.rows(), Reduction.SUM, false);
            routing.keys(OTHERS_KEYS, "others", request.others(), Reduction.NONE, false,
                    routing.beside("other", request.other()));
            routing.along(UPDATE_ARRAY, "update", ROWS_KEYS, request.update(), 0);
            routing.range(ALL_ARRAY, "all", request.all(), 0);
            routing.everySlice();
        }

        @Override
        public void write(Formats.Request request, Routing routing, int part, TupleWriter out) {
            out.tensor(request.other());
            routing.writeKeys(ROWS_KEYS, part, out);
            routing.write(UPDATE_ARRAY, part, out.as(FloatType.BFLOAT16));
            routing.write(ALL_ARRAY, part, out.asTensor());
            out.bool(request.whole() != null);
            if (request.whole() != null) {
                out.as(FloatType.INT8).array(request.whole());
            }
            out.array(request.plain());
            routing.writeStamp(OTHERS_KEYS, part, out);
            routing.writeKeys(OTHERS_KEYS, part, out);
        }

        @Override
        public Formats.Request read(TupleReader in) {
            return new Formats.Request(
                    in.target(),
                    in.tensor(),
                    in.longArray(),
                    in.wireFloats(),
                    in.wireFloats(),
                    in.bool() ? in.wireFloats() : null,
                    in.floatArray(),
                    in.stamped().longArray());
        }

        @Override
        public void writeAnswer(Formats.Response answer, TupleWriter out) {
            out.asTensor().array(answer.values());
            out.as(FloatType.FLOAT16).array(answer.all());
            out.as(FloatType.INT8).array(answer.sums());
            out.asTensor().rowsOf(16).array(answer.wide());
            out.as(FloatType.INT8).rowsOf(9).array(answer.nine());
            out.as(FloatType.BFLOAT16).array(answer.half());
            out.as(FloatType.INT8).rowsOf(0).array(answer.ofOther());
        }

        @Override
        public Merge<Formats.Response> merge(Formats.Request request, Routing routing,
                Formats.Response into) {
            return new Answers(routing, into);
        }
    }

    private static final class Answers implements Merge<Formats.Response> {
        private final Routing routing;

        private final FloatArray values;

        private final FloatArray all;

        private final FloatArray[] sums;

        private final FloatArray wide;

        private final FloatArray nine;

        private final FloatArray half;

        private final FloatArray ofOther;

        Answers(Routing routing, Formats.Response into) {
            this.routing = routing;
            this.values = into == null
                    ? FloatArray.allocate(routing.alongLength(ROWS_KEYS, 0))
                    : routing.target("values", into.values(), routing.alongLength(ROWS_KEYS, 0));
            this.all = into == null
                    ? FloatArray.allocate(routing.rangeLength(0))
                    : routing.target("all", into.all(), routing.rangeLength(0));
            this.sums = new FloatArray[routing.parts()];
            this.wide = into == null
                    ? FloatArray.allocate(routing.alongLength(ROWS_KEYS, 16))
                    : routing.target("wide", into.wide(), routing.alongLength(ROWS_KEYS, 16));
            this.nine = into == null
                    ? FloatArray.allocate(routing.rangeLength(9))
                    : routing.target("nine", into.nine(), routing.rangeLength(9));
            this.half = into == null
                    ? FloatArray.allocate(routing.alongLength(ROWS_KEYS, 8))
                    : routing.target("half", into.half(), routing.alongLength(ROWS_KEYS, 8));
            this.ofOther = into == null
                    ? FloatArray.allocate(routing.alongLength(OTHERS_KEYS, 0))
                    : routing.target("ofOther", into.ofOther(), routing.alongLength(OTHERS_KEYS, 0));
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeAlong("values", part, ROWS_KEYS, in.wireFloats(), values, 0);
            routing.mergeRange("all", part, in.wireFloats(), all, 0);
            sums[part] = in.wireFloats().copy();
            routing.mergeAlong("wide", part, ROWS_KEYS, in.wireFloats(), wide, 16);
            routing.mergeRange("nine", part, in.wireFloats(), nine, 9);
            routing.mergeAlong("half", part, ROWS_KEYS, in.wireFloats(), half, 8);
            routing.mergeAlong("ofOther", part, OTHERS_KEYS, in.wireFloats(), ofOther, 0);
        }

        @Override
        public Formats.Response result() {
            return new Formats.Response(
                    values,
                    all,
                    Folds.fold(Reduction.SUM, "sums", List.of(sums), FloatArray.allocate(0)),
                    wide,
                    nine,
                    half,
                    ofOther);
        }
    }
}
