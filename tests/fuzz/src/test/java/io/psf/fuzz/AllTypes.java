package io.psf.fuzz;

import static io.psf.api.layout.Reduction.AND;
import static io.psf.api.layout.Reduction.LAST;
import static io.psf.api.layout.Reduction.MAX;
import static io.psf.api.layout.Reduction.MIN;
import static io.psf.api.layout.Reduction.OR;
import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.Since;
import io.psf.api.TensorId;
import io.psf.api.Unknown;
import io.psf.api.array.ByteArray;
import io.psf.api.array.DoubleArray;
import io.psf.api.array.FloatArray;
import io.psf.api.array.IntArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;
import io.psf.api.layout.ByRange;
import io.psf.api.layout.Reduce;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every type of a tuple, every way to be copied or null, every layout but ragged rows. */
@PsFunction("fuzz.all.types")
public interface AllTypes {
    /** An enum that refuses constants which it does not have. */
    enum Mode {
        FAST,
        EXACT
    }

    /** An enum that has one for them. */
    enum Lenient {
        ONE,
        @Unknown
        OTHER,
        @Since(2)
        LATER
    }

    /** A nested record, of two bytes at least. */
    record Item(
            @Nullable String name,
            float @Nullable [] weights,
            @Since(2) List<Lenient> later,
            @Since(2) @Nullable Map<String, String> texts) {}

    /** A nested record that nests more. */
    record Options(Mode mode, Item first, List<Item> items, byte[] key, TensorId also) {}

    /** All there is. */
    record Request(
            boolean bool,
            byte i8,
            short i16,
            int i32,
            TensorId tensor,
            long i64,
            float f32,
            double f64,
            String string,
            Mode mode,
            TensorId other,
            float[] floats,
            double[] doubles,
            int[] ints,
            long[] longs,
            byte[] bytes,
            @Nullable String text,
            @Nullable FloatArray absent,
            Options options,
            List<Item> items,
            FloatArray everywhere,
            @ByRange DoubleArray rows,
            @ByRange(width = 2) IntArray pairs,
            @Along("second") ByteArray early,
            @ByKey LongArray first,
            @Along("first") FloatArray ofFirst,
            @ByKey(combine = LAST) LongArray second,
            @Along(value = "second", width = 3) LongArray ofSecond,
            boolean[] flags,
            List<String> words,
            List<Short> shorts,
            List<TensorId> tensors,
            Map<String, Double> numbers,
            Map<String, Lenient> modes,
            @Since(2) @Nullable TensorId later) {}

    /** What can be reduced or laid out. */
    record Response(
            @Reduce(OR) boolean any,
            @Reduce(AND) boolean all,
            @Reduce(MIN) byte i8,
            @Reduce(MAX) short i16,
            @Reduce(SUM) int i32,
            @Reduce(SUM) long i64,
            @Reduce(MAX) float f32,
            @Reduce(MIN) double f64,
            @Reduce(SUM) FloatArray sums,
            @ByRange DoubleArray rows,
            @Along("first") FloatArray ofFirst,
            @Along(value = "second", width = 3) LongArray ofSecond,
            List<Item> items,
            List<String> words,
            @Reduce(SUM) Map<String, Double> numbers,
            Map<String, Lenient> modes,
            @Since(2) @Reduce(SUM) IntArray later) {}

    /** Answers with what came. */
    default Response handle(Request slice, Shard shard) {
        return new Response(
                slice.bool(),
                slice.bool(),
                slice.i8(),
                slice.i16(),
                slice.i32(),
                slice.i64(),
                slice.f32(),
                slice.f64(),
                FloatArray.of(1, 2, 3),
                slice.rows(),
                slice.ofFirst(),
                slice.ofSecond(),
                slice.items(),
                slice.words(),
                slice.numbers(),
                Map.of(),
                IntArray.of(4, 5));
    }
}
