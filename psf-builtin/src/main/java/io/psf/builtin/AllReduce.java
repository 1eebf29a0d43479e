package io.psf.builtin;

import io.psf.api.ClusterCaller;
import io.psf.api.Pending;
import io.psf.api.TensorDeclaration;
import io.psf.api.TensorId;
import io.psf.api.TensorInfo;
import io.psf.api.TensorLayout;
import io.psf.api.array.FloatArray;
import io.psf.builtin.internal.allreduce.ClearReductionPsf;
import io.psf.builtin.internal.allreduce.MakeReductionPsf;
import io.psf.builtin.internal.allreduce.NextReductionPsf;
import io.psf.builtin.internal.allreduce.Operation;
import io.psf.builtin.internal.allreduce.ReduceValues;
import io.psf.builtin.internal.allreduce.ReduceValuesPsf;

/**
 * All-reduce: each worker passes values and receives their sum, mean or maximum over all workers. The values are
 * distributed over the servers, each of which combines a part: a worker sends and receives each element once.
 *
 * <pre>{@code
 * AllReduce reduce = AllReduce.of(worker, "gradient", gradient.length);
 * reduce.mean(gradient).await();              // in place: the mean over all workers
 * }</pre>
 *
 * <p>The calls of one worker are numbered. The calls of one number belong together, and have the same operation. A sum
 * is added in the order of the ranks, so that all workers receive the same bits in each run. A worker that has left or
 * is lost is not waited for; its values count on the slices that have received them. Not thread-safe: used by one
 * thread.
 */
public final class AllReduce {
    private final ClusterCaller worker;
    private final ReduceValuesPsf.Stub stub;
    private final TensorId tensor;
    private long number;

    private AllReduce(ClusterCaller worker, ReduceValuesPsf.Stub stub, TensorId tensor, long number) {
        this.worker = worker;
        this.stub = stub;
        this.tensor = tensor;
        this.number = number;
    }

    /**
     * Creates an all-reduce, or finds an all-reduce that another worker has created. Blocks until the servers have its
     * memory, as much as the values occupy. A worker may create it again after all its calls have ended.
     *
     * @param name the name of the memory, the same on all workers; no tensor has it. The memory is no tensor of the
     *     model: only this class uses it
     * @param length the number of values, at least 1
     * @throws IllegalArgumentException if the name is invalid or the length is below 1
     * @throws io.psf.api.PsException with {@code ALREADY_EXISTS} if a tensor or the memory of another length has the
     *     name; with {@code BAD_REQUEST} if the caller is no worker
     */
    public static AllReduce of(ClusterCaller worker, String name, int length) {
        return of(worker, TensorSpec.dense(name, length));
    }

    /** Creates an all-reduce of values of a tensor's shape, in slices as the tensor has. It uses memory of the host. */
    static AllReduce of(ClusterCaller worker, TensorSpec shape) {
        var unused = worker.rank(); // refused before anything is sent
        TensorInfo memory = shape.tensor();
        TensorLayout layout =
                worker.declare(TensorDeclaration.memory(memory, shape.slices(), shape.besideName(), ReduceValues.NAME));
        MakeReductionPsf.stub(worker)
                .withDeadline(Tensors.TO_INITIALIZE)
                .call(memory.id(), layout.version())
                .await();
        long next = NextReductionPsf.stub(worker).call(memory.id()).await().number();
        return new AllReduce(worker, ReduceValuesPsf.stub(worker), memory.id(), next);
    }

    /**
     * Drops the memory on the servers, for all workers: one of them calls it, after all calls have ended. Later calls
     * fail with {@code UNKNOWN_TENSOR}. Blocks until every server has dropped its part.
     */
    public void clear() {
        ClearReductionPsf.stub(worker).call(tensor).await();
        worker.forget(tensor);
    }

    /**
     * Replaces the values by their sum over all workers.
     *
     * @param values [length] float32; borrowed until await returns; undefined if the call fails
     * @return answered once all workers have called. Fails with {@code TIMED_OUT} if they do not within the worker's
     *     deadline, and with {@code BAD_REQUEST} if another worker has called another operation, or has continued after
     *     a failed call
     */
    public Pending<?> sum(float[] values) {
        return reduce(Operation.SUM, values, values);
    }

    /** Replaces the values by their mean over all workers, as {@link #sum}. */
    public Pending<?> mean(float[] values) {
        return reduce(Operation.MEAN, values, values);
    }

    /** Replaces each value by the greatest one of all workers, as {@link #sum}. */
    public Pending<?> max(float[] values) {
        return reduce(Operation.MAX, values, values);
    }

    /** Combines values of all workers into another array, or the same. */
    Pending<?> reduce(Operation operation, float[] values, float[] into) {
        return stub.call(
                tensor, operation, number++, FloatArray.wrap(values), new ReduceValues.Response(FloatArray.wrap(into)));
    }
}
