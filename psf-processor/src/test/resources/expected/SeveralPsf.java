package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.layout.Reduction;
import io.psf.api.spi.Binding;
import io.psf.api.spi.CallOptions;
import io.psf.api.spi.Concatenation;
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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.processing.Generated;
import org.jspecify.annotations.Nullable;

/**
 * The codec, the partition, the merge and the stub of {@link Several}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class SeveralPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "acme.several";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = 451623077;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Several.Request, Several.Response> FUNCTION = new Codec();

    private static final Several.Mode[] MODE_VALUES = Several.Mode.values();

    private SeveralPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Several.Request, Several.Response> bind(Several handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Several}. Stateless and thread-safe. Serializable if its caller is.
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
         * Lists, maps and booleans; and a handler that may fail with a checked exception.
         *
         * <p>Runs on every slice of {@code tensor}. Each slice gets the copied and whole arguments.
         *
         * @param tensor the tensor on whose shards the function runs
         * @param flags [n] boolean, copied
         * @param mask [n] boolean, copied; may be null
         * @param bools copied
         * @param shorts copied
         * @param sizes copied
         * @param tensors copied
         * @param items copied
         * @param laterFlags [n] boolean, copied
         * @param laterModes copied
         * @return the answers of the slices, merged: {@code words} concatenated; {@code text} the
         *     union of the maps, whose keys differ; {@code sums} key by key summed; {@code all} key
         *     by key true if true in all; {@code laterLongs} concatenated; {@code laterSums} key by
         *     key summed
         */
        public Pending<Several.Response> call(TensorId tensor, boolean[] flags,
                boolean @Nullable [] mask, List<Boolean> bools, List<Short> shorts,
                Map<String, Short> sizes, Map<String, TensorId> tensors, List<Several.Item> items,
                boolean[] laterFlags, Map<String, Several.Mode> laterModes) {
            return this.caller.call(FUNCTION, new Several.Request(tensor, flags, mask, bools,
                    shorts, sizes, tensors, items, laterFlags, laterModes), null, this.options);
        }

        /**
         * Calls the function as in version 1.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Several.Response> call(TensorId tensor, boolean[] flags,
                boolean @Nullable [] mask, List<Boolean> bools, List<Short> shorts,
                Map<String, Short> sizes, Map<String, TensorId> tensors, List<Several.Item> items) {
            return this.caller.call(FUNCTION, new Several.Request(tensor, flags, mask, bools,
                    shorts, sizes, tensors, items, new boolean[0], Map.of()), null, this.options);
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

    private static final class Codec extends Function<Several.Request, Several.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "acme.several at SHARD (tensor:tensor, flags:copied bool[], mask:copied bool[]?, "
                            + "bools:list of bool, shorts:list of i16, sizes:map of string to i16, tensors:map "
                            + "of string to tensor, items:list of {flags:copied bool[], modes:list of "
                            + "enum(FAST|EXACT)?}) -> (words:list of string, text:map of string to string, "
                            + "sums:map of string to i32 sum, all:map of string to bool and)",
                    "acme.several at SHARD (tensor:tensor, flags:copied bool[], mask:copied bool[]?, "
                            + "bools:list of bool, shorts:list of i16, sizes:map of string to i16, tensors:map "
                            + "of string to tensor, items:list of {flags:copied bool[], modes:list of "
                            + "enum(FAST|EXACT)?}, laterFlags:copied bool[], laterModes:map of string to "
                            + "enum(FAST|EXACT)) -> (words:list of string, text:map of string to string, "
                            + "sums:map of string to i32 sum, all:map of string to bool and, laterLongs:list "
                            + "of i64, laterSums:map of string to f64 sum)"));
        }

        @Override
        public TensorId target(Several.Request request) {
            return request.tensor();
        }

        @Override
        public void write(Several.Request request, Routing routing, int part, TupleWriter out) {
            out.booleans(request.flags());
            out.bool(request.mask() != null);
            if (request.mask() != null) {
                out.booleans(request.mask());
            }
            writeListOfBoolean(request.bools(), out);
            writeListOfShort(request.shorts(), out);
            writeMapOfShort(request.sizes(), out);
            writeMapOfTensorId(request.tensors(), out);
            writeListOfItem(request.items(), out);
            out.booleans(request.laterFlags());
            writeMapOfMode(request.laterModes(), out);
        }

        @Override
        public Several.Request read(TupleReader in) {
            return new Several.Request(
                    in.target(),
                    in.booleans(),
                    in.bool() ? in.booleans() : null,
                    readListOfBoolean(in),
                    readListOfShort(in),
                    readMapOfShort(in),
                    readMapOfTensorId(in),
                    readListOfItem(in),
                    in.has(2) ? in.booleans() : new boolean[0],
                    in.has(2) ? readMapOfMode(in) : Map.of());
        }

        @Override
        public void writeAnswer(Several.Response answer, TupleWriter out) {
            writeListOfString(answer.words(), out);
            writeMapOfString(answer.text(), out);
            writeMapOfInteger(answer.sums(), out);
            writeMapOfBoolean(answer.all(), out);
            writeListOfLong(answer.laterLongs(), out);
            writeMapOfDouble(answer.laterSums(), out);
        }

        @Override
        public Merge<Several.Response> merge(Several.Request request, Routing routing,
                Several.Response into) {
            return new Answers(routing);
        }

        private static void writeListOfBoolean(List<Boolean> values, TupleWriter out) {
            out.count(values.size());
            for (boolean value : values) {
                out.bool(value);
            }
        }

        private static void writeListOfShort(List<Short> values, TupleWriter out) {
            out.count(values.size());
            for (short value : values) {
                out.i16(value);
            }
        }

        private static void writeMapOfShort(Map<String, Short> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Short> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.i16(entry.getValue());
            }
        }

        private static void writeMapOfTensorId(Map<String, TensorId> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, TensorId> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.tensor(entry.getValue());
            }
        }

        private static void writeListOfMode(List<Several.Mode> values, TupleWriter out) {
            out.count(values.size());
            for (Several.Mode value : values) {
                out.enumeration(value);
            }
        }

        private static void writeItem(Several.Item value, TupleWriter out) {
            out.booleans(value.flags());
            out.bool(value.modes() != null);
            if (value.modes() != null) {
                writeListOfMode(value.modes(), out);
            }
        }

        private static void writeListOfItem(List<Several.Item> values, TupleWriter out) {
            out.count(values.size());
            for (Several.Item value : values) {
                writeItem(value, out);
            }
        }

        private static void writeMapOfMode(Map<String, Several.Mode> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Several.Mode> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.enumeration(entry.getValue());
            }
        }

        private static List<Boolean> readListOfBoolean(TupleReader in) {
            int n = in.count(1);
            ArrayList<Boolean> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.bool());
            }
            return List.copyOf(values);
        }

        private static List<Short> readListOfShort(TupleReader in) {
            int n = in.count(2);
            ArrayList<Short> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.i16());
            }
            return List.copyOf(values);
        }

        private static Map<String, Short> readMapOfShort(TupleReader in) {
            int n = in.count(6);
            LinkedHashMap<String, Short> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.i16());
            }
            return Collections.unmodifiableMap(values);
        }

        private static Map<String, TensorId> readMapOfTensorId(TupleReader in) {
            int n = in.count(8);
            LinkedHashMap<String, TensorId> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.tensor());
            }
            return Collections.unmodifiableMap(values);
        }

        private static List<Several.Mode> readListOfMode(TupleReader in) {
            int n = in.count(4);
            ArrayList<Several.Mode> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.enumeration(MODE_VALUES));
            }
            return List.copyOf(values);
        }

        private static Several.Item readItem(TupleReader in) {
            return new Several.Item(in.booleans(), in.bool() ? readListOfMode(in) : null);
        }

        private static List<Several.Item> readListOfItem(TupleReader in) {
            int n = in.count(5);
            ArrayList<Several.Item> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readItem(in));
            }
            return List.copyOf(values);
        }

        private static Map<String, Several.Mode> readMapOfMode(TupleReader in) {
            int n = in.count(8);
            LinkedHashMap<String, Several.Mode> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.enumeration(MODE_VALUES));
            }
            return Collections.unmodifiableMap(values);
        }

        private static void writeListOfString(List<String> values, TupleWriter out) {
            out.count(values.size());
            for (String value : values) {
                out.string(value);
            }
        }

        private static void writeMapOfString(Map<String, String> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, String> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.string(entry.getValue());
            }
        }

        private static void writeMapOfInteger(Map<String, Integer> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Integer> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.i32(entry.getValue());
            }
        }

        private static void writeMapOfBoolean(Map<String, Boolean> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Boolean> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.bool(entry.getValue());
            }
        }

        private static void writeListOfLong(List<Long> values, TupleWriter out) {
            out.count(values.size());
            for (long value : values) {
                out.i64(value);
            }
        }

        private static void writeMapOfDouble(Map<String, Double> values, TupleWriter out) {
            out.count(values.size());
            for (Map.Entry<String, Double> entry : values.entrySet()) {
                out.string(entry.getKey());
                out.f64(entry.getValue());
            }
        }
    }

    private static final class Answers implements Merge<Several.Response> {
        private final TupleReader[] kept;

        private final List<List<String>> words;

        private final List<Map<String, String>> text;

        private final List<Map<String, Integer>> sums;

        private final List<Map<String, Boolean>> all;

        private final List<List<Long>> laterLongs;

        private final List<Map<String, Double>> laterSums;

        Answers(Routing routing) {
            this.kept = new TupleReader[routing.parts()];
            this.words = Concatenation.lists(routing.parts());
            this.text = Concatenation.maps(routing.parts());
            this.sums = Concatenation.maps(routing.parts());
            this.all = Concatenation.maps(routing.parts());
            this.laterLongs = Concatenation.lists(routing.parts());
            this.laterSums = Concatenation.maps(routing.parts());
        }

        @Override
        public void add(int part, TupleReader in) {
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            TupleReader in = kept[part];
            words.set(part, readListOfString(in));
            text.set(part, readMapOfString(in));
            sums.set(part, readMapOfInteger(in));
            all.set(part, readMapOfBoolean(in));
            if (in.has(2)) {
                laterLongs.set(part, readListOfLong(in));
            }
            if (in.has(2)) {
                laterSums.set(part, readMapOfDouble(in));
            }
        }

        @Override
        public Several.Response result() {
            return new Several.Response(
                    Concatenation.of(words),
                    Concatenation.union("text", text),
                    Folds.fold(Reduction.SUM, sums),
                    Folds.fold(Reduction.AND, all),
                    Concatenation.of(laterLongs),
                    Folds.fold(Reduction.SUM, laterSums));
        }

        private static List<String> readListOfString(TupleReader in) {
            int n = in.count(4);
            ArrayList<String> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.string());
            }
            return List.copyOf(values);
        }

        private static Map<String, String> readMapOfString(TupleReader in) {
            int n = in.count(8);
            LinkedHashMap<String, String> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.string());
            }
            return Collections.unmodifiableMap(values);
        }

        private static Map<String, Integer> readMapOfInteger(TupleReader in) {
            int n = in.count(8);
            LinkedHashMap<String, Integer> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.i32());
            }
            return Collections.unmodifiableMap(values);
        }

        private static Map<String, Boolean> readMapOfBoolean(TupleReader in) {
            int n = in.count(5);
            LinkedHashMap<String, Boolean> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.bool());
            }
            return Collections.unmodifiableMap(values);
        }

        private static List<Long> readListOfLong(TupleReader in) {
            int n = in.count(8);
            ArrayList<Long> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(in.i64());
            }
            return List.copyOf(values);
        }

        private static Map<String, Double> readMapOfDouble(TupleReader in) {
            int n = in.count(12);
            LinkedHashMap<String, Double> values = new LinkedHashMap<>();
            for (int i = 0; i < n; i++) {
                TupleReader.put(values, in.string(), in.f64());
            }
            return Collections.unmodifiableMap(values);
        }
    }
}
