package good;

import io.psf.api.Caller;
import io.psf.api.Pending;
import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Reduction;
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

/**
 * The codec, the partition, the merge and the stub of {@link Factors}.
 */
@Generated("io.psf.processor.PsfProcessor")
@SuppressWarnings("NullAway")
public final class FactorsPsf {
    /**
     * The function's name, its identity between processes.
     */
    public static final String NAME = "good.factors";

    /**
     * The number that represents the name on the wire.
     */
    public static final int ID = -1353758622;

    /**
     * The codec, the partition and the merge, which the runtime calls.
     */
    public static final Function<Factors.Request, Factors.Response> FUNCTION = new Codec();

    private static final int USER_KEYS = 0;

    private static final int ITEM_KEYS = 1;

    private static final int CLICKS_KEYS = 2;

    private static final int LATER_KEYS = 3;

    private static final int MORE_KEYS = 4;

    private static final int OF_USERS_ARRAY = 2;

    private static final int OF_ITEMS_ARRAY = 4;

    private FactorsPsf() {
    }

    /**
     * Returns the binding of a handler, which a server runs.
     */
    public static Binding<Factors.Request, Factors.Response> bind(Factors handler) {
        return Binding.shard(FUNCTION, handler, handler::handle);
    }

    /**
     * Returns the stub with which a caller calls the function.
     */
    public static Stub stub(Caller caller) {
        return new Stub(FunctionCaller.of(caller), CallOptions.DEFAULT);
    }

    /**
     * Calls {@link Factors}. Stateless and thread-safe. Serializable if its caller is.
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
         * Keys of two tables in one call, and elements that hold a key each.
         *
         * <p>Runs on every slice of {@code users}. Each slice gets the copied and whole arguments.
         *
         * <p>Borrowed until await returns: {@code user}, {@code ofUsers}, {@code item},
         * {@code ofItems}, {@code more}.
         *
         * @param users the tensor on whose shards the function runs
         * @param user [n] int64, global keys in any order, each goes to the slice that owns it
         * @param ofUsers [n, width] float32, row i goes to the slice of {@code user[i]}
         * @param item [n] int64, global keys of {@code items} in any order, each goes to the slice
         *     that owns it, duplicates folded with SUM
         * @param ofItems [n, width] float32, row i goes to the slice of {@code item[i]}
         * @param items copied
         * @param clicks each element goes to the slice that owns its {@code item} of {@code items},
         *     copied; slices without elements are called too
         * @param later each element goes to the slice that owns its {@code at}, copied
         * @param more [n] int64, global keys of {@code items} in any order, each goes to the slice
         *     that owns it
         * @return the answers of the slices, merged: {@code userRows} [n, width] float32, row i
         *     belongs to {@code user[i]}; {@code itemRows} [n, width] float32, row i belongs to
         *     {@code item[i]}; {@code seen} element i belongs to {@code clicks[i]}; {@code again}
         *     element i belongs to {@code item[i]}
         */
        public Pending<Factors.Response> call(TensorId users, LongArray user, FloatArray ofUsers,
                LongArray item, FloatArray ofItems, TensorId items, List<Factors.Click> clicks,
                List<Factors.Click> later, LongArray more) {
            return this.caller.call(FUNCTION, new Factors.Request(users, user, ofUsers, item,
                    ofItems, items, clicks, later, more), null, this.options);
        }

        /**
         * Calls the function, and fills arrays of {@code into}.
         *
         * @param into its {@code userRows}, {@code itemRows} are filled; borrowed until await
         *     returns; its other components are not read
         */
        public Pending<Factors.Response> call(TensorId users, LongArray user, FloatArray ofUsers,
                LongArray item, FloatArray ofItems, TensorId items, List<Factors.Click> clicks,
                List<Factors.Click> later, LongArray more, Factors.Response into) {
            return this.caller.call(FUNCTION, new Factors.Request(users, user, ofUsers, item,
                    ofItems, items, clicks, later, more), into, this.options);
        }

