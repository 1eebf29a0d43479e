package io.psf.builtin.tensor;

import io.psf.api.DeclaredTensor;
import io.psf.api.Node;
import io.psf.api.PsException;
import io.psf.api.Shard;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorDeclaration.Rounds;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.array.FloatArray;
import io.psf.api.spi.StoredShard;
import io.psf.builtin.image.Declaration;
import io.psf.builtin.initializer.GeneratingShard;
import io.psf.builtin.initializer.Generator;
import io.psf.builtin.internal.named.BadRequest;
import io.psf.builtin.internal.named.UserCode;
import io.psf.builtin.optimizer.TiledOptimizer;
import io.psf.builtin.policy.PolicyOptions;
import io.psf.builtin.policy.RowPolicy;
import io.psf.builtin.push.Pushes;
import io.psf.builtin.push.SliceCount;

/**
 * The initial values and the mode of a shard, as its tensor was declared.
 *
 * @param tensor the tensor
 * @param generator the generator of the initial values
 * @param rounds how pushes are combined
 * @param policy which keys get a row, and which rows are removed
 * @param slices the number of the tensor's slices
 * @param declaration the tensor's declaration; the shards share the object
 */
record FirstValues(
        TensorId tensor, Generator generator, Rounds rounds, PolicyOptions policy, int slices, Declaration declaration)
        implements Node.Fill {
    static FirstValues of(DeclaredTensor tensor, Generator generator) {
        TensorDeclaration declaration = tensor.declaration();
        int slices = tensor.layout().slices();
        return new FirstValues(
                tensor.id(),
                generator,
                declaration.rounds(),
                policy(declaration, slices),
                slices,
                new Declaration(declaration.text(slices)));
    }

    /**
     * Returns the policy of a tensor.
     *
     * @throws PsException with {@code BAD_REQUEST} if an option is invalid, or does not suffice for the slices
     */
    static PolicyOptions policy(TensorDeclaration declaration, int slices) {
        TensorInfo tensor = declaration.info();
        if (!tensor.grows() && !declaration.policy().isEmpty()) {
            throw new PsException(
                    PsException.Code.BAD_REQUEST,
                    "policy: " + declaration.policy() + " (expected: none, since the tensor does not grow)");
        }
        return BadRequest.ifIllegal(() -> {
            PolicyOptions policy = PolicyOptions.of(declaration.policy());
            RowPolicy.requireSpace(policy, tensor, slices);
            return policy;
        });
    }

    @Override
    public void fill(Shard shard) {
        if (!(shard instanceof GeneratingShard own && own.generate(generator))) {
            fill(shard.values().nearest(), shard.range().begin() * shard.width());
        }
        if (!policy.equals(PolicyOptions.NONE)) {
            RowPolicy.attach(shard, policy, slices); // before the pushes, which use it
            if (shard instanceof StoredShard stored) {
                stored.countAttachments(0); // its sketch
            }
        }
        if (rounds.synchronous()) {
            Pushes.synchronize(shard, rounds.mean(), rounds.quorum(), rounds.dropsLate());
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
}
