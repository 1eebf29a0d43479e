package io.psf.fuzz;

import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.spi.Function;
import io.psf.builtin.dense.DensePull;
import io.psf.builtin.dense.DensePullPsf;
import io.psf.builtin.dense.DensePush;
import io.psf.builtin.dense.DensePushPsf;
import io.psf.builtin.sparse.SparsePull;
import io.psf.builtin.sparse.SparsePullPsf;
import io.psf.builtin.sparse.SparsePush;
import io.psf.builtin.sparse.SparsePushPsf;
import io.psf.fuzz.AllTypes.Item;
import io.psf.fuzz.AllTypes.Lenient;
import io.psf.fuzz.AllTypes.Mode;
import io.psf.fuzz.AllTypes.Options;
import io.psf.fuzz.Listed.Point;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A good call, which bad frames are made of.
 *
 * @param function what is called
 * @param request with what
 */
public record Sample<Q, R>(Function<Q, R> function, Q request) {
    /** The tensor of all calls. */
    public static final TensorId TENSOR = TensorId.of("t");

    /** Two slices on one server. */
    public static final TensorLayout LAYOUT = TensorLayout.even(new TensorInfo(TENSOR, 13, 3), new int[] {0, 0});

    /** Calls of functions that together have every type and every layout. */
    public static final List<Sample<?, ?>> ALL = List.of(
            new Sample<>(AllTypesPsf.FUNCTION, allTypes(true)),
            new Sample<>(AllTypesPsf.FUNCTION, allTypes(false)),
            new Sample<>(
                    ProducedPsf.FUNCTION,
                    new Produced.Request(
                            TENSOR,
                            LongArray.of(12, 3, 3, 0),
                            LongArray.of(1, 11, 2),
                            LongArray.of(7, 8, 9),
                            IntArray.of(1, 2, 0))),
            new Sample<>(
                    ListedPsf.FUNCTION,
                    new Listed.Request(
                            TENSOR, List.of(new Point(1, 2), new Point(3, 4)), ByteArray.of(new byte[] {1, 2, 3}))),
            new Sample<>(DensePullPsf.FUNCTION, new DensePull.Request(TENSOR)),
            new Sample<>(DensePushPsf.FUNCTION, new DensePush.Request(TENSOR, FloatArray.allocate(39))),
            new Sample<>(SparsePullPsf.FUNCTION, new SparsePull.Request(TENSOR, LongArray.of(1, 12, 1))),
            new Sample<>(
                    SparsePushPsf.FUNCTION,
                    new SparsePush.Request(TENSOR, LongArray.of(1, 12, 1), FloatArray.allocate(9))));

    private static AllTypes.Request allTypes(boolean whole) {
        Item nothing = new Item(null, null, List.of(), null);
        Item all = new Item("item", new float[] {1}, List.of(Lenient.LATER, Lenient.ONE), Map.of("k", "v"));
        List<Item> items = whole ? List.of(nothing, all) : List.of();
        return new AllTypes.Request(
                true,
                (byte) 2,
                (short) 3,
                4,
                TENSOR,
                5,
                6,
                7,
                "eight",
                Mode.EXACT,
                TensorId.of("other"),
                new float[] {1, 2},
                new double[] {3},
                new int[] {4, 5},
                new long[] {6},
                new byte[] {7, 8, 9},
                whole ? "text" : null,
                whole ? FloatArray.of(1, 2, 3) : null,
                new Options(Mode.FAST, nothing, items, new byte[5], TENSOR),
                items,
                FloatArray.of(1),
                DoubleArray.allocate(39),
                IntArray.allocate(26),
                ByteArray.allocate(9),
                LongArray.of(12, 0, 5),
                FloatArray.allocate(9),
                LongArray.of(7, 7, 8),
                LongArray.allocate(9),
                new boolean[] {true, false},
                List.of("a", "\u00e4"),
                List.of((short) 1),
                List.of(TENSOR),
                whole ? Map.of("a", 1.0, "b", 2.0) : Map.of(),
                Map.of("m", Lenient.OTHER),
                later(whole));
    }

    private static @Nullable TensorId later(boolean whole) {
        return whole ? TensorId.of("later") : null;
    }
}
