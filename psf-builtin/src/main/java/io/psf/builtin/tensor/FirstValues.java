package io.psf.builtin.tensor;

import io.psf.api.Node;
import io.psf.api.Shard;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.builtin.checkpoint.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.named.NamedClasses;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.builtin.push.Pushes;
import io.psf.builtin.push.SliceCount;

/**
 * The initial values and the mode of a shard, as an {@link InitTensor} request declares them.
 *
 * @param generator the generator of the initial values
 * @param synchronous true if a round of one push of each worker is applied together
 * @param mean true if a round applies the mean of its pushes
 * @param slices the number of the tensor's slices
 * @param declaration the tensor's declaration; the shards share the object
 */
record FirstValues(Generator generator, boolean synchronous, boolean mean, int slices, Declaration declaration)
        implements Node.Fill {
    static FirstValues of(TensorInfo tensor, InitTensor.Request request, Generator generator) {
        return new FirstValues(
                generator,
                request.synchronous(),
                request.mean(),
                request.servers().length(),
                new Declaration(text(tensor, request)));
    }

    @Override
    public void fill(Shard shard) {
        if (!(shard instanceof GeneratingShard own && own.generate(generator))) {
            generator.fill(shard.values(), shard.range().begin() * shard.width());
        }
        if (synchronous) {
            Pushes.synchronize(shard, mean);
        }
        if (shard.optimizer() instanceof TiledOptimizer tiled && tiled.needsSums()) {
            SliceCount.set(shard, slices);
        }
        var unused = shard.attachment(Declaration.class, () -> declaration);
    }

    @Override
    public void fillRow(long key, FloatArray row) {
        generator.fill(row, Generator.firstElement(key, row.length()));
    }

    /** Returns the declaration in the form of a spec's, for people who read the tensor's files. */
    private static String text(TensorInfo tensor, InitTensor.Request request) {
        return tensor.shape() + " slices="
                + request.servers().length() + " initializer="
                + NamedClasses.text(request.initializer(), request.initializerArguments()) + " optimizer="
                + NamedClasses.text(request.optimizer(), request.optimizerArguments(), request.optimizerOptions())
                + " updates="
                + (!request.synchronous() ? "EACH" : request.mean() ? "MEAN" : "SUM")
                + (request.placement().isEmpty() ? "" : " placement=" + request.placement());
    }
}
