package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
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
import org.jspecify.annotations.Nullable;

/**
 * The codec, the partition, the merge and the stub of {@link Absent}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class AbsentPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.absent";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1882361202;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Absent.Request, Absent.Response> FUNCTION = new Codec();

    private static final Absent.Mode[] MODE_VALUES = Absent.Mode.values();

    private AbsentPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Absent.Request, Absent.Response> bind(Absent handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Absent}. Stateless and thread-safe. Serializable if its caller is.
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
         * Nearly all of it may be null.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code shared}, {@code there}.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param text copied; may be null
         * @param point copied; may be null
         * @param copied [n] float32, copied; may be null
         * @param shared [n] float32, whole; may be null
         * @param there [n] float32, whole
         * @param other copied; may be null
         * @param mode copied; may be null
         * @param points copied; may be null
         * @param name copied; may be null
         * @param later copied; may be null
         * @param laterTensor copied; may be null
         * @return the result of the function's {@code merge} on the answers of the slices:
         *     {@code text} may be null; {@code shared} [n] float32; may be null
         */
        public Pending<Absent.Response> call(TensorId tensor, @Nullable String text,
                Absent. @Nullable Point point, float @Nullable [] copied,
                @Nullable FloatArray shared, FloatArray there, @Nullable TensorId other,
                Absent. @Nullable Mode mode, @Nullable List<Absent.Point> points,
                Absent. @Nullable Name name, @Nullable String later,
                @Nullable TensorId laterTensor) {
            return this.caller.call(FUNCTION, new Absent.Request(tensor, text, point, copied,
                    shared, there, other, mode, points, name, later, laterTensor),
                    null, this.options);
        }

        /**
         * Calls the function as in version 1.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Absent.Response> call(TensorId tensor, @Nullable String text,
                Absent. @Nullable Point point, float @Nullable [] copied,
                @Nullable FloatArray shared, FloatArray there, @Nullable TensorId other,
                Absent. @Nullable Mode mode, @Nullable List<Absent.Point> points,
                Absent. @Nullable Name name) {
            return this.caller.call(FUNCTION, new Absent.Request(tensor, text, point, copied,
                    shared, there, other, mode, points, name, null, null), null, this.options);
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

    private static final class Codec extends Function<Absent.Request, Absent.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.absent at SHARD (tensor:tensor, text:string?, point:{x:f32, "
                            + "name:{first:string?, digits:copied i32[]?}?, of:tensor?}?, copied:copied "
                            + "f32[]?, shared:f32[]?, there:f32[], other:tensor?, mode:enum(FAST|EXACT)?, "
                            + "points:list of {x:f32, name:{first:string?, digits:copied i32[]?}?, "
                            + "of:tensor?}?, name:{first:string?, digits:copied i32[]?}?) -> (text:string?, "
                            + "shared:f32[]?) merged",
                    "acme.absent at SHARD (tensor:tensor, text:string?, point:{x:f32, "
                            + "name:{first:string?, digits:copied i32[]?}?, of:tensor?}?, copied:copied "
                            + "f32[]?, shared:f32[]?, there:f32[], other:tensor?, mode:enum(FAST|EXACT)?, "
                            + "points:list of {x:f32, name:{first:string?, digits:copied i32[]?}?, "
                            + "of:tensor?}?, name:{first:string?, digits:copied i32[]?}?, later:string?, "
                            + "laterTensor:tensor?) -> (text:string?, shared:f32[]?) merged"));
        }

        @Override
        public TensorId target(Absent.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Absent.Request request, Routing routing, int part, TupleWriter out) {
            out.bool(request.text() != null);
            if (request.text() != null) {
                out.string(request.text());
            }
            out.bool(request.point() != null);
            if (request.point() != null) {
                writePoint(request.point(), out);
            }
            out.bool(request.copied() != null);
            if (request.copied() != null) {
                out.floats(request.copied());
            }
            out.bool(request.shared() != null);
            if (request.shared() != null) {
                out.array(request.shared());
            }
            out.array(request.there());
            out.bool(request.other() != null);
            if (request.other() != null) {
                out.tensor(request.other());
            }
            out.bool(request.mode() != null);
            if (request.mode() != null) {
                out.enumeration(request.mode());
            }
            out.bool(request.points() != null);
            if (request.points() != null) {
                writeListOfPoint(request.points(), out);
            }
            out.bool(request.name() != null);
            if (request.name() != null) {
                writeName(request.name(), out);
            }
            out.bool(request.later() != null);
            if (request.later() != null) {
                out.string(request.later());
            }
            out.bool(request.laterTensor() != null);
            if (request.laterTensor() != null) {
                out.tensor(request.laterTensor());
            }
        }

        @Override
        public Absent.Request read(TupleReader in) {
            return new Absent.Request(
                    in.target(),
                    in.bool() ? in.string() : null,
                    in.bool() ? readPoint(in) : null,
                    in.bool() ? in.floats() : null,
                    in.bool() ? in.floatArray() : null,
                    in.floatArray(),
                    in.bool() ? in.tensor() : null,
                    in.bool() ? in.enumeration(MODE_VALUES) : null,
                    in.bool() ? readListOfPoint(in) : null,
                    in.bool() ? readName(in) : null,
                    in.has(2) ? (in.bool() ? in.string() : null) : null,
                    in.has(2) ? (in.bool() ? in.tensor() : null) : null);
        }

        @Override
        public void writeAnswer(Absent.Response answer, TupleWriter out) {
            out.bool(answer.text() != null);
            if (answer.text() != null) {
                out.string(answer.text());
            }
            out.bool(answer.shared() != null);
            if (answer.shared() != null) {
                out.array(answer.shared());
            }
        }

        static Absent.Response readAnswer(TupleReader in) {
            return new Absent.Response(in.bool() ? in.string() : null,
                    in.bool() ? in.floatArray() : null);
        }

        @Override
        public Merge<Absent.Response> merge(Absent.Request request, Routing routing,
                Absent.Response into) {
            return new Answers(routing);
        }

        private static void writeName(Absent.Name value, TupleWriter out) {
            out.bool(value.first() != null);
            if (value.first() != null) {
                out.string(value.first());
            }
            out.bool(value.digits() != null);
            if (value.digits() != null) {
                out.ints(value.digits());
            }
        }

        private static void writePoint(Absent.Point value, TupleWriter out) {
            out.f32(value.x());
            out.bool(value.name() != null);
            if (value.name() != null) {
                writeName(value.name(), out);
            }
            out.bool(value.of() != null);
            if (value.of() != null) {
                out.tensor(value.of());
            }
        }

        private static void writeListOfPoint(List<Absent.Point> values, TupleWriter out) {
            out.count(values.size());
            for (Absent.Point value : values) {
                writePoint(value, out);
            }
        }

        private static Absent.Name readName(TupleReader in) {
            return new Absent.Name(in.bool() ? in.string() : null, in.bool() ? in.ints() : null);
        }

        private static Absent.Point readPoint(TupleReader in) {
            return new Absent.Point(in.f32(), in.bool() ? readName(in) : null,
                    in.bool() ? in.tensor() : null);
        }

        private static List<Absent.Point> readListOfPoint(TupleReader in) {
            int n = in.count(6);
            ArrayList<Absent.Point> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readPoint(in));
            }
            return List.copyOf(values);
        }
    }

    private static final class Answers implements Merge<Absent.Response> {
        private final TupleReader[] kept;

        private final Absent.Response[] answers;

        Answers(Routing routing) {
            this.kept = new TupleReader[routing.parts()];
            this.answers = new Absent.Response[routing.parts()];
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
        public Absent.Response result() {
            return Absent.merge(List.of(answers));
        }
    }
}
