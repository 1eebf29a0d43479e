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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.processing.Generated;
import org.jspecify.annotations.Nullable;

/**
 * The codec, the partition, the merge and the stub of {@link GrownWithin}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class GrownWithinPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.grown-within";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 1360688226;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<GrownWithin.Request, GrownWithin.Response> FUNCTION = new Codec();

    private static final GrownWithin.Mode[] MODE_VALUES = GrownWithin.Mode.values();

    private static final GrownWithin.Strict[] STRICT_VALUES = GrownWithin.Strict.values();

    private GrownWithinPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<GrownWithin.Request, GrownWithin.Response> bind(GrownWithin handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link GrownWithin}. Stateless and thread-safe. Serializable if its caller is.
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
         * Nested records and enums that have grown.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param point copied
         * @param points copied
         * @param name copied; may be null
         * @param strict copied
         * @param later copied
         * @param names copied
         * @return the answers of the slices, merged: {@code names} concatenated; {@code strict}
         *     concatenated
         */
        public Pending<GrownWithin.Response> call(TensorId tensor, GrownWithin.Point point,
                List<GrownWithin.Point> points, GrownWithin. @Nullable Name name,
                GrownWithin.Strict strict, GrownWithin.Point later, List<GrownWithin.Name> names) {
            return this.caller.call(FUNCTION, new GrownWithin.Request(tensor, point, points, name,
                    strict, later, names), null, this.options);
        }

        /**
         * Calls the function as in version 3.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<GrownWithin.Response> call(TensorId tensor, GrownWithin.Point point,
                List<GrownWithin.Point> points, GrownWithin. @Nullable Name name,
                GrownWithin.Strict strict, GrownWithin.Point later) {
            return this.caller.call(FUNCTION, new GrownWithin.Request(tensor, point, points, name,
                    strict, later, List.of()), null, this.options);
        }

        /**
         * Calls the function as in version 2.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<GrownWithin.Response> call(TensorId tensor, GrownWithin.Point point,
                List<GrownWithin.Point> points, GrownWithin. @Nullable Name name,
                GrownWithin.Strict strict) {
            return this.caller.call(FUNCTION, new GrownWithin.Request(tensor, point, points, name,
                    strict, new GrownWithin.Point(
                    0f,
                    GrownWithin.Mode.FAST,
                    0f,
                    new GrownWithin.Name("", null),
                    Map.of()), List.of()), null, this.options);
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

    private static final class Codec extends Function<GrownWithin.Request, GrownWithin.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.grown-within at SHARD (tensor:tensor, point:{x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER)}, points:list of {x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER)}, name:{first:string}?, strict:enum(A)) -> "
                            + "(names:list of {first:string})",
                    "acme.grown-within at SHARD (tensor:tensor, point:{x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER|LAZY), y:f32 since 2}, points:list of {x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER|LAZY), y:f32 since 2}, name:{first:string}?, "
                            + "strict:enum(A)) -> (names:list of {first:string}, strict:list of enum(A))",
                    "acme.grown-within at SHARD (tensor:tensor, point:{x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER|LAZY), y:f32 since 2, name:{first:string} since 3}, "
                            + "points:list of {x:f32, mode:enum(FAST|EXACT|OTHER|LAZY), y:f32 since 2, "
                            + "name:{first:string} since 3}, name:{first:string}?, strict:enum(A|B), "
                            + "later:{x:f32, mode:enum(FAST|EXACT|OTHER|LAZY), y:f32, name:{first:string}}) -> "
                            + "(names:list of {first:string}, strict:list of enum(A|B))",
                    "acme.grown-within at SHARD (tensor:tensor, point:{x:f32, "
                            + "mode:enum(FAST|EXACT|OTHER|LAZY|EAGER), y:f32 since 2, name:{first:string, "
                            + "last:string? since 4} since 3, counts:map of string to i32 since 4}, "
                            + "points:list of {x:f32, mode:enum(FAST|EXACT|OTHER|LAZY|EAGER), y:f32 since 2, "
                            + "name:{first:string, last:string? since 4} since 3, counts:map of string to i32 "
                            + "since 4}, name:{first:string, last:string? since 4}?, strict:enum(A|B), "
                            + "later:{x:f32, mode:enum(FAST|EXACT|OTHER|LAZY|EAGER), y:f32, "
                            + "name:{first:string, last:string? since 4}, counts:map of string to i32 since "
                            + "4}, names:list of {first:string, last:string?}) -> (names:list of "
                            + "{first:string, last:string? since 4}, strict:list of enum(A|B))")
                    .formerly("acme.grown-inside", "acme.old"));
        }

        @Override
        public TensorId target(GrownWithin.Request request) {
            return request.tensor();
        }

        @Override
        public void write(GrownWithin.Request request, Routing routing, int part, TupleWriter out) {
            writePoint(request.point(), out);
            writeListOfPoint(request.points(), out);
            out.bool(request.name() != null);
            if (request.name() != null) {
                writeName(request.name(), out);
            }
            out.enumeration(request.strict());
            writePointFrom3(request.later(), out);
            writeListOfNameFrom4(request.names(), out);
            out.sections(2, 4);
        }

        @Override
        public GrownWithin.Request read(TupleReader in) {
            in.sections(2, 4);
            return new GrownWithin.Request(
                    in.target(),
                    readPoint(in),
                    readListOfPoint(in),
                    in.bool() ? readName(in) : null,
                    in.enumeration(STRICT_VALUES),
                    in.has(3) ? readPointFrom3(in) : new GrownWithin.Point(
                    0f,
                    GrownWithin.Mode.FAST,
                    0f,
                    new GrownWithin.Name("", null),
                    Map.of()),
                    in.has(4) ? readListOfNameFrom4(in) : List.of());
        }

        @Override
        public void writeAnswer(GrownWithin.Response answer, TupleWriter out) {
            writeListOfName(answer.names(), out);
            writeListOfStrict(answer.strict(), out);
            out.sections(4, 4);
        }

        @Override
        public Merge<GrownWithin.Response> merge(GrownWithin.Request request, Routing routing,
                GrownWithin.Response into) {
            return new Answers(routing);
        }

        private static void writeName(GrownWithin.Name value, TupleWriter out) {
            out.string(value.first());
            out.since(4).bool(value.last() != null);
            if (value.last() != null) {
                out.since(4).string(value.last());
            }
        }

        private static void writeMapOfInteger(Map<String, Integer> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Integer> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.i32(entry.getValue());
            }
        }

        private static void writePoint(GrownWithin.Point value, TupleWriter out) {
            out.f32(value.x());
            out.enumeration(value.mode());
            out.since(2).f32(value.y());
            writeName(value.name(), out.since(3));
            writeMapOfInteger(value.counts(), out.since(4));
        }

        private static void writeListOfPoint(List<GrownWithin.Point> values, TupleWriter out) {
            out.count(values.size());
            for (GrownWithin.Point value : values) {
                writePoint(value, out);
            }
        }

        private static void writePointFrom3(GrownWithin.Point value, TupleWriter out) {
            out.f32(value.x());
            out.enumeration(value.mode());
            out.f32(value.y());
            writeName(value.name(), out);
            writeMapOfInteger(value.counts(), out.since(4));
        }

        private static void writeNameFrom4(GrownWithin.Name value, TupleWriter out) {
            out.string(value.first());
            out.bool(value.last() != null);
            if (value.last() != null) {
                out.string(value.last());
            }
        }

        private static void writeListOfNameFrom4(List<GrownWithin.Name> values, TupleWriter out) {
            out.count(values.size());
            for (GrownWithin.Name value : values) {
                writeNameFrom4(value, out);
            }
        }

        private static GrownWithin.Name readName(TupleReader in) {
            return new GrownWithin.Name(in.string(), in.has(4)
                    ? (in.since(4).bool() ? in.since(4).string() : null) : null);
        }

        private static Map<String, Integer> readMapOfInteger(TupleReader in) {
            int n = in.count(8);
            LinkedHashMap<String, Integer> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.i32());
            }
            return Collections.unmodifiableMap(values);
        }

        private static GrownWithin.Point readPoint(TupleReader in) {
            return new GrownWithin.Point(
                    in.f32(),
                    in.enumeration(MODE_VALUES, GrownWithin.Mode.OTHER),
                    in.has(2) ? in.since(2).f32() : 0f,
                    in.has(3) ? readName(in.since(3)) : new GrownWithin.Name("", null),
                    in.has(4) ? readMapOfInteger(in.since(4)) : Map.of());
        }

        private static List<GrownWithin.Point> readListOfPoint(TupleReader in) {
            int n = in.count(8);
            ArrayList<GrownWithin.Point> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readPoint(in));
            }
            return List.copyOf(values);
        }

        private static GrownWithin.Point readPointFrom3(TupleReader in) {
            return new GrownWithin.Point(
                    in.f32(),
                    in.enumeration(MODE_VALUES, GrownWithin.Mode.OTHER),
                    in.f32(),
                    readName(in),
                    in.has(4) ? readMapOfInteger(in.since(4)) : Map.of());
        }

        private static GrownWithin.Name readNameFrom4(TupleReader in) {
            return new GrownWithin.Name(in.string(), in.bool() ? in.string() : null);
        }

        private static List<GrownWithin.Name> readListOfNameFrom4(TupleReader in) {
            int n = in.count(4);
            ArrayList<GrownWithin.Name> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readNameFrom4(in));
            }
            return List.copyOf(values);
        }

        private static void writeListOfName(List<GrownWithin.Name> values, TupleWriter out) {
            out.count(values.size());
            for (GrownWithin.Name value : values) {
                writeName(value, out);
            }
        }

        private static void writeListOfStrict(List<GrownWithin.Strict> values, TupleWriter out) {
            out.count(values.size());
            for (GrownWithin.Strict value : values) {
                out.enumeration(value);
            }
        }
    }

    private static final class Answers implements Merge<GrownWithin.Response> {
        private final TupleReader[] kept;

        private final List<List<GrownWithin.Name>> names;

        private final List<List<GrownWithin.Strict>> strict;

        Answers(Routing routing) {
            this.kept = new TupleReader[routing.parts()];
            this.names = Concatenation.lists(routing.parts());
            this.strict = Concatenation.lists(routing.parts());
        }

        @Override
        public void add(int part, TupleReader in) {
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            TupleReader in = kept[part];
            in.sections(4, 4);
            names.set(part, readListOfName(in));
            if (in.has(2)) {
                strict.set(part, readListOfStrict(in));
            }
        }

        @Override
        public GrownWithin.Response result() {
            return new GrownWithin.Response(Concatenation.of(names), Concatenation.of(strict));
        }

        private static GrownWithin.Name readName(TupleReader in) {
            return new GrownWithin.Name(in.string(), in.has(4)
                    ? (in.since(4).bool() ? in.since(4).string() : null) : null);
        }

        private static List<GrownWithin.Name> readListOfName(TupleReader in) {
            int n = in.count(4);
            ArrayList<GrownWithin.Name> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readName(in));
            }
            return List.copyOf(values);
        }

        private static List<GrownWithin.Strict> readListOfStrict(TupleReader in) {
            int n = in.count(4);
            ArrayList<GrownWithin.Strict> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.enumeration(STRICT_VALUES));
            }
            return List.copyOf(values);
        }
    }
}
