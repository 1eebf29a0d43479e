package io.psf.testkit;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Range;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import java.util.Collections;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.LongStream;

/**
 * A tensor that a test declares.
 *
 * @param info the tensor's name and shape
 * @param values the initial value of element i of [rows, width]
 * @param optimizer the optimizer: the rule by which pushes change the tensor
 */
record TestTensor(TensorInfo info, IntToDoubleFunction values, Optimizer optimizer) implements Node.Fill {
    @Override
    public void fill(Shard shard) {
        int first = (int) (shard.range().begin() * info.width());
        for (int i = 0; i < shard.values().length(); i++) { // a growing table has none yet
            shard.values().set(i, (float) values.applyAsDouble(first + i));
        }
    }

    /**
     * Returns the default value of element i. Neighbouring values differ, and sums of a few thousand values are exact.
     */
    static double unlike(int i) {
        return (i * 37L % 101 - 50) / 8.0;
    }

    /** Returns the layout of a tensor {@code w} of which a range is a slice. */
    static TensorLayout layoutWith(Range range, long rows, int width) {
        List<Long> bounds = LongStream.of(0, range.begin(), range.end(), rows)
                .distinct()
                .boxed()
                .toList();
        TensorInfo info = new TensorInfo(TensorId.of("w"), rows, width);
        return new TensorLayout(info, bounds, Collections.nCopies(bounds.size() - 1, 0));
    }
}
