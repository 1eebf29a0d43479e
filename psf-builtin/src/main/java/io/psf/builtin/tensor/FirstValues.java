package io.psf.builtin.tensor;

import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.builtin.checkpoint.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.named.NamedClasses;
import io.psf.builtin.named.UserCode;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.builtin.policy.PolicyOptions;
import io.psf.builtin.policy.RowPolicy;
import io.psf.builtin.push.Pushes;
import io.psf.builtin.push.SliceCount;
import java.util.TreeMap;

/**
 * The initial values and the mode of a shard, as an {@link InitTensor} request declares them.
 *
 * @param tensor the tensor
 * @param generator the generator of the initial values
 * @param mode how pushes are combined
 * @param policy which keys get a row, and which rows are removed
 * @param slices the number of the tensor's slices
 * @param declaration the tensor's declaration; the shards share the object
 */
record FirstValues(
        TensorId tensor, Generator generator, Mode mode, PolicyOptions policy, int slices, Declaration declaration)
        implements Node.Fill {
    /**
     * How pushes are combined.
     *
     * @param synchronous true if a round of pushes is applied together
     * @param mean true if a round applies the mean of its pushes
     * @param quorum the number of pushes at which a round closes; 0 for one of each worker
     * @param dropsLate true if a push for an earlier round is dropped
     */
    record Mode(boolean synchronous, boolean mean, int quorum, boolean dropsLate) {
        static Mode of(InitTensor.Request request) {
            return new Mode(request.synchronous(), request.mean(), request.quorum(), request.dropsLate());
        }

        @Override
        public String toString() {
            return !synchronous
                    ? "EACH"
                    : (mean ? "MEAN" : "SUM")
                            + (quorum == 0
                                    ? ""
                                    : " quorum=" + quorum + (dropsLate ? " (late: DROP)" : " (late: NEXT)"));
        }
    }

    static FirstValues of(TensorInfo tensor, InitTensor.Request request, Generator generator) {
        return new FirstValues(
                tensor.id(),
                generator,
                Mode.of(request),
                policy(tensor, request),
                request.servers().length(),
                new Declaration(text(tensor, request)));
    }

    private static PolicyOptions policy(TensorInfo tensor, InitTensor.Request request) {
        if (!tensor.grows() && !request.policy().isEmpty()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "policy: " + request.policy() + " (expected: none, since the tensor does not grow)");
        }
        PolicyOptions policy = PolicyOptions.of(request.policy());
        RowPolicy.requireSpace(policy, tensor, request.servers().length());
        return policy;
    }

    @Override
    public void fill(Shard shard) {
        if (!(shard instanceof GeneratingShard own && own.generate(generator))) {
            fill(shard.values().nearest(), shard.range().begin() * shard.width());
        }
        if (!policy.equals(PolicyOptions.NONE)) {
            RowPolicy.attach(shard, policy, slices); // before the pushes, which use it
        }
        if (mode.synchronous()) {
            Pushes.synchronize(shard, mode.mean(), mode.quorum(), mode.dropsLate());
        }
        TiledOptimizer optimizer = TiledOptimizer.of(shard);
        if (optimizer != null && optimizer.needsSums()) {
            SliceCount.set(shard, slices);
        }
        var unused = shard.attachment(Declaration.class, () -> declaration);
    }

    @Override
    public void fillRow(long key, FloatArray row) {
        fill(row, Generator.firstElement(key, row.length()));
    }

    private void fill(FloatArray values, long firstElement) {
        try {
            generator.fill(values, firstElement);
        } catch (PsException e) {
            throw e;
        } catch (RuntimeException e) {
            throw UserCode.failed("initializer of tensor \"" + tensor + "\"", generator, e);
        }
    }

    /** Returns the declaration in the form of a spec's, for people who read the tensor's files. */
    private static String text(TensorInfo tensor, InitTensor.Request request) {
        return tensor.shape() + " slices="
                + request.servers().length() + " initializer="
                + NamedClasses.text(request.initializer(), request.initializerArguments()) + " optimizer="
                + NamedClasses.text(request.optimizer(), request.optimizerArguments(), request.optimizerOptions())
                + " updates="
                + Mode.of(request)
                + (request.policy().isEmpty() ? "" : " policy=" + new TreeMap<>(request.policy()))
                + (request.placement().isEmpty() ? "" : " placement=" + request.placement())
                + request.types().text();
    }
}
