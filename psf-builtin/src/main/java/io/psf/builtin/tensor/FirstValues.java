package io.psf.builtin.tensor;

import io.psf.api.Node;
import io.psf.api.Optimizer;
import io.psf.api.Shard;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.builtin.checkpoint.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.push.Pushes;

/**
 * The initial values and the mode of a shard, as an {@link InitTensor} request declares them.
 *
 * @param generator the generator of the initial values
 * @param synchronous true if a round of one push of each worker is applied together
 * @param mean true if a round applies the mean of its pushes
 * @param declaration the tensor's declaration; the shards share the object
 */
record FirstValues(Generator generator, boolean synchronous, boolean mean, Declaration declaration)
        implements Node.Fill {
    static FirstValues of(TensorInfo tensor, InitTensor.Request request, Optimizer optimizer) {
        return new FirstValues(
                request.distribution().generator(request.a(), request.b(), request.seed()),
                request.synchronous(),
                request.mean(),
                new Declaration(text(tensor, request, optimizer)));
    }

    @Override
    public void fill(Shard shard) {
        if (!(shard instanceof GeneratingShard own && own.generate(generator))) {
            generator.fill(shard.values(), shard.range().begin() * shard.width());
        }
        if (synchronous) {
            Pushes.synchronize(shard, mean);
        }
        var unused = shard.attachment(Declaration.class, () -> declaration);
    }

    @Override
    public void fillRow(long key, FloatArray row) {
        generator.fill(row, Generator.firstElement(key, row.length()));
    }

    /** Returns the declaration in the form of a spec's, for people who read the tensor's files. */
    private static String text(TensorInfo tensor, InitTensor.Request request, Optimizer optimizer) {
        return tensor.shape() + " slices="
                + request.servers().length() + " initializer=" + request.distribution() + "(" + request.a() + ", "
                + request.b() + ", seed=" + request.seed() + ") optimizer=" + optimizer + " updates="
                + (!request.synchronous() ? "EACH" : request.mean() ? "MEAN" : "SUM")
                + (request.placement().isEmpty() ? "" : " placement=" + request.placement());
    }
}