        /**
         * Calls the function as in version 1.
         *
         * <p>Components of later versions are empty.
         */
        public Pending<Factors.Response> call(TensorId users, LongArray user, FloatArray ofUsers,
                LongArray item, FloatArray ofItems, TensorId items, List<Factors.Click> clicks) {
            return this.caller.call(FUNCTION, new Factors.Request(users, user, ofUsers, item,
                    ofItems, items, clicks, List.of(), LongArray.allocate(0)), null, this.options);
        }

        /**
         * Calls the function as in version 1, and fills arrays of {@code into}.
         *
         * <p>Components of later versions are empty.
         *
         * @param into its {@code userRows}, {@code itemRows} are filled; borrowed until await
         *     returns; its other components are not read
         */
        public Pending<Factors.Response> call(TensorId users, LongArray user, FloatArray ofUsers,
                LongArray item, FloatArray ofItems, TensorId items, List<Factors.Click> clicks,
                Factors.Response into) {
            return this.caller.call(FUNCTION, new Factors.Request(users, user, ofUsers, item,
                    ofItems, items, clicks, List.of(), LongArray.allocate(0)), into, this.options);
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

    private static final class Codec extends Function<Factors.Request, Factors.Response> {
        Codec() {
            super(FunctionInfo.of(NAME, Place.SHARD, false,
                    "good.factors at SHARD (users:tensor, user:i64[] by key, ofUsers:f32[] along "
                            + "user, item:i64[] by key sum of items, ofItems:f32[] along item, items:tensor, "
                            + "clicks:list of {item:i64, times:i32, at:i64} by key item of items every slice) "
                            + "-> (userRows:f32[] along user, itemRows:f32[] along item, seen:list of "
                            + "{item:i64, score:f32} along clicks)",
                    "good.factors at SHARD (users:tensor, user:i64[] by key, ofUsers:f32[] along "
                            + "user, item:i64[] by key sum of items, ofItems:f32[] along item, items:tensor, "
                            + "clicks:list of {item:i64, times:i32, at:i64} by key item of items every slice, "
                            + "later:list of {item:i64, times:i32, at:i64} by key at, more:i64[] by key of "
                            + "items) -> (userRows:f32[] along user, itemRows:f32[] along item, seen:list of "
                            + "{item:i64, score:f32} along clicks, again:list of {item:i64, score:f32} along "
                            + "item)"));
        }

        @Override
        public TensorId target(Factors.Request request) {
            return request.users();
        }

        @Override
        public List<TensorId> others(Factors.Request request) {
            return List.of(request.items(), request.items(), request.items());
        }

        @Override
        public void route(Factors.Request request, Routing routing) {
            routing.keys(USER_KEYS, "user", request.user(), Reduction.NONE, false);
            routing.keys(ITEM_KEYS, "item", request.item(), Reduction.SUM, false,
                    routing.beside("items", request.items()));
            routing.elements(CLICKS_KEYS, "clicks", request.clicks(), Factors.Click::item, true,
                    routing.beside("items", request.items()));
            routing.elements(LATER_KEYS, "later", request.later(), Factors.Click::at, false,
                    routing.layout());
            routing.keys(MORE_KEYS, "more", request.more(), Reduction.NONE, false,
                    routing.beside("items", request.items()));
            routing.along(OF_USERS_ARRAY, "ofUsers", USER_KEYS, request.ofUsers(), 0);
            routing.along(OF_ITEMS_ARRAY, "ofItems", ITEM_KEYS, request.ofItems(), 0);
        }

        @Override
        public void write(Factors.Request request, Routing routing, int part, TupleWriter out) {
            routing.writeKeys(USER_KEYS, part, out);
            routing.write(OF_USERS_ARRAY, part, out);
            routing.writeStamp(ITEM_KEYS, part, out);
            routing.writeKeys(ITEM_KEYS, part, out);
            routing.write(OF_ITEMS_ARRAY, part, out);
            out.tensor(request.items());
            routing.writeStamp(CLICKS_KEYS, part, out);
            writeListOfClick(routing.elements(CLICKS_KEYS, part), out);
            writeListOfClick(routing.elements(LATER_KEYS, part), out);
            routing.writeStamp(MORE_KEYS, part, out);
            routing.writeKeys(MORE_KEYS, part, out);
        }

        @Override
        public Factors.Request read(TupleReader in) {
            return new Factors.Request(
                    in.target(),
                    in.longArray(),
                    in.floatArray(),
                    in.stamped().longArray(),
                    in.floatArray(),
                    in.tensor(),
                    readListOfClick(in.stamped()),
                    in.has(2) ? readListOfClick(in) : List.of(),
                    in.has(2) ? in.stamped().longArray() : LongArray.allocate(0));
        }

        @Override
        public void writeAnswer(Factors.Response answer, TupleWriter out) {
            out.array(answer.userRows());
            out.array(answer.itemRows());
            writeListOfSeen(answer.seen(), out);
            writeListOfSeen(answer.again(), out);
        }

        @Override
        public Merge<Factors.Response> merge(Factors.Request request, Routing routing,
                Factors.Response into) {
            return new Answers(routing, into);
        }

        private static void writeClick(Factors.Click value, TupleWriter out) {
            out.i64(value.item());
            out.i32(value.times());
            out.i64(value.at());
        }

        private static void writeListOfClick(List<Factors.Click> values, TupleWriter out) {
            out.count(values.size());
            for (Factors.Click value : values) {
                writeClick(value, out);
            }
        }

        private static Factors.Click readClick(TupleReader in) {
            return new Factors.Click(in.i64(), in.i32(), in.i64());
        }

        private static List<Factors.Click> readListOfClick(TupleReader in) {
            int n = in.count(20);
            ArrayList<Factors.Click> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readClick(in));
            }
            return List.copyOf(values);
        }

