package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorId;

/**
 * Weights of a model that is trained in a hybrid way: some on the servers, the others on each worker, with gradients
 * that are all-reduced. Which of the two is one line; the training is the same.
 *
 * <pre>{@code
 * Weights embedding = Weights.onServers(worker, TensorSpec.table("embedding", 1_000_000, 64).updates(Updates.MEAN));
 * Weights dense = Weights.reduced(worker, TensorSpec.dense("dense", 10_000).updates(Updates.MEAN));
 * dense.push(gradient).await();
 * dense.pull(weights).await();
 * }</pre>
 *
 * <p>Initial values and steps are functions of the spec and of the pushed gradients, the same in both. Used by one
 * thread.
 */
public interface Weights {
    /**
     * Weights on the servers: pushes and pulls of a tensor.
     *
     * @param spec any spec, also of a growing table
     * @throws io.psf.api.PsException as {@link Tensors#init}
     */
    static Weights onServers(ClusterCaller worker, TensorSpec spec) {
        return new ServerWeights(worker, Tensors.init(worker, spec));
    }

    /**
     * Weights on each worker, with their optimizer state: a push all-reduces the gradients and steps this worker's
     * copy. All workers have the same weights as long as each of them calls {@link #push} equally often, or {@link
     * #endEpoch}. A pull is a local copy.
     *
     * @param spec a spec whose updates are {@link Updates#SUM} or {@link Updates#MEAN}; slices and placement are for
     *     the servers' copy. The memory for gradients has the name with {@code .allreduce} behind it
     * @throws IllegalArgumentException if the updates are {@link Updates#EACH}, the tensor grows, has a quorum, is
     *     stored or sent in another type than float32, or has an optimizer with {@code skipNonFinite} or a global norm,
     *     or the name has more than 190 characters
     * @throws io.psf.api.PsException as {@link Tensors#init}; with {@code BAD_REQUEST} if the caller is no worker
     */
    static Weights reduced(ClusterCaller worker, TensorSpec spec) {
        return ReducedWeights.of(worker, spec);
    }

    /**
     * Returns the tensor on the servers that has these weights: for pulls, exports and PS functions. Of reduced weights
     * it is a copy, which has the initial values until {@link #store} replaces them. {@link #push} does not change it,
     * and no step uses its optimizer. After a load or an import into it, {@link #restore} takes the weights from there.
     */
    TensorId tensor();

    /**
     * Pushes a gradient of all weights.
     *
     * @param gradient [rows, width] float32; borrowed until await returns
     * @return answered once the weights have made their step
     * @throws io.psf.api.PsException from this method or from {@code await}. If a push of reduced weights fails, every
     *     later call fails as well until {@link #restore}, since the workers' copies may differ
     */
    Pending<?> push(float[] gradient);

    /**
     * Copies all weights, with this worker's earlier pushes.
     *
     * @param into [rows, width] float32, filled; borrowed until await returns
     */
    Pending<?> pull(float[] into);

    /**
     * Gives this worker the reduced weights and the optimizer state of a worker that has pushed most often since the
     * last call: the workers may have unequal numbers of batches in an epoch. Every worker calls it, after {@link
     * Tensors#endEpoch}. If the numbers differ, one worker {@link #store stores}, and those with fewer pushes {@link
     * #restore}. Does nothing for weights on the servers. Blocks.
     */
    void endEpoch();

    /**
     * Copies reduced weights and their optimizer state to the servers, from where {@link #restore} reads them: for a
     * checkpoint ({@link ModelCheckpoints#weights} does it), or for an export. One worker calls it, while none pushes.
     * The servers keep the copy until the next call. Does nothing for weights on the servers. Blocks.
     */
    void store();

    /**
     * Replaces reduced weights and their optimizer state by the servers' copy. Every worker calls it before its next
     * push, and none {@link #store stores} meanwhile. The workers need not wait for each other: pushes do not change
     * the copy. Does nothing for weights on the servers. Blocks.
     */
    void restore();
}
