package io.psf.examples.functions;

import static io.psf.api.layout.Reduction.SUM;

import io.psf.api.PsFunction;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.array.FloatArray;
import io.psf.api.array.LongArray;
import io.psf.api.layout.Along;
import io.psf.api.layout.ByKey;

/**
 * One step of AdaGrad (Duchi, Hazan, Singer, JMLR 12, 2011, figure 1) on some rows, when the gradient arrives: a +=
 * g^2; w -= lr g / (sqrt a + eps). Each call has its own learning rate.
 */
@PsFunction("examples.async.adagrad")
public interface AsyncAdagrad {
    /**
     * The gradient.
     *
     * @param tensor the tensor to step
     * @param lr the learning rate
     * @param eps avoids division by zero
     * @param keys [n] int64, row ids; the gradients of a duplicate key are summed before they are sent; borrowed until
     *     await returns
     * @param gradient [n, width] float32; borrowed until await returns
     */
    record Request(
            TensorId tensor,
            float lr,
            float eps,
            @ByKey(combine = SUM) LongArray keys,
            @Along("keys") FloatArray gradient) {}

    record Response() {}

    default Response handle(Request slice, Shard shard) {
        int width = shard.width();
        FloatArray w = shard.values();
        FloatArray a = shard.slot("examples.adagrad.a", width);
        for (int i = 0; i < slice.gradient().length(); i++) {
            float g = slice.gradient().get(i);
            int at = shard.row(slice.keys().get(i / width)) * width + i % width;
            a.set(at, a.get(at) + g * g);
            w.set(at, w.get(at) - slice.lr() * g / ((float) Math.sqrt(a.get(at)) + slice.eps()));
        }
        return new Response();
    }
}