        private static void writeSeen(Factors.Seen value, TupleWriter out) {
            out.i64(value.item());
            out.f32(value.score());
        }

        private static void writeListOfSeen(List<Factors.Seen> values, TupleWriter out) {
            out.count(values.size());
            for (Factors.Seen value : values) {
                writeSeen(value, out);
            }
        }
    }

    private static final class Answers implements Merge<Factors.Response> {
        private final Routing routing;

        private final TupleReader[] kept;

        private final FloatArray userRows;

        private final FloatArray itemRows;

        private final List<Factors.Seen> seen;

        private final List<Factors.Seen> again;

        Answers(Routing routing, Factors.Response into) {
            this.routing = routing;
            this.kept = new TupleReader[routing.parts()];
            this.userRows = into == null
                    ? FloatArray.allocate(routing.alongLength(USER_KEYS, 0))
                    : routing.target("userRows", into.userRows(), routing.alongLength(USER_KEYS, 0));
            this.itemRows = into == null
                    ? FloatArray.allocate(routing.alongLength(ITEM_KEYS, 0))
                    : routing.target("itemRows", into.itemRows(), routing.alongLength(ITEM_KEYS, 0));
            this.seen = routing.places(CLICKS_KEYS);
            this.again = routing.places(ITEM_KEYS);
        }

        @Override
        public void add(int part, TupleReader in) {
            routing.mergeAlong("userRows", part, USER_KEYS, in.floatArray(), userRows, 0);
            routing.mergeAlong("itemRows", part, ITEM_KEYS, in.floatArray(), itemRows, 0);
            kept[part] = in.keep();
        }

        @Override
        public void decode(int part) {
            TupleReader in = kept[part];
            routing.mergeElements("seen", part, CLICKS_KEYS, readListOfSeen(in), seen);
            if (in.has(2)) {
                routing.mergeElements("again", part, ITEM_KEYS, readListOfSeen(in), again);
            } else {
                routing.clearElements(part, ITEM_KEYS, new Factors.Seen(0L, 0f), again);
            }
        }

        @Override
        public Factors.Response result() {
            return new Factors.Response(
                    userRows,
                    itemRows,
                    List.copyOf(seen),
                    List.copyOf(again));
        }

        private static Factors.Seen readSeen(TupleReader in) {
            return new Factors.Seen(in.i64(), in.f32());
        }

        private static List<Factors.Seen> readListOfSeen(TupleReader in) {
            int n = in.count(12);
            ArrayList<Factors.Seen> values = new ArrayList<>(n);
            for (int i = 0; i < n; i++) {
                values.add(readSeen(in));
            }
            return List.copyOf(values);
        }
    }
}
