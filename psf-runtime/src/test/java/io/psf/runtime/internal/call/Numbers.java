package io.psf.runtime.internal.call;

import io.psf.api.Place;
import io.psf.api.TensorId;
import io.psf.api.spi.Function;
import io.psf.api.spi.FunctionInfo;
import io.psf.api.spi.Merge;
import io.psf.api.spi.Routing;
import io.psf.api.spi.TupleReader;
import io.psf.api.spi.TupleWriter;
import java.util.function.IntConsumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A function of a number, whose answers are numbers too. The merge adds them. Tests put their own code in its steps.
 */
public final class Numbers extends Function<Integer, Integer> {
    /** The tensor of a function on shards. */
    public static final TensorId TENSOR = TensorId.of("t");

    /** Runs with the number of each request before it is written. */
    IntConsumer whileWriting = number -> {};
    /** Runs with the part of each answer after it has been added. */
    IntConsumer decode = part -> {};
    /** Makes the response of the sum. */
    IntFunction<@Nullable Integer> result = sum -> sum;

    public Numbers(String name, Place place, boolean readOnly) {
        super(FunctionInfo.of(name, place, readOnly, "int -> int"));
    }

    @Override
    public @Nullable TensorId target(Integer request) {
        return info().place() == Place.SHARD ? TENSOR : null;
    }

    @Override
    public void write(Integer request, Routing routing, int part, TupleWriter out) {
        whileWriting.accept(request);
        out.i32(request);
    }

    @Override
    public Integer read(TupleReader in) {
        return in.i32();
    }

    @Override
    public void writeAnswer(Integer answer, TupleWriter out) {
        out.i32(answer);
    }

    @Override
    public Merge<Integer> merge(Integer request, Routing routing, @Nullable Integer into) {
        return new Merge<>() {
            private int sum;

            @Override
            public void add(int part, TupleReader in) {
                sum += in.i32();
            }

            @Override
            public void decode(int part) {
                decode.accept(part);
            }

            @Override
            @SuppressWarnings("NullAway") // a merge of a user's may return null
            public Integer result() {
                return result.apply(sum);
            }
        };
    }
}
